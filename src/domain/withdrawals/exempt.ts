// Which items of an order a shopper can withdraw from. Pure.

import type { ItemExemption } from '../../contract/words.ts'

// Sealed goods can be returned as long as they are sealed, which the merchant sees on receipt (Directive 2011/83/EU, Art. 16(e), (i)).
const whileSealed: readonly ItemExemption[] = ['sealed_hygiene', 'sealed_media']

export function isWithdrawable({ withdrawalExempt }: { withdrawalExempt: ItemExemption | null }): boolean {
  return withdrawalExempt === null || whileSealed.includes(withdrawalExempt)
}
