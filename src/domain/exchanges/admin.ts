// The admin operation that exchanges items of a return.

import type { returnRows } from '../../contract/admin/returns.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { Audited } from '../../platform/http/handler.ts'
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
import { type Exchanged, exchangeReturn } from './exchange.ts'
import { type ExchangePlan, planExchange } from './plan.ts'

type Handlers = { [Id in keyof Pick<typeof returnRows, 'exchangeAdminReturn'>]: AdminHandler<Id> }

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
        return new Audited({ data: { ...shown, order: null, refund: null, return: view } }, [])
      }
      const context = { now: now.getTime(), cause }
      const made = await exchangeReturn(tools, db, found, { plan, newItems: body.newItems }, context)
      const after = body.close ? await changeReturn(db, made.facts, 'close', {}, context) : made.facts
      const { id, number } = made.placed.order
      const view = await findAdminReturnView(db, rootSecret, caller, after)
      const refund = made.refund && refundView(made.refund)
      return new Audited(
        { data: { ...shown, order: { id, number }, refund, return: view } },
        changesOf(found, after, made, plan),
      )
    },
  }
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
  }
}

function changesOf(
  before: { facts: ReturnFacts; order: OrderFacts },
  after: ReturnFacts,
  { order, credit, placed, refund }: Exchanged,
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
    refundChange(order, credit, { lines, restocked: [] }),
    { kind: 'create', what: 'order', id, name, members: [{ member: 'total', from: null, to: total }] },
    ...(refund ? [refundChange(placed, refund, { lines: [], restocked: [] })] : []),
  ]
}
