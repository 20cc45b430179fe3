// What an order looks like to its merchant. Pure. No address and no e-mail is in it.

import type { AuditedChange } from '../audit/change.ts'
import { membersChanged } from '../audit/change.ts'
import type { AdminChange } from '../contract/admin/changes.ts'
import type { AdminCustomer, AdminFulfillment, AdminOrder, AdminOrderSummary } from '../contract/admin/orders.ts'
import type { Address } from '../contract/open/carts.ts'
import { isPaidOnDelivery } from '../providers/manual/provider.ts'
import type { OrderCustomer } from './customer.ts'
import { sendingReason } from './lifecycle.ts'
import type { AdminOrderHead, FulfillmentRow, OrderPlace } from './store.ts'
import { fulfillmentView, type OrderFacts, orderSummary, orderView } from './view.ts'

export function adminOrderSummary(head: AdminOrderHead): AdminOrderSummary {
  return { ...orderSummary(head), ...placeView(head), refunded: head.refunded }
}

function placeView({ city, country, installationId: id, installationName: name }: OrderPlace) {
  return { city, country, installation: { id, name } }
}

export function adminOrderView(facts: OrderFacts, place: OrderPlace, changes: readonly AdminChange[]): AdminOrder {
  return {
    ...orderView(facts),
    ...placeView(place),
    fulfillments: facts.fulfillments.map(adminFulfillmentView),
    allowed: allowedActions(facts),
    changes: [...changes],
  }
}

export function adminFulfillmentView(row: FulfillmentRow): AdminFulfillment {
  return { id: row.id, ...fulfillmentView(row), trackingUrl: row.trackingUrl }
}

// What the state of the order allows. Scopes are another matter.
export function allowedActions(facts: OrderFacts): AdminOrder['allowed'] {
  const { status, paymentStatus } = facts.order
  const awaited = facts.payments.find((payment) => payment.status === 'pending')
  const isSendable =
    (status === 'placed' || status === 'processing') &&
    sendingReason(paymentStatus, awaited && { isPaidOnDelivery: isPaidOnDelivery(awaited) }) === undefined
  return isSendable ? ['fulfilAdminOrder'] : []
}

export function customerView({ customer, address }: OrderCustomer): AdminCustomer {
  const { name = '', email = '', phone = '' } = customer ?? {}
  return {
    name: name || address?.name || null,
    email: email || null,
    phone: phone || address?.phone || null,
    address: address ?? null,
    label: address ? labelLines(address) : [],
  }
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })

// As a label is printed: the country in capitals and in English, for the post of the country it is sent from.
function labelLines({ name, company, line1, line2, city, region, postalCode, country }: Address): string[] {
  const place = [postalCode, city].filter(Boolean).join(' ')
  const land = (countryNames.of(country) ?? country).toUpperCase()
  return [name, company, line1, line2, place, region, land].filter((text): text is string => Boolean(text))
}

const shownMembers = ['status', 'paymentStatus', 'fulfillmentStatus', 'refunded'] as const

// What became of the order itself.
export function orderChanges(before: OrderFacts, after: OrderFacts): AuditedChange[] {
  const members = membersChanged(before.order, after.order, shownMembers)
  const { id, number: name } = after.order
  return members.length > 0 ? [{ kind: 'change', what: 'order', id, name, members }] : []
}

// The parcels that are new.
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
