// The admin operations on single payments: listing those that need manual attention, and closing one by hand.

import type { AdminSinglePayment, unsettledOperationRows } from '../../contract/admin/unsettled.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { adminPaymentView, orderChanges } from '../orders/adminview.ts'
import { findOrderFacts } from '../orders/change.ts'
import { findOrder } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { listProviderAccountIds } from '../payments/accounts.ts'
import { shownStatus } from '../payments/lifecycle.ts'
import { findMerchantPayment, listUnsettledPayments, type PaymentRow } from '../payments/store.ts'
import { closePayment, paymentCloseObstacle } from './pay/close.ts'
import type { PayTools } from './tools.ts'

export function adminUnsettledOperations(tools: PayTools): {
  [Id in keyof typeof unsettledOperationRows]: AdminHandler<Id>
} {
  return {
    async listAdminUnsettledPayments({ db, caller, paging, now }) {
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'pay')
      const asked = { now: now.getTime(), after, limit: adminRowsAsked }
      const found = await listUnsettledPayments(db, caller, asked)
      const { rows, meta } = pageOfRows(found, paging, ({ createdAt, id }) =>
        writeCursorPosition({ at: createdAt, id }),
      )
      return { data: await Promise.all(rows.map((row) => viewOf(db, row, now))), meta }
    },

    async getAdminPayment({ db, caller, path: { paymentId }, now }) {
      return { data: await viewOf(db, await findOwn(db, caller, paymentId), now) }
    },

    async closeAdminPayment({ db, caller, path: { paymentId }, body: { outcome }, now }) {
      const found = await findOwn(db, caller, paymentId)
      const before = await findFacts(db, found)
      const closed = await closePayment({ ...tools, clock: () => now }, db, found, outcome)
      const after = await findFacts(db, closed)
      const data = await viewOf(db, closed, now)
      return new AuditedReply({ data }, [
        paymentChange(found, closed, data.order?.number ?? closed.id),
        ...(before && after ? orderChanges(before, after) : []),
      ])
    },
  }
}

async function findOwn(db: Reader, caller: MerchantMode, id: string): Promise<PaymentRow> {
  const found = isId('pay', id) ? await findMerchantPayment(db, caller, id) : undefined
  if (!found) throw refuse('payment_not_found')
  return found
}

async function findFacts(db: Reader, { installationId, orderId }: PaymentRow): Promise<OrderFacts | undefined> {
  return orderId === null ? undefined : findOrderFacts(db, { installationId, orderId })
}

async function viewOf(db: Reader, payment: PaymentRow, now: Date): Promise<AdminSinglePayment> {
  const { installationId, orderId, merchantId, accountId, currency, collected } = payment
  const [names, order] = await Promise.all([
    listProviderAccountIds(db, merchantId, [accountId]),
    orderId === null ? undefined : findOrder(db, { installationId, orderId }),
  ])
  return {
    ...adminPaymentView(payment, accountId === null ? null : (names.get(accountId) ?? null)),
    currency,
    collected,
    order: order ? { id: order.id, number: order.number } : null,
    closable: paymentCloseObstacle(payment, now.getTime()) === undefined,
  }
}

function paymentChange(before: PaymentRow, after: PaymentRow, name: string): AuditedChange {
  const members = [{ member: 'status', from: shownStatus(before.status), to: shownStatus(after.status) }]
  return { kind: 'change', what: 'payment', id: after.id, name, members }
}
