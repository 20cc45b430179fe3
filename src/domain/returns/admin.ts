// The admin operations on returns.

import type { AdminReturn, returnOperationRows } from '../../contract/admin/returns.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { orderChanges, refundChanges } from '../orders/adminview.ts'
import { lockOrderFacts } from '../orders/change.ts'
import { refuseOtherVersion } from '../orders/operator.ts'
import { findAdminOrder } from '../orders/store.ts'
import { refundView } from '../orders/view.ts'
import { findAdminReturnView, lockAdminReturn, type ReturnCaller } from './adminlook.ts'
import { changeReturn, openReturn, receiveReturn } from './change.ts'
import { previewReturnRefund, refundReturn } from './refund.ts'
import { findAdminReturn, findReturn, listAdminReturns, type ReturnFacts } from './store.ts'
import { adminReturnSummary, returnChanges } from './view.ts'

// Exchanges create orders, so their operation is in `exchanges/`.
type ReturnOperation = Exclude<keyof typeof returnOperationRows, 'exchangeAdminReturn'>
type Handlers<Id extends ReturnOperation> = { [One in Id]: AdminHandler<One> }
type ViewOf = (db: Reader, caller: ReturnCaller, facts: ReturnFacts) => Promise<AdminReturn>

export function adminReturnOperations({ rootSecret }: { rootSecret: RootSecret }): Handlers<ReturnOperation> {
  const viewOf: ViewOf = (db, caller, facts) => findAdminReturnView(db, rootSecret, caller, facts)
  return { ...looks(viewOf), ...openings(viewOf, rootSecret), ...answers(viewOf), ...payments(viewOf) }
}

function looks(viewOf: ViewOf): Handlers<'listAdminReturns' | 'getAdminReturn'> {
  return {
    async listAdminReturns({ db, caller, query, paging }) {
      const { from, to, ...filters } = query
      const found = await listAdminReturns(db, caller, {
        ...filters,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        after: paging.after === null ? null : readCursorPosition(paging.after, 'ret'),
        limit: adminRowsAsked,
      })
      const { rows, meta } = pageOfRows(found, paging, ({ row }) =>
        writeCursorPosition({ at: row.requestedAt, id: row.id }),
      )
      return { data: rows.map(adminReturnSummary), meta }
    },

    async getAdminReturn({ db, caller, path: { returnId } }) {
      const key = isId('ret', returnId) ? await findAdminReturn(db, caller, returnId) : undefined
      const facts = key && (await findReturn(db, key))
      if (!facts) throw refuse('return_not_found')
      return { data: await viewOf(db, caller, facts) }
    },
  }
}

function openings(viewOf: ViewOf, rootSecret: RootSecret): Handlers<'createAdminReturn'> {
  return {
    async createAdminReturn({ db, caller, path: { orderId }, body, now, cause }) {
      const key = isId('ord', orderId) ? await findAdminOrder(db, caller, orderId) : undefined
      const order = key && (await lockOrderFacts(db, key))
      if (!order) throw refuse('order_not_found')
      refuseOtherVersion(order, body.expectedVersion)
      const { items, reason, wish = 'refund', instructions: answer = null, labelUrl = null } = body
      const given = { items, reason, wish, openedBy: 'merchant', note: '', answer, labelUrl } as const
      const facts = await openReturn(db, rootSecret, order, given, { now: now.getTime(), cause })
      const members = [
        { member: 'status', from: null, to: facts.row.status },
        { member: 'items', from: null, to: items },
        { member: 'reason', from: null, to: reason },
      ]
      return new AuditedReply({ data: await viewOf(db, caller, facts) }, returnChanges(facts, 'create', members))
    },
  }
}

function answers(
  viewOf: ViewOf,
): Handlers<'approveAdminReturn' | 'refuseAdminReturn' | 'receiveAdminReturn' | 'closeAdminReturn'> {
  return {
    async approveAdminReturn({ db, caller, path, body, now, cause }) {
      const { facts } = await lockAdminReturn(db, caller, path.returnId, body.expectedVersion)
      const { instructions: answer = null, labelUrl = null } = body
      const context = { now: now.getTime(), cause }
      const after = await changeReturn(db, facts, 'approve', { answer, labelUrl }, context)
      return new AuditedReply({ data: await viewOf(db, caller, after) }, changesOf(facts, after))
    },

    async refuseAdminReturn({ db, caller, path, body, now, cause }) {
      const { facts } = await lockAdminReturn(db, caller, path.returnId, body.expectedVersion)
      const after = await changeReturn(db, facts, 'refuse', { answer: body.text }, { now: now.getTime(), cause })
      return new AuditedReply({ data: await viewOf(db, caller, after) }, changesOf(facts, after))
    },

    async receiveAdminReturn({ db, caller, path, body, now, cause }) {
      const { facts } = await lockAdminReturn(db, caller, path.returnId, body.expectedVersion)
      const items = body.items?.map(({ skuId, quantity, restock = true }) => ({
        skuId,
        quantity,
        isRestocked: restock,
      }))
      const after = await receiveReturn(db, facts, items, { now: now.getTime(), cause })
      return new AuditedReply({ data: await viewOf(db, caller, after) }, changesOf(facts, after))
    },

    async closeAdminReturn({ db, caller, path, body, now, cause }) {
      const { facts } = await lockAdminReturn(db, caller, path.returnId, body.expectedVersion)
      const after = await changeReturn(db, facts, 'close', {}, { now: now.getTime(), cause })
      return new AuditedReply({ data: await viewOf(db, caller, after) }, changesOf(facts, after))
    },
  }
}

function payments(viewOf: ViewOf): Handlers<'refundAdminReturn'> {
  return {
    async refundAdminReturn({ db, caller, path, body, now, cause }) {
      const { facts, order } = await lockAdminReturn(db, caller, path.returnId, body.expectedVersion)
      const { items, shipping, deduction = 0, dryRun = false } = body
      const preview = await previewReturnRefund(db, facts, order, { items, shipping, deduction })
      refuseOtherAmount(preview.amount, body.expectedAmount)
      const shown = { ...preview, items: preview.items.map((item) => ({ ...item })) }
      if (dryRun) {
        const view = await viewOf(db, caller, facts)
        return new AuditedReply({ data: { ...shown, refund: null, return: view } }, [])
      }
      const context = { now: now.getTime(), cause }
      const paid = await refundReturn(db, facts, preview, body.reason ?? null, context)
      const after = body.close ? await changeReturn(db, facts, 'close', {}, context) : facts
      const { refund } = paid
      const lines = preview.items.map(({ skuId, quantity, amount }) => ({ skuId, quantity, amount }))
      return new AuditedReply(
        { data: { ...shown, refund: refundView(refund), return: await viewOf(db, caller, after) } },
        [
          ...returnChanges(after, 'change', statusChange(facts, after)),
          ...orderChanges(order, paid.order),
          ...refundChanges(paid.order, paid.refunds, { lines, restocked: [] }),
        ],
      )
    },
  }
}

function refuseOtherAmount(amount: number, expected: number | undefined): void {
  if (expected === undefined || expected === amount) return
  const message = `${amount} minor units would be refunded; the request expected ${expected}.`
  throw refuse('version_conflict', { message, current: { amount } })
}

function statusChange(before: ReturnFacts, after: ReturnFacts) {
  const { status: from } = before.row
  const { status: to } = after.row
  return from === to ? [] : [{ member: 'status', from, to }]
}

// The merchant's text is stored only in the return, not in the list of changes.
function changesOf(before: ReturnFacts, after: ReturnFacts) {
  const counts = (facts: ReturnFacts) =>
    facts.lines.map(({ code, received, restocked }) => ({ code, received, restocked }))
  const [from, to] = [counts(before), counts(after)]
  const items = JSON.stringify(from) === JSON.stringify(to) ? [] : [{ member: 'items', from, to }]
  return returnChanges(after, 'change', [...statusChange(before, after), ...items])
}
