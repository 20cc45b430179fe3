// Operations that platforms may call by the Agentic Commerce Protocol. The schemas of bodies contain the members that this server reads;
// other members are ignored.

import { limits } from '../limits.ts'
import { type Static, type TSchema, Type } from '../schema.ts'

const text = (maxLength: number) => Type.String({ maxLength })
// A member that is not sent stays unchanged. Null clears it.
const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

// The published schema of an item has no quantity, but the protocol's text and examples have one. Quantities of equal items are added up.
const LineItems = Type.Array(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200 }),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.quantityMax })),
  }),
  { minItems: 1, maxItems: limits.cartLinesMax },
)

const AcpBuyerShape = Type.Object({
  email: clearable(text(limits.emailLengthMax)),
  first_name: clearable(text(100)),
  last_name: clearable(text(100)),
  full_name: clearable(text(200)),
  phone_number: clearable(text(32)),
})

const AcpAddressShape = Type.Object({
  name: clearable(text(200)),
  line_one: clearable(text(200)),
  line_two: clearable(text(200)),
  city: clearable(text(100)),
  state: clearable(text(100)),
  country: clearable(text(100)),
  postal_code: clearable(text(32)),
})

const FulfillmentDetailsShape = Type.Object({
  name: clearable(text(200)),
  phone_number: clearable(text(32)),
  email: clearable(text(limits.emailLengthMax)),
  address: clearable(AcpAddressShape),
})

const SelectedOptionsShape = Type.Array(
  Type.Object({ type: Type.Optional(text(40)), option_id: Type.Optional(text(200)) }),
  { maxItems: 10 },
)
const CodesShape = Type.Array(text(64), { maxItems: 10 })
const OpenObject = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })

const sessionMembers = {
  buyer: clearable(AcpBuyerShape),
  fulfillment_details: clearable(FulfillmentDetailsShape),
  selected_fulfillment_options: clearable(SelectedOptionsShape),
  discounts: clearable(Type.Object({ codes: clearable(CodesShape) })),
  coupons: clearable(CodesShape),
}

export const AcpCreateShape = Type.Object({
  line_items: LineItems,
  ...sessionMembers,
  currency: Type.Optional(text(10)),
  locale: Type.Optional(text(40)),
  affiliate_attribution: Type.Optional(OpenObject),
})
export const AcpUpdateShape = Type.Object({ line_items: Type.Optional(LineItems), ...sessionMembers })

export const AcpCompleteShape = Type.Object({
  buyer: Type.Optional(AcpBuyerShape),
  payment_data: Type.Object({
    handler_id: Type.Optional(text(200)),
    instrument: Type.Optional(Type.Object({ credential: Type.Optional(OpenObject) })),
  }),
  risk_signals: Type.Optional(Type.Object({ ip_address: Type.Optional(text(64)) })),
})

export interface AcpRow {
  method: 'GET' | 'POST'
  // Relative to the address of the shop; `{id}` is the id of the session.
  path: string
  body: TSchema | null
  status: 200 | 201
}

// biome-ignore format: a row reads best as one line
export const acpRows = {
  acpCreateSession: { method: 'POST', path: '/checkout_sessions', body: AcpCreateShape, status: 201 },
  acpGetSession: { method: 'GET', path: '/checkout_sessions/{id}', body: null, status: 200 },
  acpUpdateSession: { method: 'POST', path: '/checkout_sessions/{id}', body: AcpUpdateShape, status: 200 },
  acpCompleteSession: { method: 'POST', path: '/checkout_sessions/{id}/complete', body: AcpCompleteShape, status: 200 },
  acpCancelSession: { method: 'POST', path: '/checkout_sessions/{id}/cancel', body: null, status: 200 },
} as const satisfies Readonly<Record<string, AcpRow>>

export type AcpRowId = keyof typeof acpRows
export type AcpCreateShape = Static<typeof AcpCreateShape>
export type AcpUpdateShape = Static<typeof AcpUpdateShape>
export type AcpCompleteShape = Static<typeof AcpCompleteShape>
export type AcpBuyerShape = Static<typeof AcpBuyerShape>
export type AcpAddressShape = Static<typeof AcpAddressShape>
