import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../harness/texts.ts'
import { Address } from '../../contract/open/carts.ts'
import { compileSchema } from '../../contract/validator.ts'
import { countryCodes } from '../../platform/kit/country.ts'
import { checkAddress, formatAddressSummary, summarizeAddress } from './check.ts'
import { countriesWithFormat, formatFor } from './formats.ts'
import { regionsFor } from './regions.ts'

const berlin: Address = {
  name: 'Ada Lovelace',
  line1: 'Invalidenstr. 116',
  city: 'Berlin',
  postalCode: '10115',
  country: 'DE',
}

// A plain address in this country.
function addressIn(country: string): Address {
  const { postalCode, region } = formatFor(country)
  return {
    ...{ name: 'Ada Lovelace', line1: '1 Main Street', city: 'Town', country },
    ...(postalCode.need === 'required' && { postalCode: postalCode.example }),
    ...(region.need === 'required' && { region: regionsFor(country)?.[0]?.code ?? '' }),
  }
}

function normalOf(address: Address): Address {
  const checked = checkAddress(address)
  assert.ok('address' in checked, JSON.stringify(checked))
  return checked.address
}

function pathsOf(address: Address): string[] {
  const checked = checkAddress(address)
  return 'issues' in checked ? checked.issues.map(({ path }) => path) : []
}

test('a plain address in each country is accepted unchanged', () => {
  for (const country of countryCodes) {
    const address = addressIn(country)
    assert.deepEqual(checkAddress(address), { address }, country)
  }
})

test('exactly the fields that a country requires are required', () => {
  for (const country of countriesWithFormat) {
    const { postalCode, region } = formatFor(country)
    const { postalCode: _, region: __, ...bare } = addressIn(country)
    const expected = [
      ...(region.need === 'required' ? ['/address/region'] : []),
      ...(postalCode.need === 'required' ? ['/address/postalCode'] : []),
    ]
    assert.deepEqual(pathsOf(bare), expected, country)
    assert.deepEqual(pathsOf({ ...bare, region: ' ', postalCode: '\t' }), expected, country)
  }
})

test('spellings are normalized', () => {
  assert.deepEqual(
    normalOf({
      name: '  Zoe\u0308   Gru\u0308n ',
      company: ' ',
      line1: 'Straße\t\u00a05',
      line2: '\u202e2.\u3000OG ',
      city: 'Ko\u0308ln',
      region: 'NRW',
      postalCode: ' d-50667 ',
      country: 'DE',
      phone: '+49 (0)221 / 123-45.6',
    }),
    {
      name: 'Zoë Grün',
      line1: 'Straße 5',
      line2: '2. OG',
      city: 'Köln',
      postalCode: '50667',
      country: 'DE',
      phone: '+49221123456',
    },
  )
  const usa = { ...addressIn('US'), city: 'Albany', region: 'new york', postalCode: '122071234' }
  assert.deepEqual(normalOf(usa), { ...usa, region: 'NY', postalCode: '12207-1234' })
})

test('fields that the country does not have are removed', () => {
  assert.deepEqual(normalOf({ ...addressIn('HK'), postalCode: '999077' }), addressIn('HK'))
  assert.deepEqual(normalOf({ ...berlin, region: 'Berlin' }), berlin)
  assert.equal(normalOf({ ...addressIn('GB'), region: 'Kent' }).region, 'Kent')
})

test('invalid addresses are refused with the path', () => {
  // biome-ignore format: a table is read by its rows
  const bad: readonly (readonly [change: Partial<Address>, ...paths: string[]])[] = [
    [{ country: 'XX' }, '/address/country'],
    [{ country: 'de' }, '/address/country'],
    [{ name: ' ' }, '/address/name'],
    [{ name: '...' }, '/address/name'],
    [{ name: '12345' }, '/address/name'],
    [{ name: '🙂' }, '/address/name'],
    [{ name: 'Win https://evil.example' }, '/address/name'],
    [{ name: 'www.evil.example' }, '/address/name'],
    [{ name: 'go to bit.ly/xyz' }, '/address/name'],
    [{ name: '<b>Ada</b>' }, '/address/name'],
    [{ company: 'a > b' }, '/address/company'],
    [{ line1: '--' }, '/address/line1'],
    [{ line1: 'ftp://x' }, '/address/line1'],
    [{ line2: 'shop.example.com/x' }, '/address/line2'],
    [{ city: '!!!' }, '/address/city'],
    [{ city: '1' }, '/address/city'],
    [{ name: 'ß'.repeat(201) }, '/address/name'],
    [{ postalCode: '1011' }, '/address/postalCode'],
    [{ country: 'US', region: 'Bavaria' }, '/address/region'],
    [{ phone: '1234' }, '/address/phone'],
    [{ phone: '1'.repeat(16) }, '/address/phone'],
    [{ phone: '12+345678' }, '/address/phone'],
    [{ phone: 'call me' }, '/address/phone'],
    [{ name: '', line1: '', city: '', postalCode: '', phone: '+' }, '/address/name', '/address/line1', '/address/city',
      '/address/postalCode', '/address/phone'],
  ]
  for (const [change, ...paths] of bad)
    assert.deepEqual(pathsOf({ ...berlin, ...change }), paths, JSON.stringify(change))
})

test('unusual but valid addresses are accepted', () => {
  // biome-ignore format: a table is read by its rows
  const good: readonly Partial<Address>[] = [
    { company: 'Booking.com' }, { company: '1&1' }, { city: 'St.Gallen' }, { line1: '12' }, { line1: 'ul.Polna/5' },
    { name: 'X Æ A-12' }, { name: '王小明' }, { name: "O'Neill-García, Dr." }, { line1: 'c/o Amazon.de, Halle 3/4' },
    { line1: '第1号' }, { name: 'محمد' }, { phone: '030 123456' }, { city: 'ʻAiea' },
  ]
  for (const change of good)
    assert.deepEqual(normalOf({ ...berlin, ...change }), {
      ...berlin,
      ...change,
      ...(change.phone && { phone: '030123456' }),
    })
})

test('issues never contain the input', () => {
  const planted = 'Q7zPlantedQ7z'
  const checked = checkAddress({
    name: `<${planted}>`,
    company: `http://${planted}`,
    line1: `<${planted}>`,
    line2: `<${planted}>`,
    city: `<${planted}>`,
    region: planted,
    postalCode: planted,
    country: 'US',
    phone: planted,
  })
  assert.ok('issues' in checked)
  assert.equal(checked.issues.length, 8)
  assert.doesNotMatch(JSON.stringify(checked), /planted/i)
})

test('a summary contains at most half of the postal code', () => {
  // biome-ignore format: a table is read by its rows
  const prefixes = {
    '10115': '10', '1010': '10', '101': '1', 'SW1A 1AA': 'SW1', 'K1A 0B1': 'K1A', '1012 JS': '101', '100-0001': '100',
    'LV-1050': 'LV1', '12345-6789': '123',
  }
  for (const [postalCode, prefix] of Object.entries(prefixes)) {
    assert.equal(summarizeAddress({ ...berlin, postalCode }).postalCodePrefix, prefix)
  }
  const { postalCode: _, ...without } = berlin
  assert.deepEqual(summarizeAddress(without), { city: 'Berlin', region: null, country: 'DE', postalCodePrefix: null })
  assert.equal(summarizeAddress({ ...addressIn('US'), region: 'NY' }).region, 'NY')
  assert.equal(formatAddressSummary(summarizeAddress(berlin)), 'Berlin, DE')
})

const typedText = fc.oneof(
  anyText({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      '1',
      'A',
      ' ',
      '-',
      '.',
      '+',
      '(0)',
      '\u3000',
      '\u0301',
      '\u202e',
      '\ud800',
      'ﷺ',
      '〒',
      '٣',
      '<',
      '/',
    ),
    maxLength: 40,
  }),
)
const anyCountry = fc.oneof(fc.constantFrom(...countriesWithFormat), fc.constantFrom(...countryCodes), typedText)

const anyPhone = fc.string({ unit: fc.constantFrom(...'+0123456789 ()./-'), maxLength: 32 })
const anyChange = (country: string): fc.Arbitrary<Partial<Address>> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('name', 'company', 'line1', 'line2', 'city', 'region', 'postalCode', 'phone'), typedText)
      .map(([field, text]) => ({ [field]: text })),
    fc.constantFrom(...(regionsFor(country) ?? [{ name: 'Kent' }])).map(({ name }) => ({ region: name })),
    anyPhone.map((phone) => ({ phone })),
  )

// An address that is valid in its country except for up to three fields, so many of these addresses can be normalized.
const anyAddress = anyCountry.chain((country) =>
  fc
    .array(anyChange(country), { maxLength: 3 })
    .map((changes): Address => Object.assign(addressIn(country), ...changes)),
)

test('checking any input throws no error, and the result is normalized and matches the contract', () => {
  const issuesOf = compileSchema(Address)
  let normals = 0
  fc.assert(
    fc.property(anyAddress, (address) => {
      const before = structuredClone(address)
      const checked = checkAddress(address)
      assert.deepEqual(address, before)
      if ('issues' in checked) return assert.ok(checked.issues.length > 0)
      normals += 1
      assert.deepEqual(checkAddress(checked.address), checked)
      assert.deepEqual(issuesOf(checked.address), [])
    }),
    { numRuns: 5_000 },
  )
  assert.ok(normals > 500, `${normals} of 5,000 are normal`)
})

test('long texts take little CPU time in every field', () => {
  const before = process.cpuUsage()
  for (const piece of ['a', ' ', '1', '.', '-', '+', '(0)', 'www', 'a.', '\u0301', '<', 'ﷺ', '1 ', ':/']) {
    const text = piece.repeat(10_000)
    for (const country of ['DE', 'US', 'GB', 'JP', 'BB']) {
      checkAddress({
        name: text,
        company: text,
        line1: text,
        line2: text,
        city: text,
        region: text,
        postalCode: text,
        country,
        phone: text,
      })
    }
  }
  // Measures CPU time, because the elapsed time includes the work of other processes.
  const { user } = process.cpuUsage(before)
  assert.ok(user < 3_000_000, `${user / 1_000} ms`)
})
