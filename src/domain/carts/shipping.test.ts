import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shippingOffersFor, type Zone, zoneFor } from '../../platform/kit/shipping.ts'
import { effectiveShippingOption, isServed, needsShipping, parseZone } from './shipping.ts'

const flat = { id: 'express', label: 'Express', amount: 1990, freeFrom: null, weightSteps: [] }
const stepped = {
  id: 'standard',
  label: 'Standard',
  amount: 990,
  freeFrom: 12_000,
  weightSteps: [
    { upToGrams: 2_000, amount: 990 },
    { upToGrams: 10_000, amount: 1490 },
  ],
}
const germany: Zone = { zone: 'germany', countries: ['DE'], options: [stepped, flat] }
const world: Zone = { zone: 'world', countries: ['*'], options: [flat] }
const alps: Zone = { zone: 'alps', countries: ['AT', 'CH'], options: [flat] }

test('a stored zone is parsed to what it was provisioned with', () => {
  const row = {
    zone: 'germany',
    countries: '["DE"]',
    options: JSON.stringify([stepped, flat]),
  }
  assert.deepEqual(parseZone(row), germany)
})

test('a country is served by the zone that lists it, otherwise by the rest of the world, otherwise not at all', () => {
  const zones = [world, germany, alps]
  assert.equal(zoneFor(zones, 'DE'), germany)
  assert.equal(zoneFor(zones, 'CH'), alps)
  assert.equal(zoneFor(zones, 'JP'), world)
  assert.equal(zoneFor([germany, alps], 'JP'), undefined)
  assert.equal(zoneFor([], 'DE'), undefined)
  assert.equal(zoneFor([{ ...alps, countries: ['CH', '*'] }, germany], 'DE'), germany)

  assert.equal(isServed(zones, 'JP'), true)
  assert.equal(isServed([germany], 'DE'), true)
  assert.equal(isServed([germany], 'AT'), false)
  assert.equal(isServed([], 'DE'), false)
})

// biome-ignore format: a table is read by its rows
const parcels: [weightGrams: number, subtotal: number, standard: number | undefined, why: string][] = [
  [0,      1_000,  990,       'no weight is in the first step'],
  [1_999,  1_000,  990,       'below the edge'],
  [2_000,  1_000,  990,       'the edge belongs to its step'],
  [2_001,  1_000,  1490,      'one gram more is the next step'],
  [10_000, 1_000,  1490,      'the last edge'],
  [10_001, 1_000,  undefined, 'heavier than the last step: not offered'],
  [2_001,  11_999, 1490,      'one unit short of free'],
  [2_001,  12_000, 0,         'free from its edge on'],
  [10_001, 12_000, 0,         'free comes before the steps'],
]

test('the amount of an option changes exactly at its limits of weight and price', () => {
  for (const [weightGrams, subtotal, standard, why] of parcels) {
    const expected = [
      ...(standard === undefined ? [] : [{ id: 'standard', label: 'Standard', amount: standard }]),
      { id: 'express', label: 'Express', amount: 1990 },
    ]
    assert.deepEqual(shippingOffersFor(germany, { weightGrams, subtotal }), expected, why)
  }
})

test('an option that is free from 0 on is always free', () => {
  const zone = { ...germany, options: [{ ...flat, freeFrom: 0 }] }
  assert.deepEqual(shippingOffersFor(zone, { weightGrams: 0, subtotal: 0 }), [
    { id: 'express', label: 'Express', amount: 0 },
  ])
})

test('the chosen option stays while it is offered; otherwise the first one is chosen, even if another one is cheaper', () => {
  const offers = shippingOffersFor(germany, { weightGrams: 5_000, subtotal: 1_000 })
  assert.equal(effectiveShippingOption(offers, 'express')?.id, 'express')
  assert.equal(effectiveShippingOption(offers, 'standard')?.id, 'standard')
  assert.equal(effectiveShippingOption(offers, null)?.id, 'standard')
  assert.equal(effectiveShippingOption(offers, 'by-pigeon')?.id, 'standard')
  assert.equal(effectiveShippingOption(offers.toReversed(), null)?.id, 'express')
  assert.equal(effectiveShippingOption([], 'standard'), undefined)
})

test('one shipped item is enough for shipping to be needed', () => {
  assert.equal(needsShipping([{ delivery: 'digital' }, { delivery: 'shipped' }]), true)
  assert.equal(needsShipping([{ delivery: 'digital' }]), false)
  assert.equal(needsShipping([]), false)
})
