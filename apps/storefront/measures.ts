// The content of a SKU and its unit price, as shown beside the price.

import type { Speaker } from './speaker.ts'

interface PricedMeasure {
  amount: number
  unit: string
  per: string
  // Price of the SKU in minor units.
  price: number
}

const signs: Readonly<Record<string, string>> = {
  m2: 'm²',
  m3: 'm³',
  cm2: 'cm²',
  '100g': '100\u00a0g',
  '100ml': '100\u00a0ml',
}

// Returns null if the unit price would repeat the price (Directive 98/6/EC, Art. 3(1)).
export function measureWords(
  { say, money }: Speaker,
  measure: PricedMeasure | null | undefined,
  price: number,
  currency: string,
): string | null {
  if (!measure || measure.price === price) return null
  const { amount, unit, per } = measure
  const content =
    unit === 'piece'
      ? say('measure.pieces', { count: amount })
      : say('measure.amount', { count: amount, unit: signs[unit] ?? unit })
  const base = per === 'piece' ? say('measure.pieces', { count: 1 }) : (signs[per] ?? per)
  return say('measure.price', { content, amount: money(measure.price, currency), base })
}
