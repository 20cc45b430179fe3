// Converts refusals to problems that the page can explain.

import { Refusal } from '../../platform/kit/refuse.ts'
import type { CheckoutProblem } from './port.ts'

// A refusal is shown to the shopper; any other error is a defect and is rethrown.
export function toCheckoutProblem(error: unknown): CheckoutProblem {
  if (!(error instanceof Refusal)) throw error
  const { code, details } = error
  const current = details.current ?? {}
  const skuId = typeof current.skuId === 'string' ? current.skuId : ''
  switch (code) {
    case 'insufficient_stock':
      return { code: 'insufficient_stock', skuId, available: Number(current.available ?? 0) }
    case 'item_unavailable':
      return { code: 'item_unavailable', skuId }
    case 'quantity_limit_exceeded':
      // Without a limit, the refusal is about the total of the cart instead of a quantity.
      if (current.limit === undefined) return { code: 'price_unavailable' }
      return { code: 'quantity_limit', skuId, limit: Number(current.limit) }
    case 'address_undeliverable':
      return { code: 'address_undeliverable' }
    case 'rate_limited':
      return { code: 'too_many_codes' }
    case 'payment_in_progress':
    case 'cart_locked':
      return { code: 'payment_in_progress' }
    case 'invalid_request':
      return { code: 'invalid', issues: details.issues ?? [] }
    case 'version_conflict':
    case 'cart_item_not_found':
      return { code: 'stale' }
    default:
      return { code: 'not_open' }
  }
}
