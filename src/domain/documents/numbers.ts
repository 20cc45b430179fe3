// The text of document numbers. Pure.

import type { DocumentKind, Mode } from '../../contract/words.ts'

export const numberFormats = {
  invoice: '{year}-{number:6}',
  credit_note: 'C{year}-{number:6}',
} as const satisfies Record<DocumentKind, string>

// If the format contains the year, the numbers start again each year.
export function periodFor(format: string, year: string): string {
  return format.includes('{year}') ? year : ''
}

export interface NumberFacts {
  mode: Mode
  year: string
  number: number
}

// The number of a test document is marked as such, like that of a test order.
export function numberText(format: string, { mode, year, number }: NumberFacts): string {
  const text = format
    .replace('{year}', year)
    .replace(/\{number(?::(\d))?\}/, (_, digits = '1') => String(number).padStart(Number(digits), '0'))
  return mode === 'live' ? text : `T-${text}`
}
