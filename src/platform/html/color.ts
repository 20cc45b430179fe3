// Colours as numbers: the contrast of two colours (WCAG 2.2, 1.4.3), and the nearest colour with enough contrast. Pure.

export type Rgb = readonly [red: number, green: number, blue: number]

export const black: Rgb = [0, 0, 0]
export const white: Rgb = [255, 255, 255]

// Minimum contrast of text and of edges.
export const textContrast = 4.5
export const edgeContrast = 3

// Parses `#rrggbb`, or the digits alone.
export function parseColor(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

export function formatColor(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

// Returns the contrast, from 1 (equal colours) to 21 (black and white).
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function mix(color: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(color[at] + (other[at] - color[at]) * share)
  return [part(0), part(1), part(2)]
}

// Returns black or white, whichever has more contrast with the colour: always at least 4.58.
export function inkOn(color: Rgb): Rgb {
  return contrast(color, white) >= contrast(color, black) ? white : black
}

const steps = 50

// Returns the first colour on the way from `color` to `end` that is readable on all grounds, or `end` if none is. The way to white passes
// the brightest colour of the same hue: mixed directly with white, a dark green would turn grey and look disabled.
export function readableOn(color: Rgb, grounds: readonly Rgb[], end: Rgb, least = textContrast): Rgb {
  const ways =
    end === white ? [[color, brightest(color)] as const, [brightest(color), white] as const] : [[color, end] as const]
  for (const [from, to] of ways) {
    for (let step = 0; step < steps; step += 1) {
      const candidate = mix(from, to, step / steps)
      if (grounds.every((ground) => contrast(candidate, ground) >= least)) return candidate
    }
  }
  return end
}

function brightest([red, green, blue]: Rgb): Rgb {
  const most = Math.max(red, green, blue)
  const part = (value: number) => (most === 0 ? 255 : Math.round((value * 255) / most))
  return [part(red), part(green), part(blue)]
}
