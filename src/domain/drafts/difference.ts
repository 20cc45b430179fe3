// The draft of an edit or an exchange that costs more: its cart contains the added units and costs the difference, and the shopper pays
// by the link of the draft. The caller must have locked the order.

import { draftDays } from '../../contract/admin/drafts.ts'
import type { CheckoutSession } from '../../contract/open/checkout.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { createCart } from '../carts/lines.ts'
import type { EditChange } from '../carts/pricing.ts'
import { moveDraft } from '../checkout/drafts.ts'
import { type CheckoutTools, openSession } from '../checkout/sessions.ts'
import { findSession } from '../checkout/store.ts'
import type { EditPlan } from '../edits/plan.ts'
import { isOfSku } from '../edits/plan.ts'
import { listInstallations } from '../merchants/store.ts'
import { decryptOrderCustomer } from '../orders/customer.ts'
import type { OrderRow } from '../orders/store.ts'
import { dayMs } from './edit.ts'
import { insertDraft } from './store.ts'

export async function createDifferenceDraft(
  tools: CheckoutTools,
  tx: Tx,
  order: OrderRow,
  { plan, change, days = draftDays }: { plan: EditPlan; change: EditChange; days?: number | undefined },
  context: ChangeContext,
): Promise<string> {
  const { installationId, merchantId, mode } = order
  const installations = await listInstallations(tx, merchantId)
  if (installations.find(({ id }) => id === installationId)?.disabledAt !== null) throw refuse('installation_not_found')
  const now = new Date(context.now)
  const asked = { db: tx, caller: { installationId, merchantId, mode }, now, cause: context.cause }
  const added = plan.parts.added.filter(isOfSku)
  const own = {
    terms: { discount: 0, shipping: null, change },
    prices: new Map(added.map(({ skuId, unitPrice }) => [skuId, unitPrice])),
  }
  const { cart } = await createCart(tools.carts, { ...asked, items: added, metadata: {}, own })
  const { customer } = await decryptOrderCustomer(tx, tools.rootSecret, order, context.now)
  const { email = '', name = '', phone = '' } = customer ?? {}
  const known = { ...(email && { email }), ...(name && { name }), ...(phone && { phone }) }
  const body = { cartId: cart.id, successUrl: '', customer: known, expiresInSeconds: (days * dayMs) / 1000 }
  const locale = order.locale === '' ? {} : { locale: order.locale }
  const session = await openSession(tools, { ...asked, isOwn: true, body: { ...body, ...locale } })
  return insertDifference(tx, order, session, { total: plan.difference, returnId: null }, context)
}

// Returns the id of the new draft.
export async function insertDifference(
  tx: Tx,
  { installationId, merchantId, mode, currency, id: changesOrder }: OrderRow,
  session: Pick<CheckoutSession, 'id' | 'totals'>,
  { total, returnId }: { total: number; returnId: string | null },
  context: ChangeContext,
): Promise<string> {
  const id = newId('dft')
  const draft = { id, mode, installationId, sessionId: session.id, note: null, changesOrder, returnId }
  insertDraft(tx, merchantId, { ...draft, createdAt: context.now })
  const row = await findSession(tx, { installationId, sessionId: session.id })
  if (!row || session.totals.total !== total) throw new Error(`the total of draft ${id} is not the difference to pay`)
  await moveDraft(tx, 'create', row, { currency, total }, context)
  return id
}
