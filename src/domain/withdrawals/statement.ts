// What a shopper states: who, which order, where to confirm it, and optionally which items. Nothing here, and nothing behind the page,
// asks whether there is such an order. Pure.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import { refundDays } from '../../platform/kit/duties.ts'
import { isEmail, isPlainAddress } from '../../platform/kit/email.ts'

export interface Statement {
  name: string
  order: string
  email: string
  // Empty: the whole order.
  items: string
}

export const statementLengthsMax = { name: 100, order: 60, email: 254, items: 400 } as const

export function statementIssues({ name, order, email }: Statement): Issue[] {
  return [
    ...(name === '' ? [issueAt('/name', 'required')] : []),
    ...(order === '' ? [issueAt('/order', 'required')] : []),
    ...(email === '' ? [issueAt('/email', 'required')] : []),
    // One that no e-mail is sent to could not be confirmed.
    ...(email !== '' && !(isEmail(email) && isPlainAddress(email)) ? [issueAt('/email', 'not_an_email')] : []),
  ]
}

// "No. t-1001" is T-1001. Null where the text has no number, or several.
export function orderNumberIn(text: string): string | null {
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

// What was typed is repeated in an e-mail to an address that was typed too. An invisible joiner after each sign of an address keeps mail
// programs from making a link of it.
export function withoutLinks(text: string): string {
  return text.replace(/([.:/@\\])(?=\S)/gu, '$1\u2060')
}
