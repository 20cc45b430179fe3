// The three operations of hosted checkout.

import type { OpenHandler } from '../http/open.ts'
import { refuse } from '../kit/refuse.ts'
import { type CheckoutTools, cancelSession, findSessionFacts, openSession, showSession } from './sessions.ts'

type CheckoutOperation = 'createHostedCheckoutSession' | 'getHostedCheckoutSession' | 'cancelHostedCheckoutSession'

export function checkoutOperations(tools: CheckoutTools): { [Id in CheckoutOperation]: OpenHandler<Id> } {
  return {
    async createHostedCheckoutSession({ db, caller, body, now, cause }) {
      return { data: await openSession(tools, { db, caller, body, now, cause }) }
    },

    async getHostedCheckoutSession({ db, caller, path: { sessionId }, now }) {
      const key = { installationId: caller.installationId, sessionId }
      const facts = await findSessionFacts(tools, db, key, now.getTime())
      if (!facts) throw refuse('checkout_session_not_found')
      return { data: showSession(tools, facts, now.getTime()) }
    },

    async cancelHostedCheckoutSession({ db, caller, path: { sessionId }, body, now, cause }) {
      const { expectedVersion, reason = null, note = null } = body
      const cancellation = { reason, note, by: 'api' } as const
      const facts = await cancelSession(tools, { db, caller, sessionId, expectedVersion, cancellation, now, cause })
      return { data: showSession(tools, facts, now.getTime()) }
    },
  }
}
