import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryCodes, isCountry } from '../../platform/kit/country.ts'
import {
  addressFieldsFor,
  addressLabelKeys,
  countriesWithFormat,
  formatFor,
  isKnownCountryFormat,
  normalizePostalCode,
} from './formats.ts'

// By country: the accepted codes with their normal form, then the refused codes.
// biome-ignore format: a table is read by its rows
const postalCodes: Readonly<Record<string, readonly [good: Readonly<Record<string, string>>, bad: readonly string[]]>> = {
  AD: [{ AD500: 'AD500', '700': 'AD700', 'ad 100': 'AD100' }, ['AD5000', 'AB500']],
  AL: [{ '1001': '1001', 'AL-1017': '1017' }, ['100', '10011']],
  AR: [{ c1070aam: 'C1070AAM', '1070': '1070', 'C 1070 AAM': 'C1070AAM' }, ['107', 'C1070AA', '10700']],
  AT: [{ '1010': '1010', 'A-1010': '1010', 'AT-3741': '3741' }, ['101', '10100', 'D-1010']],
  AU: [{ '2000': '2000', '0872': '0872' }, ['200', '20000', 'NSW']],
  AX: [{ '22100': '22100', 'AX-22 150': '22150' }, ['00100', '2210']],
  BA: [{ '71000': '71000', '78 000': '78000' }, ['7100', '710000']],
  BE: [{ '1000': '1000', 'B-4000': '4000', 'be 9000': '9000' }, ['100', '10000']],
  BG: [{ '1000': '1000', 'BG-1700': '1700' }, ['10000', 'ABCD']],
  BR: [{ '01310100': '01310-100', '01310-100': '01310-100', '01.310-100': '01310-100' }, ['01310', '01310-10', '013101000']],
  CA: [{ k1a0b1: 'K1A 0B1', 'K1A 0B1': 'K1A 0B1', 'v8x-3x4': 'V8X 3X4' }, ['K1A', 'KIA OB1', 'K1A 0B11', '12345']],
  CH: [{ '8001': '8001', 'CH-1211': '1211' }, ['800', '80011']],
  CL: [{ '8340457': '8340457', '834-0457': '8340457' }, ['834045', '83404577']],
  CN: [{ '100000': '100000', '266033': '266033' }, ['10000', '1000000']],
  CO: [{ '110111': '110111', '130 001': '130001' }, ['11011', 'ABCDEF']],
  CY: [{ '1010': '1010', 'CY-2008': '2008' }, ['101', '10100']],
  CZ: [{ '11000': '110 00', '110 00': '110 00', 'CZ-251 66': '251 66' }, ['1100', '110 000']],
  DE: [{ '10115': '10115', 'D-10115': '10115', 'de 01067': '01067', '１０１１５': '10115' }, ['1011', '101155', 'ABCDE', 'A-10115']],
  DK: [{ '1050': '1050', 'DK-8660': '8660' }, ['105', '10500']],
  EE: [{ '10111': '10111', 'EE-69501': '69501' }, ['1011', '101111']],
  EG: [{ '11511': '11511', '٤٤٦١١': '44611', '4460331': '4460331' }, ['1151', '115111']],
  ES: [{ '28013': '28013', 'E-08001': '08001' }, ['2801', '280131']],
  FI: [{ '00100': '00100', 'FI-00550': '00550' }, ['0010', '001000']],
  FO: [{ '100': '100', 'FO-970': '970' }, ['10', '1000']],
  FR: [{ '75001': '75001', 'F-33380': '33380', '75 001': '75001', '20167': '20167' }, ['7500', '750011', '2A004']],
  GB: [{ sw1a1aa: 'SW1A 1AA', 'SW1A 1AA': 'SW1A 1AA', 'm1 1ae': 'M1 1AE', 'B338TH': 'B33 8TH', 'cr2 6xh': 'CR2 6XH',
         DN551PT: 'DN55 1PT', 'W1A 0AX': 'W1A 0AX', 'gir0aa': 'GIR 0AA' }, ['SW1A', 'SW1A 1A', '11AA', '12345', 'SW1A 1AAA']],
  GG: [{ gy11aa: 'GY1 1AA', 'GY10 1AA': 'GY10 1AA' }, ['JE1 1AA', 'GY1']],
  GI: [{ gx111aa: 'GX11 1AA', 'GX11 1AA': 'GX11 1AA' }, ['GX11', 'GX11 1AB']],
  GL: [{ '3900': '3900', 'GL-3950': '3950' }, ['4000', '390']],
  GR: [{ '10557': '105 57', '151 24': '151 24', 'GR-15124': '151 24' }, ['1055', '105577']],
  HR: [{ '10000': '10000', 'HR-21001': '21001' }, ['1000', '100000']],
  HU: [{ '1011': '1011', 'H-2380': '2380' }, ['101', '10111']],
  ID: [{ '10110': '10110', '40 115': '40115' }, ['1011', '101100']],
  IE: [{ d02af30: 'D02 AF30', 'A65 F4E2': 'A65 F4E2', 'd6w xy00': 'D6W XY00' }, ['D02', 'DUB 1234', 'D02 AF3', '12345']],
  IL: [{ '9614303': '9614303', '96143': '96143' }, ['961430', '96143033']],
  IM: [{ im11aa: 'IM1 1AA', 'IM99 1AS': 'IM99 1AS' }, ['GY1 1AA', 'IM1']],
  IN: [{ '110001': '110001', '110 001': '110001' }, ['11000', '1100011']],
  IS: [{ '101': '101', 'IS-320': '320' }, ['10', '1010']],
  IT: [{ '00184': '00184', 'I-00144': '00144' }, ['0018', '001844']],
  JE: [{ je11aa: 'JE1 1AA', 'JE4 9SF': 'JE4 9SF' }, ['IM1 1AA', 'JE1']],
  JP: [{ '1000001': '100-0001', '〒100-0001': '100-0001', '１００－０００１': '100-0001' }, ['100', '100-000', '100-00011']],
  KE: [{ '00100': '00100', '20 100': '20100' }, ['0010', '001000']],
  KR: [{ '03051': '03051', '06 164': '06164' }, ['110-034', '0305']],
  LI: [{ '9490': '9490', 'FL-9496': '9496', 'LI-9485': '9485' }, ['949', '94900']],
  LT: [{ '01103': 'LT-01103', 'LT-04340': 'LT-04340', lt03500: 'LT-03500' }, ['LT-0110', 'LV-01103']],
  LU: [{ '1009': '1009', 'L-4750': '4750', 'LU-2998': '2998' }, ['100', '10099']],
  LV: [{ '1050': 'LV-1050', 'LV-1073': 'LV-1073', 'lv 1000': 'LV-1000' }, ['LV-105', 'LT-1050']],
  MA: [{ '10000': '10000', '53 000': '53000' }, ['1000', '100000']],
  MC: [{ '98000': '98000', 'MC-98020': '98020' }, ['75001', '9800']],
  MD: [{ '2012': 'MD-2012', 'MD-2019': 'MD-2019' }, ['MD-201', 'RO-2012']],
  ME: [{ '81000': '81000', '85 310': '85310' }, ['8100', '810000']],
  MK: [{ '1000': '1000', 'MK-1314': '1314' }, ['100', '10000']],
  MT: [{ vlt1117: 'VLT 1117', 'NXR 9010': 'NXR 9010' }, ['1117', 'VLT', 'VL 1117']],
  MX: [{ '06000': '06000', '77520': '77520' }, ['6000', '060000']],
  MY: [{ '50050': '50050', '43000': '43000' }, ['5005', '500500']],
  NG: [{ '100001': '100001', '930 283': '930283' }, ['10000', '1000011']],
  NL: [{ '1012js': '1012 JS', '1012 JS': '1012 JS', 'NL-2490AA': '2490 AA' }, ['1012', '1012 J', 'JS 1012', '10122 JS']],
  NO: [{ '0150': '0150', 'N-6631': '6631', 'NO-0025': '0025' }, ['150', '01500']],
  NZ: [{ '6011': '6011', '0622': '0622' }, ['601', '60111']],
  PH: [{ '1000': '1000', '4104': '4104' }, ['100', '10000']],
  PL: [{ '00950': '00-950', '00-950': '00-950', 'PL-05 470': '05-470' }, ['0095', '000-950']],
  PR: [{ '00901': '00901', '00930-1234': '00930-1234' }, ['10001', '0093']],
  PT: [{ '1000001': '1000-001', '2725-079': '2725-079', 'P-1250 096': '1250-096' }, ['1000', '1000-01']],
  RO: [{ '010011': '010011', '060 274': '060274' }, ['10011', '0100111']],
  RS: [{ '11000': '11000', '106314': '106314' }, ['1100', '1060000']],
  SA: [{ '11564': '11564', '12345-6789': '12345-6789', '١١٥٦٤': '11564' }, ['1156', '1156466']],
  SE: [{ '11129': '111 29', '111 29': '111 29', 'SE-111 29': '111 29', 'S-12345': '123 45' }, ['1112', '111 299']],
  SG: [{ '048616': '048616', '546 080': '546080' }, ['48616', '0486166']],
  SI: [{ '1000': '1000', 'SI-4000': '4000' }, ['100', '10000']],
  SK: [{ '81101': '811 01', '811 01': '811 01', 'SK-023 14': '023 14' }, ['8110', '811 011']],
  SM: [{ '47890': '47890', '47895': '47895' }, ['47880', '4789']],
  TH: [{ '10200': '10200', '50 300': '50300' }, ['1020', '102000']],
  TR: [{ '34110': '34110', 'TR-01960': '01960' }, ['3411', '341100']],
  TW: [{ '106': '106', '10603': '10603', '106-409': '106409' }, ['10', '1064', '1064099']],
  UA: [{ '01001': '01001', 'UA-15432': '15432' }, ['0100', '010011']],
  US: [{ '10001': '10001', '10001-1234': '10001-1234', '100011234': '10001-1234', '10001 1234': '10001-1234' },
       ['1000', '10001-12', 'ABCDE', '10001-12345']],
  VA: [{ '00120': '00120', '00 120': '00120' }, ['00100', '120']],
  VN: [{ '11022': '11022', '700000': '700000' }, ['1102', '7000000']],
  ZA: [{ '8001': '8001', '0083': '0083' }, ['800', '80011']],
}

test('every country with a postal code has a valid example, and is tested in this file', () => {
  const withCodes = countriesWithFormat.filter((country) => formatFor(country).postalCode.need !== 'none')
  assert.deepEqual(Object.keys(postalCodes).sort(), withCodes)
  for (const country of countriesWithFormat) assert.ok(isCountry(country), country)
  for (const country of withCodes) {
    const { example } = formatFor(country).postalCode
    assert.equal(normalizePostalCode(country, example), example, country)
  }
})

for (const [country, [good, bad]] of Object.entries(postalCodes)) {
  test(`valid postal codes of ${country} are normalized, and invalid ones are refused`, () => {
    assert.ok(Object.keys(good).length >= 2 && bad.length >= 2)
    for (const [given, normal] of Object.entries(good)) {
      assert.equal(normalizePostalCode(country, given), normal, given)
      assert.equal(normalizePostalCode(country, normal), normal, `${normal} again`)
      assert.equal(
        normalizePostalCode(country, normal.toLowerCase().replaceAll(/[ -]/g, '')),
        normal,
        `${normal} plainly`,
      )
    }
    for (const given of ['', ' ', '-', ...bad]) assert.equal(normalizePostalCode(country, given), undefined, given)
  })
}

test('a country without a format accepts anything that could be a postal code', () => {
  assert.equal(isKnownCountryFormat('BB'), false)
  assert.equal(normalizePostalCode('BB', ' bb23026 '), 'BB23026')
  assert.equal(normalizePostalCode('BM', 'hm  gx'), 'HM GX')
  for (const given of ['', '!', 'A', 'AB--12', '-12', 'ABCDEFGHIJK', '१२३४']) {
    assert.equal(normalizePostalCode('BB', given), undefined, given)
  }
})

test('the important countries have a format', () => {
  const countries =
    'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO GB CH US CA MX BR AR CL CO AU NZ ' +
    'JP KR CN HK TW SG MY TH ID PH VN IN AE SA IL TR ZA UA RS MA EG NG KE'
  for (const country of countries.split(' ')) assert.equal(isKnownCountryFormat(country), true, country)
  for (const country of ['constructor', '__proto__', '', 'de', 'XX']) assert.equal(isKnownCountryFormat(country), false)
})

test('a form has the fields of the country in its order, each once', () => {
  const names = (country: string) =>
    addressFieldsFor(country).map(({ name, required }) => (required ? name : `${name}?`))
  assert.deepEqual(names('DE'), ['country', 'name', 'company?', 'line1', 'line2?', 'postalCode', 'city', 'phone?'])
  assert.deepEqual(names('US').slice(3, -1), ['line1', 'line2?', 'city', 'region', 'postalCode'])
  assert.deepEqual(names('GB').slice(3, -1), ['line1', 'line2?', 'city', 'region?', 'postalCode'])
  assert.deepEqual(names('JP').slice(3, -1), ['postalCode', 'region', 'city', 'line1', 'line2?'])
  assert.deepEqual(names('AE').slice(3, -1), ['line1', 'line2?', 'city', 'region'])
  assert.deepEqual(names('BB').slice(3, -1), ['line1', 'line2?', 'city', 'region?', 'postalCode?'])
  const label = (country: string, field: string) =>
    addressFieldsFor(country).find(({ name }) => name === field)?.labelKey
  assert.equal(label('US', 'postalCode'), 'address.zipCode')
  assert.equal(label('DE', 'postalCode'), 'address.postalCode')
  assert.equal(label('US', 'region'), 'address.state')
  assert.equal(label('CA', 'region'), 'address.province')
  assert.equal(label('JP', 'region'), 'address.prefecture')
  assert.equal(label('GB', 'region'), 'address.county')
  assert.equal(label('AE', 'region'), 'address.emirate')
  for (const country of countryCodes) {
    const fields = addressFieldsFor(country)
    assert.equal(new Set(fields.map(({ name }) => name)).size, fields.length, country)
    for (const { labelKey, autocomplete } of fields) assert.ok(addressLabelKeys.includes(labelKey) && autocomplete)
    // The contract requires these fields in every country.
    for (const name of ['country', 'name', 'line1', 'city'] as const) {
      assert.equal(fields.find((field) => field.name === name)?.required, true, `${country} ${name}`)
    }
  }
})

test('a long text is refused quickly in every country', () => {
  const before = process.cpuUsage()
  for (const country of [...countriesWithFormat, 'BB']) {
    for (const piece of ['1', 'A', ' ', '-', '1 ', 'A1', 'ﷺ']) {
      assert.equal(normalizePostalCode(country, piece.repeat(10_000)), undefined)
    }
  }
  // Measures CPU time, because the elapsed time includes the work of other processes.
  assert.ok(process.cpuUsage(before).user < 2_000_000)
})
