// Events about products. They contain little: a receiver that needs more reads the product.

import type { EventDataOf } from '../../contract/open/events.ts'
import { type Mode, modes } from '../../contract/words.ts'
import { announce, announceTogether, type ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { listActiveInstallations } from '../inventory/store.ts'
import type { ProductRow } from './product.ts'

interface ProductStep {
  before: ProductRow | undefined
  product: ProductRow
}

// Announces to every active installation of the merchant, in both modes, because both modes share the catalog.
export async function announceProducts(
  tx: Tx,
  merchantId: string,
  steps: readonly ProductStep[],
  context: ChangeContext,
): Promise<void> {
  const installations = await listInstallationsOf(tx, merchantId)
  if (installations.length === 0) return
  await announceTogether(tx, async () => {
    for (const step of steps) {
      const { id, slug, version } = step.product
      const data: EventDataOf<'product.updated'> = { product: { id, slug, version } }
      const event = {
        kind: kindOf(step),
        subject: { type: 'product', id },
        sequence: version,
        dataText: JSON.stringify(data),
        ...context,
      } as const
      for (const { id: installationId, mode } of installations) announce(tx, { installationId, mode, ...event })
    }
  })
}

async function listInstallationsOf(tx: Tx, merchantId: string): Promise<{ id: string; mode: Mode }[]> {
  const found = await Promise.all(
    modes.map(async (mode) => {
      const installations = await listActiveInstallations(tx, { merchantId, mode })
      return installations.map(({ id }) => ({ id, mode }))
    }),
  )
  return found.flat()
}

function kindOf({ before, product }: ProductStep) {
  if (!before) return 'product.created'
  return before.publishedAt !== null && product.publishedAt === null ? 'product.unpublished' : 'product.updated'
}
