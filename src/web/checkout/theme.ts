// The merchant's colour on the shopper's pages. It fills buttons as it is, with black or white text, whichever can be read; as text
// and as a line it is darkened, or lightened in the dark, until it can be read on every ground of the pages.
//
// A style sheet of its own, named by the colour: the policy of the pages allows no style inside of them.

import {
  black,
  contrast,
  edgeContrast,
  formatColor,
  inkOn,
  mix,
  parseColor,
  type Rgb,
  readableOn,
  white,
} from '../../platform/html/color.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { lost } from './show.ts'

// The lightest and the darkest on which a page writes: --sheet, --well and --note in style.css and tokens.css.
const lightGrounds: readonly Rgb[] = [white, [0xe9, 0xee, 0xee], [0xee, 0xf3, 0xf6]]
const darkGrounds: readonly Rgb[] = [
  [0x15, 0x1f, 0x24],
  [0x1f, 0x2b, 0x31],
  [0x18, 0x2a, 0x33],
]

export function themeFor(color: Rgb): string {
  return `:root{${linesFor(color, lightGrounds, black)}}
@media screen and (prefers-color-scheme:dark){:root{${linesFor(color, darkGrounds, white)}}}
`
}

function linesFor(color: Rgb, grounds: readonly Rgb[], end: Rgb): string {
  const ink = inkOn(color)
  const accent = readableOn(color, grounds, end)
  const isSeen = grounds.every((ground) => contrast(color, ground) >= edgeContrast)
  const values = {
    action: color,
    'action-ink': ink,
    // Away from its text.
    'action-over': mix(color, ink === white ? black : white, 0.15),
    // A button that looks like the page needs an edge.
    'action-edge': isSeen ? color : accent,
    accent,
    blue: accent,
    'note-edge': accent,
  }
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${formatColor(value)}`)
    .join(';')
}

export const themePage: HtmlPage = {
  path: '/checkout/color/:file',
  name: 'checkout color',
  async answer(request) {
    const [, digits = ''] = /^([0-9a-f]{6})\.css$/.exec(request.path.file ?? '') ?? []
    const color = parseColor(digits)
    if (!color) return lost(request)
    const headers = {
      'content-type': 'text/css; charset=utf-8',
      // A later version may choose other shades.
      'cache-control': 'public, max-age=86400',
    }
    return { status: 200, body: themeFor(color), headers }
  },
}
