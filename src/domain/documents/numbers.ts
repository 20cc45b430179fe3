// How the numbers of documents are written. Pure.

import type { DocumentKind, Mode } from '../../contract/words.ts'

export const numberFormats = {
  invoice: '{year}-{number:6}',
  credit_note: 'C{year}-{number:6}',
} as const satisfies Record<DocumentKind, string>

// A format with the year begins anew each year.
export function periodFor(format: string, year: string): string {
  return format.includes('{year}') ? year : ''
}

export interface NumberFacts {
  mode: Mode
  year: string
  number: number
}

// The number of a test document says that it is one, as that of a test order does.
export function numberText(format: string, { mode, year, number }: NumberFacts): string {
  const text = format
    .replace('{year}', year)
    .replace(/\{number(?::(\d))?\}/, (_, digits = '1') => String(number).padStart(Number(digits), '0'))
  return mode === 'live' ? text : `T-${text}`
}
