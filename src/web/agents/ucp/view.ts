// Checkouts and carts in the form of UCP. Pure. Shows only the buyer data that the platform itself sent, and the city, region and country
// of an address that the shopper entered on the page.

import type { Cart, CartItem, ShippingOption } from '../../../contract/open/carts.ts'
import type { Totals } from '../../../contract/parts.ts'
import type { PlatformAddress, StoredAgentRequest } from '../../../domain/agents/asked.ts'
import { type AgentCart, type AgentCheckout, withoutPreciseAddress } from '../../../domain/agents/buying.ts'
import { isEmail } from '../../../platform/kit/email.ts'
import type { TextKey } from '../../languages/checkout/en.ts'
import { destinationIdFor } from './destination.ts'
import {
  type AgentWords,
  addressMessage,
  agentWordsFor,
  codeMessage,
  lineMessage,
  shownMessages,
  type UcpMessage,
  ucpNotices,
} from './messages.ts'
import { capabilitiesIn, type UcpVersion } from './negotiate.ts'
import { groupHandlersByName, type ShownHandler } from './profile.ts'

export interface ViewContext {
  dialect: UcpVersion
  active: ReadonlySet<string>
  capability: string
  handlers: readonly ShownHandler[]
  // Whether this caller may pay.
  mayPay: boolean
  mayReadOrders: boolean
  // Totals of at least this amount must be confirmed by the buyer on the page.
  reviewFrom: number | null
  // The Accept-Language header of the request.
  accepted: string | undefined
  // URLs of legal texts and similar pages.
  links: Readonly<Record<string, string>>
  tag: (id: string) => string
}

const discount = 'dev.ucp.shopping.discount'
const fulfillment = 'dev.ucp.shopping.fulfillment'

export function ucpEnvelope({ dialect, active, capability }: ViewContext): object {
  return { version: dialect.version, status: 'success', capabilities: capabilitiesIn(active, dialect, capability) }
}

// What decides whether the platform can pay a checkout.
export type PayRules = Pick<ViewContext, 'active' | 'handlers' | 'mayPay' | 'reviewFrom'>

// `more`: messages of this request, in addition to those of the checkout.
export function ucpCheckoutState(
  checkout: AgentCheckout,
  rules: PayRules,
  more: readonly UcpMessage[],
): { status: string; messages: UcpMessage[] } {
  const messages = [...standingMessages(checkout, rules), ...more]
  return { status: statusOf(checkout, messages), messages }
}

export function checkoutView(
  { checkout, status, messages }: { checkout: AgentCheckout; status: string; messages: readonly UcpMessage[] },
  context: ViewContext,
): object {
  const { session, asked, order } = checkout
  const { active, handlers, links, tag } = context
  const { items, totals, currency, url, statusUrl } = session
  const words = agentWordsFor(session.locale, context.accepted)
  return {
    ucp: { ...ucpEnvelope(context), payment_handlers: groupHandlersByName(handlers) },
    id: tag(session.id),
    status,
    currency,
    line_items: items.map(lineView),
    ...(checkout.hasSentContact && asked && Object.keys(asked.buyer).length > 0 && { buyer: buyerView(asked.buyer) }),
    totals: totalsView(items, totals, shippingLabel(checkout, words), words),
    ...(messages.length > 0 && { messages: shownMessages(messages, words) }),
    links: linksView(links, words),
    expires_at: session.expiresAt,
    ...(url !== null && { continue_url: url }),
    ...(active.has(discount) && discountsView(checkout)),
    ...(active.has(fulfillment) && checkout.needsShipping && { fulfillment: fulfillmentView(checkout, words) }),
    payment: { instruments: [] },
    ...(order &&
      session.status === 'completed' && {
        order: { id: tag(order.id), label: order.number, permalink_url: statusUrl ?? '' },
      }),
  }
}

// A cart has no address, so its totals exclude shipping.
export function cartDocument(
  { cart, asked, promotion }: AgentCart,
  context: ViewContext,
  more: readonly UcpMessage[] = [],
): object {
  const { items, currency, totals, expiresAt } = cart
  const places = new Map(items.map(({ skuId }, place) => [skuId, place]))
  const words = agentWordsFor(asked?.locale, context.accepted)
  const messages = [
    ...(asked?.lineNotes ?? []).flatMap((note) => lineMessage(note, places) ?? []),
    ...(context.active.has(discount)
      ? (asked?.codeNotes ?? []).flatMap((note, at) => codeMessage(note, at) ?? [])
      : []),
    ...more,
  ]
  return {
    ucp: ucpEnvelope(context),
    id: context.tag(cart.id),
    currency,
    line_items: items.map(lineView),
    ...(asked && Object.keys(asked.buyer).length > 0 && { buyer: buyerView(asked.buyer) }),
    totals: totalsView(items, totals, words.say('total.shipping'), words),
    ...(messages.length > 0 && { messages: shownMessages(messages, words) }),
    expires_at: expiresAt,
    ...(context.active.has(discount) && discountsView({ session: cart, asked, promotion })),
  }
}

function statusOf({ session, isWaiting }: AgentCheckout, messages: readonly UcpMessage[]): string {
  if (session.status === 'completed') return 'completed'
  if (session.status === 'processing') return isWaiting ? 'requires_escalation' : 'complete_in_progress'
  if (session.status !== 'open') return 'canceled'
  const severities = messages.map(({ severity }) => severity)
  // After a declined payment another can be made immediately.
  const standing = messages.filter(({ code }) => code !== 'payment_failed')
  if (standing.some(({ severity }) => severity === 'recoverable')) return 'incomplete'
  const asksBuyer = severities.some((one) => one === 'requires_buyer_input' || one === 'requires_buyer_review')
  return asksBuyer ? 'requires_escalation' : 'ready_for_complete'
}

// Messages that every answer has until the checkout changes.
function standingMessages(checkout: AgentCheckout, { active, mayPay, handlers, reviewFrom }: PayRules): UcpMessage[] {
  const { session, asked, isWaiting, needsShipping } = checkout
  const { items, totals, currency } = session
  if (session.status === 'completed') return session.paymentStatus === 'pending' ? [ucpNotices.paymentPending()] : []
  if (session.status === 'processing') return isWaiting ? [ucpNotices.challenge()] : []
  if (session.status !== 'open') return []
  const places = new Map(items.map(({ skuId }, place) => [skuId, place]))
  const messages = [
    ...(asked?.lineNotes ?? []).flatMap((note) => lineMessage(note, places) ?? []),
    ...(active.has(discount) ? (asked?.codeNotes ?? []).flatMap((note, at) => codeMessage(note, at) ?? []) : []),
    ...contactMessages(checkout),
    ...(needsShipping && active.has(fulfillment) ? deliveryMessages(checkout) : []),
    ...(checkout.isPriced ? [] : [ucpNotices.priceUnavailable()]),
    ...(totals.taxIncluded && totals.tax > 0 ? [ucpNotices.taxIncluded(totals.tax, currency)] : []),
  ]
  if (messages.some(({ severity }) => severity === 'recoverable')) return messages
  if (needsShipping && !active.has(fulfillment)) return [...messages, ucpNotices.fulfillmentOnPage()]
  if (items.some(({ digital }) => digital === true)) return [...messages, ucpNotices.consent()]
  const canPay = mayPay && (handlers.length > 0 || totals.total === 0)
  if (!canPay) return [...messages, ucpNotices.onPage()]
  const isReviewed = reviewFrom !== null && totals.total >= reviewFrom
  return isReviewed ? [...messages, ucpNotices.review()] : messages
}

function contactMessages({ asked, hasEmail, hasSentContact }: AgentCheckout): UcpMessage[] {
  if (!hasEmail) return [ucpNotices.emailNeeded()]
  return hasSentContact && !isEmail(asked?.buyer.email?.trim() ?? '') ? [ucpNotices.emailInvalid()] : []
}

function deliveryMessages(checkout: AgentCheckout): UcpMessage[] {
  const { session, asked, hasSentAddress, isServed, place } = checkout
  // The address was entered on the page, which checked it.
  if (!hasSentAddress) return place ? [] : [ucpNotices.addressNeeded()]
  if (!asked?.destination) return [ucpNotices.addressNeeded()]
  if (asked.addressIssues.length > 0) {
    const country = asked.destination.country?.trim().toUpperCase() ?? ''
    return asked.addressIssues.map((issue) => addressMessage(issue, country))
  }
  if (!isServed) return [ucpNotices.undeliverable()]
  return session.shipping.options.length === 0 ? [ucpNotices.noOption()] : []
}

export function lineView(line: CartItem): object {
  const { skuId, name, options, unitPrice, imageUrl, quantity, subtotal, discount: off } = line
  return {
    id: skuId,
    item: {
      id: skuId,
      title: variantTitle(name, options),
      price: unitPrice,
      ...(imageUrl !== null && { image_url: imageUrl }),
    },
    quantity,
    totals: [
      { type: 'subtotal', amount: subtotal },
      ...(off > 0 ? [{ type: 'items_discount', amount: -off }] : []),
      { type: 'total', amount: subtotal - off },
    ],
  }
}

export function variantTitle(name: string, options: readonly { value: string }[]): string {
  return options.length > 0 ? `${name} – ${options.map(({ value }) => value).join(', ')}` : name
}

export interface TotalView {
  type: string
  display_text: string
  amount: number
}

// The entries add up to the total.
export function totalsView(
  items: readonly { discount: number }[],
  { subtotal, discount: off, shipping, tax, taxIncluded, total }: Totals,
  label: string,
  { say }: AgentWords,
): TotalView[] {
  const itemsOff = items.reduce((sum, item) => sum + item.discount, 0)
  const entries = [
    { type: 'subtotal', display_text: say('total.subtotal'), amount: subtotal },
    ...(itemsOff > 0 ? [{ type: 'items_discount', display_text: say('total.discount'), amount: -itemsOff }] : []),
    ...(shipping > 0 ? [{ type: 'fulfillment', display_text: label, amount: shipping }] : []),
    ...(off > itemsOff ? [{ type: 'discount', display_text: say('total.discount'), amount: itemsOff - off }] : []),
    ...(!taxIncluded && tax > 0 ? [{ type: 'tax', display_text: say('total.tax'), amount: tax }] : []),
  ]
  const sum = entries.reduce((whole, { amount }) => whole + amount, 0)
  if (sum !== total) throw new Error('the totals of a checkout do not add up')
  return [...entries, { type: 'total', display_text: say('total.total'), amount: total }]
}

export function shippingLabel({ session: { shipping } }: AgentCheckout, { say }: AgentWords): string {
  return shipping.options.find(({ id }) => id === shipping.optionId)?.label ?? say('total.shipping')
}

type LinkTypes = readonly (readonly [member: string, type: string, title?: TextKey])[]

const linkTypes: LinkTypes = [
  ['terms', 'terms_of_service'],
  ['privacy', 'privacy_policy'],
  ['refunds', 'refund_policy'],
  ['imprint', 'imprint', 'legal.imprint'],
]

export function linksView(
  links: Readonly<Record<string, string>>,
  { say }: AgentWords,
  types: LinkTypes = linkTypes,
): object[] {
  return types.flatMap(([member, type, title]) => {
    const url = links[member]
    return url === undefined ? [] : [{ type, url, ...(title !== undefined && { title: say(title) }) }]
  })
}

export function buyerView({ email, firstName, lastName, phone }: StoredAgentRequest['buyer']): object {
  return {
    ...(email !== undefined && { email }),
    ...(firstName !== undefined && { first_name: firstName }),
    ...(lastName !== undefined && { last_name: lastName }),
    ...(phone !== undefined && { phone_number: phone }),
  }
}

interface Discounted extends Pick<AgentCheckout, 'asked' | 'promotion'> {
  session: Pick<Cart, 'items' | 'promotion'>
}

interface Applied {
  code: string
  title: string
  amount: number
  allocations?: { path: string; amount: number }[]
}

// At most one discount is applied.
export function appliedDiscounts({ session, promotion }: Discounted): Applied[] {
  const { state, code, amount } = session.promotion
  if (state !== 'applied' || code === null || amount === 0) return []
  const allocations = session.items.flatMap(({ discount: off }, place) =>
    off > 0 ? [{ path: `$.line_items[${place}]`, amount: off }] : [],
  )
  return [{ code, title: promotion?.name ?? code, amount, ...(allocations.length > 0 && { allocations }) }]
}

function discountsView(discounted: Discounted): object {
  const codes = discounted.asked?.codes ?? []
  const applied = appliedDiscounts(discounted)
  return codes.length === 0 && applied.length === 0 ? {} : { discounts: { codes, applied } }
}

function fulfillmentView(checkout: AgentCheckout, words: AgentWords): object {
  const { session, asked, hasSentAddress, place } = checkout
  const ids = session.items.map(({ skuId }) => skuId)
  const destination = hasSentAddress ? (asked?.destination ?? null) : place && withoutPreciseAddress(place)
  const shown = destination && destinationView(destination)
  const { options, optionId } = session.shipping
  return {
    methods: [
      {
        id: 'shipping',
        type: 'shipping',
        line_item_ids: ids,
        ...(shown && { selected_destination_id: shown.id, destinations: [shown] }),
        ...(shown && {
          groups: [
            {
              id: 'parcel',
              line_item_ids: ids,
              selected_option_id: optionId,
              options: options.map((option) => ({
                id: option.id,
                title: optionTitle(option, words),
                totals: [{ type: 'total', amount: option.amount }],
              })),
            },
          ],
        }),
      },
    ],
  }
}

export function optionTitle({ label, amount }: ShippingOption, { say }: AgentWords): string {
  return amount === 0 ? `${label} (${say('total.free')})` : label
}

export function destinationView(sent: PlatformAddress): { id: string } & Record<string, string> {
  return { type: 'shipping_address', id: sent.id ?? destinationIdFor(sent), ...addressView(sent) }
}

export function addressView(sent: PlatformAddress): Record<string, string> {
  const members: [string, string | undefined][] = [
    ['street_address', sent.street],
    ['extended_address', sent.extended],
    ['address_locality', sent.locality],
    ['address_region', sent.region],
    ['postal_code', sent.postalCode],
    ['address_country', sent.country],
    ['first_name', sent.firstName],
    ['last_name', sent.lastName],
    ['phone_number', sent.phone],
  ]
  return Object.fromEntries(members.filter((member): member is [string, string] => member[1] !== undefined))
}
