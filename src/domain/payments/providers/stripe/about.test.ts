import assert from 'node:assert/strict'
import { test } from 'node:test'
import { descriptorSuffix, stripeDescriptionOf } from './about.ts'

test('the statement suffix is the name of the shop in Latin letters, and fits behind the prefix of the account', () => {
  for (const [name, prefix, suffix] of [
    ['Bloom', 'EXAMPLE', 'Bloom'],
    ['Café “Noël” & <Söhne>*', 'EXAMPLE', 'Cafe Noel & S'],
    ['Tea House', 'TEA HOUSE', undefined],
    ['Tea House', 'TEAHOUSE.COM', undefined],
    ['Tea House Berlin', 'Tea House', undefined],
    ['花屋', 'EXAMPLE', undefined],
    ['24 7', 'EXAMPLE', undefined],
    ['A very long name of a shop', 'A LONGER DESCRIPTOR', 'A very lon'],
  ] as const)
    assert.equal(descriptorSuffix(name, prefix), suffix, name)
})

test('an intent contains the delivery address and no e-mail address', () => {
  const delivery = { name: 'Jo Berg', line1: 'Weg 1', city: 'Berlin', postalCode: '10115', country: 'DE' }
  const shopper = { email: 'jo@example.com', name: 'Jo', phone: '+49301234567' }
  const about = stripeDescriptionOf({
    merchantName: 'Bloom',
    purchase: { shopper, delivery, lines: [] },
    descriptor: 'EXAMPLE',
  })
  assert.deepEqual(about, {
    description: 'Bloom',
    statement_descriptor_suffix: 'Bloom',
    shipping: {
      name: 'Jo Berg',
      phone: '+49301234567',
      address: { line1: 'Weg 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
    },
  })
  const digital = stripeDescriptionOf({
    merchantName: 'Bloom',
    purchase: { shopper, delivery: null, lines: [] },
    descriptor: undefined,
  })
  assert.deepEqual(digital, { description: 'Bloom' })
})
