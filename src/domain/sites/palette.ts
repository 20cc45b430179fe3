// The colours of a shop, derived from one colour: backgrounds tinted with it, text colours that are readable on every background, and
// buttons in the colour itself. Any colour gives a readable shop, in light and dark mode. Pure.

import type { SitePalette } from '../../contract/open/site.ts'
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

export interface SitePalettes {
  light: SitePalette
  dark: SitePalette
}

export function palettesFor(color: string): SitePalettes | null {
  const given = parseColor(color)
  if (!given) return null
  const { light, dark } = palettesOf(given)
  return { light: written(light), dark: written(dark) }
}

type Palette = Readonly<Record<keyof SitePalette, Rgb>>

export function palettesOf(color: Rgb): { light: Palette; dark: Palette } {
  return { light: lightPalette(color), dark: darkPalette(color) }
}

// The cast holds because the result has the members of the palette, each formatted as a colour.
function written(palette: Palette): SitePalette {
  return Object.fromEntries(Object.entries(palette).map(([name, shade]) => [name, formatColor(shade)])) as SitePalette
}

const nearBlack: Rgb = [0x14, 0x14, 0x14]

function lightPalette(color: Rgb): Palette {
  const grounds = { paper: mix(white, color, 0.025), sheet: white, well: mix(white, color, 0.07) }
  return paletteOn(grounds, color, black)
}

function darkPalette(color: Rgb): Palette {
  const grounds = {
    paper: mix(nearBlack, color, 0.025),
    sheet: mix([0x1e, 0x1e, 0x1e], color, 0.04),
    well: mix([0x29, 0x29, 0x29], color, 0.06),
  }
  return paletteOn(grounds, color, white)
}

function paletteOn(grounds: Record<'paper' | 'sheet' | 'well', Rgb>, color: Rgb, end: Rgb): Palette {
  const all = Object.values(grounds)
  // A button that resembles the page is darkened or lightened until it stands out.
  const action = readableOn(color, all, end, edgeContrast)
  const onAction = inkOn(action)
  return {
    ...grounds,
    ink: readableOn(mix(end, color, 0.12), all, end),
    inkSoft: readableOn(mix(mix(end, color, 0.2), grounds.well, 0.3), all, end),
    line: mix(grounds.well, end, 0.1),
    lineStrong: edgeOn(grounds, end),
    action,
    onAction,
    // Colour of a button under the pointer: mixed with black or white, whichever contrasts with the button's text.
    actionOver: mix(action, onAction === white ? black : white, 0.18),
    link: readableOn(color, all, end),
  }
}

// Returns the colour nearest to the background that is distinguishable from all backgrounds.
function edgeOn(grounds: Record<'paper' | 'sheet' | 'well', Rgb>, end: Rgb): Rgb {
  const all = Object.values(grounds)
  for (let share = 0.3; share < 1; share += 0.04) {
    const candidate = mix(grounds.well, end, share)
    if (all.every((ground) => contrast(candidate, ground) >= edgeContrast)) return candidate
  }
  return end
}
