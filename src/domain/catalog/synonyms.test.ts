import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQueryWords } from './question.ts'
import { indexSynonyms } from './synonyms.ts'

function alternativesIn(groups: readonly (readonly string[])[], text: string): string[][] {
  return parseQueryWords(text, 'en', indexSynonyms(groups)).map(({ alternatives }) =>
    alternatives.map((phrase) => phrase.map(({ word }) => word).join(' ')),
  )
}

test('a word and a phrase get their synonyms, but a single word of the phrase does not', () => {
  const synonyms = indexSynonyms([
    ['Sofa', 'Couch'],
    ['nightstand', 'bedside table'],
  ])
  const alternatives = (text: string) =>
    parseQueryWords(text, 'en', synonyms).map(({ alternatives }) =>
      alternatives.map((phrase) => phrase.map(({ word }) => word).join(' ')),
    )
  assert.deepEqual(alternatives('grey couches'), [[], ['sofa']])
  assert.deepEqual(alternatives('oak bedside tables'), [[], ['nightstand'], ['nightstand']])
  assert.deepEqual(alternatives('nightstand'), [['bedside table']])
  assert.deepEqual(alternatives('bedside lamp'), [[], []], 'not a part of the phrase')
  assert.deepEqual(parseQueryWords('couch', 'en', new Map())[0]?.alternatives, [])
})

test('phrases are split like queries: scripts without spaces, numbers with units, umlauts', () => {
  assert.deepEqual(alternativesIn([['紫砂壶', 'teapot']], 'teapot'), [['紫砂 砂壶']])
  assert.deepEqual(alternativesIn([['紫砂壶', 'teapot']], '紫砂壶'), [['teapot'], ['teapot']])
  assert.deepEqual(alternativesIn([['1 kg', 'large bag']], 'coffee 1kg'), [[], ['large bag']])
  const furniture = [['Möbel', 'Einrichtung']]
  for (const typed of ['möbel', 'mobel', 'moebel'])
    assert.ok(alternativesIn(furniture, typed)[0]?.includes('einrichtung'), typed)
  assert.deepEqual(alternativesIn(furniture, 'einrichtung'), [['mobel', 'moebel']])
})

test('a word in many groups gets each synonym once, up to a limit', () => {
  const [same] = alternativesIn(Array(200).fill(['sofa', 'couch', 'sofas']), 'sofa')
  assert.deepEqual(same, ['couch'])
  const many = Array.from({ length: 200 }, (_, at) => ['sofa', `couch${at}`, `settee${at}`])
  assert.equal(alternativesIn(many, 'sofa')[0]?.length, 20)
  assert.deepEqual(alternativesIn([['sofa', 'a b c d e f g h i j k l m']], 'sofa'), [[]], 'longer than any question')
})
