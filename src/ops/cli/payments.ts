// The command `payments`: accounts at payment providers, and payments whose provider does not report an outcome.

import { type ClosedOutcome, closedOutcomes } from '../../contract/words.ts'
import { closePayment } from '../../domain/checkout/pay/close.ts'
import { createPayTools } from '../../domain/checkout/tools.ts'
import { findOrder } from '../../domain/orders/store.ts'
import { accountProviders } from '../../domain/payments/providers/installed.ts'
import { findPayment } from '../../domain/payments/store.ts'
import { formatAmount } from '../../platform/kit/money.ts'
import { type AccountProvidersOf, accountVerbs } from './accounts.ts'
import {
  type Command,
  type CommandVerb,
  configuredOrigin,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printReport,
  type Terminal,
  withStorage,
} from './command.ts'
import { findPaymentNamed, payRefundsAfter, printUnpaidRefunds, silentWatch } from './money.ts'

export function createPaymentsCommand(providersOf: AccountProvidersOf): Command {
  return {
    summary: 'Manage accounts at payment providers, and close payments whose provider does not report an outcome.',
    verbs: { ...accountVerbs(providersOf), close: closeVerb },
  }
}

const closeVerb: CommandVerb = {
  summary: 'End a payment with the outcome that the payment provider shows.',
  effect: 'changes',
  words: ['PAYMENT_ID'],
  options: {
    outcome: {
      value: closedOutcomes.join('|'),
      help: 'the outcome: `succeeded` places the order, or refunds the payment if the order is no longer possible; `declined` means that nothing was charged, and you must cancel an open authorization at the payment provider',
      isRequired: true,
    },
    merchant: merchantOption,
  },
  async run(given, terminal) {
    const outcome = closedOutcomes.find((known) => known === given.texts.outcome)
    if (!outcome) throw new Misuse(`--outcome must be one of ${closedOutcomes.join(', ')}`)
    return close(given.word, outcome, given, terminal)
  },
}

export const paymentsCommand = createPaymentsCommand(accountProviders)

function close(id: string, outcome: ClosedOutcome, given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, config) => {
    const { installationId } = await findPaymentNamed(storage, id, given)
    const tools = createPayTools({
      storage,
      rootSecret: config.rootSecret,
      publicOrigin: configuredOrigin(config),
      clock: () => new Date(),
      watch: silentWatch(),
      cartsIdleMs: config.retentionMs.carts,
      boundsTries: config.rateLimit !== null,
      providerUrls: config.providerUrls,
    })
    const closed = await payRefundsAfter(storage, config, async (tx, now) => {
      // One instant for all: if the void became due a moment later, this command would not request it.
      const done = await closePayment({ ...tools, clock: () => new Date(now) }, tx, { installationId, id }, outcome)
      return { done, payments: [done] }
    })
    const { payment, order } = await storage.read(async (db) => {
      const payment = (await findPayment(db, installationId, id)) ?? closed.done
      const { orderId } = payment
      return { payment, order: orderId === null ? undefined : await findOrder(db, { installationId, orderId }) }
    })
    const { provider, amount, currency, status } = payment
    const placed = order ? { id: order.id, number: order.number } : null
    const money = formatAmount(amount, currency, 'en')
    return printReport(terminal, given, {
      value: { payment: { id, provider, amount, currency, status }, order: placed },
      lines: () => [`${id}  ${provider}  ${status}  ${money}${placed ? `  order ${placed.number}` : ''}`],
      error: printUnpaidRefunds(terminal, `payment ${id}`, closed.paid),
    })
  })
}
