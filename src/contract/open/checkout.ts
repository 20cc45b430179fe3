// The hosted checkout session: a page where the shopper pays for one cart.

import { limits } from '../limits.ts'
import {
  BuyerVat,
  CartId,
  CheckoutSessionId,
  Currency,
  Customer,
  ExpectedVersion,
  IdempotencyKey,
  Instant,
  ItemQuantity,
  lineSchema,
  Metadata,
  Mode,
  OrderId,
  Phone,
  paragraphSchema,
  Totals,
  Version,
} from '../parts.ts'
import { patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import {
  checkoutPaymentStatuses,
  checkoutSessionStatuses,
  holdStatuses,
  paymentErrorCodes,
  sessionCancellationReasons,
  sessionCancellers,
} from '../words.ts'
import { CartAddress, CartItem, CartMessage, CartPromotion, Shipping } from './carts.ts'

export const Locale = Type.String({
  pattern: patterns.locale.source,
  description: 'Language of the page, such as de or pt-BR. auto follows the browser.',
})

const RedirectUrl = Type.String({ minLength: 8, maxLength: 2000, pattern: patterns.httpUrl.source })

export const CheckoutCustomerInput = object({
  email: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: limits.emailLengthMax,
      pattern: patterns.email.source,
      description: 'ASCII before the @; the domain may be an international one.',
    }),
  ),
  name: Type.Optional(lineSchema(1, 200)),
  phone: Type.Optional(Phone),
  vatId: Type.Optional(
    lineSchema(4, 30, 'VAT number of a firm in the EU, such as ATU12345678. It is checked in VIES after the answer.'),
  ),
})

const createRequest = object(
  {
    cartId: Type.Optional(CartId),
    items: Type.Optional(
      Type.Array(ItemQuantity, {
        minItems: 1,
        maxItems: limits.cartLinesMax,
        description: 'What to buy, each SKU once. Makes a new cart.',
      }),
    ),
    idempotencyKey: Type.Optional(IdempotencyKey),
    expectedCartVersion: Type.Optional(
      withDescription('The version of the cart the caller has seen. Only with cartId.', ExpectedVersion),
    ),
    customer: Type.Optional(CheckoutCustomerInput),
    promotionCode: Type.Optional(lineSchema(1, 64)),
    successUrl: withDescription(
      'Where the shopper goes after paying. https, or http on a loopback host; the host must be on the allow-list of the installation (an entry without a port stands for port 443). `{sessionId}` in it is replaced by the id of the session, such as in `https://shop.example/thanks?session={sessionId}`.',
      RedirectUrl,
    ),
    cancelUrl: Type.Optional(
      withDescription(
        'Where the shopper goes on leaving. The rules of successUrl hold, and `{sessionId}` is replaced here too.',
        RedirectUrl,
      ),
    ),
    locale: Type.Optional(Locale),
    expiresInSeconds: Type.Optional(
      Type.Integer({ minimum: 300, maximum: 86_400, description: 'How long the page can be paid. Without it: 1800.' }),
    ),
    clientReferenceId: Type.Optional(lineSchema(1, 200, 'Your own reference; it is on the order too.')),
    metadata: Type.Optional(Metadata),
  },
  {
    description: 'Names either a cart that exists or the items of a new one.',
    oneOf: [{ required: ['cartId'] }, { required: ['items'] }],
    dependentRequired: { expectedCartVersion: ['cartId'] },
  },
)

type CreateMembers = Omit<Static<typeof createRequest>, 'cartId' | 'items'>

// In JSON Schema exactly one of `cartId` and `items` is required; this type declares the same to the compiler.
export const HostedCheckoutCreateRequest = Type.Unsafe<
  CreateMembers & ({ cartId: string; items?: never } | { cartId?: never; items: ItemQuantity[] })
>(createRequest)

export const HostedCheckoutCancelRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  reason: Type.Optional(oneOf(sessionCancellationReasons)),
  note: Type.Optional(paragraphSchema(1, 500, 'For your records.')),
})

export const StockHold = object(
  { status: oneOf(holdStatuses), expiresAt: nullable(Instant) },
  { description: 'Stock kept for this session until it is paid, ends, or the hold lapses.' },
)

export const SessionCancellation = object({
  reason: nullable(oneOf(sessionCancellationReasons)),
  note: nullable(Type.String()),
  by: oneOf(sessionCancellers),
})

export const PaymentFailure = object({
  code: oneOf(paymentErrorCodes),
  message: Type.String({ description: 'For people; may change.' }),
  at: Instant,
})

export const CheckoutSession = object({
  id: CheckoutSessionId,
  version: Version,
  status: oneOf(checkoutSessionStatuses),
  paymentStatus: oneOf(checkoutPaymentStatuses, { description: 'pending: the money is still to come by hand.' }),
  url: nullable(Type.String(), {
    description:
      'The page to send the shopper to. Whoever has it can pay; null once the session is over, and in events.',
  }),
  cartId: CartId,
  orderId: nullable(OrderId),
  statusUrl: nullable(Type.String(), {
    description:
      'The page on which the shopper follows the order. Whoever has it can see the page; null until there is an order, and in events.',
  }),
  withdrawalUrl: nullable(Type.String(), {
    description:
      'The page to withdraw from a contract, for every page of the shop to link. null where no country that it sells to demands one, and in events.',
  }),
  mode: Mode,
  currency: Currency,
  locale: Locale,
  items: Type.Array(CartItem, { maxItems: limits.cartLinesMax }),
  totals: Totals,
  promotion: CartPromotion,
  shipping: Shipping,
  customer: Customer,
  vat: Type.Optional(withDescription('Of the VAT number that the shopper gave.', BuyerVat)),
  address: nullable(CartAddress),
  hold: StockHold,
  messages: Type.Array(CartMessage),
  successUrl: Type.String(),
  cancelUrl: nullable(Type.String()),
  clientReferenceId: nullable(Type.String()),
  metadata: Metadata,
  cancellation: nullable(SessionCancellation),
  lastPaymentError: nullable(PaymentFailure),
  createdAt: Instant,
  updatedAt: Instant,
  expiresAt: Instant,
  completedAt: nullable(Instant),
  cancelledAt: nullable(Instant),
})

export const HostedCheckoutSessionResponse = object({ data: CheckoutSession })

export type CheckoutCustomerInput = Static<typeof CheckoutCustomerInput>
export type StockHold = Static<typeof StockHold>
export type SessionCancellation = Static<typeof SessionCancellation>
export type PaymentFailure = Static<typeof PaymentFailure>
export type CheckoutSession = Static<typeof CheckoutSession>
export type HostedCheckoutCreateRequest = Static<typeof HostedCheckoutCreateRequest>
export type HostedCheckoutCancelRequest = Static<typeof HostedCheckoutCancelRequest>
export type HostedCheckoutSessionResponse = Static<typeof HostedCheckoutSessionResponse>
