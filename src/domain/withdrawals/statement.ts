// A shopper's statement: their name, the order, the address for the confirmation, and optionally the items. Neither this file nor the
// page checks whether the order exists. Pure.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import { refundDays } from '../../platform/kit/duties.ts'
import { isEmail, isPlainAddress } from '../../platform/kit/email.ts'

export interface Statement {
  name: string
  order: string
  email: string
  // Empty for the whole order.
  items: string
}

export const statementLengthsMax = { name: 100, order: 60, email: 254, items: 400 } as const

export function statementIssues({ name, order, email }: Statement): Issue[] {
  return [
    ...(name === '' ? [issueAt('/name', 'required')] : []),
    ...(order === '' ? [issueAt('/order', 'required')] : []),
    ...(email === '' ? [issueAt('/email', 'required')] : []),
    // A withdrawal cannot be confirmed to an address to which no e-mail is sent.
    ...(email !== '' && !(isEmail(email) && isPlainAddress(email)) ? [issueAt('/email', 'not_an_email')] : []),
  ]
}

// Reads "No. t-1001" as T-1001. Returns null if the text has no number, or several.
export function parseOrderNumber(text: string): string | null {
  const [found, another] = [...text.normalize('NFKC').matchAll(/(?:\b(t)[\s-]?)?(?<!\d)(\d{1,20})(?!\d)/gi)]
  if (!found || another) return null
  const [, test, digits = ''] = found
  return test === undefined ? digits : `T-${digits}`
}

// Numbers of test orders begin with T-.
export function modeOfOrder(orderNumber: string | null): Mode {
  return orderNumber?.startsWith('T-') ? 'test' : 'live'
}

const dayMs = 24 * 60 * 60_000

export function refundDueAt(receivedAt: number): number {
  return receivedAt + refundDays * dayMs
}

// An e-mail to an address that the shopper typed repeats other text that the shopper typed. An invisible joiner after each punctuation
// mark of a URL prevents mail programs from turning the text into a link.
export function withoutLinks(text: string): string {
  return text.replace(/([.:/@\\])(?=\S)/gu, '$1\u2060')
}
