// The prior price of a reduction (Directive 98/6/EC, Art. 6a; C-330/23): the lowest price that stood in the 30 days before the reduction
// began. Pure.

// A price and the claim beside it, from an instant on until the next.
export interface PriceStep {
  fromAt: number
  price: number
  // Not null: a reduction is announced.
  compareAtPrice: number | null
}

export const priorPriceDays = 30
const windowMs = priorPriceDays * 24 * 60 * 60_000

// Steps are in the order of time. Null where no reduction is announced, and where nothing stood before it: then no number may be struck
// through. A reduction that goes further keeps its first anchor; one that is taken back in part begins anew.
export function priorPriceOf(steps: readonly PriceStep[]): number | null {
  const last = steps.at(-1)
  if (!last || last.compareAtPrice === null) return null
  const first = firstOfReduction(steps)
  const beganAt = steps[first]?.fromAt ?? last.fromAt
  const earliest = beganAt - windowMs
  let lowest: number | null = null
  for (const [index, { price }] of steps.slice(0, first).entries()) {
    // It stood until the next one began. A step of no time stood at no time.
    const { fromAt = 0 } = steps[index] ?? {}
    const until = steps[index + 1]?.fromAt ?? beganAt
    if (until <= earliest || until <= fromAt) continue
    lowest = lowest === null ? price : Math.min(lowest, price)
  }
  return lowest
}

function firstOfReduction(steps: readonly PriceStep[]): number {
  let first = steps.length - 1
  for (; first > 0; first -= 1) {
    const [before, here] = [steps[first - 1], steps[first]]
    if (!before || !here || before.compareAtPrice === null || before.price < here.price) return first
  }
  return first
}
