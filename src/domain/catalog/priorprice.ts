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

// Per SKU. Beyond that, the oldest steps are joined.
export const priceStepsMax = 100

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

// What may be struck through beside the price: a prior price that is not above it announces nothing.
export function shownPriorPrice(steps: readonly PriceStep[]): number | null {
  const prior = priorPriceOf(steps)
  return prior === null || prior <= (steps.at(-1)?.price ?? 0) ? null : prior
}

// The history with one more step, which is the last one even where the clock went back. The same price again is not a step.
export function withStep(steps: readonly PriceStep[], step: PriceStep): PriceStep[] {
  const last = steps.at(-1)
  if (last && last.price === step.price && last.compareAtPrice === step.compareAtPrice) return [...steps]
  if (last && last.fromAt >= step.fromAt) return [...steps.slice(0, -1), { ...step, fromAt: last.fromAt }]
  return [...steps, step]
}

// Without the steps that no reduction can ask for any more: those before the window of the present reduction, or of one that would begin
// now. If still too many are left, the oldest are joined to the lower of their prices. The prior price gets lower by that, never higher.
export function withoutOldSteps(steps: readonly PriceStep[]): PriceStep[] {
  const last = steps.at(-1)
  if (!last) return []
  const beganAt = steps[firstOfReduction(steps)]?.fromAt ?? last.fromAt
  const needed = steps.findIndex((_, index) => (steps[index + 1]?.fromAt ?? Infinity) > beganAt - windowMs)
  const kept = steps.slice(Math.max(0, needed))
  while (kept.length > priceStepsMax) {
    const [first, second] = kept as [PriceStep, PriceStep]
    const hasClaim = first.compareAtPrice !== null && second.compareAtPrice !== null
    const compareAtPrice = hasClaim ? second.compareAtPrice : null
    kept.splice(0, 2, { fromAt: second.fromAt, price: Math.min(first.price, second.price), compareAtPrice })
  }
  return kept
}
