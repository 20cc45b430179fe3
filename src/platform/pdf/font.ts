// Reads a TrueType font, and makes the subset that a document uses (OpenType 1.9: cmap, glyf, head, hhea, hmtx, loca, maxp). Pure.

export class TrueTypeFont {
  readonly name: string
  readonly unitsPerEm: number
  readonly ascent: number
  readonly descent: number
  readonly box: readonly [number, number, number, number]
  readonly #tables: ReadonlyMap<string, Buffer>
  readonly #glyphs: ReadonlyMap<number, number>
  readonly #advances: number
  // Whether the offsets of glyph outlines have 32 bits instead of 16.
  readonly #isLong: boolean

  constructor(name: string, bytes: Buffer) {
    this.name = name
    this.#tables = tablesIn(bytes)
    const [head, hhea] = [this.table('head'), this.table('hhea')]
    this.unitsPerEm = head.readUInt16BE(18)
    this.box = [head.readInt16BE(36), head.readInt16BE(38), head.readInt16BE(40), head.readInt16BE(42)]
    this.ascent = hhea.readInt16BE(4)
    this.descent = hhea.readInt16BE(6)
    this.#advances = hhea.readUInt16BE(34)
    this.#glyphs = glyphsIn(this.table('cmap'))
    this.#isLong = head.readInt16BE(50) === 1
  }

  table(tag: string): Buffer {
    const found = this.#tables.get(tag)
    if (!found) throw new Error(`the font ${this.name} has no table ${tag}`)
    return found
  }

  // Returns undefined if the font does not have the character.
  glyphOf(codePoint: number): number | undefined {
    return this.#glyphs.get(codePoint)
  }

  // Returns the advance width in font units.
  advanceOf(glyph: number): number {
    return this.table('hmtx').readUInt16BE(4 * Math.min(glyph, this.#advances - 1))
  }

  sideBearingOf(glyph: number): number {
    const at = glyph < this.#advances ? 4 * glyph + 2 : 4 * this.#advances + 2 * (glyph - this.#advances)
    return this.table('hmtx').readInt16BE(at)
  }

  outlineOf(glyph: number): Buffer {
    return this.table('glyf').subarray(this.#offsetOf(glyph), this.#offsetOf(glyph + 1))
  }

  #offsetOf(glyph: number): number {
    const loca = this.table('loca')
    return this.#isLong ? loca.readUInt32BE(4 * glyph) : 2 * loca.readUInt16BE(2 * glyph)
  }
}

function tablesIn(bytes: Buffer): Map<string, Buffer> {
  const tables = new Map<string, Buffer>()
  for (let i = 0, at = 12; i < bytes.readUInt16BE(4); i += 1, at += 16) {
    const [from, size] = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)]
    tables.set(bytes.toString('latin1', at, at + 4), bytes.subarray(from, from + size))
  }
  return tables
}

// Reads a cmap of format 4, which maps the characters of the Basic Multilingual Plane. Its segments are four arrays of 16-bit numbers.
function glyphsIn(cmap: Buffer): Map<number, number> {
  const at = cmap.readUInt32BE(8)
  if (cmap.readUInt16BE(at) !== 4) throw new Error('the cmap of the font must have format 4')
  const doubled = cmap.readUInt16BE(at + 6)
  const ends = at + 14
  const starts = ends + doubled + 2
  const glyphs = new Map<number, number>()
  for (let segment = 0; segment < doubled; segment += 2) {
    const start = cmap.readUInt16BE(starts + segment)
    const end = cmap.readUInt16BE(ends + segment)
    const delta = cmap.readUInt16BE(starts + doubled + segment)
    const offsetAt = starts + 2 * doubled + segment
    const offset = cmap.readUInt16BE(offsetAt)
    for (let code = start; code <= end && code !== 0xffff; code += 1) {
      const found = offset === 0 ? code : cmap.readUInt16BE(offsetAt + offset + 2 * (code - start))
      const glyph = found === 0 ? 0 : (found + delta) & 0xffff
      if (glyph !== 0) glyphs.set(code, glyph)
    }
  }
  return glyphs
}

// The glyphs that a document uses, renumbered in the order of their first use.
export class FontSubset {
  readonly font: TrueTypeFont
  // Number of each glyph in the full font, by its number in the subset.
  readonly #glyphs: number[] = [0]
  readonly #numbers = new Map<number, number>([[0, 0]])
  readonly #codes = new Map<string, string>()
  // Character of each glyph by its number in the subset, so readers can copy text.
  readonly letters = new Map<number, number>()

  constructor(font: TrueTypeFont) {
    this.font = font
  }

  // Encodes text as hexadecimal digits, four per character.
  codesOf(text: string): string {
    let codes = ''
    for (const letter of text) codes += this.#codes.get(letter) ?? this.#codeOf(letter)
    return codes
  }

  #codeOf(letter: string): string {
    const codePoint = letter.codePointAt(0) ?? 0
    const number = this.#numberOf(this.font.glyphOf(codePoint) ?? 0)
    if (!this.letters.has(number)) this.letters.set(number, codePoint)
    const code = number.toString(16).padStart(4, '0')
    this.#codes.set(letter, code)
    return code
  }

  #numberOf(glyph: number): number {
    const known = this.#numbers.get(glyph)
    if (known !== undefined) return known
    const number = this.#glyphs.push(glyph) - 1
    this.#numbers.set(glyph, number)
    return number
  }

  // Advance widths by number in the subset, in thousandths of the font size.
  widths(): number[] {
    return this.#glyphs.map((glyph) => Math.round((this.font.advanceOf(glyph) * 1000) / this.font.unitsPerEm))
  }

  // Returns a font file with only the glyphs of the subset.
  bytes(): Buffer {
    const outlines: Buffer[] = []
    // The list grows in the loop: parts of composite glyphs are added, and handled by later iterations.
    for (let i = 0; i < this.#glyphs.length; i += 1) outlines.push(this.#outlineOf(this.#glyphs[i] ?? 0))
    const loca = Buffer.alloc(4 * (outlines.length + 1))
    let size = 0
    for (const [i, outline] of outlines.entries()) {
      size += outline.length
      loca.writeUInt32BE(size, 4 * (i + 1))
    }
    const hmtx = Buffer.alloc(4 * outlines.length)
    for (const [i, glyph] of this.#glyphs.entries()) {
      hmtx.writeUInt16BE(this.font.advanceOf(glyph), 4 * i)
      hmtx.writeInt16BE(this.font.sideBearingOf(glyph), 4 * i + 2)
    }
    const [hhea, maxp] = [Buffer.from(this.font.table('hhea')), Buffer.from(this.font.table('maxp'))]
    hhea.writeUInt16BE(outlines.length, 34)
    maxp.writeUInt16BE(outlines.length, 4)
    const head = Buffer.from(this.font.table('head'))
    head.writeUInt32BE(0, 8)
    head.writeInt16BE(1, 50)
    return fontFile({ glyf: Buffer.concat(outlines), head, hhea, hmtx, loca, maxp })
  }

  // A composite glyph refers to its parts by number, so these are replaced by the numbers in the subset.
  #outlineOf(glyph: number): Buffer {
    const outline = Buffer.from(this.font.outlineOf(glyph))
    if (outline.length === 0 || outline.readInt16BE(0) >= 0) return padded(outline)
    const isWord = 1
    const more = 32
    for (let at = 10, flags = more; flags & more; ) {
      flags = outline.readUInt16BE(at)
      outline.writeUInt16BE(this.#numberOf(outline.readUInt16BE(at + 2)), at + 2)
      const scale = flags & 8 ? 2 : flags & 64 ? 4 : flags & 128 ? 8 : 0
      at += 4 + (flags & isWord ? 4 : 2) + scale
    }
    return padded(outline)
  }
}

function padded(bytes: Buffer): Buffer {
  return bytes.length % 4 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(4 - (bytes.length % 4))])
}

// Tables are in the order of their tags, as the format requires.
function fontFile(tables: Readonly<Record<string, Buffer>>): Buffer {
  const entries = Object.entries(tables)
  const power = 2 ** Math.floor(Math.log2(entries.length))
  const head = Buffer.alloc(12 + 16 * entries.length)
  head.writeUInt32BE(0x00010000, 0)
  head.writeUInt16BE(entries.length, 4)
  head.writeUInt16BE(power * 16, 6)
  head.writeUInt16BE(Math.log2(power), 8)
  head.writeUInt16BE((entries.length - power) * 16, 10)
  let from = head.length
  const parts: Buffer[] = [head]
  for (const [i, [tag, table]] of entries.entries()) {
    const whole = padded(table)
    head.write(tag, 12 + 16 * i, 'latin1')
    head.writeUInt32BE(checksum(whole), 16 + 16 * i)
    head.writeUInt32BE(from, 20 + 16 * i)
    head.writeUInt32BE(table.length, 24 + 16 * i)
    from += whole.length
    parts.push(whole)
  }
  const file = Buffer.concat(parts)
  const headAt = file.readUInt32BE(20 + 16 * entries.findIndex(([tag]) => tag === 'head'))
  file.writeUInt32BE((0xb1b0afba - checksum(file)) >>> 0, headAt + 8)
  return file
}

function checksum(bytes: Buffer): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0
  return sum
}
