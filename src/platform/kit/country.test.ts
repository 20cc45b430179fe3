import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryCodes, isCountry } from './country.ts'

test('the list of countries is complete and sorted, and Node.js knows each of them', () => {
  assert.equal(countryCodes.length, 249)
  assert.deepEqual([...new Set(countryCodes)].sort(), countryCodes)
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  assert.deepEqual(
    countryCodes.filter((code) => names.of(code) === undefined),
    [],
  )
})

test('only assigned codes in capital letters are countries', () => {
  for (const code of ['DE', 'US', 'GB', 'SS', 'AX']) assert.equal(isCountry(code), true, code)
  for (const code of ['', 'de', 'UK', 'XK', 'EU', 'ZZ', 'AN', 'SU', 'DEU', 'constructor'])
    assert.equal(isCountry(code), false, code)
})
