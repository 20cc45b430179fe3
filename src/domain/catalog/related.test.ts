import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weighRelatedCategories } from './related.ts'

test('the categories of a product count fully, and those above them less with each level', () => {
  const tree = {
    paths: new Map([
      ['cups', ['kitchen', 'drinks', 'cups']],
      ['gifts', ['gifts']],
    ]),
    families: new Map([
      ['kitchen', ['kitchen', 'drinks', 'cups', 'pans']],
      ['drinks', ['drinks', 'cups']],
      ['cups', ['cups']],
      ['gifts', ['gifts']],
    ]),
  }
  assert.deepEqual(weighRelatedCategories({ categories: ['cups', 'gifts', 'gone'] }, tree), [
    { slugs: ['cups'], weight: 2 },
    { slugs: ['gifts'], weight: 2 },
    { slugs: ['drinks', 'cups'], weight: 4 / 3 },
    { slugs: ['kitchen', 'drinks', 'cups', 'pans'], weight: 2 / 3 },
  ])
})
