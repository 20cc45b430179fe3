// The three operations of hosted checkout.

import type { OpenInterfaceHandler } from '../../platform/http/open.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { type CartCaller, isWithin } from '../carts/change.ts'
import { type CheckoutTools, cancelSession, findSessionFacts, openSession, renderSession } from './sessions.ts'
import type { SessionFacts } from './view.ts'

type CheckoutOperation = 'createHostedCheckoutSession' | 'getHostedCheckoutSession' | 'cancelHostedCheckoutSession'

export function checkoutOperations(tools: CheckoutTools): { [Id in CheckoutOperation]: OpenInterfaceHandler<Id> } {
  return {
    async createHostedCheckoutSession({ db, caller, body, now, cause }) {
      return { data: await openSession(tools, { db, caller, body, now, cause }) }
    },

    async getHostedCheckoutSession({ db, caller, path: { sessionId }, now }) {
      const facts = await findFacts(db, caller, sessionId, now)
      const shown = renderSession(tools, facts, now.getTime())
      // Session ids appear in addresses that others may see, and a publishable key is public, so such a key does not get the address of
      // the order's page.
      return { data: caller.publicKeyId === undefined ? shown : { ...shown, statusUrl: null } }
    },

    async cancelHostedCheckoutSession({ db, caller, path: { sessionId }, body, now, cause }) {
      if (caller.publicKeyId !== undefined) await findFacts(db, caller, sessionId, now)
      const { expectedVersion, reason = null, note = null } = body
      const cancellation = { reason, note, by: 'api' } as const
      const facts = await cancelSession(tools, { db, caller, sessionId, expectedVersion, cancellation, now, cause })
      return { data: renderSession(tools, facts, now.getTime()) }
    },
  }

  async function findFacts(db: Reader, caller: CartCaller, sessionId: string, now: Date): Promise<SessionFacts> {
    const key = { installationId: caller.installationId, sessionId }
    const facts = await findSessionFacts(tools, db, key, now.getTime())
    if (!facts || !isWithin(facts.quote.cart, caller)) throw refuse('checkout_session_not_found')
    return facts
  }
}
