// Formats of addresses by country: the fields in their order, their labels, and the shape of the postal code. A table and the few functions
// that read it. A country without a row is checked leniently.
//
// Whether a field is required follows the national posts and Google's address metadata; if they differ, the milder rule is used, because a
// refused address is a lost sale, while for an unusual one the merchant can ask the shopper.

export type AddressFieldName =
  | 'country'
  | 'name'
  | 'company'
  | 'line1'
  | 'line2'
  | 'city'
  | 'region'
  | 'postalCode'
  | 'phone'

// `none`: addresses of the country do not have this field, and forms do not ask for it.
export type FieldRequirement = 'required' | 'optional' | 'none'

// Keys of the labels of a form. The page that shows the form contains the texts.
export const addressLabelKeys = [
  'address.country',
  'address.name',
  'address.company',
  'address.line1',
  'address.line2',
  'address.phone',
  'address.city',
  'address.postTown',
  'address.suburb',
  'address.postalCode',
  'address.postcode',
  'address.zipCode',
  'address.eircode',
  'address.pinCode',
  'address.area',
  'address.county',
  'address.department',
  'address.emirate',
  'address.governorate',
  'address.municipality',
  'address.oblast',
  'address.prefecture',
  'address.province',
  'address.region',
  'address.state',
] as const
export type AddressLabelKey = (typeof addressLabelKeys)[number]

export interface AddressFormField {
  readonly name: AddressFieldName
  readonly required: boolean
  readonly labelKey: AddressLabelKey
  // For the attribute `autocomplete` (HTML, 4.10.18.7).
  readonly autocomplete: string
}

export interface CountryFormat {
  readonly postalCode: { readonly need: FieldRequirement; readonly shapes: readonly string[]; readonly example: string }
  readonly region: { readonly need: FieldRequirement }
  readonly fields: readonly AddressFormField[]
}

const autocompletes: Readonly<Record<AddressFieldName, string>> = {
  country: 'country',
  name: 'name',
  company: 'organization',
  line1: 'address-line1',
  line2: 'address-line2',
  city: 'address-level2',
  region: 'address-level1',
  postalCode: 'postal-code',
  phone: 'tel',
}

export function autocompleteFor(name: AddressFieldName): string {
  return autocompletes[name]
}

interface Labels {
  readonly city?: AddressLabelKey
  readonly region?: AddressLabelKey
  readonly postalCode?: AddressLabelKey
}

// fields   A street lines, C city, S region, Z postal code, in the order in which the country writes them. A capital letter means
//          required, a small letter optional, and a missing letter that the country does not have the field.
// shapes   of the postal code, separated by |: # is a digit, @ a letter, * either; other characters stand for themselves.
// example  a real code, shown to people whose own is refused.
type Row = readonly [fields: string, shapes: string, example: string, labels?: Labels]

const state: Labels = { region: 'address.state' }
const province: Labels = { region: 'address.province' }
const region: Labels = { region: 'address.region' }
const zip: Labels = { postalCode: 'address.zipCode' }
const british: Labels = { city: 'address.postTown', region: 'address.county', postalCode: 'address.postcode' }

// biome-ignore format: a table is read by its rows
const rows: Readonly<Record<string, Row>> = {
  // Countries of the European Union and the European Economic Area.
  AT: ['AZC',  '####',        '1010'],
  BE: ['AZC',  '####',        '1000'],
  BG: ['AZC',  '####',        '1000'],
  CY: ['AZC',  '####',        '1010'],
  CZ: ['AZC',  '### ##',      '110 00'],
  DE: ['AZC',  '#####',       '10115'],
  DK: ['AZC',  '####',        '1050'],
  EE: ['AZCs', '#####',       '10111',    { region: 'address.county' }],
  ES: ['AZCs', '#####',       '28013',    province],
  FI: ['AZC',  '#####',       '00100'],
  FR: ['AZC',  '#####',       '75001'],
  GR: ['AZC',  '### ##',      '105 57'],
  HR: ['AZC',  '#####',       '10000'],
  HU: ['CAZ',  '####',        '1011'],
  IE: ['ACsz', '@#* ****',    'D02 AF30', { region: 'address.county', postalCode: 'address.eircode' }],
  IS: ['AZC',  '###',         '101'],
  IT: ['AZCS', '#####',       '00184',    province],
  LI: ['AZC',  '####',        '9490'],
  LT: ['AZCs', 'LT-#####',    'LT-01103', { region: 'address.municipality' }],
  LU: ['AZC',  '####',        '1009'],
  LV: ['AsCZ', 'LV-####',     'LV-1050',  { region: 'address.municipality' }],
  MT: ['ACZ',  '@@@ ####',    'VLT 1117'],
  NL: ['AZC',  '#### @@',     '1012 JS'],
  NO: ['AZC',  '####',        '0150'],
  PL: ['AZC',  '##-###',      '00-950'],
  PT: ['AZC',  '####-###',    '1000-001'],
  RO: ['AZsC', '######',      '010011',   { region: 'address.county' }],
  SE: ['AZC',  '### ##',      '111 29'],
  SI: ['AZC',  '####',        '1000'],
  SK: ['AZC',  '### ##',      '811 01'],
  // Other countries in Europe.
  AD: ['AZC',  'AD###',       'AD500'],
  AL: ['AzC',  '####',        '1001'],
  AX: ['AZC',  '22###',       '22100'],
  BA: ['AZC',  '#####',       '71000'],
  CH: ['AZC',  '####',        '8001'],
  FO: ['AZC',  '###',         '100'],
  GB: ['ACsZ', '@# #@@|@## #@@|@@# #@@|@@## #@@|@#@ #@@|@@#@ #@@|GIR 0AA', 'SW1A 1AA', british],
  GG: ['ACZ',  'GY# #@@|GY## #@@', 'GY1 1AA', british],
  GI: ['ACz',  'GX11 1AA',    'GX11 1AA', british],
  GL: ['AZC',  '39##',        '3900'],
  IM: ['ACZ',  'IM# #@@|IM## #@@', 'IM1 1AA', british],
  JE: ['ACZ',  'JE# #@@|JE## #@@', 'JE1 1AA', british],
  MC: ['AZC',  '980##',       '98000'],
  MD: ['AZC',  'MD-####',     'MD-2012'],
  ME: ['AZC',  '#####',       '81000'],
  MK: ['AZC',  '####',        '1000'],
  RS: ['AZC',  '#####|######', '11000'],
  SM: ['AZC',  '4789#',       '47890'],
  TR: ['AZCs', '#####',       '34110',    province],
  UA: ['ACsZ', '#####',       '01001',    { region: 'address.oblast' }],
  VA: ['AZC',  '00120',       '00120'],
  // Countries in America.
  AR: ['AzCs', '####|@####@@@', 'C1070AAM', province],
  BR: ['ACSZ', '#####-###',   '01310-100', state],
  CA: ['ACSZ', '@#@ #@#',     'K1A 0B1',  province],
  CL: ['AzCs', '#######',     '8340457',  region],
  CO: ['ACsz', '######',      '110111',   { region: 'address.department' }],
  MX: ['AZCs', '#####',       '06000',    state],
  PR: ['ACZ',  '00###|00###-####', '00901', zip],
  US: ['ACSZ', '#####|#####-####', '10001', { ...state, ...zip }],
  // Countries in Asia and the Pacific.
  AE: ['ACS',  '',            '',         { region: 'address.emirate' }],
  AU: ['ACSZ', '####',        '2000',     { ...state, city: 'address.suburb', postalCode: 'address.postcode' }],
  CN: ['ZSCA', '######',      '100000',   province],
  HK: ['ACs',  '',            '',         { region: 'address.area' }],
  ID: ['ACsz', '#####',       '10110',    province],
  IL: ['ACz',  '#######|#####', '9614303'],
  IN: ['ACZS', '######',      '110001',   { ...state, postalCode: 'address.pinCode' }],
  JP: ['ZSCA', '###-####',    '100-0001', { region: 'address.prefecture' }],
  KR: ['SCAZ', '#####',       '03051',    province],
  MY: ['AZCs', '#####',       '50050',    { ...state, postalCode: 'address.postcode' }],
  NZ: ['ACZ',  '####',        '6011',     { postalCode: 'address.postcode' }],
  PH: ['ACzs', '####',        '1000',     { ...province, ...zip }],
  SA: ['ACz',  '#####|#####-####', '11564'],
  SG: ['ACZ',  '######',      '048616'],
  TH: ['ACsZ', '#####',       '10200',    province],
  TW: ['ZsCA', '###|#####|######', '106409', { region: 'address.county' }],
  VN: ['ACsz', '#####|######', '11022',   province],
  // Countries in Africa.
  EG: ['ACsz', '#####|#######', '11511',  { region: 'address.governorate' }],
  KE: ['ACz',  '#####',       '00100'],
  MA: ['AzC',  '#####',       '10000'],
  NG: ['ACzs', '######',      '100001',   state],
  ZA: ['ACZ',  '####',        '8001'],
}

const lenient = formatOf(['ACsz', '', '', region])

const formats: ReadonlyMap<string, CountryFormat> = new Map(
  Object.entries(rows).map(([country, row]) => [country, formatOf(row)]),
)

export const countriesWithFormat: readonly string[] = [...formats.keys()].sort()

// Returns false if the table has no row for the country; only the fields of such an address are checked.
export function isKnownCountryFormat(country: string): boolean {
  return formats.has(country)
}

export function formatFor(country: string): CountryFormat {
  return formats.get(country) ?? lenient
}

// The fields of a form, in the order in which the form asks for them. The country comes first, because the other fields depend on it.
export function addressFieldsFor(country: string): readonly AddressFormField[] {
  return formatFor(country).fields
}

function formatOf([letters, shapes, example, labels = {}]: Row): CountryFormat {
  const body = [...letters].flatMap((letter): AddressFormField[] => {
    const required = letter === letter.toUpperCase()
    switch (letter.toUpperCase()) {
      case 'A':
        return [field('line1', required), field('line2', false)]
      case 'C':
        return [field('city', required, labels.city)]
      case 'S':
        return [field('region', required, labels.region)]
      default:
        return [field('postalCode', required, labels.postalCode)]
    }
  })
  return {
    postalCode: { need: needOf('Z', letters), shapes: shapes ? shapes.split('|') : [], example },
    region: { need: needOf('S', letters) },
    fields: [field('country', true), field('name', true), field('company', false), ...body, field('phone', false)],
  }
}

function needOf(letter: string, letters: string): FieldRequirement {
  if (letters.includes(letter)) return 'required'
  return letters.includes(letter.toLowerCase()) ? 'optional' : 'none'
}

function field(
  name: AddressFieldName,
  required: boolean,
  labelKey: AddressLabelKey = `address.${name}`,
): AddressFormField {
  return { name, required, labelKey, autocomplete: autocompletes[name] }
}

const postalCodeLengthMax = 20

// Returns the postal code as the country writes it, or undefined if it is invalid. Letter case, spaces, hyphens and dots do not matter,
// nor does the country's sign in front (`D-10115`, `SE-111 29`), which belongs to the envelope, not to the code.
export function normalizePostalCode(country: string, text: string): string | undefined {
  if (text.length > postalCodeLengthMax) return undefined
  const { shapes } = formatFor(country).postalCode
  if (shapes.length === 0) return genericPostalCode(text)
  const code = withoutPunctuation(text)
  for (const shape of shapes) {
    const fitted = fit(shape, code) ?? fit(shape, respelled(country, shape, code))
    if (fitted !== undefined) return fitted
  }
  return undefined
}

// Removes spaces, dots, hyphens and the postal mark, so two spellings of one code compare equal.
export function withoutPunctuation(text: string): string {
  return plainText(text).replace(/[\s.\-\u2010-\u2015\u2212〒]/gu, '')
}

// Replaces full-width characters, as Japanese keyboards write them, and Arabic and Persian digits.
function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .toUpperCase()
}

// The postal code of a country without a row: two to ten letters and digits, with single spaces or hyphens between them.
function genericPostalCode(text: string): string | undefined {
  const code = plainText(text).trim().replace(/\s+/gu, ' ')
  return /^[A-Z0-9](?:[ -]?[A-Z0-9]){1,9}$/.test(code) ? code : undefined
}

// Vehicle registration codes, which were written before the postal code until 1994, if they differ from the ISO code.
// biome-ignore format: a table is read by its rows
const oldSigns: Readonly<Record<string, string>> = {
  AT: 'A', BE: 'B', DE: 'D', ES: 'E', FR: 'F', HU: 'H', IT: 'I', LI: 'FL', LU: 'L', NO: 'N', PT: 'P', SE: 'S',
}

// Adds the country's letters if its postal codes begin with them and the text does not, and removes them if the text begins with them and
// the postal codes do not.
function respelled(country: string, shape: string, code: string): string {
  if (shape.startsWith(country)) return country + code
  if (!/^[#0-9]/.test(shape)) return code
  const sign = [country, oldSigns[country]].find((sign) => sign !== undefined && code.startsWith(sign))
  return code.slice(sign?.length ?? 0)
}

// Walks once along the shape, so the time depends on the length of the shape only, not on the text.
function fit(shape: string, code: string): string | undefined {
  let fitted = ''
  let at = 0
  for (const place of shape) {
    if (place === ' ' || place === '-') {
      fitted += place
      continue
    }
    const character = code.charAt(at)
    if (!isAllowed(place, character)) return undefined
    fitted += character
    at += 1
  }
  return at === code.length ? fitted : undefined
}

function isAllowed(place: string, character: string): boolean {
  const isDigit = character >= '0' && character <= '9' && character.length === 1
  const isLetter = character >= 'A' && character <= 'Z' && character.length === 1
  if (place === '#') return isDigit
  if (place === '@') return isLetter
  return place === '*' ? isDigit || isLetter : place === character
}
