// Refusals on the command line: the sentence of the API, and a hint about the command that helps.

import type { RefusalCode } from '../../contract/refusals.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'

type Current = Readonly<Record<string, unknown>>

const hints: Readonly<Partial<Record<RefusalCode, string | ((current: Current) => string)>>> = {
  delivery_already_succeeded: 'Add --allow-succeeded.',
  endpoint_disabled: 'Run webhooks enable first.',
  order_is_test: 'Name it by its number, or add --test.',
  order_not_cancellable: ({ reason }) => `Reason: ${reason}.`,
  order_not_paid: 'Add --anyway to send it.',
  order_not_sent: 'Use orders cancel.',
  promotion_exists: 'A shop file can change it.',
  secret_version_needed: 'Add --force to give them up.',
  user_exists: 'Use users merchants and users password to change it.',
}

export function refusalText({ code, message, details }: Refusal): string {
  const hint = hints[code]
  const text = typeof hint === 'function' ? hint(details.current ?? {}) : hint
  return text === undefined ? message : `${message} ${text}`
}
