// What an exchange costs: pure. What was paid for the returned items pays the new order, and the rest of it goes back.

export interface Balance {
  // All that was paid for the returned items moves to the new order.
  credit: number
  total: number
  moneyBack: number
}

export type ExchangeObstacle = 'costs_more' | 'nothing_to_pay'

export function balanceOf(credit: number, total: number): Balance | ExchangeObstacle {
  if (total > credit) return 'costs_more'
  // A gift needs no credit: the money goes back, and the gift is a draft.
  return total === 0 ? 'nothing_to_pay' : { credit, total, moneyBack: credit - total }
}
