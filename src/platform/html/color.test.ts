import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { black, contrast, formatColor, inkOn, mix, parseColor, type Rgb, readableOn, white } from './color.ts'

const part = fc.integer({ min: 0, max: 255 })
const colors: fc.Arbitrary<Rgb> = fc.tuple(part, part, part)

test('a colour is parsed and formatted', () => {
  assert.deepEqual(parseColor('#17455d'), [0x17, 0x45, 0x5d])
  assert.deepEqual(parseColor('ABCDEF'), [0xab, 0xcd, 0xef])
  for (const text of ['', '#fff', 'red', '#17455d;', '#17455d}', '#17455g', '#1745 5d'])
    assert.equal(parseColor(text), undefined)
  fc.assert(fc.property(colors, (color) => assert.deepEqual(parseColor(formatColor(color)), color)))
})

test('contrast is calculated as in WCAG', () => {
  assert.equal(contrast(black, white), 21)
  assert.equal(contrast(white, white), 1)
  // The lightest grey with enough contrast on white, and the next lighter grey.
  assert.ok(contrast([0x76, 0x76, 0x76], white) >= 4.5)
  assert.ok(contrast([0x77, 0x77, 0x77], white) < 4.5)
})

test('the text color for any background color is readable', () => {
  fc.assert(fc.property(colors, (color) => assert.ok(contrast(inkOn(color), color) >= 4.5)))
})

test('any color is made readable on a background, and a color that is readable stays unchanged', () => {
  const grounds = [white, [0xe9, 0xee, 0xee]] as const
  fc.assert(
    fc.property(colors, (color) => {
      const found = readableOn(color, grounds, black)
      for (const ground of grounds) assert.ok(contrast(found, ground) >= 4.5)
      if (grounds.every((ground) => contrast(color, ground) >= 4.5)) assert.deepEqual(found, color)
    }),
  )
})

test('a dark colour keeps its hue when it is lightened', () => {
  const grounds = [[0x15, 0x1f, 0x24]] as const
  const [red, green, blue] = readableOn([0x2c, 0x4c, 0x3e], grounds, white)
  assert.ok(green > 1.4 * red && green > blue, `${red} ${green} ${blue}`)
  for (const color of [black, white] as const) assert.ok(contrast(readableOn(color, grounds, white), grounds[0]) >= 4.5)
})

test('mixing two colors with weight 0 and 1 gives each of them', () => {
  assert.deepEqual([mix(black, white, 0), mix(black, white, 1)], [black, white])
})
