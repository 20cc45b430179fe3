// What the law of a country demands of a shop that sells there: one row for each duty, with its date and source. Data, not advice: the
// server has a place for a duty or says that it has none, and never says that a shop is lawful. Pure.

import type { LegalTextKind } from '../../contract/words.ts'
import { euCountries } from './countryfacts.ts'

// What a merchant gives: name, address and e-mail of the seller, the content of every SKU, or a legal text.
export type DutyNeed = 'seller' | 'measures' | LegalTextKind

export interface Duty {
  countries: readonly string[]
  // The day from which it applies.
  since: string
  source: string
  // Empty: the server does it by itself.
  needs: readonly DutyNeed[]
  // A page of the merchant's own will do in place of the text.
  allowsLink?: true
  // Nothing here can show whether it is done, or needed: a person has to look.
  isByHand?: true
}

// biome-ignore format: a table is read by its rows
export const duties = {
  seller: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 6(1)(b), (c)', needs: ['seller'] },
  confirmation: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 8(7); C-49/11', needs: ['seller', 'terms', 'withdrawal'] },
  privacy: { countries: euCountries, since: '2018-05-25', source: 'Regulation (EU) 2016/679, Art. 13', needs: ['privacy'], allowsLink: true },
  imprint: { countries: euCountries, since: '2002-01-17', source: 'Directive 2000/31/EC, Art. 5', needs: ['imprint'], allowsLink: true },
  withdrawal: { countries: euCountries, since: '2026-06-19', source: 'Directive 2011/83/EU, Art. 11a (Directive (EU) 2023/2673)', needs: [] },
  orderButton: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 8(2); C-249/21', needs: [] },
  priorPrice: { countries: euCountries, since: '2022-05-28', source: 'Directive 98/6/EC, Art. 6a; C-330/23', needs: [] },
  accessibility: { countries: euCountries, since: '2025-06-28', source: 'Directive (EU) 2019/882', needs: ['accessibility'], isByHand: true },
  unitPrice: { countries: euCountries, since: '2000-03-18', source: 'Directive 98/6/EC, Art. 3', needs: ['measures'], isByHand: true },
  productSafety: { countries: euCountries, since: '2024-12-13', source: 'Regulation (EU) 2023/988, Art. 19', needs: [], isByHand: true },
  guarantee: { countries: euCountries, since: '2026-09-27', source: 'Directive (EU) 2024/825; Implementing Regulation (EU) 2025/1960', needs: [], isByHand: true },
  digital: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 16(m)', needs: [], isByHand: true },
} as const satisfies Readonly<Record<string, Duty>>

export type DutyId = keyof typeof duties
export const dutyIds = Object.keys(duties) as readonly DutyId[]

export interface DutyFacts {
  country: string
  // Of all delivery zones; `*` stands for every country.
  zoneCountries: readonly string[]
  hasSeller: boolean
  // No SKU is without a content; whether one needs it, only a person can say. Absent: not looked at.
  hasMeasures?: boolean
  texts: ReadonlySet<string>
  // Pages of the merchant's own, by the kind of text that they have.
  links: ReadonlySet<string>
}

export interface DutyState {
  id: DutyId
  status: 'done' | 'missing' | 'by_hand' | 'not_needed'
  // Of those that demand it, the ones that the shop sells to.
  countries: readonly string[]
  lacks: readonly DutyNeed[]
}

export function dutyStates(facts: DutyFacts): DutyState[] {
  const served = facts.zoneCountries.length > 0 ? facts.zoneCountries : [facts.country]
  return dutyIds.map((id): DutyState => {
    const duty: Duty = duties[id]
    const countries = served.includes('*') ? duty.countries : duty.countries.filter((code) => served.includes(code))
    if (countries.length === 0) return { id, status: 'not_needed', countries, lacks: [] }
    const lacks = duty.needs.filter((need) => !isGiven(facts, need, duty))
    const isOpen = lacks.length > 0 || (duty.isByHand && duty.needs.length === 0)
    const status = !isOpen ? 'done' : duty.isByHand ? 'by_hand' : 'missing'
    return { id, status, countries, lacks }
  })
}

function isGiven({ hasSeller, hasMeasures, texts, links }: DutyFacts, need: DutyNeed, { allowsLink }: Duty): boolean {
  if (need === 'measures') return hasMeasures === true
  if (need === 'seller') return hasSeller
  return texts.has(need) || (allowsLink === true && links.has(need))
}

// Days within which the money goes back after a withdrawal (Directive 2011/83/EU, Art. 13(1)).
export const refundDays = 14
