// Exports of returns and drafts: newest first, as in their lists, and without customer data.

import { listDrafts } from '../../domain/drafts/store.ts'
import { draftStatus } from '../../domain/drafts/view.ts'
import {
  type AdminReturnsQuery,
  listAdminReturns,
  listRefundedOfReturns,
  type ReturnFacts,
} from '../../domain/returns/store.ts'
import { returnNumber } from '../../domain/returns/view.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decimalAmount } from '../../platform/kit/money.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { csvLine } from './csv.ts'
import type { ExportPage } from './exports.ts'

const returnsMax = 50
const draftsMax = 200

const returnHeader = csvLine([
  'Return',
  'Order',
  'Status',
  'Reason',
  'Wish',
  'Opened by',
  'Requested at',
  'Updated at',
  'Currency',
  'Refunded Amount',
  'Exchange Orders',
  'Lineitem quantity',
  'Lineitem received',
  'Lineitem restocked',
  'Lineitem name',
  'Lineitem sku',
  'Id',
])

export interface ReturnExportQuery extends Pick<AdminReturnsQuery, 'open' | 'from' | 'to'> {
  after: string | null
}

export async function exportReturns(
  db: Reader,
  seller: MerchantMode,
  { after, ...filters }: ReturnExportQuery,
): Promise<ExportPage> {
  const place = after === null ? null : readCursorPosition(after, 'ret')
  const found = await listAdminReturns(db, seller, { ...filters, after: place, limit: returnsMax + 1 })
  const shown = found.slice(0, returnsMax)
  const refunded = await listRefundedOfReturns(
    db,
    shown.map(({ row }) => row),
  )
  const amounts = new Map(refunded.map(({ returnId, amount }) => [returnId, amount]))
  const last = shown.at(-1)?.row
  return {
    text:
      (after === null ? returnHeader : '') +
      shown.map((facts) => returnLines(facts, amounts.get(facts.row.id) ?? 0)).join(''),
    count: shown.length,
    last: last && found.length > shown.length ? writeCursorPosition({ at: last.requestedAt, id: last.id }) : null,
  }
}

// Only the first row of a return contains the facts about the return itself.
function returnLines({ row, lines, exchanges }: ReturnFacts, refunded: number): string {
  const facts = [
    row.orderNumber,
    row.status,
    row.reason,
    row.wish,
    row.openedBy,
    toInstant(row.requestedAt),
    toInstant(row.updatedAt),
    row.currency,
    decimalAmount(refunded, row.currency),
    exchanges.map(({ orderNumber }) => orderNumber).join(', '),
  ]
  const none = facts.map(() => '')
  return lines
    .map(({ quantity, received, restocked, name, code }, index) =>
      csvLine([
        returnNumber(row),
        ...(index === 0 ? facts : none),
        String(quantity),
        String(received),
        String(restocked),
        name,
        code,
        row.id,
      ]),
    )
    .join('')
}

const draftHeader = csvLine([
  'Id',
  'Status',
  'Created at',
  'Expires at',
  'Currency',
  'Total',
  'Order',
  'Change Of Order',
  'Emails sent',
  'Emailed at',
])

export async function exportDrafts(
  db: Reader,
  seller: MerchantMode,
  { after, now }: { after: string | null; now: number },
): Promise<ExportPage> {
  const place = after === null ? null : readCursorPosition(after, 'dft')
  const found = await listDrafts(db, seller, { after: place, limit: draftsMax + 1 })
  const shown = found.slice(0, draftsMax)
  const lines = shown.map((draft) =>
    csvLine([
      draft.id,
      draftStatus(draft, now),
      toInstant(draft.createdAt),
      toInstant(draft.expiresAt),
      draft.currency,
      draft.total === null ? '' : decimalAmount(draft.total, draft.currency),
      draft.orderNumber ?? '',
      draft.changedNumber ?? '',
      String(draft.emails),
      draft.emailedAt === null ? '' : toInstant(draft.emailedAt),
    ]),
  )
  const last = shown.at(-1)
  return {
    text: (after === null ? draftHeader : '') + lines.join(''),
    count: shown.length,
    last: last && found.length > shown.length ? writeCursorPosition({ at: last.createdAt, id: last.id }) : null,
  }
}
