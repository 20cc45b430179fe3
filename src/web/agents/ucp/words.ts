// Small words of the protocol that are computed: amounts for people, ids of addresses. Pure.

import { hash } from 'node:crypto'
import type { SentAddress } from '../../../domain/agents/asked.ts'
import { currencyExponent } from '../../../platform/kit/money.ts'

export function money(amount: number, currency: string): string {
  const digits = currencyExponent(currency) ?? 2
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}

// The same address has the same id.
export function destinationIdOf({ id: _, ...members }: SentAddress): string {
  const text = JSON.stringify(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return `dst_${hash('sha256', text, 'hex').slice(0, 20)}`
}
