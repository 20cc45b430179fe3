// Chooses which copy of a picture a browser loads. The server makes copies of the pictures it stores, in four widths as AVIF and WebP,
// and answers `?width=` and `&as=` with the best available copy. Other pictures are shown as they are.

import { type Html, html } from './html.ts'

// Widths of pictures in the layout of the style sheet.
const widths = {
  half: '(min-width: 56rem) 50vw, 100vw',
  card: '(min-width: 48rem) 18rem, 46vw',
  small: '6rem',
} as const

export type PicturePlace = keyof typeof widths

export interface PictureFacts {
  width: number
  height: number
  // The dominant colour of the picture, as #rrggbb.
  color: string | null
}

const sizes = [160, 480, 960, 1600]
// The name of a stored file has the width of the picture.
const stored = /\/media\/mer_[0-9a-z]{1,40}\/[0-9a-f]{32}-([0-9]{1,4})\.[a-z]{3,4}$/

// Returns the `srcset` and `sizes` of each format.
export function sourcesOf(src: string, place: PicturePlace): Readonly<Record<'avif' | 'webp', Html>> | null {
  const whole = Number(stored.exec(src)?.[1] ?? 0)
  if (whole === 0) return null
  const offered = [...new Set(sizes.map((size) => Math.min(size, whole)))]
  const as = (kind: string) =>
    html` srcset="${offered.map((size) => `${src}?width=${size}&as=${kind} ${size}w`).join(', ')}" sizes="${widths[place]}"`
  return { avif: as('avif'), webp: as('webp') }
}

export function smallest(src: string | null): string | null {
  return src !== null && stored.test(src) ? `${src}?width=${sizes[0]}&as=webp` : src
}
