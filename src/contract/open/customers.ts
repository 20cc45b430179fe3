// A shopper who signs in at a storefront with a code sent by e-mail. The session is valid for one browser and one origin.

import { limits } from '../limits.ts'
import {
  Amount,
  Count,
  Currency,
  CustomerAddressId,
  IdempotencyKey,
  Instant,
  ListMeta,
  Mode,
  OrderId,
} from '../parts.ts'
import { patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { fulfillmentStatuses, orderPaymentStatuses, orderStatuses } from '../words.ts'
import { Address } from './carts.ts'
import { Locale } from './checkout.ts'

export const savedAddressesMax = 20

const token = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description })

const BrowserToken = token(
  'A secret of the browser. Keep it there: the code works with it alone, and a browser that signed in before gets codes whatever others ask for.',
)
const SessionToken = token(
  'Send it as the header `Customer-Session`. It works at the origin at which it was opened, and nowhere else.',
)

export const CustomerCodeRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  email: Type.String({ maxLength: limits.emailLengthMax, pattern: patterns.email.source }),
  browserToken: Type.Optional(
    withDescription('Of an earlier request of this browser. Left out, a new one is answered.', BrowserToken),
  ),
  locale: Type.Optional(withDescription('Language of the e-mail (default: that of the shop).', Locale)),
})

export const CustomerCodeResponse = object({
  data: object({
    browserToken: BrowserToken,
    expiresAt: withDescription('When a code that was sent now ends.', Instant),
  }),
})

export const CustomerSessionOpenRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  browserToken: BrowserToken,
  code: Type.String({
    maxLength: 40,
    pattern: '^[0-9\\s-]{6,40}$',
    description: 'The six digits, as they were typed.',
  }),
})

export const CustomerSession = object({ token: SessionToken, expiresAt: Instant })

export const CustomerSessionResponse = object({
  data: object({
    session: nullable(CustomerSession, {
      description:
        'null where the code is wrong, used or expired, was tried five times, or is of another browser or origin: one answer for all of it.',
    }),
  }),
})

export const CustomerSessionEndRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  token: SessionToken,
})

export const CustomerSessionEndResponse = object({
  data: object({ ended: Type.Boolean({ description: 'Always true: the token opens nothing any more.' }) }),
})

export const CustomerAccount = object({
  email: withDescription('The address that was proved.', Type.String()),
  mode: Mode,
  accountUrl: Type.String({
    description: 'The hosted account of the shopper: data as a file, erasing it. It asks for a code of its own.',
  }),
})

export const CustomerAccountResponse = object({ data: CustomerAccount })

export const ShopperOrder = object({
  id: OrderId,
  number: Type.String(),
  status: oneOf(orderStatuses),
  paymentStatus: oneOf(orderPaymentStatuses),
  fulfillmentStatus: oneOf(fulfillmentStatuses),
  currency: Currency,
  total: Amount,
  itemCount: withDescription('Sum of the quantities.', Count),
  placedAt: Instant,
  statusUrl: nullable(Type.String(), {
    description: 'The page of the order: documents, returns, withdrawal. Whoever has the address sees it.',
  }),
})

export const CustomerOrderListResponse = object({
  data: Type.Array(ShopperOrder, { maxItems: limits.listRowsMax }),
  meta: ListMeta,
})

export const ShopperAddress = object({
  id: CustomerAddressId,
  address: Address,
  label: Type.Array(Type.String(), { description: 'As on a parcel.' }),
  isDefault: Type.Boolean(),
})

export const CustomerAddressListResponse = object({
  data: Type.Array(ShopperAddress, { maxItems: savedAddressesMax, description: 'The default first.' }),
})

export const CustomerAddressSaveRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  address: Address,
  isDefault: Type.Optional(Type.Boolean()),
})

export const CustomerAddressRemoveRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

// Contains only the id: responses are stored for repeated requests, and must not contain addresses.
export const CustomerAddressResponse = object({ data: object({ id: CustomerAddressId }) })

export type ShopperOrder = Static<typeof ShopperOrder>
