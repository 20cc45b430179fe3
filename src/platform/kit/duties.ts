// What the law of a country requires of a shop that sells there: one row per duty, with its date and source. This is data and not legal
// advice: the server has a setting for a duty or says that it has none, and never claims that a shop is lawful. Pure.

import { type DutyId, type DutyNeed, type DutyStatus, dutyIds } from '../../contract/words.ts'
import { euCountries } from './countryfacts.ts'

export interface Duty {
  countries: readonly string[]
  // Date from which the duty applies.
  since: string
  source: string
  // Facts that the merchant must supply. Empty if the server fulfils the duty itself.
  needs: readonly DutyNeed[]
  // Whether a link to a page of the merchant may replace a text in the shop.
  allowsLink?: true
  // Whether the duty only applies to shops that ship goods.
  isForGoods?: true
  // Whether a person must check the duty, because the server cannot know whether it is fulfilled or applies.
  isByHand?: true
}

// biome-ignore format: a table is read by its rows
export const duties = {
  seller: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 6(1)(b), (c)', needs: ['seller'] },
  confirmation: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 8(7); C-49/11', needs: ['seller', 'terms', 'withdrawal'] },
  privacy: { countries: euCountries, since: '2018-05-25', source: 'Regulation (EU) 2016/679, Art. 13', needs: ['privacy'], allowsLink: true },
  imprint: { countries: euCountries, since: '2002-01-17', source: 'Directive 2000/31/EC, Art. 5', needs: ['imprint'], allowsLink: true },
  withdrawal: { countries: euCountries, since: '2026-06-19', source: 'Directive 2011/83/EU, Art. 11a (Directive (EU) 2023/2673)', needs: [] },
  order_button: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 8(2); C-249/21', needs: [] },
  prior_price: { countries: euCountries, since: '2022-05-28', source: 'Directive 98/6/EC, Art. 6a; C-330/23', needs: [] },
  accessibility: { countries: euCountries, since: '2025-06-28', source: 'Directive (EU) 2019/882', needs: ['accessibility'], isByHand: true },
  unit_price: { countries: euCountries, since: '2000-03-18', source: 'Directive 98/6/EC, Art. 3', needs: ['measures'], isByHand: true },
  product_safety: { countries: euCountries, since: '2024-12-13', source: 'Regulation (EU) 2023/988, Art. 16, 19', needs: ['makers', 'responsible'], isByHand: true },
  guarantee: { countries: euCountries, since: '2026-09-27', source: 'Directive (EU) 2024/825; Implementing Regulation (EU) 2025/1960', needs: ['guarantee'], isForGoods: true },
  delivery: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 6(1)(g)', needs: ['shipping'], isForGoods: true },
  digital: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 16(m)', needs: [] },
} as const satisfies Readonly<Record<DutyId, Duty>>

export interface DutyFacts {
  country: string
  // Countries of all shipping zones. `*` stands for every country.
  zoneCountries: readonly string[]
  hasSeller: boolean
  // Whether any SKU is shipped. Undefined if this was not queried.
  sellsGoods?: boolean
  // Whether all SKUs have a measure for the unit price; only a person can judge whether a SKU needs one. Undefined if this was not
  // queried.
  hasMeasures?: boolean
  // Number of published products without a manufacturer, and number of manufacturers outside the EU without a responsible person in the
  // EU. Undefined if this was not queried.
  withoutMaker?: number
  withoutResponsible?: number
  texts: ReadonlySet<string>
  // Kinds of texts that are replaced by links to the merchant's own pages.
  links: ReadonlySet<string>
}

export interface DutyState {
  id: DutyId
  status: DutyStatus
  // Countries to which the shop sells and whose law has this duty.
  countries: readonly string[]
  lacks: readonly DutyNeed[]
}

export function dutyStates(facts: DutyFacts): DutyState[] {
  const served = facts.zoneCountries.length > 0 ? facts.zoneCountries : [facts.country]
  return dutyIds.map((id): DutyState => {
    const duty: Duty = duties[id]
    const countries = served.includes('*') ? duty.countries : duty.countries.filter((code) => served.includes(code))
    if (countries.length === 0 || (duty.isForGoods && facts.sellsGoods === false))
      return { id, status: 'not_needed', countries, lacks: [] }
    const lacks = duty.needs.filter((need) => !isGiven(facts, need, duty))
    const isOpen = lacks.length > 0 || (duty.isByHand && duty.needs.length === 0)
    const status = !isOpen ? 'done' : duty.isByHand ? 'by_hand' : 'missing'
    return { id, status, countries, lacks }
  })
}

function isGiven(facts: DutyFacts, need: DutyNeed, { allowsLink }: Duty): boolean {
  const { hasSeller, hasMeasures, withoutMaker, withoutResponsible, texts, links } = facts
  if (need === 'makers') return withoutMaker === 0
  if (need === 'responsible') return withoutResponsible === 0
  if (need === 'measures') return hasMeasures === true
  if (need === 'seller') return hasSeller
  return texts.has(need) || (allowsLink === true && links.has(need))
}

// Days within which the seller must refund after a withdrawal (Directive 2011/83/EU, Art. 13(1)).
export const refundDays = 14

// A manufacturer that is not established in the EU needs a responsible person in the EU (Regulation (EU) 2023/988, Art. 16).
export function lacksResponsible({
  country,
  responsible,
}: {
  country: string
  responsible?: object | null | undefined
}) {
  return !euCountries.includes(country) && responsible == null
}

// Years of the legal guarantee for goods (Directive (EU) 2019/771, Art. 10), and countries whose law grants more.
export const guaranteeYears = 2
export const longerGuarantees: readonly { country: string; years: number; since: string; source: string }[] = [
  { country: 'ES', years: 3, since: '2022-01-01', source: 'Real Decreto-ley 7/2021' },
  { country: 'PT', years: 3, since: '2022-01-01', source: 'Decreto-Lei n.º 84/2021' },
  { country: 'SE', years: 3, since: '2022-01-01', source: 'Konsumentköplag (2022:260)' },
]

// Returns null for a country without this duty. Returns the minimum if the country is not known yet.
export function legalGuaranteeYears(country: string | null): number | null {
  if (country === null) return guaranteeYears
  if (!duties.guarantee.countries.includes(country)) return null
  return longerGuarantees.find((row) => row.country === country)?.years ?? guaranteeYears
}
