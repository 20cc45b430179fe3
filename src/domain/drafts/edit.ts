// Changes an open draft behind the same link: the lines and terms of its cart, the customer or expiry of its session, and the holds of
// stock. The caller must have locked cart and session.

import type { CreateDraftRequest, UpdateDraftRequest } from '../../contract/admin/drafts.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { extendAddressExpiry } from '../addresses/store.ts'
import { type CartChangeInput, lockCartFacts, saveCartChange } from '../carts/change.ts'
import { setAddress } from '../carts/destination.ts'
import { listWantedOffers, refuseUnsellable, withOwnPrice } from '../carts/lines.ts'
import type { MerchantTerms } from '../carts/pricing.ts'
import type { CartFacts } from '../carts/quote.ts'
import { type CartLine, deleteCartLine, type Offer, putCartLines, saveMerchantTerms } from '../carts/store.ts'
import { type Quote, unexpiredAddress } from '../carts/view.ts'
import { moveDraft } from '../checkout/drafts.ts'
import { holdExpiryFor } from '../checkout/lifecycle.ts'
import { holdLines } from '../checkout/refresh.ts'
import {
  type CheckoutTools,
  checkLater,
  customerColumns,
  mergeGivenCustomer,
  withoutSessionRefresh,
} from '../checkout/sessions.ts'
import { findSession, type SessionRow, saveSession } from '../checkout/store.ts'
import type { CartVatCheck } from '../vat/check.ts'
import { type DraftReservations, withHeldStock } from './preview.ts'
import { type DraftOrderRow, saveDraftNote } from './store.ts'
import { draftStatus } from './view.ts'

export const dayMs = 24 * 60 * 60_000

export type DraftItems = CreateDraftRequest['items']

export type DraftEdit = Pick<
  UpdateDraftRequest,
  'items' | 'discount' | 'shipping' | 'customer' | 'address' | 'note' | 'locale' | 'days'
>

// Refuses a draft that is paid, being paid, cancelled or expired.
export function refuseNotOpen(row: DraftOrderRow, now: number): void {
  const status = draftStatus(row, now)
  if (status === 'paying') throw refuse('payment_in_progress', { current: { status } })
  if (status !== 'open') throw refuse('draft_not_open', { current: { status } })
}

// The present values of the members that an edit may change.
export interface DraftTerms {
  items: { skuId: string; quantity: number; unitPrice: number }[]
  discount: number
  shipping: MerchantTerms['shipping']
}

export function currentDraftTerms({ cart, lines }: Pick<CartFacts, 'cart' | 'lines'>): DraftTerms {
  return {
    items: lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity, unitPrice: offer.price })),
    discount: cart.terms?.discount ?? 0,
    shipping: cart.terms?.shipping ?? null,
  }
}

// An item that is sent without a price keeps its agreed price; a new item gets the price of the catalog.
export function applyDraftEdit(
  before: DraftTerms,
  edit: Pick<DraftEdit, 'items' | 'discount' | 'shipping'>,
): Omit<DraftTerms, 'items'> & { items: DraftItems } {
  const agreed = new Map(before.items.map(({ skuId, unitPrice }) => [skuId, unitPrice]))
  const items = edit.items?.map(({ skuId, quantity, unitPrice = agreed.get(skuId) }) => ({
    skuId,
    quantity,
    ...(unitPrice !== undefined && { unitPrice }),
  }))
  return {
    items: items ?? before.items,
    discount: edit.discount ?? before.discount,
    shipping: edit.shipping === undefined ? before.shipping : edit.shipping,
  }
}

export function draftReservations({ cart, lines }: Pick<CartFacts, 'cart' | 'lines'>, now: number): DraftReservations {
  const address = unexpiredAddress(cart, now)
  return {
    available: new Map(lines.map(({ offer }) => [offer.skuId, offer.available])),
    destination: address && { country: address.country, region: address.region },
    shippingOptionId: cart.shippingOption,
  }
}

export interface DraftEditInput {
  db: Tx
  seller: MerchantMode
  row: DraftOrderRow
  edit: DraftEdit
  now: Date
  cause: Cause | null
}

export async function amendDraft(tools: CheckoutTools, ask: DraftEditInput): Promise<Quote> {
  const { db, seller, row, edit, now, cause } = ask
  const at = now.getTime()
  const key = { installationId: row.installationId, sessionId: row.sessionId }
  const cartId = (await findSession(db, key))?.cartId ?? ''
  const caller = { ...seller, installationId: row.installationId }
  const change: CartChangeInput = { db, caller, cartId, expectedVersion: undefined, now, cause }
  // setAddress writes the cart and the session, so both are read again.
  if (edit.address) await setAddress(tools.carts, change, { rootSecret: tools.rootSecret, address: edit.address })
  const [facts, session] = await Promise.all([lockCartFacts(tools.carts, change), findSession(db, key)])
  if (!session) throw refuse('draft_not_found')
  const wanted = applyDraftEdit(currentDraftTerms(facts), edit)
  const terms: MerchantTerms = { discount: wanted.discount, shipping: wanted.shipping }
  const lines = edit.items ? await replaceLines(change, facts, wanted.items) : facts.lines
  saveMerchantTerms(db, { installationId: row.installationId, cartId }, terms)
  const expiresAt = edit.days === undefined ? session.expiresAt : at + edit.days * dayMs
  const { vat, columns } = await editedCustomer(tools, ask, session, facts.cart.vat)
  const cart = { ...facts.cart, terms, expiresAt: Math.max(facts.cart.expiresAt, expiresAt), vat }
  const quote = await saveCartChange(withoutSessionRefresh(tools.carts), change, { ...facts, lines, cart })
  if (cart.address) extendAddressExpiry(db, row.installationId, cart.address.token, expiresAt)
  const changed = saveEdited(ask, { ...session, ...columns }, expiresAt)
  if (vat?.status === 'pending') checkLater(tools, db, changed)
  if (edit.note !== undefined) saveDraftNote(db, seller.merchantId, row.id, edit.note)
  await moveDraft(
    db,
    'change',
    changed,
    { currency: cart.currency, total: quote.pricing.totals.total },
    { now: at, cause },
  )
  // Comes last, because other transactions wait for the lock of the stock row.
  await holdLines(db, changed, { lines, now, cause })
  return quote
}

// A changed VAT number must be checked before it removes the tax.
async function editedCustomer(
  tools: CheckoutTools,
  { db, edit, now }: DraftEditInput,
  session: SessionRow,
  before: CartVatCheck | null,
): Promise<{ vat: CartVatCheck | null; columns: Partial<SessionRow> }> {
  if (!edit.customer) return { vat: before, columns: {} }
  const at = now.getTime()
  const { customer, vat } = mergeGivenCustomer(tools.rootSecret, session, { given: edit.customer, before, now: at })
  return { vat, columns: await customerColumns(tools, db, session, { customer, now: at }) }
}

function saveEdited({ db, edit, now }: DraftEditInput, session: SessionRow, expiresAt: number): SessionRow {
  const at = now.getTime()
  const changed: SessionRow = {
    ...session,
    locale: edit.locale ?? session.locale,
    expiresAt,
    holdExpiresAt: holdExpiryFor({ ...session, expiresAt }, at),
    version: session.version + 1,
    updatedAt: at,
  }
  saveSession(db, changed)
  return changed
}

// Writes all lines anew, in the order of the items.
async function replaceLines(
  { db, caller, now }: CartChangeInput,
  facts: CartFacts,
  items: DraftItems,
): Promise<CartLine[]> {
  const present = draftReservations(facts, now.getTime())
  const offers = await listWantedOffers(db, caller, items, now.getTime())
  const lines = items.map(({ quantity, unitPrice }, position) => {
    const offer = withHeldStock(offers[position] as Offer, present)
    refuseUnsellable(offer, quantity)
    return withOwnPrice({ offer, position, quantity, seenPrice: offer.price }, unitPrice ?? offer.price)
  })
  const { cart } = facts
  const key = { installationId: cart.installationId, cartId: cart.id }
  for (const { offer } of facts.lines) deleteCartLine(db, key, offer.skuId)
  putCartLines(db, cart, lines)
  return lines
}
