import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerCache, entryWeight, Lru } from './lru.ts'

test('the least recently used entry is evicted first', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  assert.equal(lru.get('a'), 1)
  lru.set('c', 3)
  assert.deepEqual(
    [...lru],
    [
      ['a', 1],
      ['c', 3],
    ],
  )
  assert.equal(lru.peek('a'), 1)
  lru.set('d', 4)
  assert.equal(lru.get('a'), undefined)
  assert.equal(lru.size, 2)
})

test('setting an entry again replaces it, and counts as a use', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  lru.set('a', 3)
  lru.set('c', 4)
  assert.deepEqual(
    [...lru],
    [
      ['a', 3],
      ['c', 4],
    ],
  )
  assert.equal(lru.delete('a'), true)
  assert.equal(lru.delete('a'), false)
  lru.clear()
  assert.equal(lru.size, 0)
})

test('the cache never exceeds its limit, and must have one', () => {
  const lru = new Lru<number, number>(10)
  for (let i = 0; i < 1000; i++) {
    lru.set(i, i)
    assert.ok(lru.size <= 10)
  }
  for (const bound of [0, -1, Number.NaN]) assert.throws(() => new Lru(bound), RangeError)
})

test('the weight of an entry includes its key', () => {
  const lru = new Lru<string, Buffer>(100_000, ({ length }, key) => entryWeight(key, length))
  for (let i = 0; i < 200; i++) lru.set(String(i).padStart(1_000, 'x'), Buffer.alloc(0))
  assert.equal(lru.size, 45)
})

test('the limit can apply to the sum of the weights of the entries', () => {
  const lru = new Lru<string, string>(10, (text) => text.length)
  lru.set('a', '1234')
  lru.set('b', '123456')
  assert.equal(lru.size, 2)
  lru.set('a', '12345')
  assert.deepEqual([...lru], [['a', '12345']])
  lru.set('c', '12345')
  lru.delete('a')
  lru.set('d', '12345')
  assert.deepEqual(
    [...lru].map(([key]) => key),
    ['c', 'd'],
  )
  lru.set('e', '12345678901')
  assert.equal(lru.size, 0)
  lru.set('f', '1234567890')
  lru.clear()
  lru.set('g', '1234567890')
  assert.equal(lru.peek('g'), '1234567890')
})

test('an answer is kept once it was asked for twice', () => {
  const cache = new AnswerCache<string>(10_000, (text) => text.length)
  cache.set('a', 'one')
  assert.equal(cache.get('a'), undefined)
  cache.set('a', 'two')
  assert.equal(cache.get('a'), 'two')
  // Answers that were asked for once do not displace it.
  for (let i = 0; i < 1_000; i += 1) cache.set(`b${i}`, 'x'.repeat(1_000))
  assert.equal(cache.get('a'), 'two')
})
