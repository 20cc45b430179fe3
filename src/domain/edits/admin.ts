// The admin operations on order edits.

import type { AdminOrderEditItem, AdminOrderEditRequest, editOperationRows } from '../../contract/admin/edits.ts'
import { issueAt } from '../../contract/issues.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { CartTools } from '../carts/change.ts'
import type { EditChange } from '../carts/pricing.ts'
import { findAdminOrderView } from '../orders/adminlook.ts'
import { orderChanges, refundChange } from '../orders/adminview.ts'
import { lockOrderFacts } from '../orders/change.ts'
import { refuseOtherVersion, refuseUncounted } from '../orders/operator.ts'
import { findAdminOrder, type OrderDestination, type OrderKey, type OrderRow } from '../orders/store.ts'
import { type OrderFacts, refundView } from '../orders/view.ts'
import { correctOrderAddress } from './address.ts'
import { applyOrderEdit } from './apply.ts'
import { orderChangeFor } from './link.ts'
import { type EditPlan, isUnchanged } from './plan.ts'
import { previewEdit } from './preview.ts'

export interface AdminEditParts {
  carts: CartTools
  rootSecret: RootSecret
  // Creates the draft whose link lets the shopper pay the difference. Returns the id of the draft.
  askForDifference(
    tx: Tx,
    order: OrderRow,
    asked: { plan: EditPlan; change: EditChange; days: number | undefined },
    context: ChangeContext,
  ): Promise<string>
}

export function adminEditOperations({ carts, rootSecret, askForDifference }: AdminEditParts): {
  [Id in keyof typeof editOperationRows]: AdminHandler<Id>
} {
  return {
    async editAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      refuseEmpty(body)
      const { place, before } = await lock(db, caller, orderId)
      refuseOtherVersion(before, body.expectedVersion)
      const { plan, agreed } = await previewEdit(db, carts.pricebooks, before, body, now.getTime())
      refuseOtherTotal(plan.order.total, body.expectedTotal)
      if (plan.difference < 0 && before.order.paymentStatus !== 'pending') refuseUncounted(before, -plan.difference)
      const shown = shownOf(before, plan)
      const context = { now: now.getTime(), cause }
      const address =
        body.address && !body.dryRun
          ? await correctOrderAddress(db, rootSecret, before, body.address, context.now)
          : undefined
      if (body.dryRun || (!address && isUnchanged(before.order, plan))) {
        const order = await findAdminOrderView(db, caller, before, place)
        return new AuditedReply({ data: { ...shown, refund: null, draftId: null, order } }, [])
      }
      const isPaid = before.order.paymentStatus !== 'pending'
      if (body.payByLink && plan.difference > 0 && isPaid) {
        const change = orderChangeFor(before.order, plan, agreed, newId('edt'))
        const asked = { plan, change, days: body.linkDays }
        const draftId = await askForDifference(db, before.order, asked, context)
        const order = await findAdminOrderView(db, caller, before, place)
        return new AuditedReply(
          { data: { ...shown, refund: null, draftId, order } },
          draftChanges(before, draftId, plan),
        )
      }
      const planned = address ? { ...plan, order: { ...plan.order, address } } : plan
      const { facts, refunds } = await applyOrderEdit(db, before, { id: newId('edt'), plan: planned }, context)
      const order = await findAdminOrderView(db, caller, facts, place)
      const [refund = null] = refunds
      return new AuditedReply({ data: { ...shown, refund: refund && refundView(refund), draftId: null, order } }, [
        editChange(before, facts),
        ...orderChanges(before, facts),
        ...refunds.map((one) => refundChange(facts, one, { lines: [], restocked: [] })),
      ])
    },
  }
}

// The order has not changed yet; the recorded change is that a draft is open for it.
function draftChanges({ order }: OrderFacts, draftId: string, { difference }: EditPlan): AuditedChange[] {
  const asked = [{ member: 'openChange', from: null, to: { draftId, total: difference } }]
  const total = [{ member: 'total', from: null, to: difference }]
  return [
    { kind: 'change', what: 'order', id: order.id, name: order.number, members: asked },
    { kind: 'create', what: 'draft', id: draftId, name: draftId, members: total },
  ]
}

function refuseEmpty({ items, shipping, address }: AdminOrderEditRequest): void {
  if (items || shipping !== undefined || address) return
  throw refuse('invalid_request', {
    issues: [issueAt('/items', 'needs_members', { members: ['items', 'shipping', 'address'] })],
  })
}

async function lock(
  tx: Tx,
  seller: MerchantMode,
  orderId: string,
): Promise<{ place: OrderKey & OrderDestination; before: OrderFacts }> {
  const place = isId('ord', orderId) ? await findAdminOrder(tx, seller, orderId) : undefined
  const before = place && (await lockOrderFacts(tx, place))
  if (!before) throw refuse('order_not_found')
  return { place, before }
}

function refuseOtherTotal(total: number, expected: number | undefined): void {
  if (expected === undefined || expected === total) return
  const message = `The order would cost ${total} minor units; the request expected ${expected}.`
  throw refuse('total_changed', { message, current: { total } })
}

function shownOf({ lines }: OrderFacts, { order, lines: after, difference }: EditPlan) {
  const gone = lines.filter(({ skuId }) => !after.some((line) => line.skuId === skuId))
  const items = [...after, ...gone.map((line) => ({ ...line, quantity: 0, total: 0 }))].map(
    ({ skuId, code, name, options, quantity, unitPrice, total }): AdminOrderEditItem => ({
      ...{ skuId, code, name, quantity, unitPrice, total },
      options: options.map((option) => ({ name: option.name, value: option.value })),
      before: lines.find((line) => line.skuId === skuId)?.quantity ?? 0,
    }),
  )
  const { subtotal, discount, shipping, tax, priceTax, total, taxRelief } = order
  return {
    items,
    totals: {
      ...{ subtotal, discount, shipping, tax, taxIncluded: priceTax === 'included', total },
      ...(taxRelief !== null && { taxReason: taxRelief }),
    },
    difference,
  }
}

// The address itself is not recorded, only that it changed.
function editChange(before: OrderFacts, after: OrderFacts): AuditedChange {
  const itemsOf = ({ lines }: OrderFacts) => lines.map(({ code, quantity }) => ({ code, quantity }))
  const { id, number: name } = after.order
  const isMoved = before.order.address?.token !== after.order.address?.token
  const members = [
    { member: 'items', from: itemsOf(before), to: itemsOf(after) },
    { member: 'shipping', from: before.order.shipping, to: after.order.shipping },
    { member: 'total', from: before.order.total, to: after.order.total },
  ].filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to))
  return {
    ...{ kind: 'change', what: 'order', id, name },
    members: isMoved ? [...members, { member: 'address', from: null, to: null }] : members,
  }
}
