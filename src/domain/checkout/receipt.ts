// The receipt of a paid order, at the order's secret address. It contains neither name nor address of the shopper: people pass the link on.

import { toInstant } from '../../platform/kit/instant.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { findInvoiceOfOrder } from '../documents/store.ts'
import { findMerchantFace } from '../merchants/store.ts'
import { findOrderFacts } from '../orders/change.ts'
import { buildReceipt } from '../orders/receipt.ts'
import { findOrderOfSecret } from '../orders/store.ts'
import type { PaymentRow } from '../payments/store.ts'
import type { CheckoutMerchant, LegalSeller, ReceiptPort } from './port.ts'

export function createReceiptService(storage: Storage): ReceiptPort {
  return async (secret) => {
    if (!isPageSecret(secret)) return undefined
    return storage.read(async (db) => {
      const key = await findOrderOfSecret(db, pageSecretHash(secret))
      const facts = key && (await findOrderFacts(db, key))
      const paidAt = facts?.timeline.find(({ type }) => type === 'paid')?.at
      if (!facts || paidAt === undefined) return undefined
      const { order, lines, payments, refunds } = facts
      const merchant = await findMerchantFace(db, order.merchantId)
      if (!merchant) return undefined
      const { links, legal } = merchant
      const invoice = await findInvoiceOfOrder(db, order.merchantId, order.id)
      return {
        invoice: invoice ?? null,
        merchant: { ...merchant, links: JSON.parse(links) as CheckoutMerchant['links'] },
        seller: legal === null ? null : (JSON.parse(legal) as LegalSeller),
        number: order.number,
        mode: order.mode,
        currency: order.currency,
        locale: order.locale,
        placedAt: toInstant(order.placedAt),
        taxReason: order.taxRelief,
        receipt: buildReceipt(order, lines),
        paid: payments
          .filter(({ status, amount }) => status === 'succeeded' && amount > 0)
          .map((payment) => ({ at: toInstant(paidAt), amount: payment.amount, card: cardOf(payment) })),
        refunded: refunds
          .filter(({ kind, status }) => kind !== 'void' && status !== 'failed')
          .map(({ status, amount, updatedAt }) => ({ at: status === 'pending' ? null : toInstant(updatedAt), amount })),
      }
    })
  }
}

function cardOf({ brand, last4 }: PaymentRow): { brand: string; last4: string } | null {
  return brand !== null && last4 !== null ? { brand, last4 } : null
}
