// Sends order numbers to providers, so merchants find the order of a payment and shoppers recognise it on their statement. Nothing
// depends on it, so a job gives up after some attempts.

import { handleClaimed } from '../../../platform/jobs/rows.ts'
import { findMerchantFace } from '../../merchants/store.ts'
import { findOrder } from '../../orders/store.ts'
import { claimLabels, deleteLabel, type LabelRow, listDueLabels, postponeLabel } from '../../payments/labels.ts'
import { callToDescribe, type DescribeAnswer } from '../../payments/port.ts'
import { nextTryAt, paymentWaitsMs } from '../../payments/schedule.ts'
import { buildCharge, findPayment } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { callOptions } from './ask.ts'

export async function labelPayments(tools: PayTools, limit = 20): Promise<number> {
  const now = tools.clock().getTime()
  const { storage } = tools
  const round = { storage, loop: 'payment_labels', now, atOnce: limit } as const
  const keyOf = ({ installationId, paymentId }: LabelRow) => ({ tenantId: installationId, rowId: paymentId })
  return handleClaimed(
    round,
    {
      claim: (only) => storage.write((tx) => claimLabels(tx, { now, limit }, only)),
      listDue: () => storage.read((db) => listDueLabels(db, now, limit)),
    },
    keyOf,
    async (label) => {
      const answer = await tell(tools, label)
      const isOver = answer !== 'unknown' || label.tries > paymentWaitsMs.length
      await storage.write(async (tx) => {
        if (isOver) deleteLabel(tx, label)
        else postponeLabel(tx, label, nextTryAt(label.tries, now))
      })
      return 1
    },
  )
}

async function tell(tools: PayTools, { installationId, paymentId }: LabelRow): Promise<DescribeAnswer> {
  const { storage, providers } = tools
  const found = await storage.read(async (db) => {
    const payment = await findPayment(db, installationId, paymentId)
    const orderId = payment?.orderId ?? null
    const order = orderId === null ? undefined : await findOrder(db, { installationId, orderId })
    if (!payment || !order) return undefined
    const [provider, merchant] = [await providers.of(db, payment), await findMerchantFace(db, payment.merchantId)]
    return { payment, order, provider, merchantName: merchant?.name ?? '' }
  })
  if (!found?.provider?.describe || found.payment.reference === null) return 'refused'
  const { payment, order, provider, merchantName } = found
  const about = { orderNumber: order.number, merchantName }
  return callToDescribe(
    async (signal) => provider.describe?.(buildCharge(payment), about, signal) ?? 'refused',
    callOptions(tools, payment, 'describe'),
  )
}
