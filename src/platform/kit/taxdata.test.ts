import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryCodes } from './country.ts'
import { currencyOfCountry, euCountries, proposedCurrencies, timeZoneOfCountry } from './countryfacts.ts'
import { currencyExponent } from './money.ts'
import { proposedRates } from './taxdata.ts'

test('every EU country has a standard rate of at least 15 percent, followed by its reduced rates in descending order', () => {
  assert.equal(euCountries.length, 27)
  for (const country of euCountries) {
    const rates = proposedRates(country)
    assert.equal(rates[0]?.class, 'standard')
    // The minimum standard rate (Directive 2006/112/EC, Art. 97).
    assert.ok((rates[0]?.rate ?? 0) >= 1_500, country)
    assert.ok(
      rates.every(({ rate }, at) => at === 0 || rate < (rates[at - 1]?.rate ?? 0)),
      country,
    )
  }
  assert.deepEqual(proposedRates('FI'), [
    { country: 'FI', class: 'standard', rate: 2_550 },
    { country: 'FI', class: 'reduced', rate: 1_350 },
    { country: 'FI', class: 'reduced-2', rate: 1_000 },
  ])
  assert.deepEqual(proposedRates('US'), [])
})

test('every country has a currency of ISO 4217 and a time zone', () => {
  for (const currency of proposedCurrencies) assert.notEqual(currencyExponent(currency), undefined, currency)
  for (const country of countryCodes) {
    assert.notEqual(currencyExponent(currencyOfCountry(country)), undefined, country)
    assert.ok(new Intl.DateTimeFormat('en', { timeZone: timeZoneOfCountry(country) }))
  }
  assert.deepEqual(['DE', 'GB', 'CH', 'JP', 'US'].map(currencyOfCountry), ['EUR', 'GBP', 'CHF', 'JPY', 'USD'])
})
