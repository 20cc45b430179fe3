import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeSubject } from '../../contract/words.ts'
import { memberName, memberText } from './members.ts'
import { dashboardWordsIn } from './words.ts'

test('changed members are shown in words, with formatted amounts, times and statuses', () => {
  const [english, german] = [dashboardWordsIn('en-GB', 'UTC'), dashboardWordsIn('de', 'UTC')]
  const said = (type: ChangeSubject, member: string, value: unknown, words = english) =>
    memberText({ words, shop: { currency: 'EUR' } as never }, type, member, value)
  assert.equal(memberName({ words: german } as never, 'compareAtPrice'), 'Vorheriger Preis')
  assert.equal(memberName({ words: german } as never, 'DE standard'), 'DE standard')
  assert.equal(said('sku', 'price', 3675), '€36.75')
  assert.equal(said('shipping', 'DE standard', 1900), '€19.00')
  assert.equal(said('promotion', 'amount', 500), '5.00')
  assert.equal(said('sku', 'weightGrams', 1200), '1,200 g')
  assert.equal(said('order', 'fulfillmentStatus', 'partially_fulfilled', german), 'Teils versandt')
  assert.equal(said('product', 'publishedAt', Date.UTC(2026, 5, 1, 9)), english.moment(Date.UTC(2026, 5, 1, 9)))
  assert.equal(said('merchant', 'country', 'DE', german), 'Deutschland')
  assert.equal(said('payment_method', 'enabled', true, german), 'ja')
  assert.equal(said('sku', 'options', { Colour: 'Plum', Size: null }), 'Colour: Plum')
  assert.equal(said('fulfillment', 'items', [{ name: 'Mug', quantity: 2 }]), 'Name: Mug, Quantity: 2')
  assert.equal(said('product', 'tags', ['new', 'blue']), 'new, blue')
  assert.equal(said('product', 'tags', []), '–')
  assert.equal(said('return', 'reason', 'late'), 'Too late')
  assert.equal(said('return', 'status', 'approved', german), 'Unterwegs')
  assert.equal(said('draft', 'total', 333), '€3.33')
  assert.equal(
    said('draft', 'items', [{ skuId: 'sku_1', quantity: 2, unitPrice: 500 }]),
    'Quantity: 2, Price each: €5.00',
  )
})
