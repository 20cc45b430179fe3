import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postalWords, searchTokensFor, splitSearchWords, wordBeginnings } from './sealedwords.ts'

test('words ignore letter case, and an e-mail address is one word', () => {
  assert.deepEqual(splitSearchWords('Ada  LOVELACE-King'), ['ada', 'lovelace', 'king'])
  assert.deepEqual(splitSearchWords('Ada@Example.COM'), splitSearchWords('ada@example.com'))
  assert.equal(splitSearchWords('ada@example.com').length, 1)
  assert.deepEqual(splitSearchWords('李 Ｗａｎｇ'), ['李', 'wang'])
  assert.deepEqual(splitSearchWords(' ,.- '), [])
  assert.equal(splitSearchWords(Array.from({ length: 50 }, (_, i) => `w${i}`).join(' ')).length, 20)
})

test('a postal code is found with and without its space', () => {
  assert.deepEqual(postalWords('SW1A 1AA'), ['sw1a', '1aa', 'sw1a1aa'])
  assert.deepEqual(postalWords('10117'), ['10117'])
})

test('a word is found by each prefix of two or more letters; a complete e-mail address does not find another one with the same beginning', () => {
  for (const word of ['hansen', 'featherstonehaugh', 'wolfgang.amadeus@example.com', '李小龍', '𠮷𠮷𠮷']) {
    const tokens = new Set([word, ...wordBeginnings(word)])
    const letters = [...word]
    const missed = letters
      .map((_, at) => letters.slice(0, at + 1).join(''))
      .slice(1)
      .filter((typed) => !searchTokensFor(typed).some((asked) => tokens.has(asked)))
    assert.deepEqual(
      missed.filter((typed) => !typed.includes('@')),
      [],
      word,
    )
  }
  const isFound = (typed: string, word: string) => {
    const tokens = [word, ...wordBeginnings(word)]
    return searchTokensFor(typed).some((asked) => tokens.includes(asked))
  }
  assert.ok(isFound('wolfgang.amadeus@exam', 'wolfgang.amadeus@example.com'))
  assert.ok(!isFound('ada@example.org', 'ada@example.com'))
  assert.ok(!isFound('hansenx', 'hansen'))
  assert.ok(!isFound('featherston', 'featherstitch'))
})
