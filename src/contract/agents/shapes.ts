// The members that this server reads from a platform's requests. Other members are ignored, because the protocol grows by adding members.

import { limits } from '../limits.ts'
import { type Static, Type } from '../schema.ts'

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description !== undefined && { description }) })

// The unit that the platform assumes for the quantity. This server sells nothing by measure.
const QuantityUnit = Type.Object({ unit: text(40), scale: Type.Optional(Type.Integer()) })

const LineItem = Type.Object({
  item: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200, description: 'id of a variant, or its SKU code' }),
    quantity_unit: Type.Optional(QuantityUnit),
  }),
  quantity: Type.Integer({ minimum: 1, maximum: limits.quantityMax }),
})

const LineItems = Type.Array(LineItem, { minItems: 1, maxItems: limits.cartLinesMax })
// May be empty: if the request names a cart, its lines are in the checkout already.
const NewLineItems = Type.Array(LineItem, { maxItems: limits.cartLinesMax })

const BuyerShape = Type.Object({
  email: Type.Optional(text(limits.emailLengthMax)),
  first_name: Type.Optional(text(100)),
  last_name: Type.Optional(text(100)),
  phone_number: Type.Optional(text(32)),
})

const PlaceShape = {
  address_country: Type.Optional(text(100, 'ISO 3166-1 alpha-2')),
  address_region: Type.Optional(text(100)),
  postal_code: Type.Optional(text(32)),
}

const DestinationShape = Type.Object({
  id: Type.Optional(text(100)),
  ...PlaceShape,
  street_address: Type.Optional(text(200)),
  extended_address: Type.Optional(text(200)),
  address_locality: Type.Optional(text(100)),
  first_name: Type.Optional(text(100)),
  last_name: Type.Optional(text(100)),
  phone_number: Type.Optional(text(32)),
})

const optionalId = Type.Optional(Type.Union([text(200), Type.Null()]))

const FulfillmentShape = Type.Object({
  methods: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Optional(text(40)),
        destinations: Type.Optional(Type.Array(DestinationShape, { maxItems: 5 })),
        selected_destination_id: optionalId,
        groups: Type.Optional(Type.Array(Type.Object({ selected_option_id: optionalId }), { maxItems: 10 })),
      }),
      { maxItems: 5 },
    ),
  ),
})

const ContextShape = Type.Object({
  ...PlaceShape,
  currency: Type.Optional(text(10)),
  language: Type.Optional(text(40)),
  eligibility: Type.Optional(Type.Array(text(200), { maxItems: 20 })),
})
const DiscountsShape = Type.Object({ codes: Type.Optional(Type.Array(text(64), { maxItems: 10 })) })
const Open = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })

const cartMembers = {
  buyer: Type.Optional(BuyerShape),
  context: Type.Optional(ContextShape),
  discounts: Type.Optional(DiscountsShape),
  attribution: Type.Optional(Open),
  signals: Type.Optional(Open),
}
const checkoutMembers = { ...cartMembers, fulfillment: Type.Optional(FulfillmentShape) }

export const CartShape = Type.Object({ line_items: LineItems, ...cartMembers })
export const CheckoutShape = Type.Object({ line_items: LineItems, ...checkoutMembers })
export const NewCheckoutShape = Type.Object({
  line_items: Type.Optional(NewLineItems),
  cart_id: Type.Optional(text(200, 'a cart, in the place of line_items')),
  ...checkoutMembers,
})

const InstrumentShape = Type.Object({
  handler_id: text(200),
  selected: Type.Optional(Type.Boolean()),
  credential: Type.Optional(Open),
})

export const CheckoutCompleteShape = Type.Object({
  payment: Type.Object({ instruments: Type.Array(InstrumentShape, { minItems: 1, maxItems: 10 }) }),
  signals: Type.Optional(Open),
})

const price = { type: 'integer', minimum: 0, maximum: limits.amountMax } as const
const FiltersShape = Type.Object({
  categories: Type.Optional(Type.Array(text(200), { maxItems: 10 })),
  price: Type.Optional(
    Type.Object({
      min: Type.Optional(Type.Unsafe<number>(price)),
      max: Type.Optional(Type.Unsafe<number>(price)),
    }),
  ),
})

export const SearchShape = Type.Object({
  query: Type.Optional(text(200)),
  filters: Type.Optional(FiltersShape),
  context: Type.Optional(ContextShape),
  pagination: Type.Optional(
    Type.Object({ cursor: Type.Optional(text(2_000)), limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
  ),
})

export const LookupShape = Type.Object({
  context: Type.Optional(ContextShape),
  ids: Type.Array(text(200), {
    minItems: 1,
    description: 'ids of products or variants, slugs, or SKU codes; at most 50',
  }),
})

export const ProductShape = Type.Object({
  id: text(200),
  context: Type.Optional(ContextShape),
  selected: Type.Optional(Type.Array(Type.Object({ name: text(200), label: text(200) }), { maxItems: 10 })),
  preferences: Type.Optional(Type.Array(text(200), { maxItems: 10 })),
})

export type CartShape = Static<typeof CartShape>
export type CheckoutShape = Static<typeof CheckoutShape>
export type NewCheckoutShape = Static<typeof NewCheckoutShape>
export type CheckoutCompleteShape = Static<typeof CheckoutCompleteShape>
export type SearchShape = Static<typeof SearchShape>
export type LookupShape = Static<typeof LookupShape>
export type ProductShape = Static<typeof ProductShape>
export type DestinationShape = Static<typeof DestinationShape>
