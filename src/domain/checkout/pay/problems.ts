// Why a payment cannot begin although the session is open: a line cannot be sold, data is missing, the customer has used the promotion
// up, the method is not offered, or its fields are not valid.

import { issueAt } from '../../../contract/issues.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { checkAddress } from '../../addresses/check.ts'
import { decryptCartAddress } from '../../carts/destination.ts'
import { isExchange } from '../../carts/pricing.ts'
import { needsShipping } from '../../carts/shipping.ts'
import { type Quote, unexpiredAddress } from '../../carts/view.ts'
import { findMethodSettings } from '../../payments/methods.ts'
import type { PaymentProvider } from '../../payments/port.ts'
import { manualName } from '../../payments/providers/manual/provider.ts'
import type { CheckoutProblem, PayInput } from '../port.ts'
import type { SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { decryptCustomerOfSession, isOverused } from './customer.ts'

export async function findOrderProblem(
  tools: PayTools,
  tx: Tx,
  { session, quote, now }: { session: SessionRow; quote: Quote; now: number },
): Promise<CheckoutProblem | null> {
  const { cart, lines, promotion, pricing } = quote
  const unsellable = lineProblem(lines)
  if (unsellable) return unsellable
  if (session.emailHash === null || !decryptCustomerOfSession(tools, session))
    return { code: 'invalid', issues: [issueAt('/email', 'needed')] }
  // Items that an edit adds are sent to the address of the order.
  const change = cart.terms?.change
  if ((!change || isExchange(change)) && needsShipping(lines.map(({ offer }) => offer))) {
    const address = unexpiredAddress(cart, now) ? await decryptCartAddress(tx, tools.rootSecret, cart, now) : undefined
    if (!address) return { code: 'invalid', issues: [issueAt('/address', 'needed')] }
    // The address may be incomplete: an agent may begin with parts of it.
    const checked = checkAddress(address)
    if ('issues' in checked) return { code: 'invalid', issues: checked.issues }
    if (pricing.shipping.optionId === null) return { code: 'shipping_unavailable' }
  }
  if (promotion && pricing.promotion.state === 'applied' && (await isOverused(tools, tx, session, promotion)))
    return { code: 'promotion_rejected', reason: 'customer_limit_reached' }
  return null
}

function lineProblem(lines: Quote['lines']): CheckoutProblem | null {
  if (lines.length === 0) return { code: 'not_open' }
  const gone = lines.find(({ offer }) => !offer.isSold)
  if (gone) return { code: 'item_unavailable', skuId: gone.offer.skuId }
  const short = lines.find(({ offer, quantity }) => offer.whenSoldOut === 'refuse' && offer.available < quantity)
  if (short) return { code: 'insufficient_stock', skuId: short.offer.skuId, available: short.offer.available }
  const many = lines.find(({ offer, quantity }) => quantity > offer.maxPerOrder)
  if (many) return { code: 'quantity_limit', skuId: many.offer.skuId, limit: many.offer.maxPerOrder }
  return null
}

export async function findMethodProblem(
  tx: Tx,
  session: SessionRow,
  { provider, input }: { provider: PaymentProvider | undefined; input: PayInput },
  now: number,
): Promise<CheckoutProblem | null> {
  if (!provider || !(await isOffered(tx, session, provider, input.method)))
    return { code: 'invalid', issues: [issueAt('/method', 'not_offered')] }
  const issues = provider
    .check(input.method, input.details, now)
    .map(({ path, messageKey }) => ({ path, code: messageKey }))
  return issues.length > 0 ? { code: 'invalid', issues } : null
}

// The merchant may have disabled the method since the page was shown.
async function isOffered(
  tx: Tx,
  { merchantId, mode }: SessionRow,
  { name, modes, methods }: PaymentProvider,
  method: string,
): Promise<boolean> {
  if (!modes.includes(mode) || !methods.some(({ id }) => id === method)) return false
  return name !== manualName || (await findMethodSettings(tx, merchantId, { mode, method }))?.isOffered === true
}
