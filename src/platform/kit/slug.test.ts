import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../harness/texts.ts'
import { isSlug, slugify } from './slug.ts'

test('slugs are lower-case words joined by single hyphens, 1 to 120 characters', () => {
  for (const text of ['a', '0', 'red-roses', 'a-1-b', 'a'.repeat(120)]) assert.equal(isSlug(text), true, text)
  const refused = ['', '-', 'a-', '-a', 'a--b', 'A', 'ä', 'a b', 'a_b', 'a\n', 'a/b', '٣', 'a'.repeat(121)]
  for (const text of refused) assert.equal(isSlug(text), false, JSON.stringify(text))
})

test('names become the expected slugs', () => {
  const cases: Record<string, string> = {
    'Red roses': 'red-roses',
    'Größe ÄÖÜ': 'groesse-aeoeue',
    'Gro\u0308ße': 'groesse',
    'STRASSE ẞ': 'strasse-ss',
    'Crème brûlée №5': 'creme-brulee-no5',
    'Łódź & Øresund, Ærø': 'lodz-oresund-aero',
    'İstanbul ışık': 'istanbul-isik',
    'ﬁne ½': 'fine-1-2',
    "Men's Tee™": 'mens-teetm',
    '  --a__b--  ': 'a-b',
    バラ: '',
    '': '',
  }
  for (const [text, slug] of Object.entries(cases)) assert.equal(slugify(text), slug, text)
})

test('any text gives a slug or an empty text, and a slug stays unchanged', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (text) => {
      const slug = slugify(text)
      assert.ok(slug === '' || isSlug(slug))
      assert.equal(slugify(slug), slug)
    }),
  )
  assert.equal(slugify(`${'a'.repeat(119)} b`), 'a'.repeat(119))
})
