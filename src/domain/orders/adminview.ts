// Converts an order to what its merchant sees, and its customer to what people see who may see customers. The order contains neither the
// address nor the e-mail address. Pure.

import type { AdminChange } from '../../contract/admin/changes.ts'
import {
  type AdminCustomer,
  type AdminDispute,
  type AdminFulfillment,
  type AdminOrder,
  type AdminOrderNote,
  type AdminOrderRefund,
  type AdminOrderSummary,
  type AdminPayment,
  orderActions,
} from '../../contract/admin/orders.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { ItemQuantity } from '../../contract/parts.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { membersChanged } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { addressFieldsFor } from '../addresses/formats.ts'
import { addressLines } from '../addresses/lines.ts'
import { type DisputeRow, disputeView } from '../payments/disputes.ts'
import { disputePageOf, paymentPageOf } from '../payments/providerpage.ts'
import { isPaidOnDelivery } from '../payments/providers/manual/provider.ts'
import type { PaymentRow, RefundRow } from '../payments/store.ts'
import type { OrderCustomer } from './customer.ts'
import {
  cancelObstacle,
  editObstacle,
  fulfillmentStatusFor,
  orderLifecycle,
  orderPaymentLifecycle,
  returnObstacle,
  sendObstacle,
} from './lifecycle.ts'
import { isPaidByHand, moneyReceivedView } from './money.ts'
import { linesAfterParcel } from './operator.ts'
import type {
  AdminOrderHead,
  CreditedLine,
  FulfillmentRow,
  MoneyEntry,
  OpenChangeRow,
  OrderDestination,
  OrderNoteRow,
  RefundedLine,
} from './store.ts'
import { fulfillmentView, itemView, type OrderFacts, orderSummary, orderView, paymentView, refundView } from './view.ts'

export function adminOrderSummary(head: AdminOrderHead): AdminOrderSummary {
  const { agentPlatformId: platformId, agentHost: host, agentProtocol: protocol } = head
  const agent = platformId === null ? null : { platformId, host, protocol: protocol ?? '' }
  return { ...orderSummary(head), ...placeView(head), agent, refunded: head.refunded }
}

function placeView({ city, country, installationId: id, installationName: name }: OrderDestination) {
  return { city, country, installation: { id, name } }
}

export interface AdminOrderExtras {
  notes: readonly AdminOrderNote[]
  changes: readonly AdminChange[]
  exchangeOf: AdminOrder['exchangeOf']
  agent: AdminOrder['agent']
  openChange: OpenChangeRow | undefined
  disputes: readonly DisputeRow[]
  moneyEntries: readonly MoneyEntry[]
  // Ids of the merchant's accounts at payment providers, by our ids; see listProviderAccountIds.
  accountNames: ReadonlyMap<string, string>
  refunds: readonly AdminOrderRefund[]
}

export function adminOrderView(
  facts: OrderFacts,
  place: OrderDestination,
  { notes, changes, exchangeOf, agent, openChange, disputes, moneyEntries, accountNames, refunds }: AdminOrderExtras,
): AdminOrder {
  const nameOf = ({ accountId }: PaymentRow) => (accountId === null ? null : (accountNames.get(accountId) ?? null))
  return {
    ...orderView(facts),
    items: facts.lines.map((line) => ({ ...itemView(line), image: line.image })),
    ...placeView(place),
    customerId: place.customerId,
    exchangeOf,
    agent,
    vat: buyerVatView(facts.order.vat),
    payments: facts.payments.map((payment) => adminPaymentView(payment, nameOf(payment))),
    refunds: [...refunds],
    disputes: disputes.flatMap((dispute) => {
      const payment = facts.payments.find(({ id }) => id === dispute.paymentId)
      return payment ? [adminDisputeView(dispute, payment, nameOf(payment))] : []
    }),
    moneyReceived: moneyReceivedView(facts, moneyEntries),
    fulfillments: facts.fulfillments.map(adminFulfillmentView),
    openChange: openChange ? openChangeView(openChange) : null,
    notes: [...notes],
    allowed: allowedActions(facts),
    changes: [...changes],
  }
}

// Also used for an exchange, which is shown with its return.
export function openChangeView({ draftId, total, expiresAt }: OpenChangeRow): NonNullable<AdminOrder['openChange']> {
  return { draftId, total, expiresAt: toInstant(expiresAt) }
}

function buyerVatView(vat: OrderFacts['order']['vat']): AdminOrder['vat'] {
  if (!vat) return null
  const { country, status, at, consultationNumber, nameMatch } = vat
  return { country, status, checkedAt: toInstant(at), consultationNumber, nameMatch }
}

export function adminPaymentView(payment: PaymentRow, account: string | null): AdminPayment {
  const { provider, mode, reference, instrument } = payment
  const providerUrl = reference === null ? null : paymentPageOf({ provider, mode, reference, account })
  return { ...paymentView(payment), instrument, reference, providerUrl }
}

// A refund has no tax amounts until its credit note exists. A failed refund has none either: its credit note, if any, was reversed.
export function adminRefundView(
  refund: RefundRow,
  meant: readonly RefundedLine[],
  credited: readonly CreditedLine[],
): AdminOrderRefund {
  const lines = refund.status === 'succeeded' ? credited : []
  return {
    ...refundView(refund),
    paymentId: refund.paymentId,
    partOf: refund.partOf,
    items: meant
      .filter(({ skuId, quantity }) => skuId !== '' && quantity > 0)
      .map(({ skuId, quantity }) => ({ skuId, quantity })),
    shipping: meant.some(({ skuId }) => skuId === ''),
    exchanged: refund.movedTo !== null,
    tax: lines.length === 0 ? null : lines.reduce((sum, { tax }) => sum + tax, 0),
    lines: lines.map(({ skuId, rateBps: rate, net, tax, total }) => ({ skuId: skuId || null, rate, net, tax, total })),
  }
}

function adminDisputeView(dispute: DisputeRow, payment: PaymentRow, account: string | null): AdminDispute {
  const { provider, mode } = payment
  const { status, updatedAt, reference } = dispute
  return {
    ...disputeView(dispute),
    paymentId: payment.id,
    providerUrl: disputePageOf({ provider, mode, reference, account }, payment.reference),
    decidedAt: status === 'open' ? null : toInstant(updatedAt),
  }
}

export function adminFulfillmentView(row: FulfillmentRow): AdminFulfillment {
  return { id: row.id, ...fulfillmentView(row) }
}

export function noteView(
  { id, text, actorKind, actorId, at }: OrderNoteRow,
  names: ReadonlyMap<string, string>,
): AdminOrderNote {
  const name = actorId === null ? null : (names.get(actorId) ?? null)
  return { id, text, actor: { kind: actorKind, id: actorId, name }, at: toInstant(at) }
}

// Returns the actions that the state of the order allows. The scopes of the caller are checked elsewhere.
export function allowedActions(facts: OrderFacts): AdminOrder['allowed'] {
  const { status, paymentStatus, total, refunded } = facts.order
  const awaited = facts.payments.find((payment) => payment.status === 'pending')
  const isSendable =
    (status === 'placed' || status === 'processing') &&
    sendObstacle(paymentStatus, awaited && { isPaidOnDelivery: isPaidOnDelivery(awaited) }) === undefined
  const obstacle = cancelObstacle(facts.order)
  const isAllowed: Record<AdminOrder['allowed'][number], boolean> = {
    payAdminOrder: moveFor(orderPaymentLifecycle, 'pay', paymentStatus) !== undefined && isPaidByHand(facts),
    recordAdminMoney: isPaidByHand(facts),
    fulfilAdminOrder: isSendable,
    returnAdminOrder:
      returnObstacle(facts.order) === undefined && moveFor(orderLifecycle, 'return', status) !== undefined,
    cancelAdminOrder: obstacle === undefined || obstacle === 'already_processing',
    refundAdminOrder: moveFor(orderPaymentLifecycle, 'queue', paymentStatus) !== undefined && refunded < total,
    editAdminOrder: editObstacle(facts.order, { isPaidByHand: isPaidByHand(facts) }) === undefined,
  }
  return orderActions.filter((action) => isAllowed[action])
}

export function customerView({ customer, address }: OrderCustomer): AdminCustomer {
  const { name = '', email = '', phone = '', vatId = null } = customer ?? {}
  return {
    name: name || address?.name || null,
    email: email || null,
    phone: phone || address?.phone || null,
    vatId,
    address: address ?? null,
    label: address ? labelLines(address) : [],
    addressFields: address ? addressFieldsFor(address.country).map(({ name, required }) => ({ name, required })) : [],
  }
}

// Created with the first label: loading the country names takes longer than importing twenty files.
let countryNames: Intl.DisplayNames | undefined

// Returns the lines of an address label. The country is in English and in capitals, for the postal service of the sending country.
export function labelLines(address: Address): string[] {
  const { country } = address
  countryNames ??= new Intl.DisplayNames(['en'], { type: 'region' })
  return addressLines(address, (countryNames.of(country) ?? country).toUpperCase())
}

const shownMembers = ['status', 'paymentStatus', 'fulfillmentStatus', 'refunded'] as const

// Returns the changes of the order itself, for the audit log.
export function orderChanges(before: OrderFacts, after: OrderFacts): AuditedChange[] {
  const members = membersChanged(before.order, after.order, shownMembers)
  const { id, number: name } = after.order
  return members.length > 0 ? [{ kind: 'change', what: 'order', id, name, members }] : []
}

// Returns the added parcels, for the audit log.
export function parcelChanges(before: OrderFacts, after: OrderFacts): AuditedChange[] {
  const known = new Set(before.fulfillments.map(({ id }) => id))
  return after.fulfillments
    .filter(({ id }) => !known.has(id))
    .map(({ id, carrier, trackingNumber, trackingUrl, items }) => ({
      kind: 'create',
      what: 'fulfillment',
      id,
      name: after.order.number,
      members: Object.entries({ carrier, trackingNumber, trackingUrl, items })
        .filter(([, to]) => to !== null)
        .map(([member, to]) => ({ member, from: null, to })),
    }))
}

// Returns the queued refunds that share one amount, for the audit log. The refunded items are recorded with the first refund.
export function refundChanges(
  facts: OrderFacts,
  refunds: readonly { id: string; amount: number }[],
  what: { lines: readonly RefundedLine[]; restocked: readonly ItemQuantity[] },
): AuditedChange[] {
  return refunds.map((refund, at) => refundChange(facts, refund, at === 0 ? what : { lines: [], restocked: [] }))
}

// Returns a queued refund, for the audit log.
export function refundChange(
  { order }: OrderFacts,
  { id, amount }: { id: string; amount: number },
  { lines, restocked }: { lines: readonly RefundedLine[]; restocked: readonly ItemQuantity[] },
): AuditedChange {
  const members = [
    { member: 'amount', from: null, to: amount },
    ...(lines.length > 0 ? [{ member: 'lines', from: null, to: lines }] : []),
    ...(restocked.length > 0 ? [{ member: 'restocked', from: null, to: restocked }] : []),
  ]
  return { kind: 'create', what: 'refund', id, name: order.number, members }
}

// Returns how the order would change if a parcel with these contents were sent.
export function plannedChanges(found: OrderFacts, sent: readonly ItemQuantity[]): AuditedChange[] {
  const fulfillmentStatus = fulfillmentStatusFor(linesAfterParcel(found, sent))
  const status = fulfillmentStatus === 'fulfilled' ? ('completed' as const) : ('processing' as const)
  return orderChanges(found, { ...found, order: { ...found.order, status, fulfillmentStatus } })
}
