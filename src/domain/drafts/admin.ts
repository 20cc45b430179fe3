// The admin operations on drafts.

import {
  type CreateDraftRequest,
  type Draft,
  draftDays,
  draftEmailsMax,
  type draftOperationRows,
  type UpdateDraftRequest,
} from '../../contract/admin/drafts.ts'
import { limits } from '../../contract/limits.ts'
import { type MemberChange, membersChanged } from '../../platform/audit/change.ts'
import { listActorNames, listEntries } from '../../platform/audit/store.ts'
import { changeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import { isMailOn, queueDraftEmail } from '../../platform/outbox/emails.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { extendAddressExpiry } from '../addresses/store.ts'
import type { CartChangeInput } from '../carts/change.ts'
import { setAddress } from '../carts/destination.ts'
import { createCart } from '../carts/lines.ts'
import { moveDraft } from '../checkout/drafts.ts'
import {
  type CheckoutTools,
  cancelSession,
  findSessionFacts,
  lockSessionAndCart,
  openSession,
  renderSession,
} from '../checkout/sessions.ts'
import { findSession } from '../checkout/store.ts'
import { listInstallations } from '../merchants/store.ts'
import { amendDraft, applyDraftEdit, currentDraftTerms, dayMs, draftReservations, refuseNotOpen } from './edit.ts'
import { merchantPricesBySku, merchantTermsFrom, previewDraft } from './preview.ts'
import { type DraftOrderRow, findDraft, insertDraft, listDrafts, saveDraftEmailed } from './store.ts'
import { draftPrices, draftStatus, draftSummary } from './view.ts'

type DraftOperation = keyof typeof draftOperationRows
type Handlers<Id extends DraftOperation> = { [One in Id]: AdminHandler<One> }

export function adminDraftOperations(tools: CheckoutTools): Handlers<DraftOperation> {
  return { ...looks(tools), ...makes(tools), ...changes(tools) }
}

function looks(tools: CheckoutTools): Handlers<'listAdminDrafts' | 'getAdminDraft'> {
  return {
    async listAdminDrafts({ db, caller, paging, now }) {
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'dft')
      const found = await listDrafts(db, caller, { after, limit: adminRowsAsked })
      const { rows, meta } = pageOfRows(found, paging, ({ createdAt: at, id }) => writeCursorPosition({ at, id }))
      const data = []
      for (const row of rows) data.push(draftSummary(row, await totalOf(tools, db, row, now.getTime()), now.getTime()))
      return { data, meta }
    },

    async getAdminDraft({ db, caller, path: { draftId }, now }) {
      return { data: await viewOf(tools, db, caller, await find(db, caller, draftId), now.getTime()) }
    },
  }
}

function makes(tools: CheckoutTools): Handlers<'createAdminDraft'> {
  return {
    async createAdminDraft({ db, caller, body, now, cause }) {
      const { merchantId, mode } = caller
      const prices = await previewDraft(db, tools.carts.pricebooks, caller, body, now.getTime())
      const { total } = prices.totals
      refuseOtherTotal(total, body.expectedTotal)
      if (body.dryRun) return new AuditedReply({ data: { ...prices, draft: null } }, [])
      const installationId = await sellerInstallation(db, caller, body.installationId)
      const sessionId = await open(tools, { db, caller: { merchantId, mode, installationId }, now, cause }, body)
      const id = newId('dft')
      insertDraft(db, merchantId, {
        id,
        mode,
        installationId,
        sessionId,
        note: body.note ?? null,
        changesOrder: null,
        returnId: null,
        createdAt: now.getTime(),
      })
      const draft = await viewOf(tools, db, caller, await find(db, caller, id), now.getTime())
      // Both totals come from the same pricing function. If they ever differ, nothing is written.
      if (draft.totals.total !== total)
        throw new Error(`draft ${id} costs ${draft.totals.total} minor units instead of ${total}`)
      const session = await findSession(db, { installationId, sessionId })
      if (!session) throw new Error(`draft ${id} has no session`)
      await moveDraft(db, 'create', session, { currency: draft.currency, total }, { now: now.getTime(), cause })
      const members = [
        { member: 'items', from: null, to: body.items },
        { member: 'discount', from: null, to: body.discount ?? 0 },
        { member: 'total', from: null, to: total },
      ]
      return new AuditedReply({ data: { ...prices, draft } }, [
        { kind: 'create', what: 'draft', id, name: id, members },
      ])
    },
  }
}

function changes(tools: CheckoutTools): Handlers<'updateAdminDraft' | 'sendAdminDraft' | 'cancelAdminDraft'> {
  return {
    async updateAdminDraft({ db, caller, path: { draftId }, body, now, cause }) {
      const at = now.getTime()
      const row = await lockOpen(db, caller, draftId, at)
      refuseUnchangeable(row, body.expectedVersion)
      const { quote: before } = await sessionOf(tools, db, row, at)
      const terms = currentDraftTerms(before)
      const asked = { ...applyDraftEdit(terms, body), ...(body.address && { address: body.address }) }
      const prices = await previewDraft(db, tools.carts.pricebooks, caller, asked, at, draftReservations(before, at))
      refuseOtherTotal(prices.totals.total, body.expectedTotal)
      if (body.dryRun) return new AuditedReply({ data: { ...prices, draft: null } }, [])
      const quote = await amendDraft(tools, { db, seller: caller, row, edit: body, now, cause })
      const after = await find(db, caller, draftId)
      const draft = await viewOf(tools, db, caller, after, at)
      const was = { ...terms, total: before.pricing.totals.total }
      const is = { ...currentDraftTerms(quote), total: draft.totals.total }
      const members = [
        ...membersChanged(was, is, ['items', 'discount', 'shipping', 'total']),
        ...personalMembers(body, row, after),
      ]
      const change = { kind: 'change', what: 'draft', id: draftId, name: draftId, members } as const
      return new AuditedReply({ data: { ...draftPrices(quote.lines, quote.pricing), draft } }, [change])
    },

    async sendAdminDraft({ db, caller, path: { draftId }, now }) {
      const at = now.getTime()
      const row = await lockOpen(db, caller, draftId, at)
      if (row.emailMasked === null) throw refuse('draft_without_email')
      if (row.emails >= draftEmailsMax) throw refuse('draft_email_limit', { current: { limit: draftEmailsMax } })
      if (!(await isMailOn(db))) throw refuse('mail_off', { message: 'This server sends no e-mails.' })
      const sent = { ...row, emails: row.emails + 1, emailedAt: at }
      saveDraftEmailed(db, caller.merchantId, sent)
      const { installationId, sessionId, mode } = row
      queueDraftEmail(db, { installationId, mode, sessionId, draftId, number: sent.emails }, at)
      const members = [{ member: 'emailedAt', from: instantOrNull(row.emailedAt), to: toInstant(at) }]
      const data = await viewOf(tools, db, caller, await find(db, caller, draftId), at)
      return new AuditedReply({ data }, [{ kind: 'change', what: 'draft', id: draftId, name: draftId, members }])
    },

    async cancelAdminDraft({ db, caller, path: { draftId }, now, cause }) {
      const { merchantId } = caller
      const row = await lockOpen(db, caller, draftId, now.getTime())
      const { installationId, sessionId } = row
      const status = draftStatus(row, now.getTime())
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
      return new AuditedReply({ data: after }, [{ kind: 'change', what: 'draft', id: draftId, name: draftId, members }])
    },
  }
}

// The status is read again under the session's lock, because a payment of the draft may be in progress.
async function lockOpen(db: Tx, seller: MerchantMode, draftId: string, now: number): Promise<DraftOrderRow> {
  await lockSessionAndCart(db, await find(db, seller, draftId))
  const row = await find(db, seller, draftId)
  refuseNotOpen(row, now)
  return row
}

// A draft that changes an order was agreed on as a whole, so it cannot be edited.
function refuseUnchangeable({ version, changesOrder }: DraftOrderRow, expected: number | undefined): void {
  if (changesOrder !== null)
    throw refuse('draft_not_open', {
      message: 'The draft changes an order and cannot be edited: cancel the draft, and make the change again.',
    })
  if (expected === undefined || expected === version) return
  const message = `The draft is at version ${version}; the request expected ${expected}.`
  throw refuse('version_conflict', { message, current: { version } })
}

// Changes of the members that are not terms: note and address without their values, the e-mail address masked.
function personalMembers(
  { note, days, address, locale }: UpdateDraftRequest,
  before: DraftOrderRow,
  after: DraftOrderRow,
): MemberChange[] {
  const hidden = (member: string) => ({ member, from: null, to: null })
  return [
    ...membersChanged(before, after, ['emailMasked']),
    ...(note !== undefined && note !== before.note ? [hidden('note')] : []),
    ...(address ? [hidden('address')] : []),
    ...(locale === undefined ? [] : [{ member: 'locale', from: null, to: locale }]),
    ...(days === undefined
      ? []
      : [{ member: 'expiresAt', from: toInstant(before.expiresAt), to: toInstant(after.expiresAt) }]),
  ]
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : toInstant(at)
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
  const own = { terms: merchantTermsFrom(body), prices: merchantPricesBySku(body.items) }
  const { cart } = await createCart(tools.carts, { db, caller, items, metadata: {}, now, cause, own })
  const { address, customer = {}, days = draftDays } = body
  const change: CartChangeInput = { db, caller, cartId: cart.id, expectedVersion: undefined, now, cause }
  if (address) {
    const { token } = await setAddress(tools.carts, change, { rootSecret: tools.rootSecret, address })
    // The address is kept as long as the link is valid: the agreed tax and delivery depend on it.
    extendAddressExpiry(db, caller.installationId, token, now.getTime() + days * dayMs)
  }
  const session = await openSession(tools, {
    ...{ db, caller, now, cause, isOwn: true },
    body: {
      cartId: cart.id,
      successUrl: '',
      customer,
      ...(body.locale && { locale: body.locale }),
      expiresInSeconds: (days * dayMs) / 1000,
    },
  })
  return session.id
}

// Returns the installation that the request names, or the oldest active one.
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

// A draft of an earlier release has no stored total.
async function totalOf(tools: CheckoutTools, db: Reader, row: DraftOrderRow, now: number): Promise<number> {
  return row.total ?? (await sessionOf(tools, db, row, now)).quote.pricing.totals.total
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
  const summary = draftSummary(row, pricing.totals.total, now)
  return {
    ...summary,
    ...draftPrices(lines, pricing),
    terms: { discount: cart.terms?.discount ?? 0, shipping: cart.terms?.shipping ?? null },
    note: row.note,
    locale: facts.session.locale,
    emailedAt: instantOrNull(row.emailedAt),
    url: summary.status === 'open' ? renderSession(tools, facts, now).url : null,
    changes: entries.map((entry) => changeView(entry, { names, subjectId: row.id, skipped: 0 })),
  }
}
