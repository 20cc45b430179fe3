// How many units of a line can still be returned: pure.

import type { ReturnStatus } from '../../contract/words.ts'
import type { OrderLine, RefundedLine } from '../orders/store.ts'
import { isReturnOpen } from './lifecycle.ts'

export interface ReturnedUnits {
  status: ReturnStatus
  lines: readonly { skuId: string; quantity: number; received: number }[]
}

// A unit is settled once it was refunded or came back. A refund without a return is taken to be of a unit that was never sent, as long
// as there is one.
export function returnableUnits(
  { skuId, quantity, fulfilled }: Pick<OrderLine, 'skuId' | 'quantity' | 'fulfilled'>,
  refunded: readonly RefundedLine[],
  returns: readonly ReturnedUnits[],
): number {
  const back = refunded.reduce((sum, line) => (line.skuId === skuId ? sum + line.quantity : sum), 0)
  const refundedOfSent = Math.max(0, back - (quantity - fulfilled))
  const returned = returns.reduce((sum, one) => sum + unitsTaken(one, skuId), 0)
  return Math.max(0, fulfilled - Math.max(refundedOfSent, returned))
}

// An open return takes what it is about, a closed one what came.
function unitsTaken({ status, lines }: ReturnedUnits, skuId: string): number {
  const line = lines.find((one) => one.skuId === skuId)
  if (!line || status === 'refused') return 0
  return isReturnOpen(status) ? line.quantity : line.received
}
