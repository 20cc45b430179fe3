import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postalWords, wordsOf } from './sealedwords.ts'

test('words are what people type, whatever the case, and a mailbox is one of them', () => {
  assert.deepEqual(wordsOf('Ada  LOVELACE-King'), ['ada', 'lovelace', 'king'])
  assert.deepEqual(wordsOf('Ada@Example.COM'), wordsOf('ada@example.com'))
  assert.equal(wordsOf('ada@example.com').length, 1)
  assert.deepEqual(wordsOf('李 Ｗａｎｇ'), ['李', 'wang'])
  assert.deepEqual(wordsOf(' ,.- '), [])
  assert.equal(wordsOf(Array.from({ length: 50 }, (_, i) => `w${i}`).join(' ')).length, 20)
})

test('a postal code is found with and without its gap', () => {
  assert.deepEqual(postalWords('SW1A 1AA'), ['sw1a', '1aa', 'sw1a1aa'])
  assert.deepEqual(postalWords('10117'), ['10117'])
})
