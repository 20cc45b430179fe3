// Translates a request of the Agentic Commerce Protocol into this server's terms. An omitted member stays unchanged; null clears it.
// Pure.

import type { AcpAddressShape, AcpBuyerShape, AcpUpdateShape } from '../../../contract/agents/acp.ts'
import type { AgentBuyer, PlatformAddress } from '../../../domain/agents/asked.ts'
import type { AgentCartChange, PresentAgentCart } from '../../../domain/agents/buying.ts'

export const emptyAgentCart: PresentAgentCart = {
  lines: [],
  shippingOption: null,
  asked: undefined,
  hasOwnAddress: false,
  shownPlace: null,
}

export function readAcpChange(
  body: AcpUpdateShape,
  { lines, shippingOption, asked, hasOwnAddress }: PresentAgentCart,
): AgentCartChange {
  const { fulfillment_details: details, selected_fulfillment_options: selected } = body
  const namesContact = body.buyer !== undefined || details?.email !== undefined
  const namesAddress = details === null || details?.address !== undefined
  return {
    lines: body.line_items?.map(({ id, quantity = 1 }) => ({ item: id, quantity })) ?? lines,
    codes: codesIn(body) ?? asked?.codes ?? [],
    buyer: buyerOf(body, asked?.buyer ?? {}),
    destination: destinationOf(details, asked?.destination ?? null),
    place: null,
    shippingOption:
      selected === undefined
        ? shippingOption
        : (selected?.find(({ type = 'shipping' }) => type === 'shipping')?.option_id ?? null),
    attribution: asked?.attribution ?? null,
    locale: asked?.locale ?? null,
    keepsAddress: hasOwnAddress && !namesAddress,
    keepsContact: !namesContact,
  }
}

// Returns the discount codes, or undefined if the request does not contain any. `coupons` is the former name of the member.
function codesIn({ discounts, coupons }: AcpUpdateShape): readonly string[] | undefined {
  if (discounts === null || discounts?.codes === null) return []
  return discounts?.codes ?? (coupons === null ? [] : coupons)
}

export function readAcpBuyer({ email, first_name, last_name, full_name, phone_number }: AcpBuyerShape): AgentBuyer {
  const isWhole = !first_name && !last_name && full_name
  return sent<AgentBuyer>([
    ['email', email],
    ['firstName', isWhole ? full_name : first_name],
    ['lastName', isWhole ? undefined : last_name],
    ['phone', phone_number],
  ])
}

// Some platforms send the buyer's e-mail address only in `fulfillment_details`, beside the address. It belongs to the buyer, so it stays
// if the address is cleared.
function buyerOf({ buyer, fulfillment_details: details }: AcpUpdateShape, before: AgentBuyer): AgentBuyer {
  const { email: known, ...others } = before
  const email = details?.email === null ? undefined : (details?.email ?? known)
  const present = email === undefined ? others : { ...others, email }
  if (buyer === undefined) return present
  return buyer === null ? {} : { ...(email !== undefined && { email }), ...readAcpBuyer(buyer) }
}

function destinationOf(
  details: AcpUpdateShape['fulfillment_details'],
  before: PlatformAddress | null,
): PlatformAddress | null {
  if (details === undefined) return before
  if (details === null || details.address === null) return null
  const { address, name, phone_number: phone } = details
  const place = address === undefined ? before : addressIn(address)
  if (!place) return null
  return {
    ...place,
    ...sent<PlatformAddress>([
      ['phone', phone],
      ['firstName', address?.name || name],
    ]),
  }
}

function addressIn({ line_one, line_two, city, state, country, postal_code }: AcpAddressShape): PlatformAddress {
  return sent<PlatformAddress>([
    ['street', line_one],
    ['extended', line_two],
    ['locality', city],
    ['region', state],
    ['postalCode', postal_code],
    ['country', country],
  ])
}

// Omits missing and empty members: the published schema of an address requires all members, so platforms send empty ones.
function sent<Sent extends object>(members: readonly (readonly [keyof Sent, string | null | undefined])[]): Sent {
  return Object.fromEntries(
    members.filter(([, value]) => value !== undefined && value !== null && value !== ''),
  ) as Sent
}
