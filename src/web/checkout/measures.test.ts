import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LineMeasure } from '../../contract/open/catalog.ts'
import { cartSample } from '../../contract/open/samples.ts'
import { speakerFor } from '../languages/language.ts'
import { measureNote } from './measures.ts'

const [item] = cartSample.items
const dozen: LineMeasure = { amount: 12, unit: 'piece', per: 'piece', price: 292 }

test('the unit price is formatted in the language, and left out if it equals the price', () => {
  assert.ok(item)
  const note = (locale: string, measure: LineMeasure | null) =>
    measureNote(speakerFor(locale, undefined), { ...item, measure }, 'EUR')
  assert.equal(note('en', dozen), '12 pieces (€2.92/1 piece)')
  assert.equal(note('de', dozen)?.toString().replaceAll('\u00a0', ' '), '12 Stück (2,92 €/1 Stück)')
  assert.equal(note('en', { amount: 1500, unit: 'ml', per: '100ml', price: 233 }), '1,500\u00a0ml (€2.33/100\u00a0ml)')
  assert.equal(note('en', { amount: 2, unit: 'm2', per: 'm2', price: 1750 }), '2\u00a0m² (€17.50/m²)')
  assert.equal(note('en', { amount: 1, unit: 'kg', per: 'kg', price: 3500 }), false)
  assert.equal(note('en', null), false)
})
