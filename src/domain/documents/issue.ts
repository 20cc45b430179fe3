// Creates the documents that payments and refunds require, in the background, so purchases do not wait for it. A document, its number and
// its event are written in one transaction, which also deletes the cause: if the process is killed, nothing is lost and no number is
// skipped.

import type { EventDataOf } from '../../contract/open/events.ts'
import { type DocumentKind, isByVatNumber } from '../../contract/words.ts'
import { handleRows } from '../../platform/jobs/rows.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { announce, announceTogether } from '../../platform/outbox/announce.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { tryDecryptAddress } from '../addresses/vault.ts'
import { findMerchantById, type Merchant } from '../merchants/store.ts'
import { findOrderFacts } from '../orders/change.ts'
import { decryptCustomer } from '../orders/customer.ts'
import { listLinesOfRefund, type OrderRow } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { dayAt } from '../reports/days.ts'
import { countOrderAgain } from '../reports/store.ts'
import {
  type Buyer,
  type DocumentContent,
  type DocumentReference,
  decryptBuyer,
  documentSeller,
  encryptBuyer,
  invoiceSettings,
} from './content.ts'
import { numberFormats, numberText, periodFor } from './numbers.ts'
import { taxReasonFor } from './reason.ts'
import {
  assignDocumentNumber,
  type CauseRow,
  claimDocumentCause,
  type DocumentRow,
  findDeliveries,
  findEditParts,
  findSealedBuyer,
  insertDocument,
  isCauseQueued,
  isNumberTaken,
  listCauses,
  listDocumentsOfOrder,
  type SealedBuyer,
} from './store.ts'
import {
  addedLines,
  creditLines,
  type DocumentLine,
  type IntendedRefund,
  invoiceLines,
  type ReasonFor,
  refundForRemovedParts,
  sumEarlierCredits,
  sumsByRate,
  sumTaxedLines,
} from './sums.ts'

export interface IssueRound {
  now: number
  limit: number
}

// One round of the background job. Returns how many causes were handled. Safe on several nodes at the same time.
export async function issueDocuments(
  storage: Storage,
  rootSecret: RootSecret,
  { now, limit }: IssueRound,
): Promise<number> {
  const causes = await storage.read((db) => listCauses(db, now, limit))
  return handleRows(
    { storage, loop: 'documents', now },
    groupsOf(causes),
    ({ merchantId, causeId }) => ({ tenantId: merchantId, rowId: causeId }),
    (group) =>
      storage.write(async (tx) => {
        const [first] = group
        if (!first) return 0
        // Lets one node at a time work for a merchant: two nodes would wait for each other's number series.
        await tx.lockRow`select id from merchants where id = ${first.merchantId}`
        const merchant = await findMerchantById(tx, first.merchantId)
        if (!merchant) throw new Error(`merchant ${first.merchantId} of ${first.causeId} does not exist`)
        await announceTogether(tx, async () => {
          for (const cause of group) await settle(tx, rootSecret, { cause, merchant, now })
        })
        const credited = group.filter(({ cause }) => cause !== 'order_paid')
        for (const cause of credited.toSorted(byOrder)) countOrderAgain(tx, cause)
        return group.length
      }),
  )
}

// Sorts by order id, which is the order in which orders are locked.
function byOrder({ orderId: one }: CauseRow, { orderId: other }: CauseRow): number {
  return one < other ? -1 : 1
}

// Maximum number of causes in a group, all of one merchant and mode. Small, because other writes wait for the transaction.
const groupMax = 10

function groupsOf(causes: readonly CauseRow[]): CauseRow[][] {
  const bySeries = [...Map.groupBy(causes, ({ merchantId, mode }) => `${merchantId} ${mode}`).values()]
  return bySeries.flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / groupMax) }, (_, i) => some.slice(i * groupMax, (i + 1) * groupMax)),
  )
}

interface Draft {
  kind: DocumentKind
  lines: readonly DocumentLine[]
  corrects: DocumentRow | null
  // Further invoices that a credit note corrects.
  alsoCorrects: readonly DocumentRow[]
}

async function settle(
  tx: Tx,
  rootSecret: RootSecret,
  { cause, merchant, now }: { cause: CauseRow; merchant: Merchant; now: number },
): Promise<void> {
  if (!(await claimDocumentCause(tx, cause))) return
  const [facts, made] = await Promise.all([
    findOrderFacts(tx, cause),
    listDocumentsOfOrder(tx, cause.merchantId, cause.orderId),
  ])
  if (!facts) throw new Error(`the order of ${cause.causeId} does not exist`)
  if (made.some((document) => document.cause === cause.cause && document.causeId === cause.causeId)) return
  const { taxRelief, vat } = facts.order
  const buyerCountry = isByVatNumber(taxRelief) ? vat?.country : undefined
  const sealed = await findSealedBuyer(tx, facts.order)
  const country = sealed.country ?? buyerCountry ?? merchant.country
  const deliveries = await findDeliveries(tx, facts.order)
  const draft = await draftFor(tx, cause, { merchant, facts, made, country, deliveries })
  if (!draft) return
  const row = await rowFor(tx, cause, draft, { merchant, facts, country, now })
  const buyer = await buyerFor(tx, rootSecret, { order: facts.order, sealed, draft, now })
  const document = { ...row, buyerSealed: buyer && encryptBuyer(rootSecret, row.id, buyer) }
  insertDocument(tx, document)
  announceDocument(tx, document, now)
}

interface Known {
  merchant: Merchant
  facts: OrderFacts
  made: readonly DocumentRow[]
  country: string
  // How each SKU is delivered.
  deliveries: ReadonlyMap<string, 'shipped' | 'digital'>
}

// Returns undefined if no document is required: for a refund of an order that has no invoice because it was placed before invoices
// existed, or for a failed refund that had never succeeded.
async function draftFor(tx: Tx, cause: CauseRow, known: Known): Promise<Draft | undefined> {
  const isOfEdit = isId('edt', cause.causeId)
  if (cause.cause === 'order_paid' && !isOfEdit) return invoiceOf(linesOf(known))
  if (cause.cause === 'refund_failed') {
    const note = known.made.find((document) => document.cause === 'refund_paid' && document.causeId === cause.causeId)
    return note && { ...invoiceOf(note.content.lines), corrects: note }
  }
  const invoice = known.made.find((document) => document.cause === 'order_paid')
  if (!invoice) {
    const { merchantId, orderId } = cause
    // The creation of the invoice failed and was deferred, so the credit note waits.
    if (await isCauseQueued(tx, { merchantId, cause: 'order_paid', causeId: orderId }))
      throw new Error(`the invoice of order ${orderId} is not issued yet`)
    return undefined
  }
  const invoiced = known.made.filter((document) => document.cause === 'order_paid')
  const lines = invoiced.flatMap(({ content }) => content.lines)
  const edit = isOfEdit ? await findEditParts(tx, cause.merchantId, cause.causeId) : undefined
  if (edit && cause.cause === 'order_paid') return invoiceOf(addedLines(edit.added, lines.length, reasonsOf(known)))
  const meant = edit ? refundForRemovedParts(edit.removed) : await refundMeant(tx, cause, known)
  const credited = creditLines(lines, sumEarlierCredits(notesOf(known)), meant)
  // The credit note corrects the invoices of the returned goods; goods that an edit added have their own invoice.
  const positions = new Set(credited.map(({ position }) => position))
  const [corrects = invoice, ...alsoCorrects] = invoiced.filter(({ content }) =>
    content.lines.some(({ position }) => positions.has(position)),
  )
  return { kind: 'credit_note', lines: credited, corrects, alsoCorrects }
}

function invoiceOf(lines: readonly DocumentLine[]): Draft {
  return { kind: 'invoice', lines, corrects: null, alsoCorrects: [] }
}

// Credit notes that were reversed are marked, so they no longer count.
function notesOf({ made }: Known): Parameters<typeof sumEarlierCredits>[0] {
  const reversed = new Set(made.filter((document) => document.cause === 'refund_failed').map((one) => one.causeId))
  return made
    .filter((document) => document.kind === 'credit_note')
    .map(({ content, causeId }) => ({ lines: content.lines, isReversed: reversed.has(causeId) }))
}

async function refundMeant(tx: Tx, cause: CauseRow, { facts }: Known): Promise<IntendedRefund> {
  const refund = facts.refunds.find(({ id }) => id === cause.causeId)
  if (!refund) throw new Error(`refund ${cause.causeId} does not exist`)
  return { amount: refund.amount, lines: await listLinesOfRefund(tx, cause, refund.id) }
}

function linesOf(known: Known): DocumentLine[] {
  return invoiceLines(known.facts.order, known.facts.lines, reasonsOf(known))
}

function reasonsOf({ merchant, facts, country, deliveries }: Known): ReasonFor {
  const { smallBusiness: isSmallBusiness = false } = invoiceSettings(merchant)
  const place = { relief: facts.order.taxRelief, isSmallBusiness, sellerCountry: merchant.country, country }
  return (rateBps, skuId) => taxReasonFor({ rateBps, delivery: deliveries.get(skuId) }, place)
}

async function rowFor(
  tx: Tx,
  { merchantId, mode, cause, causeId, installationId, orderId }: CauseRow,
  { kind, lines, corrects, alsoCorrects }: Draft,
  { merchant, facts, country, now }: Omit<Known, 'made' | 'deliveries'> & { now: number },
): Promise<DocumentRow> {
  const { timeZone } = merchant
  const day = dayAt(now, timeZone)
  return {
    merchantId,
    id: newId('doc'),
    mode,
    kind,
    cause,
    causeId,
    installationId,
    orderId,
    number: await numberFor(tx, merchant, { mode, kind, day }),
    day,
    supplyDay: corrects?.supplyDay ?? supplyDayOf(facts, timeZone) ?? day,
    currency: facts.order.currency,
    ...sumTaxedLines(lines),
    country: corrects?.country ?? country,
    content: contentOf({ merchant, facts, lines, corrects, alsoCorrects }),
    buyerSealed: null,
    issuedAt: now,
  }
}

function contentOf({
  merchant,
  facts: { order, payments },
  lines,
  corrects,
  alsoCorrects,
}: Pick<Known, 'merchant' | 'facts'> & Omit<Draft, 'kind'>): DocumentContent {
  const day = (at: number) => dayAt(at, merchant.timeZone)
  return {
    seller: documentSeller(merchant),
    lines,
    rates: sumsByRate(lines),
    priceTax: order.priceTax,
    order: { number: order.number, day: day(order.placedAt) },
    corrects: corrects && referenceTo(corrects),
    ...(alsoCorrects.length > 0 && { alsoCorrects: alsoCorrects.map(referenceTo) }),
    payments: payments
      .filter(({ status, amount }) => status === 'succeeded' && amount > 0)
      .map(({ method, brand, last4, amount, movedFrom, updatedAt }) => {
        const card = brand !== null && last4 !== null ? { brand, last4 } : null
        // Money that an exchange moved may exceed the price of the order; the excess was refunded.
        const paid = movedFrom === null ? amount : Math.min(amount, order.total)
        return { method, card, day: day(updatedAt), amount: paid }
      }),
    locale: order.locale,
  }
}

function referenceTo({ id, number, day }: DocumentRow): DocumentReference {
  return { id, number, day }
}

// The day of the last parcel. Undefined while something is still to be sent, or if nothing is shipped.
function supplyDayOf({ order, fulfillments }: OrderFacts, timeZone: string): string | undefined {
  const last = fulfillments.at(-1)
  return order.fulfillmentStatus === 'fulfilled' && last ? dayAt(last.at, timeZone) : undefined
}

async function numberFor(
  tx: Tx,
  merchant: Merchant,
  { mode, kind, day }: Pick<DocumentRow, 'mode' | 'kind' | 'day'>,
): Promise<string> {
  const { numberFormat, creditNumberFormat } = invoiceSettings(merchant)
  const format = (kind === 'invoice' ? numberFormat : creditNumberFormat) ?? numberFormats[kind]
  const year = day.slice(0, 4)
  const series = { merchantId: merchant.id, mode, kind, period: periodFor(format, year) }
  for (;;) {
    const number = numberText(format, { mode, year, number: await assignDocumentNumber(tx, series) })
    // An earlier number format may have produced the same text.
    if (!(await isNumberTaken(tx, series, number))) return number
  }
}

interface BuyerAsk {
  order: OrderRow
  sealed: SealedBuyer
  draft: Draft
  now: number
}

// A correction has the same buyer as the corrected document, as named there.
async function buyerFor(
  tx: Tx,
  rootSecret: RootSecret,
  { order, sealed: { customerSealed, sealed, rowKey, expiresAt }, draft, now }: BuyerAsk,
): Promise<Buyer | null> {
  if (draft.corrects) return decryptBuyer(rootSecret, draft.corrects) ?? null
  const { installationId, id: ownerId, checkoutSessionId } = order
  const customer = decryptCustomer(rootSecret, checkoutSessionId, customerSealed)
  const address =
    order.address && sealed !== null && expiresAt !== null
      ? await tryDecryptAddress(tx, rootSecret, {
          ...{ installationId, ownerId, id: order.address.token, now },
          row: { sealed, rowKey, expiresAt },
        })
      : undefined
  const name = address?.name || customer?.name
  if (!name) return null
  const vat = buyerVatOf(order, customer?.vatId)
  if (!address) return { name, company: null, address: null, ...vat }
  const { name: _, company = null, phone: __, ...place } = address
  return { name, company: company || null, address: place, ...vat }
}

// A number that is not registered does not belong to the buyer. The register's answer is stored as long as the document.
function buyerVatOf({ vat }: OrderRow, vatId: string | undefined): Pick<Buyer, 'vatId' | 'vatCheck'> {
  if (!vat || vatId === undefined || vat.status === 'invalid') return { vatId: null }
  return { vatId, vatCheck: vat }
}

function announceDocument(tx: Tx, document: DocumentRow, now: number): void {
  const { installationId, mode, id, kind, number, orderId, day, currency, net, tax, total } = document
  const data: EventDataOf<'document.issued'> = {
    document: { id, kind, number, orderId, day, currency, net, tax, total },
  }
  announce(tx, {
    installationId,
    mode,
    kind: 'document.issued',
    subject: { type: 'document', id },
    sequence: 1,
    dataText: JSON.stringify(data),
    cause: null,
    now,
  })
}
