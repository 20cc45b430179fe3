import assert from 'node:assert/strict'
import { test } from 'node:test'
import { categoryDepthMax } from '../../contract/entries.ts'
import { categoryDepths, planCategories, refuseDeepCategories } from './categories.ts'

const now = 1_000
const stored = (slug: string, parentId: string | null = null) => ({
  id: `id of ${slug}`,
  slug,
  name: slug,
  description: '',
  parentId,
  position: 0,
  image: null,
  productCount: 3,
  version: 1,
  updatedAt: 1,
})

test('a new category is created, a different one is changed and keeps its product count, and an equal one stays', () => {
  const kept = [stored('tea'), stored('cups')]
  const entries = [
    { slug: 'tea', name: 'Tea' },
    { slug: 'cups', name: 'cups' },
    { slug: 'pots', name: 'Pots' },
  ]
  const plan = planCategories(entries, kept, now)
  assert.deepEqual(plan.changedCategories, [{ ...stored('tea'), name: 'Tea', updatedAt: now, version: 2 }])
  assert.deepEqual(
    plan.newCategories.map(({ slug, productCount }) => [slug, productCount]),
    [['pots', 0]],
  )
  assert.deepEqual(
    plan.changes.map(({ kind, what, name }) => [kind, what, name]),
    [
      ['change', 'category', 'tea'],
      ['create', 'category', 'pots'],
    ],
  )
  assert.equal(plan.categoryIds.get('cups'), 'id of cups')
})

test('a parent is planned before its child, in whatever order the file lists them', () => {
  const entries = [
    { slug: 'green', name: 'Green', parent: 'tea' },
    { slug: 'tea', name: 'Tea', parent: 'drinks' },
    { slug: 'drinks', name: 'Drinks' },
  ]
  const { newCategories, categoryIds } = planCategories(entries, [], now)
  assert.deepEqual(
    newCategories.map(({ slug }) => slug),
    ['drinks', 'tea', 'green'],
  )
  assert.deepEqual(
    newCategories.map(({ parentId }) => parentId),
    [null, categoryIds.get('drinks'), categoryIds.get('tea')],
  )
})

// A chain of this many categories, each the parent of the next.
const chain = (length: number) =>
  Array.from({ length }, (_, index) => stored(`level-${index}`, index === 0 ? null : `id of level-${index - 1}`))

test('depths are counted up to one level more than allowed, also in cycles', () => {
  assert.deepEqual([...categoryDepths(chain(3)).values()], [1, 2, 3])
  const circle = [stored('one', 'id of two'), stored('two', 'id of one')]
  assert.deepEqual([...categoryDepths(circle).values()], [categoryDepthMax + 1, categoryDepthMax + 1])
})

test('moving a category checks the depth of everything below it; categories that are already too deep are not refused', () => {
  const whole = chain(categoryDepthMax)
  const [first] = whole
  assert.ok(first)
  assert.doesNotThrow(() => refuseDeepCategories(whole, []))
  const moved = { ...first, parentId: 'id of top' }
  assert.throws(() => refuseDeepCategories([...whole, stored('top')], [moved]), /nested deeper than/)
  assert.doesNotThrow(() => refuseDeepCategories(chain(categoryDepthMax + 1), []))
})
