// The file name of a picture. Pure.

import type { ImageKind } from './format.ts'

const endings: Readonly<Record<ImageKind, string>> = { webp: 'webp', jpeg: 'jpg', png: 'png', avif: 'avif' }
export const imageKindByEnding = new Map(Object.entries(endings).map(([kind, ending]) => [ending, kind as ImageKind]))

export interface ImageName {
  merchantId: string
  hash: string
  width: number
  kind: ImageKind
}

// Name of the file, which is also its path below `/media/`.
export function imageName({ merchantId, hash, width, kind }: ImageName): string {
  return `${merchantId}/${hash}-${width}.${endings[kind]}`
}

// Name of a copy, by the hash of the picture that it is made from.
export function copyName({ merchantId, hash, width, kind }: ImageName): string {
  return `${merchantId}/${hash}-${width}w.${endings[kind]}`
}
