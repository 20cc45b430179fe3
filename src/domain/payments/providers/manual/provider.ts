// Money that people move: a bank transfer, or cash on delivery. No external service is called, and nothing is stored here; the operator
// records when money arrived, and pays refunds by hand.

import { manualMethods } from '../../../../contract/words.ts'
import type { Charge, PaymentProvider, ProviderOutcome, ProviderTexts } from '../../port.ts'

const texts = {
  en: {
    'method.bank_transfer': 'Bank transfer',
    'method.bank_transfer.note': 'Your order is prepared once your payment has arrived.',
    'method.cash_on_delivery': 'Cash on delivery',
    'method.cash_on_delivery.note': 'You pay when you receive your order.',
    'manual.method': 'Please choose how to pay.',
  },
  de: {
    'method.bank_transfer': 'Überweisung',
    'method.bank_transfer.note': 'Ihre Bestellung wird bearbeitet, sobald das Geld eingegangen ist.',
    'method.cash_on_delivery': 'Nachnahme',
    'method.cash_on_delivery.note': 'Sie zahlen, wenn Sie Ihre Bestellung erhalten.',
    'manual.method': 'Bitte wählen Sie eine Zahlungsart.',
  },
} as const satisfies ProviderTexts

const methods = manualMethods.map((id) => ({
  id,
  labelKey: `method.${id}`,
  noteKey: `method.${id}.note`,
  fields: [],
  shape: 'later' as const,
}))

export const manualName = 'manual'

// Whether the order is sent before it is paid.
export function isPaidOnDelivery({ provider, method }: { provider: string; method: string }): boolean {
  return provider === manualName && method === 'cash_on_delivery'
}

export const manualProvider: PaymentProvider = {
  name: manualName,
  modes: ['test', 'live'],
  methods,
  texts,
  check: (method) =>
    methods.some(({ id }) => id === method) ? [] : [{ path: '/method', messageKey: 'manual.method' }],
  start: async (charge) => pending(charge),
  confirm: async (charge) => pending(charge),
  lookUp: async (charge) => pending(charge),
  // A refund above the amount of the charge fails. The store ensures that the sum of several refunds does not exceed it.
  refund: async ({ charge, amount }) => (amount <= charge.amount ? 'succeeded' : 'failed'),
  void: async () => 'succeeded',
  close: async () => 'closed',
}

function pending({ key }: Charge): ProviderOutcome {
  return { kind: 'pending', reference: manualReference(key), settles: 'by_hand' }
}

export function manualReference(paymentId: string): string {
  return `manual_${paymentId}`
}
