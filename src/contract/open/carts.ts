// The cart: its members, and the requests that change it. Responses never contain the address of the cart.

import { limits } from '../limits.ts'
import {
  AddressToken,
  Amount,
  Availability,
  CartId,
  CheckoutSessionId,
  Count,
  Country,
  Currency,
  ExpectedVersion,
  IdempotencyKey,
  ImageUrl,
  Instant,
  ItemQuantity,
  lineSchema,
  Metadata,
  OptionValue,
  OrderId,
  Phone,
  paragraphSchema,
  Quantity,
  SkuId,
  Slug,
  Totals,
  Version,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import {
  cartMessageCodes,
  cartPromotionStates,
  cartStatuses,
  promotionReasons,
  promotionStates,
  promotionTypes,
  withdrawalExemptions,
} from '../words.ts'
import { LineMeasure } from './catalog.ts'

export const CartItem = object({
  skuId: SkuId,
  code: Type.String(),
  productSlug: Slug,
  name: Type.String(),
  options: Type.Array(OptionValue),
  imageUrl: ImageUrl,
  quantity: Quantity,
  unitPrice: Amount,
  measure: Type.Optional(nullable(LineMeasure)),
  withdrawalExempt: Type.Optional(
    nullable(oneOf(withdrawalExemptions), { description: 'Why one cannot withdraw from the contract about it.' }),
  ),
  digital: Type.Optional(Type.Boolean({ description: 'Digital content: to pay needs consent to its supply.' })),
  subtotal: withDescription(
    'unitPrice × quantity; where tax was taken out of the price, rounded once for the line.',
    Amount,
  ),
  discount: Amount,
  tax: withDescription('On the line after its discount, rounded half up.', Amount),
  total: withDescription('subtotal − discount, plus tax where prices do not contain it.', Amount),
  availability: Availability,
  availableQuantity: nullable(Count, { description: 'Units this cart could hold now; null where there is no bound.' }),
  maxQuantity: withDescription('The most this line may hold.', Count),
})

export const CartPromotion = object({
  state: oneOf(cartPromotionStates, {
    description: 'pending: the code is good and its condition is not met yet; it becomes applied by itself.',
  }),
  code: nullable(Type.String()),
  amount: withDescription('What the promotion takes off.', Amount),
})

export const CartAddress = object({
  token: AddressToken,
  summary: Type.String({ description: 'City and country.' }),
  expiresAt: Instant,
})

export const ShippingOption = object({ id: Type.String(), label: Type.String(), amount: Amount })

export const Shipping = object({
  optionId: nullable(Type.String(), { description: 'The chosen option.' }),
  options: Type.Array(ShippingOption, {
    description: 'What is offered for the address; empty while there is none, and where nothing carries the parcel.',
  }),
})

export const CartMessage = object({
  code: oneOf(cartMessageCodes),
  message: Type.String({ description: 'For people; may change.' }),
  skuId: nullable(SkuId, { description: 'The item it is about.' }),
  previous: nullable(Count, { description: 'The former price or quantity.' }),
  current: nullable(Count, { description: 'The price or quantity now.' }),
})

export const Cart = object({
  id: CartId,
  version: Version,
  status: oneOf(cartStatuses, { description: 'Only an open cart can be changed. locked: its payment is in progress.' }),
  currency: Currency,
  items: Type.Array(CartItem, { maxItems: limits.cartLinesMax, description: 'At most one line for each SKU.' }),
  itemCount: withDescription('Sum of the quantities.', Count),
  promotion: CartPromotion,
  address: nullable(CartAddress),
  shipping: Shipping,
  totals: Totals,
  messages: Type.Array(CartMessage, {
    description: 'What changed without the caller, such as a price, and what stands in the way of an order.',
  }),
  checkoutSessionId: nullable(CheckoutSessionId, { description: 'The open session of this cart.' }),
  orderId: nullable(OrderId, { description: 'The order this cart became.' }),
  metadata: Metadata,
  createdAt: Instant,
  updatedAt: Instant,
  expiresAt: Instant,
})

export const PublicCartResponse = object({ data: Cart })

export const PublicCartQuantityUpdateRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  quantity: Type.Integer({
    minimum: 0,
    maximum: limits.quantityMax,
    description: 'The new quantity, not a difference. 0 removes the item.',
  }),
  expectedVersion: Type.Optional(ExpectedVersion),
})

export const PublicCartTransitionRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  reason: Type.Optional(paragraphSchema(1, 500, 'For your records.')),
})

export const PublicCartPromotionApplyRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  code: nullable(lineSchema(1, 64), { description: 'Letter case does not matter. null takes the present code off.' }),
  expectedVersion: Type.Optional(ExpectedVersion),
})

export const PromotionAllocation = object({ skuId: SkuId, amount: Amount })

export const PromotionConditions = object(
  {
    minimumSubtotal: nullable(Amount),
    startsAt: nullable(Instant),
    endsAt: nullable(Instant),
    eligibleCategories: Type.Array(Slug, { description: 'Empty: every category.' }),
    eligibleSkuIds: Type.Array(SkuId, { description: 'Empty: every SKU.' }),
  },
  { description: 'What the promotion asks of a cart.' },
)

export const AppliedPromotion = object({
  state: oneOf(promotionStates, { description: 'rejected: nothing changed; an earlier code stays.' }),
  code: nullable(Type.String()),
  name: nullable(Type.String()),
  type: nullable(oneOf(promotionTypes)),
  amount: Amount,
  allocations: Type.Array(PromotionAllocation, { description: 'How the amount is spread over the lines.' }),
  reason: nullable(oneOf(promotionReasons), { description: 'Why the code is pending or rejected.' }),
  conditions: nullable(PromotionConditions),
})

export const PublicCartPromotionStateResponse = object({
  data: object({ cartId: CartId, cartVersion: Version, promotion: AppliedPromotion, totals: Totals }),
})

export const Address = object({
  name: lineSchema(1, 200),
  company: Type.Optional(lineSchema(1, 200)),
  line1: lineSchema(1, 200),
  line2: Type.Optional(lineSchema(1, 200)),
  city: lineSchema(1, 100),
  region: Type.Optional(lineSchema(1, 100, 'State or province; needed in some countries.')),
  postalCode: Type.Optional(lineSchema(1, 20, 'Needed in most countries and checked by country.')),
  country: Country,
  phone: Type.Optional(Phone),
})

export const PublicCartAddressSetRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  address: Address,
})

export const AddressSummary = object({
  city: Type.String(),
  region: nullable(Type.String()),
  country: Country,
  postalCodePrefix: nullable(Type.String()),
})

export const PublicCartAddressTokenResponse = object({
  data: object({
    cartId: CartId,
    cartVersion: Version,
    addressToken: AddressToken,
    summary: AddressSummary,
    expiresAt: Instant,
    shippingOptions: Type.Array(ShippingOption),
    totals: Totals,
  }),
})

// Extensions have schemas of their own, so the named schemas of the interface are used exactly where the interface defines them.

export const PublicCartCreateRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  items: Type.Optional(Type.Array(ItemQuantity, { maxItems: limits.cartLinesMax, description: 'Each SKU once.' })),
  metadata: Type.Optional(Metadata),
})

export const PublicCartItemPutRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  quantity: withDescription('The new quantity, not a difference.', Quantity),
  expectedVersion: Type.Optional(ExpectedVersion),
})

export const PublicCartShippingSetRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  optionId: lineSchema(1, 120, 'The id of one of the options in `shipping.options` of the cart.'),
  expectedVersion: Type.Optional(ExpectedVersion),
})

export const shippingEstimateQuery = object({
  country: Country,
  region: Type.Optional(lineSchema(1, 100, 'State or province, where taxes depend on it.')),
})

export const ShippingEstimate = object({
  cartId: CartId,
  cartVersion: Version,
  country: Country,
  requiresShipping: Type.Boolean({ description: 'false: nothing in the cart is sent.' }),
  optionId: nullable(Type.String(), { description: 'The option that the totals hold.' }),
  options: Type.Array(ShippingOption, {
    description: 'Empty where nothing is sent, and where nothing carries the parcel to there.',
  }),
  totals: Totals,
})

export const PublicCartShippingEstimateResponse = object({ data: ShippingEstimate })

export const PublicCartExtensionResponse = object({ data: Cart })

export type CartItem = Static<typeof CartItem>
export type CartPromotion = Static<typeof CartPromotion>
export type CartAddress = Static<typeof CartAddress>
export type ShippingOption = Static<typeof ShippingOption>
export type Shipping = Static<typeof Shipping>
export type CartMessage = Static<typeof CartMessage>
export type Cart = Static<typeof Cart>
export type PromotionConditions = Static<typeof PromotionConditions>
export type AppliedPromotion = Static<typeof AppliedPromotion>
export type Address = Static<typeof Address>
export type AddressSummary = Static<typeof AddressSummary>
export type PublicCartResponse = Static<typeof PublicCartResponse>
export type PublicCartQuantityUpdateRequest = Static<typeof PublicCartQuantityUpdateRequest>
export type PublicCartTransitionRequest = Static<typeof PublicCartTransitionRequest>
export type PublicCartPromotionApplyRequest = Static<typeof PublicCartPromotionApplyRequest>
export type PublicCartPromotionStateResponse = Static<typeof PublicCartPromotionStateResponse>
export type PublicCartAddressSetRequest = Static<typeof PublicCartAddressSetRequest>
export type PublicCartAddressTokenResponse = Static<typeof PublicCartAddressTokenResponse>
export type PublicCartCreateRequest = Static<typeof PublicCartCreateRequest>
export type PublicCartItemPutRequest = Static<typeof PublicCartItemPutRequest>
export type PublicCartShippingSetRequest = Static<typeof PublicCartShippingSetRequest>
export type PublicCartExtensionResponse = Static<typeof PublicCartExtensionResponse>
export type ShippingEstimate = Static<typeof ShippingEstimate>
