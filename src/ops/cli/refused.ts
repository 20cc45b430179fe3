// Refusals on the command line: the sentence of the API, and a hint about the command that helps.

import type { RefusalCode } from '../../contract/refusals.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'

type Current = Readonly<Record<string, unknown>>

const hints: Readonly<Partial<Record<RefusalCode, string | ((current: Current) => string)>>> = {
  delivery_already_succeeded: 'On the command line, add --allow-succeeded.',
  endpoint_disabled: 'First run `webhooks enable`.',
  order_is_test: 'To confirm, name the order by its number, or add --test.',
  order_not_cancellable: ({ reason }) => `Reason: ${reason}.`,
  order_not_paid: 'To send it anyway, add --anyway.',
  order_not_sent: 'To cancel it, run `orders cancel`.',
  promotion_exists: 'To change it, apply a shop file that contains it.',
  secret_version_needed: 'To forget the version anyway, add --force; what it encrypted is lost.',
  user_exists: 'To change the user, run `users merchants` or `users password`.',
}

export function refusalText({ code, message, details }: Refusal): string {
  const hint = hints[code]
  const text = typeof hint === 'function' ? hint(details.current ?? {}) : hint
  return text === undefined ? message : `${message} ${text}`
}
