// The appearance that the merchant chose, as its own style sheet: the content security policy of the pages allows no inline styles. It
// sets only variables that style.css uses.

import type { Site } from '../../packages/client/src/index.ts'

type Look = Site['look']
type Palette = NonNullable<Look['palette']>['light']

// Returns '' if the shop uses the defaults of style.css.
export function lookSheet({ font, corners, density, scheme, palette }: Look): string {
  const shape = { ...fonts[font], ...shapes[corners], ...densities[density] }
  const isPlain = Object.keys(shape).length === 0
  const colors = palette === null ? '' : colorRules(palette, scheme)
  return `${isPlain ? '' : `:root{${linesOf(shape)}}\n`}${colors}`
}

const sans = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",sans-serif'

// Pairs of fonts that devices have, so nothing is loaded and no text moves when a font arrives late. Most people see the first font of
// each list.
const fonts: Readonly<Record<Look['font'], Record<string, string>>> = {
  classic: {},
  system: { serif: sans, 'heading-weight': '650' },
  slab: {
    serif: 'Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif","Sitka Small",ui-serif,serif',
    'heading-weight': '600',
  },
  rounded: {
    serif:
      'ui-rounded,"SF Pro Rounded","Hiragino Maru Gothic ProN",Quicksand,Comfortaa,"Arial Rounded MT Bold",Nunito,Calibri,system-ui,sans-serif',
    sans: 'ui-rounded,"SF Pro Rounded","Hiragino Maru Gothic ProN",Quicksand,Nunito,Calibri,system-ui,sans-serif',
    'heading-weight': '700',
  },
}

const shapes: Readonly<Record<Look['corners'], Record<string, string>>> = {
  round: {},
  soft: { radius: '8px', 'radius-small': '6px', pill: '8px' },
  square: { radius: '0px', 'radius-small': '0px', pill: '0px' },
}

const densities: Readonly<Record<Look['density'], Record<string, string>>> = {
  airy: {},
  dense: { 'card-width': '11.5rem', 'card-gap': '0.75rem', 'section-gap': 'clamp(1.5rem, 3vw, 2.5rem)' },
}

function colorRules({ light, dark }: NonNullable<Look['palette']>, scheme: Look['scheme']): string {
  // The board is as large as a picture, so it has the same colour in both schemes.
  const { action: board, onAction: ink } = light
  const large = { board, 'on-board': ink, 'on-board-soft': ink, 'on-board-mark': ink }
  const bright = `:root{${linesOf({ ...shadesOf(light), ...large })}}\n`
  const night = `:root{${linesOf(shadesOf(dark))}}`
  if (scheme === 'light') return bright
  // Dark colours are not printed.
  const when = scheme === 'dark' ? 'screen' : 'screen and (prefers-color-scheme:dark)'
  return `${bright}@media ${when}{${night}}\n`
}

function shadesOf(palette: Palette): Record<string, string> {
  const { paper, sheet, well, ink, inkSoft, line, lineStrong, action, onAction, actionOver, link } = palette
  return {
    ...{ paper, sheet, well, ink, line, link },
    ...{ 'ink-soft': inkSoft, 'line-strong': lineStrong, focus: link },
    ...{ green: action, 'green-deep': actionOver, 'on-green': onAction },
    // Highlights have the same colour as buttons.
    ...{ yellow: action, 'on-yellow': onAction },
  }
}

const linesOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')

// Returns the same style sheet for a shop that is always light, or always dark.
export function inScheme(sheet: string, scheme: Look['scheme']): string {
  if (scheme === 'auto') return sheet
  return sheet
    .replaceAll('screen and (prefers-color-scheme: dark)', scheme === 'dark' ? 'screen' : 'not all')
    .replace('color-scheme: light dark', `color-scheme: ${scheme}`)
}
