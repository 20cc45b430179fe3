import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packText, unpackText } from './packed.ts'

test('every text is unpacked to the original', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 200 }), (text, times) => {
      const long = JSON.stringify({ text, again: text.repeat(times) })
      assert.equal(unpackText(packText(long)), long)
    }),
  )
  for (const text of ['', 'zstd:', 'zstd:AAAA', `zstd:${'x'.repeat(10_000)}`])
    assert.equal(unpackText(packText(text)), text)
})

test('a short text is stored unchanged, and a long text compressed', () => {
  const lines = Array.from({ length: 100 }, (_, line) => ({
    skuId: `sku_${line}`,
    quantity: line,
    unitPrice: 100 * line,
  }))
  const [short, long] = [JSON.stringify(lines.slice(0, 3)), JSON.stringify(Array(4).fill(lines))]
  assert.equal(packText(short), short)
  assert.ok(long.length > 16_000)
  assert.ok(packText(long).length < long.length / 5)
})

test('a damaged text is refused', () => {
  const stored = packText(JSON.stringify('x'.repeat(20_000)))
  assert.throws(() => unpackText(`${stored.slice(0, 30)}AAAA`))
})
