// What the file of a picture is called. Pure.

import type { PictureKind } from './format.ts'

const endings: Readonly<Record<PictureKind, string>> = { webp: 'webp', jpeg: 'jpg', png: 'png', avif: 'avif' }
export const kindOfEnding = new Map(Object.entries(endings).map(([kind, ending]) => [ending, kind as PictureKind]))

export interface PictureName {
  merchantId: string
  hash: string
  width: number
  kind: PictureKind
}

// Of the file, and behind `/media/` its address.
export function pictureName({ merchantId, hash, width, kind }: PictureName): string {
  return `${merchantId}/${hash}-${width}.${endings[kind]}`
}
