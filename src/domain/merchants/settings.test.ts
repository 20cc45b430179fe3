import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planRates } from './settings.ts'

const nothing = { taxRates: [], shippingZones: [] }
const germany = { country: 'DE', region: '', taxClass: 'standard', rateBps: 1_900 }
const bavaria = { country: 'DE', region: 'BY', taxClass: 'reduced', rateBps: 700 }
const entries = [
  { country: 'DE', region: 'BY', class: 'reduced', rate: 700 },
  { country: 'DE', rate: 1_900 },
]
const zone = { zone: 'Home', countries: ['DE'], options: [{ id: 'post', label: 'Post', amount: 500 }] }
const zoneRow = {
  zone: 'Home',
  countries: '["DE"]',
  options: '[{"id":"post","label":"Post","amount":500,"freeFrom":null,"weightSteps":[]}]',
}

test('settings that the file does not contain stay unchanged', () => {
  const plan = planRates({}, { taxRates: [germany], shippingZones: [zoneRow] })
  assert.deepEqual(plan, { taxRates: undefined, shippingZones: undefined, changes: [] })
})

test('tax rates and shipping zones are compared as whole tables, with rates in any order', () => {
  assert.deepEqual(planRates({ taxes: entries, shipping: [zone] }, nothing), {
    taxRates: [germany, bavaria],
    shippingZones: [zoneRow],
    changes: [
      { kind: 'create', what: 'taxes', name: '(2)', members: [{ member: 'rows', from: 0, to: 2 }] },
      { kind: 'create', what: 'shipping', name: '(1)', members: [{ member: 'rows', from: 0, to: 1 }] },
    ],
  })
  const same = { taxRates: [bavaria, germany], shippingZones: [zoneRow] }
  assert.deepEqual(planRates({ taxes: entries, shipping: [zone] }, same).changes, [])
  const cheaper = { taxRates: [germany], shippingZones: [{ ...zoneRow, zone: 'Abroad' }] }
  assert.deepEqual(
    planRates({ taxes: entries, shipping: [zone] }, cheaper).changes.map(({ kind, what }) => [kind, what]),
    [
      ['change', 'taxes'],
      ['change', 'shipping'],
    ],
  )
})

test('an empty list empties the table', () => {
  const plan = planRates({ taxes: [] }, { taxRates: [germany], shippingZones: [] })
  assert.deepEqual(plan.taxRates, [])
  assert.deepEqual(plan.changes[0]?.members, [{ member: 'rows', from: 1, to: 0 }])
})
