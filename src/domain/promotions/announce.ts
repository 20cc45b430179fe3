// Events about changes of promotions. They contain little: a receiver reads the promotion if it needs more.

import type { EventDataOf } from '../../contract/open/events.ts'
import { modes } from '../../contract/words.ts'
import { announce, type ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { listActiveInstallations } from '../inventory/store.ts'
import { findPromotion, type OperatorPromotion } from './store.ts'

// Announces to every active installation of the merchant. The sequence of the event is the promotion's version in the mode, which each
// use of the promotion raises too.
export async function announcePromotion(
  tx: Tx,
  merchantId: string,
  kind: 'promotion.created' | 'promotion.updated',
  { id, code, editVersion }: OperatorPromotion,
  context: ChangeContext,
): Promise<void> {
  const data: EventDataOf<typeof kind> = { promotion: { id, code, version: editVersion } }
  const dataText = JSON.stringify(data)
  for (const mode of modes) {
    const promotion = await findPromotion(tx, { merchantId, mode }, id)
    if (!promotion) throw new Error(`the changed promotion ${id} does not exist`)
    const event = {
      kind,
      subject: { type: 'promotion', id },
      sequence: promotion.version,
      dataText,
      ...context,
    } as const
    for (const { id: installationId } of await listActiveInstallations(tx, { merchantId, mode }))
      announce(tx, { installationId, mode, ...event })
  }
}
