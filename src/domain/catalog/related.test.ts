import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weighRelatedCategories } from './related.ts'

test("a product's own categories count fully, and categories above them less with distance", () => {
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
