// Checkout sessions in the form of the Agentic Commerce Protocol. Pure. Shows only the buyer data that the platform itself sent, and the
// city, region and country of an address that the shopper entered on the page.

import { acpVersion } from '../../../contract/agents/settings.ts'
import type { CartItem } from '../../../contract/open/carts.ts'
import type { Mode } from '../../../contract/words.ts'
import { buyerFullName, type PlatformAddress } from '../../../domain/agents/asked.ts'
import { type AgentCheckout, withoutPreciseAddress } from '../../../domain/agents/buying.ts'
import { isEmail } from '../../../platform/kit/email.ts'
import type { CheckoutWithStatus } from '../paying.ts'
import { type AgentWords, agentWordsFor, codeMessage } from '../ucp/messages.ts'
import type { ShownHandler } from '../ucp/profile.ts'
import {
  appliedDiscounts,
  buyerView,
  linksView,
  optionTitle,
  type PayRules,
  shippingLabel,
  type TotalView,
  totalsView,
  variantTitle,
} from '../ucp/view.ts'
import { type AcpMessage, acpMessage } from './messages.ts'

export interface AcpViewContext extends PayRules {
  // Base URL of the shop for this protocol.
  base: string
  // URL of the page for people about what the shop offers to agents.
  page: string
  mode: Mode
  // The Accept-Language header of the request.
  accepted: string | undefined
  // URLs of legal texts and similar pages.
  links: Readonly<Record<string, string>>
  tag: (id: string) => string
}

const statuses: Readonly<Record<string, string>> = {
  incomplete: 'not_ready_for_payment',
  ready_for_complete: 'ready_for_payment',
  requires_escalation: 'requires_escalation',
  complete_in_progress: 'in_progress',
  completed: 'completed',
  canceled: 'canceled',
}

const extensions = [
  {
    name: 'discount',
    extends: [
      '$.CheckoutSessionCreateRequest.discounts',
      '$.CheckoutSessionUpdateRequest.discounts',
      '$.CheckoutSession.discounts',
    ],
  },
] as const

export function acpSession({ checkout, status, messages }: CheckoutWithStatus, context: AcpViewContext): object {
  const { session, asked, order } = checkout
  const { tag, mayPay, handlers, links } = context
  const { items, totals, currency, url, statusUrl } = session
  const id = tag(session.id)
  const words = agentWordsFor(session.locale, context.accepted)
  const isOwn = checkout.hasSentContact && asked !== undefined && isEmail(asked.buyer.email?.trim() ?? '')
  return {
    id,
    protocol: { version: acpVersion },
    capabilities: {
      payment: { handlers: mayPay ? handlers.map((handler) => handlerView(handler, context)) : [] },
      interventions: { supported: [], required: [], enforcement: 'conditional' },
      extensions,
    },
    ...(isOwn && { buyer: buyerView(asked.buyer) }),
    status: session.status === 'expired' ? 'expired' : statuses[status],
    currency: currency.toLowerCase(),
    line_items: items.map((item) => lineView(item, words)),
    ...detailsView(checkout),
    ...optionsView(checkout, words),
    totals: acpTotals(totalsView(items, totals, shippingLabel(checkout, words), words), words),
    messages: messages.map((message) => acpMessage(message, words)) satisfies AcpMessage[],
    links: linksView(links, words, linkTypes),
    expires_at: session.expiresAt,
    ...(url !== null && { continue_url: url }),
    ...discountsView(checkout, words),
    ...(order &&
      session.status === 'completed' && {
        order: {
          id: tag(order.id),
          checkout_session_id: id,
          order_number: order.number,
          permalink_url: statusUrl ?? '',
          status: session.paymentStatus === 'pending' ? 'created' : 'confirmed',
        },
      }),
  }
}

// The protocol's handler for tokenized cards: the platform has the provider create a token for the merchant's account, and sends the
// token.
const tokenized = {
  name: 'dev.acp.tokenized.card',
  version: '2026-01-22',
  spec: 'https://acp.dev/handlers/tokenized.card',
  config_schema: 'https://acp.dev/schemas/handlers/tokenized.card/config.json',
  instrument_schemas: ['https://acp.dev/schemas/handlers/tokenized.card/instrument.json'],
} as const

function handlerView(handler: ShownHandler, { base, page, mode }: AcpViewContext): object {
  const { id, name, version, config, psp, delegatedTo } = handler
  const environment = mode === 'live' ? 'production' : 'sandbox'
  const common = { id, psp, requires_delegate_payment: delegatedTo !== undefined, requires_pci_compliance: false }
  if (delegatedTo !== undefined)
    return { ...common, ...tokenized, config: { merchant_id: delegatedTo, psp, environment } }
  const own = `${base}/handlers/${id}`
  return {
    ...common,
    name,
    version,
    spec: page,
    config_schema: `${own}/config.json`,
    instrument_schemas: [`${own}/instrument.json`],
    config: config ?? { environment },
  }
}

// Returns the schema at a path of this server's payment handlers, or undefined if the path has none.
export function handlerSchema(path: string, handlers: readonly ShownHandler[]): object | undefined {
  const [, id, file] = /^\/handlers\/(\w+)\/(config|instrument)\.json$/.exec(path) ?? []
  const handler = handlers.find((one) => one.id === id && one.delegatedTo === undefined)
  if (!handler) return undefined
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  if (file === 'config') return { $schema, title: `${handler.name}: config`, type: 'object' }
  return {
    $schema,
    title: `${handler.name}: instrument`,
    type: 'object',
    required: ['type', 'credential'],
    properties: {
      type: { enum: handler.instruments },
      credential: {
        type: 'object',
        required: ['type', 'token'],
        properties: { type: { type: 'string' }, token: { type: 'string' } },
      },
    },
  }
}

const linkTypes = [
  ['terms', 'terms_of_use'],
  ['privacy', 'privacy_policy'],
  ['refunds', 'return_policy'],
  ['imprint', 'about_us', 'legal.imprint'],
] as const

function lineView(item: CartItem, words: AgentWords): object {
  const { skuId, code, name, options, unitPrice, imageUrl, quantity, subtotal, discount } = item
  return {
    id: skuId,
    item: { id: skuId, name, unit_amount: unitPrice },
    quantity,
    name: variantTitle(name, options),
    ...(imageUrl !== null && { images: [imageUrl] }),
    unit_amount: unitPrice,
    sku: code,
    custom_attributes: options.map((option) => ({ display_name: option.name, value: option.value })),
    totals: lineTotals(subtotal, discount, words),
  }
}

export function lineTotals(subtotal: number, discount: number, { say }: AgentWords): TotalView[] {
  return [
    { type: 'items_base_amount', display_text: say('status.items'), amount: subtotal },
    ...(discount > 0 ? [{ type: 'items_discount', display_text: say('total.discount'), amount: discount }] : []),
    { type: 'subtotal', display_text: say('total.subtotal'), amount: subtotal - discount },
    { type: 'total', display_text: say('total.total'), amount: subtotal - discount },
  ]
}

// In UCP the subtotal is the sum of the items, and discounts are negative. In ACP that sum is the base amount, the subtotal is the sum
// after discounts on items, and discounts are positive amounts to subtract.
export function acpTotals(entries: readonly TotalView[], { say }: AgentWords): TotalView[] {
  const amountOf = (wanted: string) => entries.find(({ type }) => type === wanted)?.amount ?? 0
  const base = amountOf('subtotal')
  const subtotal = { type: 'subtotal', display_text: say('total.subtotal'), amount: base + amountOf('items_discount') }
  const taken = (entry: TotalView) => ({ ...entry, amount: -entry.amount })
  const ofType = (wanted: string) => entries.filter(({ type }) => type === wanted)
  return [
    { type: 'items_base_amount', display_text: say('status.items'), amount: base },
    ...ofType('items_discount').map(taken),
    subtotal,
    ...ofType('discount').map(taken),
    ...['fulfillment', 'tax', 'total'].flatMap(ofType),
  ]
}

// An address contains all members that the protocol requires; unknown ones are empty.
function detailsView(checkout: AgentCheckout): object {
  const { asked, hasSentAddress, hasSentContact, place } = checkout
  const destination = hasSentAddress ? (asked?.destination ?? null) : place && withoutPreciseAddress(place)
  const email = hasSentContact ? (asked?.buyer.email?.trim() ?? '') : ''
  if (!destination && !isEmail(email)) return {}
  const name = destination ? buyerFullName(destination) : ''
  return {
    fulfillment_details: {
      ...(name !== '' && { name }),
      ...(destination?.phone !== undefined && { phone_number: destination.phone }),
      ...(isEmail(email) && { email }),
      ...(destination && { address: acpAddress(destination) }),
    },
  }
}

export function acpAddress(sent: PlatformAddress): object {
  const { street, extended, locality, region, postalCode, country } = sent
  return {
    name: buyerFullName(sent),
    line_one: street ?? '',
    ...(extended !== undefined && { line_two: extended }),
    city: locality ?? '',
    state: region ?? '',
    country: country ?? '',
    postal_code: postalCode ?? '',
  }
}

function optionsView({ session: { shipping, items }, needsShipping, place }: AgentCheckout, words: AgentWords): object {
  if (!needsShipping || !place) return { fulfillment_options: [] }
  const { options, optionId } = shipping
  return {
    fulfillment_options: options.map((option) => ({
      type: 'shipping',
      id: option.id,
      title: optionTitle(option, words),
      totals: [{ type: 'total', display_text: words.say('total.shipping'), amount: option.amount }],
    })),
    ...(optionId !== null && {
      selected_fulfillment_options: [
        { type: 'shipping', option_id: optionId, item_ids: items.map(({ skuId }) => skuId) },
      ],
    }),
  }
}

function discountsView(checkout: AgentCheckout, words: AgentWords): object {
  const { asked } = checkout
  const codes = asked?.codes ?? []
  const applied = appliedDiscounts(checkout)
  if (codes.length === 0 && applied.length === 0) return {}
  const rejected = (asked?.codeNotes ?? []).flatMap((note, place) => {
    const said = codeMessage(note, place)
    const { code: reason, content: message } = said ? acpMessage(said, words) : {}
    return reason === undefined ? [] : [{ code: note.code, reason, message }]
  })
  return {
    discounts: {
      codes,
      applied: applied.map(({ code, title, amount, allocations }) => ({
        id: code,
        code,
        coupon: { id: code, name: title },
        amount,
        ...(allocations && { allocations }),
      })),
      rejected,
    },
  }
}
