// Current orders in the form of UCP: for a platform that requests an order, and for calls to a platform.

import type { PayTools } from '../../../domain/checkout/tools.ts'
import { listEdits } from '../../../domain/edits/store.ts'
import { findOrderFacts } from '../../../domain/orders/change.ts'
import { orderPageUrl } from '../../../domain/orders/secret.ts'
import { findSealedSecret } from '../../../domain/orders/store.ts'
import { listReturnsOfOrder } from '../../../domain/returns/store.ts'
import type { Reader } from '../../../platform/storage/storage.ts'
import { type OrderHistory, orderDocument } from './order.ts'
import type { ViewContext } from './view.ts'

type OrderTools = Pick<PayTools, 'rootSecret' | 'publicOrigin'>

// Returns an order and the URL of its page for the buyer.
export async function findShownOrder(
  tools: OrderTools,
  db: Reader,
  key: { installationId: string; orderId: string },
): Promise<{ facts: OrderHistory; permalinkUrl: string } | undefined> {
  const [found, sealed, returns] = await Promise.all([
    findOrderFacts(db, key),
    findSealedSecret(db, key),
    listReturnsOfOrder(db, key),
  ])
  if (!found) return undefined
  const facts = { ...found, edits: await listEdits(db, found.order), returns }
  const permalinkUrl = sealed === undefined ? null : orderPageUrl(tools, { orderId: facts.order.id, sealed })
  return { facts, permalinkUrl: permalinkUrl ?? tools.publicOrigin() }
}

export async function findOrderDocument(
  tools: OrderTools,
  db: Reader,
  key: { installationId: string; orderId: string },
  view: ViewContext,
): Promise<object | undefined> {
  const found = await findShownOrder(tools, db, key)
  if (!found) return undefined
  const { facts, permalinkUrl } = found
  return orderDocument(facts, { permalinkUrl, destination: destinationOf(facts.order.address) }, view)
}

// Splits a summary such as "Berlin, DE" into the members that an order shows.
function destinationOf(address: { summary: string } | null): Record<string, string> {
  const [country, ...town] = (address?.summary ?? '').split(', ').toReversed()
  return {
    ...(town.length > 0 && { address_locality: town.toReversed().join(', ') }),
    ...(country && { address_country: country }),
  }
}
