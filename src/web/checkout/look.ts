// The merchant's design on the shopper's pages: typefaces, corners and colour, with the background and text colours that the online store
// derives from that colour. Buttons have the colour itself, with black or white text, whichever is readable. As a text or line colour it
// is darkened, or lightened in dark mode, until it is readable on every background of the pages. Pure, except that it reads the server's
// style sheets.

import { readFileSync } from 'node:fs'
import type { SiteCorners, SiteFont, SiteScheme } from '../../contract/words.ts'
import { storedLook } from '../../domain/sites/content.ts'
import { palettesOf } from '../../domain/sites/palette.ts'
import {
  black,
  contrast,
  edgeContrast,
  formatColor,
  inkOn,
  mix,
  type Rgb,
  readableOn,
  white,
} from '../../platform/html/color.ts'

export interface CheckoutTheme {
  color: Rgb | null
  font: SiteFont
  corners: SiteCorners
  scheme: SiteScheme
}

export function themeStyleSheet({ color, font, corners, scheme }: CheckoutTheme): string {
  const shape = [faces[font], rounds[corners]].filter(Boolean).join(';')
  const light = color ? linesFor(color, 'light') : ''
  const dark = color ? `${linesFor(color, 'dark')};${groundsFor(color, 'dark')}` : ''
  // Backgrounds are for screens only: paper is white.
  const grounds = color ? [`@media screen{:root{${groundsFor(color, 'light')}}}`] : []
  const night = 'screen and (prefers-color-scheme:dark)'
  const parts = {
    auto: [`:root{${light}}`, ...grounds, `@media ${night}{:root{${dark}}}`],
    // On a device in dark mode, this resets what style.css sets for dark mode.
    light: [
      `:root{color-scheme:light;${lightBase};${light}}`,
      ...grounds,
      `@media ${night}{.logo{padding:0;background:none}}`,
    ],
    dark: [`:root{${light}}`, `@media screen{:root{color-scheme:dark;${darkBase};${dark}}.logo{${plate}}}`],
  }[scheme]
  return `:root{${shape}}${headingsIn(font)}\n${parts.join('\n')}\n`
}

const slab = 'Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif","Sitka Small",ui-serif,serif'
const serif =
  '"Iowan Old Style","Palatino Linotype",Palatino,"URW Palladio L",P052,"Book Antiqua",Georgia,ui-serif,serif'
const rounded = 'ui-rounded,"SF Pro Rounded","Hiragino Maru Gothic ProN",Quicksand,Nunito,Calibri,system-ui,sans-serif'

// The font pairs of the online store.
const faces: Readonly<Record<SiteFont, string>> = {
  system: '',
  classic: '',
  slab: '',
  rounded: `--sans:${rounded}`,
}
const headingFaces: Readonly<Record<SiteFont, string | null>> = { system: null, classic: serif, slab, rounded }

// Also used in e-mails. Null: headings have the font of the text.
export function headingFontOf(font: SiteFont): string | null {
  return headingFaces[font]
}

function headingsIn(font: SiteFont): string {
  const face = headingFontOf(font)
  return face === null ? '' : `h1,.merchant-name{font-family:${face}}`
}

const rounds: Readonly<Record<SiteCorners, string>> = { round: '', soft: '--round:6px', square: '--round:0px' }
const plate = 'padding:.375rem .5rem;border-radius:8px;background:#fff;color:#172228;max-block-size:3.25rem'

// The values of both colour schemes in the server's style sheets, for a shop that uses only one scheme.
const sheets = ['../../platform/html/tokens.css', 'style.css'].map((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8'),
)
const colorsIn = (block: RegExp) => sheets.flatMap((sheet) => [...sheet.matchAll(block)].map(([, text = '']) => text))
const darkBase = declarationsIn(colorsIn(/prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/g))
const darkNames = new Set(darkBase.split(';').map(nameOf))
const lightBase = declarationsIn(colorsIn(/^:root \{([^}]*)\}/gm))
  .split(';')
  .filter((line) => darkNames.has(nameOf(line)))
  .join(';')

function declarationsIn(blocks: readonly string[]): string {
  const lines = blocks.flatMap((block) => block.replaceAll(/\/\*[\s\S]*?\*\//g, '').split(';'))
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line.startsWith('--'))
    .join(';')
}

function nameOf(line: string): string {
  return line.split(':')[0] ?? ''
}

function linesFor(color: Rgb, scheme: 'light' | 'dark'): string {
  const end = scheme === 'light' ? black : white
  const { paper, sheet, well } = palettesOf(color)[scheme]
  const grounds = [paper, sheet, well]
  const ink = inkOn(color)
  const accent = readableOn(color, grounds, end)
  const isSeen = grounds.every((ground) => contrast(color, ground) >= edgeContrast)
  const values = {
    action: color,
    'action-ink': ink,
    // The button's colour moved away from its text colour, so the text stays readable.
    'action-over': mix(color, ink === white ? black : white, 0.15),
    // A button in the colour of the page's background needs an edge.
    'action-edge': isSeen ? color : accent,
    accent,
    blue: accent,
    'note-edge': accent,
  }
  return written(values)
}

// The background, text and line colours that the online store derives from the colour.
function groundsFor(color: Rgb, scheme: 'light' | 'dark'): string {
  const { paper, sheet, well, ink, inkSoft, line, lineStrong } = palettesOf(color)[scheme]
  const inks = { ink, 'ink-soft': inkSoft, line, 'line-strong': lineStrong, 'field-line': lineStrong }
  return written({ paper, sheet, well, side: paper, note: well, ...inks })
}

function written(values: Readonly<Record<string, Rgb>>): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${formatColor(value)}`)
    .join(';')
}

// Returns null if the merchant set neither a colour nor a design. The file name contains all values, so serving the style sheet needs no
// query.
export function themeHref(merchant: { color: string | null; look: string | null }): string | null {
  const { color, look } = merchant
  if (look === null) return color === null ? null : `/checkout/color/${color.slice(1)}.css`
  const { font, corners, scheme } = storedLook(look)
  return `/checkout/color/${color?.slice(1) ?? 'none'}.${font}.${corners}.${scheme}.css`
}
