// The prior price of a reduction (Directive 98/6/EC, Art. 6a; C-330/23): the lowest price in effect in the 30 days before the reduction
// began. Pure.

// A price and its compare-at price, in effect from this time until the next step.
export interface PriceStep {
  fromAt: number
  price: number
  // Not null: a reduction is announced.
  compareAtPrice: number | null
}

export const priorPriceDays = 30
const windowMs = priorPriceDays * 24 * 60 * 60_000

// Maximum number of steps per SKU. If there are more, the oldest are merged.
export const priceStepsMax = 100

// Returns the prior price; `steps` are in the order of time. Returns null if no reduction is announced, or if there was no price before
// the reduction: in both cases no price may be struck through. A reduction that is increased keeps its prior price; a reduction that is
// partly reversed counts as a new one.
export function computePriorPrice(steps: readonly PriceStep[]): number | null {
  const last = steps.at(-1)
  if (!last || last.compareAtPrice === null) return null
  const first = firstOfReduction(steps)
  const beganAt = steps[first]?.fromAt ?? last.fromAt
  const earliest = beganAt - windowMs
  let lowest: number | null = null
  for (const [index, { price }] of steps.slice(0, first).entries()) {
    // A price was in effect until the next step began. A step without duration was never in effect.
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

// The prior price to strike through beside the price. Null if the prior price is not above the price, because that is not a reduction.
export function shownPriorPrice(steps: readonly PriceStep[]): number | null {
  const prior = computePriorPrice(steps)
  return prior === null || prior <= (steps.at(-1)?.price ?? 0) ? null : prior
}

// Appends a step to the history. An unchanged price adds no step. If the last step is not earlier, because the clock was set back,
// the new step replaces it at its time.
export function appendPriceStep(steps: readonly PriceStep[], step: PriceStep): PriceStep[] {
  const last = steps.at(-1)
  if (last && last.price === step.price && last.compareAtPrice === step.compareAtPrice) return [...steps]
  if (last && last.fromAt >= step.fromAt) return [...steps.slice(0, -1), { ...step, fromAt: last.fromAt }]
  return [...steps, step]
}

// Removes the steps that no reduction can need any more: those before the window of the present reduction, or of a reduction that would
// begin now. If too many are left, the oldest are merged, at the lower of their prices. Merging can only lower the prior price.
export function dropOldPriceSteps(steps: readonly PriceStep[]): PriceStep[] {
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
