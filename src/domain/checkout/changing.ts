// Changes that the page of an open session makes. Each is one transaction, and is refused if the session has another version than the
// page showed.

import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { CartChangeInput } from '../carts/change.ts'
import { setPromotionCode } from '../carts/codes.ts'
import { writeDetails } from './details.ts'
import { sessionLifecycle, sessionStatusAt } from './lifecycle.ts'
import { sessionKeyOf } from './looking.ts'
import type { CheckoutProblem, SubmittedDetails } from './port.ts'
import { type Checkout, lockSessionWithCart, type SessionKey, type SessionName } from './store.ts'
import type { PayTools } from './tools.ts'

// `cart`: the cart as read under the lock.
interface Change extends Pick<Checkout, 'session' | 'cart'> {
  ask: CartChangeInput
}

export type ChangeWork = (change: Change) => Promise<CheckoutProblem | null>

export function changeSession(
  tools: PayTools,
  name: SessionName,
  version: number,
  work: ChangeWork,
): Promise<CheckoutProblem | null> {
  return tools.storage.write(async (tx) => {
    const checkout = await lockSessionWithCart(tx, name)
    const now = tools.clock()
    if (!checkout) return { code: 'not_open' }
    const { session, cart } = checkout
    if (session.closedAt !== null) return { code: 'closed' }
    const status = sessionStatusAt(session, now.getTime())
    if (status === 'processing') return { code: 'payment_in_progress' }
    if (!moveFor(sessionLifecycle, 'change', status)) return { code: 'not_open' }
    if (session.version !== version) return { code: 'stale' }
    const ask: CartChangeInput = {
      db: tx,
      caller: session,
      cartId: session.cartId,
      expectedVersion: undefined,
      now,
      cause: makePageCause(),
      isAnnouncedLater: true,
    }
    return work({ session, cart, ask })
  })
}

export async function setDetails(
  tools: PayTools,
  name: SessionName,
  version: number,
  details: SubmittedDetails,
): Promise<CheckoutProblem | null> {
  let pending: SessionKey | undefined
  const problem = await changeSession(tools, name, version, async (change) => {
    const outcome = await writeDetails(tools, change, details)
    pending = outcome.isVatPending ? sessionKeyOf(change.session) : undefined
    return outcome.problem
  })
  // Wait for the VAT check: the total depends on its result.
  if (problem === null && pending) await tools.startVatCheck(pending)
  return problem
}

export async function applyPromotionCode(
  tools: PayTools,
  ask: CartChangeInput,
  code: string | null,
): Promise<CheckoutProblem | null> {
  const { state, reason } = (await setPromotionCode(tools.carts, ask, code)).promotion
  return state === 'rejected' && reason !== null ? { code: 'promotion_rejected', reason } : null
}

export function makePageCause(): Cause {
  return { operationId: null, requestId: newId('req') }
}
