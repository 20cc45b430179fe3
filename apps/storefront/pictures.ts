// Which size of a picture a browser loads. The server has pictures that were uploaded there in several sizes, and answers `?width=` with
// the smallest that is as wide. Other pictures have one size.

import { type Html, html } from './html.ts'

// How wide a picture is shown, as the style sheet lays it out.
const widths = {
  half: '(min-width: 56rem) 50vw, 100vw',
  card: '(min-width: 48rem) 18rem, 46vw',
  small: '6rem',
} as const

export type PicturePlace = keyof typeof widths

// Asked for below the size of the file itself, which is in its name.
const sizes = [160, 480, 640]
const uploaded = /\/media\/mer_[0-9a-z]{1,40}\/[0-9a-f]{32}-([0-9]{1,4})\.[a-z]{3,4}$/

export function sourcesOf(src: string, place: PicturePlace): Html | false {
  const whole = Number(uploaded.exec(src)?.[1] ?? 0)
  const smaller = sizes.filter((size) => size < whole)
  if (smaller.length === 0) return false
  const sources = [...smaller.map((size) => `${src}?width=${size} ${size}w`), `${src} ${whole}w`].join(', ')
  return html` srcset="${sources}" sizes="${widths[place]}"`
}

export function smallest(src: string | null): string | null {
  return src !== null && uploaded.test(src) ? `${src}?width=${sizes[0]}` : src
}
