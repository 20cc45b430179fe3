// Draws text and lines on pages. Positions are in points from the top left corner of the page. Pure, except that the fonts are read once
// from files.

import type { PdfPage } from './file.ts'
import { FontSubset } from './font.ts'
import { documentFont, type FontWeight, fontWeights, printableText } from './fonts.ts'

// A shade of grey. 0 is black.
export type Shade = number

export interface TextStyle {
  size: number
  weight?: FontWeight
  shade?: Shade
}

export interface PageSize {
  width: number
  height: number
}

export class PdfCanvas {
  readonly fonts: readonly FontSubset[] = fontWeights.map((weight) => new FontSubset(documentFont(weight)))
  readonly #size: PageSize
  readonly #pages: string[][] = []
  // Cached widths of texts in font units: a cell is measured to size its column, and again when it is drawn.
  readonly #units = new Map<string, number>()

  constructor(size: PageSize) {
    this.#size = size
  }

  get pageCount(): number {
    return this.#pages.length
  }

  addPage(): void {
    this.#pages.push([])
  }

  // Draws on the last page by default. `x` is where the text begins, or where right-aligned text ends.
  text(
    text: string,
    {
      x,
      y,
      align = 'start',
      page = this.pageCount - 1,
    }: { x: number; y: number; align?: 'start' | 'end'; page?: number },
    { size, weight = 'Regular', shade = 0 }: TextStyle,
  ): void {
    const shown = printableText(text)
    if (shown === '') return
    const at = fontWeights.indexOf(weight)
    const from = align === 'start' ? x : x - this.widthOf(shown, { size, weight })
    const codes = this.fonts[at]?.codesOf(shown)
    const place = `${short(from)} ${short(this.#size.height - y)}`
    this.#pages[page]?.push(`BT /F${at} ${short(size)} Tf ${short(shade)} g ${place} Td <${codes}> Tj ET`)
  }

  rule({ from, to, y, page = this.pageCount - 1 }: Rule, { width, shade = 0 }: { width: number; shade?: Shade }): void {
    const height = short(this.#size.height - y)
    this.#pages[page]?.push(`${short(width)} w ${short(shade)} G ${short(from)} ${height} m ${short(to)} ${height} l S`)
  }

  widthOf(text: string, { size, weight = 'Regular' }: TextStyle): number {
    const font = documentFont(weight)
    const key = `${weight} ${text}`
    const known = this.#units.get(key)
    if (known !== undefined) return (known * size) / font.unitsPerEm
    let units = 0
    for (const letter of printableText(text)) units += font.advanceOf(font.glyphOf(letter.codePointAt(0) ?? 0) ?? 0)
    this.#units.set(key, units)
    return (units * size) / font.unitsPerEm
  }

  // A word that is wider than the line is broken.
  wrap(text: string, width: number, style: TextStyle): string[] {
    const lines: string[] = []
    let line = ''
    for (const word of printableText(text).split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`
      if (this.widthOf(longer, style) <= width) {
        line = longer
        continue
      }
      if (line !== '') lines.push(line)
      const parts = this.#broken(word, width, style)
      line = parts.pop() ?? ''
      lines.push(...parts)
    }
    return line === '' ? lines : [...lines, line]
  }

  #broken(word: string, width: number, style: TextStyle): string[] {
    const parts: string[] = []
    let part = ''
    for (const letter of word) {
      if (part !== '' && this.widthOf(part + letter, style) > width) {
        parts.push(part)
        part = ''
      }
      part += letter
    }
    return [...parts, part]
  }

  pages(): PdfPage[] {
    return this.#pages.map((operators) => ({ ...this.#size, content: operators.join('\n') }))
  }
}

export interface Rule {
  from: number
  to: number
  y: number
  page?: number
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100)
}
