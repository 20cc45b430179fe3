// Returns of goods, as shown in events. The shopper's own words are left out; the admin surface adds them.

import { limits } from '../limits.ts'
import { Amount, Count, Instant, Mode, OptionValue, OrderId, Quantity, ReturnId, SkuId, Version } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { returnOpeners, returnReasons, returnStatuses, returnWishes } from '../words.ts'

export const ReturnItem = object({
  skuId: SkuId,
  code: Type.String(),
  name: Type.String(),
  options: Type.Array(OptionValue),
  quantity: withDescription('Units that are to come back.', Quantity),
  received: withDescription('Units that came.', Count),
  restocked: withDescription('Units of these that went back into stock.', Count),
})

export const ReturnExchange = object({
  orderId: withDescription('The new order.', OrderId),
  orderNumber: Type.String(),
  credit: withDescription('What was paid for the items, and counts for the new order.', Amount),
  refunded: withDescription('What of it goes back, because the new order costs less.', Amount),
  paid: withDescription('What the shopper paid in addition, because the new order costs more.', Amount),
  at: Instant,
})

export const Return = object({
  id: ReturnId,
  number: Type.String({ description: 'The number people use: that of the order, and which return of it this is.' }),
  orderId: OrderId,
  orderNumber: Type.String(),
  mode: Mode,
  version: Version,
  status: oneOf(returnStatuses, {
    description:
      'requested: the merchant has not answered. approved: the items may be sent. received: some or all came. refused, closed: it is over.',
  }),
  reason: oneOf(returnReasons),
  wish: oneOf(returnWishes, { description: 'What the shopper would like to have for the items.' }),
  openedBy: oneOf(returnOpeners),
  items: Type.Array(ReturnItem, { maxItems: limits.cartLinesMax }),
  exchanges: Type.Array(ReturnExchange, {
    description: 'New orders that were placed for the items, the oldest first.',
  }),
  answer: nullable(Type.String(), {
    description: 'What the merchant wrote to the shopper: how to send the items, or why not.',
  }),
  labelUrl: nullable(Type.String(), { description: 'Where the shopper finds the label for the parcel.' }),
  requestedAt: Instant,
  updatedAt: Instant,
})

export type ReturnItem = Static<typeof ReturnItem>
export type Return = Static<typeof Return>
