// Checks an address by the rules of its country and normalizes it. Pure. Issues never quote the input, because an address is personal
// data.

import { type BrokenRule, type Issue, issue } from '../../contract/issues.ts'
import { Address, type AddressSummary } from '../../contract/open/carts.ts'
import { isCountry } from '../../platform/kit/country.ts'
import { formatFor, normalizePostalCode, withoutPunctuation } from './formats.ts'
import { findRegionCode, regionsFor } from './regions.ts'

// The result of checkAddress: trimmed, composed (NFC), with the region and postal code in their national spelling.
export type NormalizedAddress = Address

type Text = 'name' | 'company' | 'line1' | 'line2' | 'city' | 'region'

export function checkAddress(address: Address): { address: NormalizedAddress } | { issues: Issue[] } {
  const { address: normal, issues } = normalized(address)
  return issues.length > 0 ? { issues } : { address: normal }
}

function normalized(address: Address): { address: NormalizedAddress; issues: Issue[] } {
  const { country } = address
  const issues: Issue[] = []
  // An optional field that is empty is left out, as if it had not been sent.
  function keep<Field extends string>(field: Field, finding: Finding): { [name in Field]?: string } {
    if ('problem' in finding) issues.push({ path: `/address/${field}`, ...finding.problem })
    return 'value' in finding && finding.value ? ({ [field]: finding.value } as { [name in Field]: string }) : {}
  }

  if (!isCountry(country)) keep('country', { problem: issue('not_a_country') })
  const normal = {
    name: '',
    line1: '',
    city: '',
    country,
    ...keep('name', textFinding('name', address.name)),
    ...keep('company', textFinding('company', address.company)),
    ...keep('line1', textFinding('line1', address.line1)),
    ...keep('line2', textFinding('line2', address.line2)),
    ...keep('city', textFinding('city', address.city)),
    ...keep('region', regionFinding(country, address.region)),
    ...keep('postalCode', postalCodeFinding(country, address.postalCode)),
    ...keep('phone', phoneFinding(address.phone)),
  }
  return { address: normal, issues }
}

// Normalizes an address that may be incomplete: enough to price a delivery, not enough to send one. Invalid fields are left out and
// reported as if they were missing. Returns undefined without a known country.
export function normalizePartialAddress(address: Address): { address: NormalizedAddress; issues: Issue[] } | undefined {
  return isCountry(address.country) ? normalized(address) : undefined
}

const prefixLengthMax = 3

// The visible part of an address: enough to recognise it and to price its delivery, not enough to find the building.
export function summarizeAddress({ city, region, country, postalCode }: NormalizedAddress): AddressSummary {
  return { city, region: region ?? null, country, postalCodePrefix: prefixOf(postalCode) }
}

// Formats the summary as a cart shows it: "Berlin, DE".
export function formatAddressSummary({ city, country }: Pick<AddressSummary, 'city' | 'country'>): string {
  // The city is empty after an erasure.
  return city === '' ? country : `${city}, ${country}`
}

// At most half of the code, because in some countries a whole code stands for one building.
function prefixOf(postalCode = ''): string | null {
  const code = withoutPunctuation(postalCode)
  return code.slice(0, Math.min(prefixLengthMax, Math.floor(code.length / 2))) || null
}

type Finding = { readonly value: string } | { readonly problem: BrokenRule }

const nothing: Finding = { value: '' }
const needed: Finding = { problem: issue('needed') }
const neededHere: Finding = { problem: issue('needed_in_country') }

function textFinding(field: Text, text = ''): Finding {
  const value = oneLine(text)
  if (value === '') return field === 'name' || field === 'line1' || field === 'city' ? needed : nothing
  if ([...value].length > lengthMax(field)) return { problem: issue('too_long', { max: lengthMax(field) }) }
  if (/[<>]/.test(value)) return { problem: issue('contains_angle_bracket') }
  if (holdsLink(value)) return { problem: issue('contains_link') }
  if ((field === 'name' || field === 'city') && !/\p{L}/u.test(value)) return { problem: issue('no_letter') }
  if (field === 'line1' && !/[\p{L}\p{N}]/u.test(value)) return { problem: issue('no_letter_or_digit') }
  return { value }
}

// Maximum length of a field, from the schema. The schema has checked the length already, but Unicode composition can make a text longer.
// The cast is needed because TypeBox does not type the bound.
function lengthMax(field: Text): number {
  return (Address.properties[field] as { maxLength?: number }).maxLength ?? 0
}

// A region or a postal code is ignored if addresses of the country have none: the form of a storefront may have required it anyway.
function regionFinding(country: string, text = ''): Finding {
  const { need } = formatFor(country).region
  if (need === 'none') return nothing
  const finding = textFinding('region', text)
  if ('problem' in finding) return finding
  if (finding.value === '') return need === 'required' ? neededHere : nothing
  if (!regionsFor(country)) return finding
  const code = findRegionCode(country, finding.value)
  return code === undefined ? { problem: issue('not_a_region') } : { value: code }
}

function postalCodeFinding(country: string, text = ''): Finding {
  const { need, example } = formatFor(country).postalCode
  if (need === 'none') return nothing
  const line = oneLine(text)
  if (line === '') return need === 'required' ? neededHere : nothing
  const value = normalizePostalCode(country, line)
  if (value !== undefined) return { value }
  return { problem: issue('not_a_postal_code', example === '' ? {} : { example }) }
}

const phoneDigitsMin = 5
const phoneDigitsMax = 15 // E.164

function phoneFinding(text = ''): Finding {
  const line = oneLine(text)
  if (line === '') return nothing
  // In `+49 (0)30 …`, the zero in brackets is dialled only inside the country.
  const dialled = line.startsWith('+') ? line.replace('(0)', '') : line
  const digits = dialled.replace(/\D/g, '')
  const isPhone = /^\+?[0-9 ()./-]+$/.test(dialled)
  if (!isPhone || digits.length < phoneDigitsMin || digits.length > phoneDigitsMax) {
    return { problem: issue('phone_digits', { min: phoneDigitsMin, max: phoneDigitsMax }) }
  }
  return { value: dialled.startsWith('+') ? `+${digits}` : digits }
}

// Returns the text in composed form (NFC), on one line, with single spaces. Characters that only control direction or line breaking are
// removed: on a label they could make the text look different from the text that was checked.
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

// Names and streets are printed and mailed, so they could be used to send links to strangers. A bare domain is allowed, since some
// companies are named after one, and `St.Gallen` looks like one.
function holdsLink(text: string): boolean {
  return (
    text.includes('://') ||
    /(?:^|[^\p{L}\p{N}])www\./iu.test(text) ||
    /[a-z0-9]\.(?:com|net|org|info|biz|io|ly|ru|xyz|top|shop|site|online|link|click)\//i.test(text)
  )
}
