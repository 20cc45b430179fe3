// The error that a session shows (`lastPaymentError`) after a payment that created no order.

import type { PaymentFailure } from '../../../contract/open/checkout.ts'
import type { PaymentErrorCode } from '../../../contract/words.ts'

export type Failure = Pick<PaymentFailure, 'code' | 'message'>

const declinedMessages: Partial<Record<PaymentErrorCode, string>> = {
  insufficient_funds: 'The account does not have enough funds.',
  card_expired: 'The card has expired.',
  incorrect_details: 'The card details are not right.',
  authentication_failed: 'The payment was not confirmed.',
  provider_error: 'The payment could not be carried out.',
}

export function declinedFailure(code: PaymentErrorCode): Failure {
  return { code, message: declinedMessages[code] ?? 'The payment was declined.' }
}

// Why no order is possible although the payment was approved.
export type OrderObstacle =
  | 'contact_lost'
  | 'promotion_used_up'
  | 'promotion_used_before'
  | 'sold_out'
  | 'order_changed'
  | 'not_collected'

const obstacleMessages: Record<OrderObstacle, string> = {
  contact_lost: 'The contact or the address is not available any more; nothing is charged.',
  promotion_used_up: 'The promotion code is used up; nothing is charged.',
  promotion_used_before: 'The promotion code was used before; nothing is charged.',
  order_changed: 'The order is not what it was when this was agreed on; nothing is charged.',
  not_collected: 'This way to pay takes days; nothing is charged. Please choose another one.',
  sold_out: 'The items are sold out; nothing is charged.',
}

export function obstacleFailure(obstacle: OrderObstacle): Failure {
  return { code: 'provider_error', message: obstacleMessages[obstacle] }
}
