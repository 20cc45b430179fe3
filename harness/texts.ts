// Texts of any code points but halves of pairs, as fast-check's unit `binary` makes them. That one begins with a table of all 1.1
// million, which takes a second of every test file that asks for it.

import fc from 'fast-check'

const surrogates = { from: 0xd800, count: 0x800 }

const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((place) => (place < surrogates.from ? place : place + surrogates.count))

export function anyText(lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.array(codePoint, lengths).map((points) => String.fromCodePoint(...points))
}
