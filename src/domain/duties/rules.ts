// What the law of a country demands of a shop that sells there: one row for each duty, with its date and source. Data, not advice: the
// server has a place for each duty and never says that a shop is lawful.

import { euCountries } from '../../platform/kit/countryfacts.ts'

export interface Duty {
  countries: readonly string[]
  // The day from which it applies.
  since: string
  source: string
}

// biome-ignore format: a table is read by its rows
export const duties = {
  withdrawal: { countries: euCountries, since: '2026-06-19', source: 'Directive 2011/83/EU, Art. 11a (Directive (EU) 2023/2673)' },
  confirmation: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 8(7); C-49/11' },
  orderButton: { countries: euCountries, since: '2014-06-13', source: 'Directive 2011/83/EU, Art. 8(2); C-249/21' },
} as const satisfies Readonly<Record<string, Duty>>

export type DutyId = keyof typeof duties

// Days within which the money goes back after a withdrawal (Directive 2011/83/EU, Art. 13(1)).
export const refundDays = 14
