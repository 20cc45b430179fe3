// Changes of drafts that follow from changes of their checkout session: total and events. Drafts are created and changed by `drafts/`.

import type { EventDataOf } from '../../contract/open/events.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { onlyMove } from '../../platform/kit/lifecycle.ts'
import { announce, type ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { draftLifecycle } from './lifecycle.ts'
import type { SessionRow } from './store.ts'

// Paying a draft sends no draft event: the session and the order announce it.
type DraftVerb = Exclude<(typeof draftLifecycle)[number][0], 'pay' | 'decline'>

export interface DraftPrice {
  currency: string
  total: number
}

// The caller has locked the session and passes it in the state after the move. A new draft keeps version 1.
export async function moveDraft(
  tx: Tx,
  verb: DraftVerb,
  session: SessionRow,
  { currency, total }: DraftPrice,
  { now, cause }: ChangeContext,
): Promise<void> {
  const { installationId, merchantId, mode, id: checkoutSessionId, orderId, expiresAt } = session
  const [row] = await tx.sql<{ id: string; version: number; createdAt: number }>`
    update drafts set total = ${total}, version = version + ${verb === 'create' ? 0 : 1}
    where merchant_id = ${merchantId} and installation_id = ${installationId} and session_id = ${checkoutSessionId}
    returning id, version, created_at as "createdAt"`
  if (!row) return
  const { id, version, createdAt } = row
  const { to: status, announces } = onlyMove(draftLifecycle, verb)
  const data: EventDataOf<'draft.created'> = {
    draft: {
      ...{ id, version, status, currency, total, checkoutSessionId, orderId },
      createdAt: toInstant(createdAt),
      expiresAt: toInstant(expiresAt),
    },
  }
  announce(tx, {
    installationId,
    mode,
    kind: announces,
    subject: { type: 'draft', id },
    sequence: version,
    dataText: JSON.stringify(data),
    cause,
    now,
  })
}
