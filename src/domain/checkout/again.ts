// Opens a new session that replaces one that has ended.

import type { Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { decryptCustomer, emptyCustomer } from '../orders/customer.ts'
import { sessionStatusAt } from './lifecycle.ts'
import type { CheckoutProblem } from './port.ts'
import { checkoutPageSecrets } from './secret.ts'
import { loadSessionFacts, openSession } from './sessions.ts'
import { findSession, findSessionOfCart, type SessionRow, saveSuccessor } from './store.ts'
import type { PayTools } from './tools.ts'

// Expects a locked session.
export async function openSuccessorSession(
  tools: PayTools,
  tx: Tx,
  old: SessionRow,
  cause: Cause,
): Promise<{ secret: string } | { problem: CheckoutProblem }> {
  const now = tools.clock()
  const status = sessionStatusAt(old, now.getTime())
  if (status !== 'expired' && status !== 'cancelled') return { problem: { code: 'not_open' } }
  // The merchant's prices and discounts were valid only until that session ended.
  if (old.holdsWhole) return { problem: { code: 'not_open' } }
  if (old.continuedBy !== null) return successorOf(tools, tx, old.installationId, old.continuedBy)
  const { quote } = await loadSessionFacts(tools, tx, old, now.getTime())
  const { publicKeyId } = quote.cart
  const caller = {
    installationId: old.installationId,
    merchantId: old.merchantId,
    mode: old.mode,
    ...(publicKeyId !== null && { publicKeyId }),
  }
  const customer = decryptCustomer(tools.rootSecret, old.id, old.customerSealed) ?? emptyCustomer
  // The cart already has a newer session, which an old link must not reveal.
  const living = await findSessionOfCart(tx, { installationId: old.installationId, cartId: old.cartId })
  if (living && living.id !== old.id) return { problem: { code: 'not_open' } }
  const isOpen = quote.cart.status === 'open' && quote.cart.expiresAt > now.getTime()
  const items = quote.lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  if (items.length === 0) return { problem: { code: 'not_open' } }
  const opened = await openSession(tools, {
    db: tx,
    caller,
    body: {
      ...(isOpen ? { cartId: old.cartId } : { items }),
      successUrl: old.successUrl,
      ...(old.cancelUrl === null ? {} : { cancelUrl: old.cancelUrl }),
      locale: old.locale,
      ...(old.clientReferenceId === null ? {} : { clientReferenceId: old.clientReferenceId }),
      metadata: old.metadata,
      customer,
    },
    now,
    cause,
    ...(old.holdsLater && { isForAgent: true }),
  })
  saveSuccessor(tx, old, opened.id)
  return { secret: (opened.url ?? '').split('/').at(-1) ?? '' }
}

// Returns the secret of the successor even if the successor has ended too: its page then offers to open another session.
async function successorOf(
  { rootSecret }: PayTools,
  tx: Tx,
  installationId: string,
  sessionId: string,
): Promise<{ secret: string } | { problem: CheckoutProblem }> {
  const successor = await findSession(tx, { installationId, sessionId })
  const secret = successor && checkoutPageSecrets.open(rootSecret, successor.secretSealed, successor.id)
  // The successor ended and was deleted, or its secret was encrypted with a version of the root secret that was removed.
  return secret === undefined ? { problem: { code: 'not_open' } } : { secret }
}
