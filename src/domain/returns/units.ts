// Computes how many units of a line can still be returned. Pure.

import type { ReturnStatus } from '../../contract/words.ts'
import type { OrderLine, RefundedLine } from '../orders/store.ts'
import { isReturnOpen } from './lifecycle.ts'

export interface ReturnedUnits {
  status: ReturnStatus
  lines: readonly { skuId: string; quantity: number; received: number }[]
}

// A unit is settled once it was refunded or received back. A refund without a return is attributed to units that were never sent, as long
// as there are any.
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

// An open return takes all units of its line, a closed one only the received units.
function unitsTaken({ status, lines }: ReturnedUnits, skuId: string): number {
  const line = lines.find((one) => one.skuId === skuId)
  if (!line || status === 'refused') return 0
  return isReturnOpen(status) ? line.quantity : line.received
}
