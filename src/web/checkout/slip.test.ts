import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerView } from '../../domain/orders/adminview.ts'
import { packingSlipDocument } from './slip.ts'

const portland = {
  name: 'Sam Lee',
  line1: '2114 Alberta Street',
  city: 'Portland',
  region: 'OR',
  postalCode: '97211',
  country: 'US',
}

test('the packing slip for another country has the address format of that country', () => {
  const order = { number: '1001', placedAt: 0, locale: 'de', shippingChoice: null }
  const text = packingSlipDocument({ seller: { name: 'Bloom' }, timeZone: 'UTC', order, lines: [], address: portland })
  const lines = [...text.matchAll(/<p(?: class="name")?><bdi>([^<]*)<\/bdi><\/p>/g)].map(([, line]) => line)
  assert.deepEqual(lines.slice(0, 4), ['Sam Lee', '2114 Alberta Street', 'Portland OR 97211', 'Vereinigte Staaten'])
  assert.match(text, /<p class="name"><bdi>Sam Lee</)
})

test('the label in the admin API has the format of the country, with the country in English', () => {
  const { label } = customerView({ customer: undefined, address: portland })
  assert.deepEqual(label, ['Sam Lee', '2114 Alberta Street', 'Portland OR 97211', 'UNITED STATES'])
})
