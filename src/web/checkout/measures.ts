// The content of an item and its unit price, shown below the item's name.

import type { CheckoutSession } from '../../contract/open/checkout.ts'
import type { MeasureBase, MeasureUnit } from '../../contract/words.ts'
import type { Speaker } from '../languages/language.ts'

const signs: Partial<Record<MeasureUnit | MeasureBase, string>> = {
  m2: 'm²',
  m3: 'm³',
  cm2: 'cm²',
  '100g': '100\u00a0g',
  '100ml': '100\u00a0ml',
}

// Returns false if there is no measure, or if the unit price equals the price, since it may then be omitted (Directive 98/6/EC, Art. 3(1)).
export function measureNote(
  { say, amount }: Speaker,
  { measure, unitPrice }: Pick<CheckoutSession['items'][number], 'measure' | 'unitPrice'>,
  currency: string,
): string | false {
  if (!measure || measure.price === unitPrice) return false
  const { unit, per } = measure
  const content =
    unit === 'piece'
      ? say('measure.pieces', { count: measure.amount })
      : say('measure.amount', { count: measure.amount, unit: signs[unit] ?? unit })
  const base = per === 'piece' ? say('measure.pieces', { count: 1 }) : (signs[per] ?? per)
  return say('measure.price', { content, amount: amount(measure.price, currency), base })
}
