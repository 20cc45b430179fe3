// Translates a platform's request into this server's terms. Members of an extension that is not active are ignored. Pure.

import type {
  CartShape,
  CheckoutCompleteShape,
  DestinationShape,
  NewCheckoutShape,
} from '../../../contract/agents/shapes.ts'
import { patterns } from '../../../contract/patterns.ts'
import type { PlatformAddress } from '../../../domain/agents/asked.ts'
import type { AgentCartChange, PresentAgentCart } from '../../../domain/agents/buying.ts'
import { destinationIdFor } from './destination.ts'
import { type UcpMessage, ucpNotices } from './messages.ts'

const discount = 'dev.ucp.shopping.discount'
const fulfillment = 'dev.ucp.shopping.fulfillment'

export interface ReadRules {
  active: ReadonlySet<string>
  currency: string
}

export interface UcpRequestRead {
  wish: AgentCartChange
  notes: UcpMessage[]
}

// The request names a destination that is neither in the request nor in the checkout. It is refused rather than replaced by another
// destination.
export class UnknownDestination extends Error {}

// `notes` of the result: members that were understood but cannot be applied. `present`: what was asked of the cart or checkout before
// this change; undefined for a new one.
export function readUcpRequest(
  body: NewCheckoutShape,
  { active, currency }: ReadRules,
  present: PresentAgentCart | undefined,
): UcpRequestRead {
  const notes: UcpMessage[] = []
  const lines = linesIn(body.line_items ?? [], present?.lines ?? [], notes)
  const [method, ...others] = active.has(fulfillment) ? (body.fulfillment?.methods ?? []) : []
  const isShipping = method !== undefined && (method.type ?? 'shipping') === 'shipping'
  if ((method && !isShipping) || others.length > 0) notes.push(ucpNotices.methodNotOffered(isShipping ? 1 : 0))
  const destinations = isShipping ? (method.destinations ?? []) : []
  const selected = isShipping ? method.selected_destination_id : undefined
  const chosen = destinationIn(destinations, selected ?? undefined, present)
  const { context, buyer = {} } = body
  if (context?.currency !== undefined && context.currency.toUpperCase() !== currency)
    notes.push(ucpNotices.currencyNotOffered(currency))
  for (const claim of context?.eligibility ?? []) notes.push(ucpNotices.notEligible(claim))
  return {
    notes,
    wish: {
      lines,
      codes: active.has(discount) ? (body.discounts?.codes ?? []) : [],
      buyer: {
        ...(buyer.email !== undefined && { email: buyer.email }),
        ...(buyer.first_name !== undefined && { firstName: buyer.first_name }),
        ...(buyer.last_name !== undefined && { lastName: buyer.last_name }),
        ...(buyer.phone_number !== undefined && { phone: buyer.phone_number }),
      },
      destination: chosen.destination,
      keepsAddress: chosen.isKept,
      place: context?.address_country === undefined ? null : addressIn(context),
      shippingOption: (isShipping && method.groups?.[0]?.selected_option_id) || null,
      attribution: readAttribution(body.attribution),
      locale: parseUcpLocale(context?.language),
    },
  }
}

// Goods are sold by the piece. A line with another unit is omitted if it is new; otherwise its quantity stays unchanged.
function linesIn(
  items: CartShape['line_items'],
  present: PresentAgentCart['lines'],
  notes: UcpMessage[],
): { item: string; quantity: number }[] {
  return items.flatMap(({ item: { id, quantity_unit: unit }, quantity }) => {
    if (unit === undefined || (unit.unit === 'C62' && (unit.scale ?? 0) === 0)) return [{ item: id, quantity }]
    notes.push(ucpNotices.soldByPiece(id))
    return present.filter(({ item, code }) => item === id || code === id)
  })
}

interface ChosenDestination {
  destination: PlatformAddress | null
  // Whether this is the destination that the shopper entered on the page.
  isKept: boolean
}

function destinationIn(
  sent: readonly DestinationShape[],
  selected: string | undefined,
  present: PresentAgentCart | undefined,
): ChosenDestination {
  const addresses = sent.map(addressIn)
  const found =
    selected === undefined
      ? addresses[0]
      : addresses.find((address) => (address.id ?? destinationIdFor(address)) === selected)
  if (found || selected === undefined) return { destination: found ?? null, isKept: false }
  const { asked, hasOwnAddress = false, shownPlace } = present ?? {}
  const known = hasOwnAddress ? shownPlace : asked?.destination
  if (!known || (known.id ?? destinationIdFor(known)) !== selected) throw new UnknownDestination()
  return { destination: asked?.destination ?? null, isKept: hasOwnAddress }
}

function addressIn(sent: DestinationShape): PlatformAddress {
  const members: [keyof PlatformAddress, string | undefined][] = [
    ['id', sent.id],
    ['street', sent.street_address],
    ['extended', sent.extended_address],
    ['locality', sent.address_locality],
    ['region', sent.address_region],
    ['postalCode', sent.postal_code],
    ['country', sent.address_country],
    ['firstName', sent.first_name],
    ['lastName', sent.last_name],
    ['phone', sent.phone_number],
  ]
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

const isLocale = new RegExp(patterns.locale.source)

// Returns a BCP 47 tag in the form that sessions store, or null if the tag is missing or invalid.
export function parseUcpLocale(tag: string | undefined): string | null {
  if (tag === undefined || !/^[a-z]{2,3}(?:[-_][\da-z]{1,8})*$/i.test(tag)) return null
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll('_', '-'))
    const country = region?.length === 2 ? region : undefined
    const locale = [language, script, country].filter((part) => part !== undefined).join('-')
    return isLocale.test(locale) ? locale : null
  } catch {
    return null
  }
}

const attributionMembersMax = 20
const attributionLengthMax = 200

export function readAttribution(sent: Readonly<Record<string, unknown>> | undefined): Record<string, string> | null {
  const texts = Object.entries(sent ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name.slice(0, attributionLengthMax), value.slice(0, attributionLengthMax)]] : [],
  )
  return texts.length > 0 ? Object.fromEntries(texts.slice(0, attributionMembersMax)) : null
}

export interface Instrument {
  place: number
  handlerId: string
  credential: Readonly<Record<string, unknown>>
}

// Returns the instrument to pay with. Version 2026-04-08 allows several instruments, with one marked as selected; newer versions allow
// one.
export function readInstrument(
  { payment: { instruments } }: CheckoutCompleteShape,
  version: string,
): Instrument | undefined {
  if (instruments.length > 1 && version !== '2026-04-08') return undefined
  const marked = instruments.findIndex(({ selected }) => selected === true)
  const place = marked >= 0 ? marked : instruments.length === 1 ? 0 : -1
  const found = instruments[place]
  return found && { place, handlerId: found.handler_id, credential: found.credential ?? {} }
}

// Returns the buyer's IP address, from which the buyer's network is derived.
export function readBuyerNetwork(signals: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const address = signals?.['dev.ucp.buyer_ip']
  return typeof address === 'string' && address.length <= 64 ? address : undefined
}
