import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedWords } from './question.ts'
import { noSynonyms, synonymsOf } from './synonyms.ts'

test('a word has what stands for it, and each word of a phrase what stands for the phrase', () => {
  const synonyms = synonymsOf([
    ['Sofa', 'Couch'],
    ['nightstand', 'bedside table'],
  ])
  const alternatives = (text: string) =>
    askedWords(text, 'en', synonyms).map(({ alternatives }) =>
      alternatives.map((phrase) => phrase.map(({ word }) => word).join(' ')),
    )
  assert.deepEqual(alternatives('grey couches'), [[], ['sofa']])
  assert.deepEqual(alternatives('oak bedside tables'), [[], ['nightstand'], ['nightstand']])
  assert.deepEqual(alternatives('nightstand'), [['bedside table']])
  assert.deepEqual(alternatives('bedside lamp'), [[], []], 'not a part of the phrase')
  assert.deepEqual(askedWords('couch', 'en', noSynonyms)[0]?.alternatives, [])
})
