// The admin operation that exchanges items of a return.

import type { returnOperationRows } from '../../contract/admin/returns.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { PayTools } from '../checkout/tools.ts'
import { orderChanges, refundChange } from '../orders/adminview.ts'
import { refuseUncounted } from '../orders/operator.ts'
import type { OrderFacts } from '../orders/view.ts'
import { refundView } from '../orders/view.ts'
import { findAdminReturnView, lockAdminReturn } from '../returns/adminlook.ts'
import { changeReturn } from '../returns/change.ts'
import type { ReturnFacts } from '../returns/store.ts'
import { returnChanges } from '../returns/view.ts'
import { type ExchangeResult, exchangeReturn } from './exchange.ts'
import { createExchangeDraft } from './link.ts'
import { type ExchangePlan, planExchange } from './plan.ts'

type Handlers = { [Id in keyof Pick<typeof returnOperationRows, 'exchangeAdminReturn'>]: AdminHandler<Id> }

export function adminExchangeOperations(tools: PayTools): Handlers {
  const { rootSecret } = tools
  const { pricebooks } = tools.carts
  return {
    async exchangeAdminReturn({ db, caller, path, body, now, cause }) {
      const found = await lockAdminReturn(db, caller, path.returnId, body.expectedVersion)
      const plan = await planExchange(db, { pricebooks, rootSecret }, found, body, now.getTime())
      refuseOtherSums(plan, body)
      if (plan.balance.moneyBack > 0) refuseUncounted(found.order, plan.balance.moneyBack)
      const shown = shownOf(plan)
      if (body.dryRun) {
        const view = await findAdminReturnView(db, rootSecret, caller, found.facts)
        return new AuditedReply({ data: { ...shown, ...nothingYet, return: view } }, [])
      }
      const context = { now: now.getTime(), cause }
      const { newItems, close = false, linkDays: days } = body
      if (plan.balance.difference > 0) {
        const draftId = await createExchangeDraft(tools, db, found, { plan, newItems, close, days }, context)
        const view = await findAdminReturnView(db, rootSecret, caller, found.facts)
        return new AuditedReply(
          { data: { ...shown, ...nothingYet, draftId, return: view } },
          linkChanges(found, draftId, plan),
        )
      }
      const made = await exchangeReturn(tools, db, found, { plan, newItems }, context)
      const after = close ? await changeReturn(db, made.facts, 'close', {}, context) : made.facts
      const { id, number } = made.placed.order
      const view = await findAdminReturnView(db, rootSecret, caller, after)
      const [given] = made.refunds
      const refund = given ? refundView(given) : null
      return new AuditedReply(
        { data: { ...shown, order: { id, number }, draftId: null, refund, return: view } },
        changesOf(found, after, made, plan),
      )
    },
  }
}

const nothingYet = { order: null, draftId: null, refund: null }

// The return has not changed yet; the recorded change is that a draft for an exchange is open.
function linkChanges(
  { facts }: { facts: ReturnFacts },
  draftId: string,
  { balance: { credit, difference } }: ExchangePlan,
): AuditedChange[] {
  const asked = [{ member: 'openExchange', from: null, to: { draftId, credit, total: difference } }]
  const total = [{ member: 'total', from: null, to: difference }]
  return [
    ...returnChanges(facts, 'change', asked),
    { kind: 'create', what: 'draft', id: draftId, name: draftId, members: total },
  ]
}

function refuseOtherSums(
  { balance: { credit, total } }: ExchangePlan,
  { expectedCredit, expectedTotal }: { expectedCredit?: number; expectedTotal?: number },
): void {
  if (expectedCredit !== undefined && expectedCredit !== credit) {
    const message = `The returned items are worth ${credit} minor units; the request expected ${expectedCredit}.`
    throw refuse('version_conflict', { message, current: { credit } })
  }
  if (expectedTotal === undefined || expectedTotal === total) return
  const message = `The new items cost ${total} minor units; the request expected ${expectedTotal}.`
  throw refuse('total_changed', { message, current: { total } })
}

function shownOf({ refund, prices, balance }: ExchangePlan) {
  return {
    credit: balance.credit,
    items: refund.items.map((item) => ({ ...item })),
    deduction: refund.deduction,
    capped: refund.capped,
    newItems: prices.items,
    totals: prices.totals,
    moneyBack: balance.moneyBack,
    difference: balance.difference,
  }
}

function changesOf(
  before: { facts: ReturnFacts; order: OrderFacts },
  after: ReturnFacts,
  { order, credits, placed, refunds }: ExchangeResult,
  { refund: { items }, balance }: ExchangePlan,
): AuditedChange[] {
  const { status: from } = before.facts.row
  const { status: to } = after.row
  const { id, number: name, total } = placed.order
  const lines = items.map(({ skuId, quantity, amount }) => ({ skuId, quantity, amount }))
  return [
    ...returnChanges(after, 'change', [
      { member: 'exchanges', from: null, to: { order: name, credit: balance.credit, refunded: balance.moneyBack } },
      ...(from === to ? [] : [{ member: 'status', from, to }]),
    ]),
    ...orderChanges(before.order, order),
    ...credits.map((credit) => refundChange(order, credit, { lines, restocked: [] })),
    { kind: 'create', what: 'order', id, name, members: [{ member: 'total', from: null, to: total }] },
    ...refunds.map((refund) => refundChange(placed, refund, { lines: [], restocked: [] })),
  ]
}
