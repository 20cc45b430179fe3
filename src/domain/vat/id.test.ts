import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInVatArea } from '../../platform/kit/country.ts'
import { vatIdFrom } from './id.ts'

// biome-ignore format: a table is read by its rows
const examples = [
  'ATU12345678', 'BE0123456789', 'BG123456789', 'CY12345678L', 'CZ12345678', 'DE123456789', 'DK12345678', 'EE123456789',
  'EL123456789', 'ESX1234567R', 'FI12345678', 'FRXX123456789', 'HR12345678901', 'HU12345678', 'IE1234567WA', 'IT12345678901',
  'LT123456789012', 'LU12345678', 'LV12345678901', 'MT12345678', 'NL123456789B01', 'PL1234567890', 'PT123456789', 'RO1234567890',
  'SE123456789012', 'SI12345678', 'SK1234567890',
]

test('a VAT ID of each EU member state is accepted in its format', () => {
  for (const text of examples) {
    const id = vatIdFrom(text)
    assert.equal(id?.text, text)
    assert.ok(isInVatArea(id.country), text)
    assert.equal(vatIdFrom(`${text}XX`), undefined, text)
    assert.equal(vatIdFrom(text.slice(0, 3)), undefined, text)
  }
  assert.equal(new Set(examples.map((text) => text.slice(0, 2))).size, 27)
})

test('spaces, punctuation, lower case, and GR instead of EL are accepted', () => {
  assert.deepEqual(vatIdFrom(' de 123.456-789 '), {
    country: 'DE',
    prefix: 'DE',
    number: '123456789',
    text: 'DE123456789',
  })
  assert.equal(vatIdFrom('gr123456789')?.text, 'EL123456789')
  assert.equal(vatIdFrom('EL123456789')?.country, 'GR')
  assert.equal(vatIdFrom('ＤＥ１２３４５６７８９')?.text, 'DE123456789')
})

test('any other text is refused', () => {
  for (const text of [
    '',
    'DE',
    '123456789',
    'GB123456789',
    'US123456789',
    'DE12345678A',
    'XX',
    'DE<script>',
    `DE${'1'.repeat(40)}`,
  ])
    assert.equal(vatIdFrom(text), undefined, text)
})
