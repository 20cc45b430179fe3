// QR codes (ISO/IEC 18004) of byte text at error correction level M: what a telephone reads from our pages. Pure. Versions 1 to 20, which
// hold 666 bytes; no other mode or level is needed.

// Of each version: error correction bytes in a block, and blocks (ISO/IEC 18004, table 9, level M).
// biome-ignore format: a table is read by its rows
const versions: readonly (readonly [correction: number, blocks: number])[] = [
  [10, 1], [16, 1], [26, 1], [18, 2], [24, 2], [16, 4], [18, 4], [22, 4], [22, 5], [26, 5],
  [30, 5], [22, 8], [22, 9], [24, 9], [24, 10], [28, 10], [28, 11], [26, 13], [26, 14], [26, 16],
]

// Rows of modules, true where dark. Undefined for a text that is too long.
export function qrModules(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text)
  const version = versions.findIndex((_, i) => bytes.length + headBytes(i + 1) <= dataBytes(i + 1)) + 1
  if (version === 0) return undefined
  const codewords = interleave(version, dataCodewords(version, bytes))
  const base = new Grid(version)
  base.drawFunctions()
  base.drawCodewords(codewords)
  const masked = masks.map((mask, i) => base.masked(mask, i))
  return masked.reduce((best, grid) => (penaltyOf(grid) < penaltyOf(best) ? grid : best))
}

// One path of an SVG, a unit for each module, with the quiet zone of four that readers need.
export function qrPath(modules: readonly (readonly boolean[])[]): { side: number; path: string } {
  const quiet = 4
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('')
  return { side: modules.length + quiet * 2, path }
}

const sideOf = (version: number) => version * 4 + 17

// Mode and length: 4 bits, and 8 or 16; rounded up to whole bytes.
const headBytes = (version: number) => (version < 10 ? 2 : 3)

// How many bytes fit beside the function patterns.
function allBytes(version: number): number {
  const centres = version === 1 ? 0 : Math.floor(version / 7) + 2
  let modules = (16 * version + 128) * version + 64
  if (centres > 0) modules -= (25 * centres - 10) * centres - 55
  if (version >= 7) modules -= 36
  return Math.floor(modules / 8)
}

function dataBytes(version: number): number {
  const [correction, blocks] = shapeOf(version)
  return allBytes(version) - correction * blocks
}

function shapeOf(version: number): readonly [correction: number, blocks: number] {
  const shape = versions[version - 1]
  if (!shape) throw new RangeError(`there is no version ${version}`)
  return shape
}

function dataCodewords(version: number, bytes: Uint8Array): number[] {
  let bits = `0100${bytes.length.toString(2).padStart(version < 10 ? 8 : 16, '0')}`
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  const length = dataBytes(version)
  bits += '0'.repeat(Math.min(4, length * 8 - bits.length))
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0')
  const words = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  for (let pad = 0xec; words.length < length; pad ^= 0xfd) words.push(pad)
  return words
}

// The data in blocks, each with its correction; sent byte by byte of all blocks in turn. The last blocks are one byte longer.
function interleave(version: number, data: readonly number[]): number[] {
  const [correction, count] = shapeOf(version)
  const short = Math.floor(data.length / count)
  const shortBlocks = count - (data.length % count)
  const generator = generatorOf(correction)
  let start = 0
  const blocks = Array.from({ length: count }, (_, i) => {
    const block = data.slice(start, start + short + (i < shortBlocks ? 0 : 1))
    start += block.length
    return block
  })
  const columns = (rows: readonly (readonly number[])[], length: number) =>
    Array.from({ length }, (_, i) => rows.flatMap((row) => row[i] ?? [])).flat()
  return [
    ...columns(blocks, short + 1),
    ...columns(
      blocks.map((block) => correctionOf(block, generator)),
      correction,
    ),
  ]
}

// The field GF(2⁸) with x⁸ + x⁴ + x³ + x² + 1.
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((b >>> bit) & 1) * a
  }
  return product
}

// (x - 2⁰)(x - 2¹)…, without its first coefficient, which is 1.
function generatorOf(degree: number): number[] {
  let result = [...Array.from({ length: degree - 1 }, () => 0), 1]
  let root = 1
  for (let i = 0; i < degree; i += 1) {
    const factor = root
    result = result.map((coefficient, j) => times(coefficient, factor) ^ (result[j + 1] ?? 0))
    root = times(root, 2)
  }
  return result
}

// The remainder of the division by the generator (Reed–Solomon).
export function correctionOf(data: readonly number[], generator: readonly number[]): number[] {
  let rest = generator.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0)
    rest = [...rest.slice(1), 0].map((value, i) => value ^ times(generator[i] ?? 0, factor))
  }
  return rest
}

// ISO/IEC 18004, table 10.
const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

class Grid {
  readonly #version: number
  readonly #side: number
  readonly #dark: boolean[][]
  // Finders, timing, alignment, format and version: neither data nor masked.
  readonly #fixed: boolean[][]

  constructor(version: number) {
    this.#version = version
    this.#side = sideOf(version)
    const empty = () => Array.from({ length: this.#side }, () => Array.from({ length: this.#side }, () => false))
    this.#dark = empty()
    this.#fixed = empty()
  }

  #set(x: number, y: number, isDark: boolean, at = this.#dark): void {
    const [row, fixed] = [at[y], this.#fixed[y]]
    if (!row || !fixed || x < 0 || x >= this.#side) return
    row[x] = isDark
    fixed[x] = true
  }

  drawFunctions(): void {
    const side = this.#side
    for (let i = 0; i < side; i += 1) {
      this.#set(6, i, i % 2 === 0)
      this.#set(i, 6, i % 2 === 0)
    }
    for (const [x, y] of [
      [3, 3],
      [side - 4, 3],
      [3, side - 4],
    ] as const)
      this.#drawRings(x, y, 4)
    const centres = this.#centres()
    const last = centres.length - 1
    centres.forEach((x, i) => {
      centres.forEach((y, j) => {
        const isAtFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)
        if (!isAtFinder) this.#drawRings(x, y, 2)
      })
    })
    this.#drawFormat(0, this.#dark)
    this.#drawVersion()
  }

  // A finder with its separator, or an alignment pattern.
  #drawRings(x: number, y: number, reach: number): void {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy))
        this.#set(x + dx, y + dy, ring !== 2 - (reach === 2 ? 1 : 0) && ring !== 4)
      }
  }

  #centres(): number[] {
    if (this.#version === 1) return []
    const count = Math.floor(this.#version / 7) + 2
    const step = Math.ceil((this.#version * 4 + 4) / (count * 2 - 2)) * 2
    return [6, ...Array.from({ length: count - 1 }, (_, i) => this.#side - 7 - (count - 2 - i) * step)]
  }

  // Level M is 0 in the first two of the five bits; BCH(15, 5).
  #drawFormat(mask: number, at: boolean[][]): void {
    let rest = mask
    for (let i = 0; i < 10; i += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
    const bits = ((mask << 10) | rest) ^ 0x5412
    const bit = (i: number) => ((bits >>> i) & 1) === 1
    const side = this.#side
    for (let i = 0; i < 15; i += 1) {
      // Beside the first finder, around the timing pattern, and split between the other two.
      if (i < 8) this.#set(8, i < 6 ? i : i + 1, bit(i), at)
      else this.#set(i === 8 ? 7 : 14 - i, 8, bit(i), at)
      if (i < 8) this.#set(side - 1 - i, 8, bit(i), at)
      else this.#set(8, side - 15 + i, bit(i), at)
    }
    this.#set(8, side - 8, true, at)
  }

  // From version 7 on; BCH(18, 6).
  #drawVersion(): void {
    if (this.#version < 7) return
    let rest = this.#version
    for (let i = 0; i < 12; i += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
    const bits = (this.#version << 12) | rest
    for (let i = 0; i < 18; i += 1) {
      const [far, near] = [this.#side - 11 + (i % 3), Math.floor(i / 3)]
      this.#set(far, near, ((bits >>> i) & 1) === 1)
      this.#set(near, far, ((bits >>> i) & 1) === 1)
    }
  }

  // In columns of two from the right, up and down in turn, past the timing column.
  drawCodewords(words: readonly number[]): void {
    const bits = words.flatMap((word) => Array.from({ length: 8 }, (_, i) => ((word >>> (7 - i)) & 1) === 1))
    let next = 0
    let isUp = true
    for (let right = this.#side - 1; right >= 1; right -= right === 8 ? 3 : 2) {
      for (let step = 0; step < this.#side; step += 1) {
        const y = isUp ? this.#side - 1 - step : step
        for (const x of [right, right - 1]) {
          const row = this.#dark[y]
          if (!row || this.#fixed[y]?.[x]) continue
          row[x] = bits[next] ?? false
          next += 1
        }
      }
      isUp = !isUp
    }
  }

  masked(mask: (x: number, y: number) => boolean, number: number): boolean[][] {
    const grid = this.#dark.map((row, y) =>
      row.map((isDark, x) => (this.#fixed[y]?.[x] ? isDark : isDark !== mask(x, y))),
    )
    this.#drawFormat(number, grid)
    return grid
  }
}

// How hard it is to read (ISO/IEC 18004, 7.8.3.1): runs, squares, what looks like a finder, and too much of one colour.
function penaltyOf(grid: readonly (readonly boolean[])[]): number {
  const rows = grid.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
  const columns = rows.map((_, x) => rows.map((row) => row[x]).join(''))
  let penalty = 0
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2
    for (const _ of line.matchAll(/(?=10111010000|00001011101)/g)) penalty += 40
  }
  for (let y = 1; y < rows.length; y += 1)
    for (let x = 1; x < rows.length; x += 1) {
      const square = [rows[y]?.[x], rows[y]?.[x - 1], rows[y - 1]?.[x], rows[y - 1]?.[x - 1]]
      if (square.every((module) => module === square[0])) penalty += 3
    }
  const share = rows.join('').replaceAll('0', '').length / rows.length ** 2
  return penalty + Math.floor(Math.abs(share - 0.5) * 20) * 10
}
