// The settings of a shop: the merchant itself, tax rates and shipping zones. The tables are replaced as a whole if anything in them
// differs. Pure, except that a new merchant gets its id here.

import type { ShippingZoneEntry, ShopEntry, TaxEntry } from '../../contract/entries.ts'
import { issueAt } from '../../contract/issues.ts'
import { type MemberChange, membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import { isCountry } from '../../platform/kit/country.ts'
import { isPlainAddress } from '../../platform/kit/email.ts'
import { newId } from '../../platform/kit/ids.ts'
import { currencyExponent } from '../../platform/kit/money.ts'
import { type EntryProblem, isBlank, repeatedValueProblems } from '../../platform/kit/problems.ts'
import type { Merchant, ShippingZone, TaxRate } from './store.ts'

export interface MerchantSettings extends ShopEntry {
  timeZone?: string | undefined
}

export function planMerchant(
  entry: MerchantSettings,
  before: Merchant | undefined,
): { merchant: Merchant; changes: PlannedChange[] } {
  const merchant: Merchant = {
    id: before?.id ?? newId('mer'),
    slug: entry.slug,
    name: entry.name,
    currency: entry.currency,
    country: entry.country,
    priceTax: entry.pricesIncludeTax === false ? 'excluded' : 'included',
    shippingTax: entry.shippingTax ?? null,
    customerNames: entry.customerNames ?? 'shown',
    lowStockAt: entry.lowStockAt ?? 5,
    supportEmail: entry.supportEmail ?? null,
    logo: entry.logo ?? null,
    color: entry.color?.toLowerCase() ?? null,
    look: before?.look ?? null,
    links: JSON.stringify(entry.links ?? {}),
    legal: entry.legal ? JSON.stringify(entry.legal) : null,
    // A file without invoice settings keeps the stored ones, because document numbers must not restart.
    invoices: entry.invoices ? JSON.stringify(entry.invoices) : (before?.invoices ?? '{}'),
    synonyms: JSON.stringify(entry.synonyms ?? []),
    closedAt: before?.closedAt ?? null,
    timeZone: entry.timeZone ?? before?.timeZone ?? 'UTC',
    version: before?.version ?? 1,
  }
  if (!before) return { merchant, changes: [{ kind: 'create', what: 'merchant', name: merchant.slug, members: [] }] }
  const members = membersChanged(before, merchant, merchantMembers)
  return {
    merchant,
    changes: members.length > 0 ? [{ kind: 'change', what: 'merchant', name: merchant.slug, members }] : [],
  }
}

export const merchantMembers = [
  'name',
  'currency',
  'country',
  'priceTax',
  'shippingTax',
  'customerNames',
  'lowStockAt',
  'supportEmail',
  'logo',
  'color',
  'links',
  'legal',
  'invoices',
  'synonyms',
  'timeZone',
] as const

// The seller's name and low-stock mark are part of every product's responses, so a change of either makes all responses stale.
export function isInAnswers(before: Merchant, after: Merchant): boolean {
  return before.name !== after.name || before.lowStockAt !== after.lowStockAt
}

export interface RatesPlan {
  // Undefined: the table stays unchanged.
  taxRates: TaxRate[] | undefined
  shippingZones: ShippingZone[] | undefined
  changes: readonly PlannedChange[]
}

export interface RateEntries {
  // Undefined: the table stays unchanged.
  taxes?: readonly TaxEntry[] | undefined
  shipping?: readonly ShippingZoneEntry[] | undefined
}

export function planRates(
  { taxes, shipping }: RateEntries,
  stored: { taxRates: readonly TaxRate[]; shippingZones: readonly ShippingZone[] },
): RatesPlan {
  const rates = taxes && taxRatesOf(taxes)
  const zones = shipping && zonesOf(shipping)
  const taxesDiffer = rates !== undefined && !isSame(rates, stored.taxRates.toSorted(byPlace))
  const zonesDiffer = zones !== undefined && !isSame(zones, stored.shippingZones)
  return {
    taxRates: taxesDiffer ? rates : undefined,
    shippingZones: zonesDiffer ? zones : undefined,
    changes: [
      ...(taxesDiffer ? [tableChange('taxes', stored.taxRates.length, rates.length)] : []),
      ...(zonesDiffer ? [tableChange('shipping', stored.shippingZones.length, zones.length)] : []),
    ],
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function tableChange(what: 'taxes' | 'shipping', from: number, to: number): PlannedChange {
  const kind = from === 0 ? 'create' : 'change'
  return { kind, what, name: `(${to})`, members: [{ member: 'rows', from, to }] }
}

function taxRatesOf(entries: readonly TaxEntry[]): TaxRate[] {
  return entries
    .map((entry) => ({
      country: entry.country,
      region: entry.region ?? '',
      taxClass: entry.class ?? 'standard',
      rateBps: entry.rate,
    }))
    .sort(byPlace)
}

// Compares by code unit, because SQLite and PostgreSQL order text differently.
function byPlace(a: TaxRate, b: TaxRate): number {
  const [left, right] = [`${a.country} ${a.region} ${a.taxClass}`, `${b.country} ${b.region} ${b.taxClass}`]
  if (left === right) return 0
  return left < right ? -1 : 1
}

function zonesOf(entries: readonly ShippingZoneEntry[]): ShippingZone[] {
  return entries.map(({ zone, countries, options }) => ({
    zone,
    countries: JSON.stringify(countries),
    options: JSON.stringify(
      options.map(({ id, label, amount, freeFrom = null, weightSteps = [] }) => ({
        id,
        label,
        amount,
        freeFrom,
        weightSteps,
      })),
    ),
  }))
}

// Rules that a schema cannot express.

export function* merchantProblems({
  name,
  currency,
  country,
  supportEmail,
  synonyms = [],
  timeZone,
}: MerchantSettings): Generator<EntryProblem> {
  if (isBlank(name)) yield issueAt('/name', 'blank')
  if (currencyExponent(currency) === undefined) yield issueAt('/currency', 'unknown_currency')
  if (!isCountry(country)) yield issueAt('/country', 'unknown_country')
  yield* addressProblems(supportEmail, '/supportEmail')
  if (timeZone !== undefined && !isTimeZone(timeZone)) yield issueAt('/timeZone', 'unknown_time_zone')
  for (const [group, words] of synonyms.entries())
    for (const [at, word] of words.entries())
      if (!/[\p{L}\p{N}]/u.test(word)) yield issueAt(`/synonyms/${group}/${at}`, 'no_letter_or_digit')
}

// Checks an address by the rule for e-mails: an e-mail to an address that breaks the rule would never be sent.
export function* addressProblems(address: string | null | undefined, path: string): Generator<EntryProblem> {
  if (address != null && !isPlainAddress(address)) yield issueAt(path, 'not_one_email')
}

export function* taxProblems(taxes: readonly TaxEntry[]): Generator<EntryProblem> {
  yield* repeatedValueProblems(
    taxes.map((tax) => `${tax.country} ${tax.region ?? ''} ${tax.class ?? 'standard'}`),
    (index) => `/${index}`,
  )
  for (const [index, tax] of taxes.entries())
    if (!isCountry(tax.country)) yield issueAt(`/${index}/country`, 'unknown_country')
}

export function* shippingProblems(zones: readonly ShippingZoneEntry[]): Generator<EntryProblem> {
  yield* repeatedValueProblems(
    zones.map((zone) => zone.zone),
    (index) => `/${index}/zone`,
  )
  const countries = zones.flatMap((zone, index) =>
    zone.countries.map((country, at) => ({ country, path: `/${index}/countries/${at}` })),
  )
  yield* repeatedValueProblems(
    countries.map(({ country }) => country),
    (index) => countries[index]?.path ?? '',
  )
  for (const { country, path } of countries)
    if (country !== '*' && !isCountry(country)) yield issueAt(path, 'unknown_country')
  for (const [index, zone] of zones.entries()) {
    yield* repeatedValueProblems(
      zone.options.map((option) => option.id),
      (at) => `/${index}/options/${at}/id`,
    )
    for (const [at, { weightSteps = [] }] of zone.options.entries()) {
      const rising = weightSteps.every((step, i) => i === 0 || step.upToGrams > (weightSteps[i - 1]?.upToGrams ?? 0))
      if (!rising) yield issueAt(`/${index}/options/${at}/weightSteps`, 'not_rising')
    }
  }
}

// The reverse of planning: the stored merchant as an entry of a file.

export function shopEntryOf(merchant: Merchant): ShopEntry {
  const {
    slug,
    name,
    currency,
    country,
    priceTax,
    shippingTax,
    customerNames,
    lowStockAt,
    supportEmail,
    logo,
    color,
    links,
    legal,
    invoices,
    synonyms,
  } = merchant
  return {
    slug,
    name,
    currency,
    country,
    pricesIncludeTax: priceTax === 'included',
    shippingTax,
    customerNames,
    lowStockAt,
    supportEmail,
    logo,
    color,
    links: JSON.parse(links) as NonNullable<ShopEntry['links']>,
    synonyms: JSON.parse(synonyms) as NonNullable<ShopEntry['synonyms']>,
    invoices: JSON.parse(invoices) as NonNullable<ShopEntry['invoices']>,
    ...(legal !== null && { legal: JSON.parse(legal) as NonNullable<ShopEntry['legal']> }),
  }
}

export function taxEntriesOf(rates: readonly TaxRate[]): TaxEntry[] {
  return rates.toSorted(byPlace).map(({ country, region, taxClass, rateBps }) => ({
    country,
    ...(region && { region }),
    class: taxClass,
    rate: rateBps,
  }))
}

export function zoneEntriesOf(zones: readonly ShippingZone[]): ShippingZoneEntry[] {
  return zones.map(({ zone, countries, options }) => ({
    zone,
    countries: JSON.parse(countries) as ShippingZoneEntry['countries'],
    options: JSON.parse(options) as ShippingZoneEntry['options'],
  }))
}

// The list of changes records each rate and each zone that differs.

export function taxMembers(before: readonly TaxRate[], after: readonly TaxRate[]): MemberChange[] {
  return tableMembers(rateOf(before), rateOf(after))
}

export function zoneMembers(before: readonly ShippingZone[], after: readonly ShippingZone[]): MemberChange[] {
  const members = tableMembers(zoneOf(before), zoneOf(after))
  const [from, to] = [before.map(({ zone }) => zone), after.map(({ zone }) => zone)]
  return isSame(from, to) ? members : [...members, { member: orderMember, from, to }]
}

// The name of a zone is a word, so no zone has this name.
const orderMember = '(order)'

// Undoes the recorded change: returns the tables before the change that led to `present`.

export function taxRatesBefore(present: readonly TaxRate[], members: readonly MemberChange[]): TaxRate[] {
  const rates = rateOf(present)
  for (const { member, from } of members) putBack(rates, member, from)
  return [...rates]
    .map(([place, rateBps]) => {
      const words = place.split(' ')
      const [country = '', region = ''] = words.length === 3 ? words : [words[0]]
      return { country, region, taxClass: words.at(-1) ?? '', rateBps: Number(rateBps) }
    })
    .sort(byPlace)
}

export function zonesBefore(present: readonly ShippingZone[], members: readonly MemberChange[]): ShippingZoneEntry[] {
  const entries = zoneOf(present)
  for (const { member, from } of members) if (member !== orderMember) putBack(entries, member, from)
  const order = members.find(({ member }) => member === orderMember)?.from as readonly string[] | undefined
  const places = new Map((order ?? [...entries.keys()]).map((zone, index) => [zone, index]))
  // The cast holds because the values were recorded as entries.
  const zones = [...entries.values()] as ShippingZoneEntry[]
  return zones.toSorted((one, other) => (places.get(one.zone) ?? 0) - (places.get(other.zone) ?? 0))
}

export function shownRates(rates: readonly TaxRate[]): object {
  return Object.fromEntries(rateOf(rates))
}

export function shownZones(zones: readonly ShippingZone[]): object {
  return Object.fromEntries([...zoneOf(zones), [orderMember, zones.map(({ zone }) => zone)]])
}

function putBack(table: Map<string, unknown>, member: string, from: unknown): void {
  if (from === null) table.delete(member)
  else table.set(member, from)
}

function rateOf(rates: readonly TaxRate[]): Map<string, unknown> {
  return new Map(
    rates.map(({ country, region, taxClass, rateBps }) => [
      [country, region, taxClass].filter(Boolean).join(' '),
      rateBps,
    ]),
  )
}

function zoneOf(zones: readonly ShippingZone[]): Map<string, unknown> {
  return new Map(zoneEntriesOf(zones).map((entry) => [entry.zone, entry]))
}

function tableMembers(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): MemberChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((member) => ({ member, from: before.get(member) ?? null, to: after.get(member) ?? null }))
    .filter(({ from, to }) => !isSame(from, to))
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
