// The admin operations on drafts.

import { type CreateDraftRequest, type Draft, draftDays, type draftRows } from '../../contract/admin/drafts.ts'
import { limits } from '../../contract/limits.ts'
import { listActorNames, listEntries } from '../../platform/audit/store.ts'
import { changeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { Audited } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOf } from '../../platform/http/paging.ts'
import { readPlace, writePlace } from '../../platform/kit/cursor.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { keepAddress } from '../addresses/store.ts'
import type { ChangeAsk } from '../carts/change.ts'
import { setAddress } from '../carts/destination.ts'
import { createCart } from '../carts/lines.ts'
import {
  type CheckoutTools,
  cancelSession,
  findSessionFacts,
  lockSessionAndCart,
  openSession,
  showSession,
} from '../checkout/sessions.ts'
import { listInstallations } from '../merchants/store.ts'
import { ownPricesOf, ownTermsOf, previewDraft } from './preview.ts'
import { type DraftOrderRow, findDraft, insertDraft, listDrafts } from './store.ts'
import { draftPrices, draftStatus, draftSummary } from './view.ts'

const dayMs = 24 * 60 * 60_000

type DraftOperation = keyof typeof draftRows
type Handlers<Id extends DraftOperation> = { [One in Id]: AdminHandler<One> }

export function adminDraftOperations(tools: CheckoutTools): Handlers<DraftOperation> {
  return { ...looks(tools), ...changes(tools) }
}

function looks(tools: CheckoutTools): Handlers<'listAdminDrafts' | 'getAdminDraft'> {
  return {
    async listAdminDrafts({ db, caller, paging, now }) {
      const after = paging.after === null ? null : readPlace(paging.after, 'dft')
      const found = await listDrafts(db, caller, { after, limit: adminRowsAsked })
      const { rows, meta } = pageOf(found, paging, ({ createdAt: at, id }) => writePlace({ at, id }))
      const data = []
      for (const row of rows) {
        const { quote } = await sessionOf(tools, db, row, now.getTime())
        const { currency } = quote.cart
        data.push(draftSummary(row, { currency, total: quote.pricing.totals.total }, now.getTime()))
      }
      return { data, meta }
    },

    async getAdminDraft({ db, caller, path: { draftId }, now }) {
      return { data: await viewOf(tools, db, caller, await find(db, caller, draftId), now.getTime()) }
    },
  }
}

function changes(tools: CheckoutTools): Handlers<'createAdminDraft' | 'cancelAdminDraft'> {
  return {
    async createAdminDraft({ db, caller, body, now, cause }) {
      const { merchantId, mode } = caller
      const prices = await previewDraft(db, tools.carts.pricebooks, caller, body, now.getTime())
      const { total } = prices.totals
      refuseOtherTotal(total, body.expectedTotal)
      if (body.dryRun) return new Audited({ data: { ...prices, draft: null } }, [])
      const installationId = await sellerInstallation(db, caller, body.installationId)
      const sessionId = await open(tools, { db, caller: { merchantId, mode, installationId }, now, cause }, body)
      const id = newId('dft')
      insertDraft(db, merchantId, {
        id,
        mode,
        installationId,
        sessionId,
        note: body.note ?? null,
        createdAt: now.getTime(),
      })
      const draft = await viewOf(tools, db, caller, await find(db, caller, id), now.getTime())
      // Priced twice by one function. If they ever differ, nothing is written.
      if (draft.totals.total !== total) throw new Error(`draft ${id} costs ${draft.totals.total} and not ${total}`)
      const members = [
        { member: 'items', from: null, to: body.items },
        { member: 'discount', from: null, to: body.discount ?? 0 },
        { member: 'total', from: null, to: total },
      ]
      return new Audited({ data: { ...prices, draft } }, [{ kind: 'create', what: 'draft', id, name: id, members }])
    },

    async cancelAdminDraft({ db, caller, path: { draftId }, now, cause }) {
      const { merchantId } = caller
      const { installationId, sessionId } = await find(db, caller, draftId)
      // What the session says under its lock decides: it may be paid at this moment.
      await lockSessionAndCart(db, { installationId, sessionId })
      const row = await find(db, caller, draftId)
      const status = draftStatus(row, now.getTime())
      if (status === 'paying') throw refuse('payment_in_progress', { current: { status } })
      if (status !== 'open') throw refuse('draft_not_open', { current: { status } })
      await cancelSession(tools, {
        db,
        caller: { installationId, merchantId },
        sessionId,
        expectedVersion: undefined,
        cancellation: { reason: null, note: null, by: 'api' },
        now,
        cause,
      })
      const after = await viewOf(tools, db, caller, await find(db, caller, draftId), now.getTime())
      const members = [{ member: 'status', from: status, to: after.status }]
      return new Audited({ data: after }, [{ kind: 'change', what: 'draft', id: draftId, name: draftId, members }])
    },
  }
}

interface Opening {
  db: Tx
  caller: MerchantMode & { installationId: string }
  now: Date
  cause: Cause | null
}

async function open(tools: CheckoutTools, opening: Opening, body: CreateDraftRequest): Promise<string> {
  const { db, caller, now, cause } = opening
  const items = body.items.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const own = { terms: ownTermsOf(body), prices: ownPricesOf(body.items) }
  const { cart } = await createCart(tools.carts, { db, caller, items, metadata: {}, now, cause, own })
  const { address, customer = {}, days = draftDays } = body
  const change: ChangeAsk = { db, caller, cartId: cart.id, expectedVersion: undefined, now, cause }
  if (address) {
    const { token } = await setAddress(tools.carts, change, { rootSecret: tools.rootSecret, address })
    // What was agreed on counts as long as the link: the address decides on the tax and the delivery.
    keepAddress(db, caller.installationId, token, now.getTime() + days * dayMs)
  }
  const session = await openSession(tools, {
    ...{ db, caller, now, cause, isOwn: true },
    body: {
      cartId: cart.id,
      successUrl: '',
      customer,
      expiresInSeconds: (days * dayMs) / 1000,
    },
  })
  return session.id
}

// The one that is named, or the oldest that is active.
async function sellerInstallation(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  installationId: string | undefined,
): Promise<string> {
  const active = (await listInstallations(db, merchantId)).filter((one) => one.mode === mode && one.disabledAt === null)
  const found = installationId === undefined ? active[0] : active.find(({ id }) => id === installationId)
  if (!found) throw refuse('installation_not_found')
  return found.id
}

function refuseOtherTotal(total: number, expected: number | undefined): void {
  if (expected === undefined || expected === total) return
  const message = `The draft costs ${total} minor units; the request expected ${expected}.`
  throw refuse('total_changed', { message, current: { total } })
}

async function find(db: Reader, seller: MerchantMode, draftId: string): Promise<DraftOrderRow> {
  const row = isId('dft', draftId) ? await findDraft(db, seller, draftId) : undefined
  if (!row) throw refuse('draft_not_found')
  return row
}

async function sessionOf(tools: CheckoutTools, db: Reader, { installationId, sessionId }: DraftOrderRow, now: number) {
  const facts = await findSessionFacts(tools, db, { installationId, sessionId }, now)
  if (!facts) throw refuse('draft_not_found')
  return facts
}

async function viewOf(
  tools: CheckoutTools,
  db: Reader,
  { merchantId, mode }: MerchantMode,
  row: DraftOrderRow,
  now: number,
): Promise<Draft> {
  const facts = await sessionOf(tools, db, row, now)
  const { cart, lines, pricing } = facts.quote
  const query = { mode, subjectId: row.id, limit: limits.adminListRowsMax }
  const { entries } = await listEntries(db, merchantId, query)
  const names = await listActorNames(db, merchantId, entries)
  const summary = draftSummary(row, { currency: cart.currency, total: pricing.totals.total }, now)
  return {
    ...summary,
    ...draftPrices(lines, pricing),
    note: row.note,
    url: summary.status === 'open' ? showSession(tools, facts, now).url : null,
    changes: entries.map((entry) => changeView(entry, { names, subjectId: row.id, skipped: 0 })),
  }
}
