// The admin operations on imports and exports.

import type {
  AdminCustomerExportQuery,
  AdminFileColumn,
  AdminTransfer,
  AdminTransferSummary,
  transferOperationRows,
} from '../../contract/admin/transfers.ts'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Static } from '../../contract/schema.ts'
import { findSeller } from '../../domain/catalog/store.ts'
import { findShopUrl, type SiteContext, siteStatusOf } from '../../domain/sites/site.ts'
import { findStoredSite } from '../../domain/sites/store.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { actorOf } from '../../platform/http/actor.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems } from '../../platform/http/adminreply.ts'
import { AuditedReply, type Paging } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { controlCharacterProblems } from '../../platform/kit/problems.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { saveAssignedColumns } from './assignedstore.ts'
import type { ExportPage, OrderAsk } from './exports.ts'
import { assignmentProblems } from './formats/assigned.ts'
import { withAssigned } from './formats/suggested.ts'
import {
  countImports,
  discardOldest,
  findImport,
  type ImportHead,
  insertImport,
  insertPiece,
  listImports,
  lockImport,
  setAssigned,
  setConfirmed,
  setDiscarded,
  setReceived,
  type Transfer,
} from './store.ts'

// Limits of files per merchant: files that are not yet imported, files in the list, and all stored files, including discarded ones that
// are not yet deleted.
const waitingMax = 5
const shownMax = 200
const storedMax = 400

// Loaded on demand: most servers are restarted before an export is requested.
const loadExports = loadOnce(() => import('./exports.ts'))
const loadAfterExports = loadOnce(() => import('./afterexports.ts'))

export interface ImportParts {
  rootSecret: RootSecret
  publicOrigin: () => string
  sites: SiteContext
}

export function adminImportOperations({ rootSecret, publicOrigin, sites }: ImportParts): {
  [Id in keyof typeof transferOperationRows]: AdminHandler<Id>
} {
  async function shownLink(db: Reader, { merchantId, mode }: MerchantMode): Promise<string> {
    const seller = await findSeller(db, merchantId)
    const isOpen = siteStatusOf(await findStoredSite(db, { merchantId, mode })) === 'open'
    const shop = seller && isOpen ? await findShopUrl(db, sites, { merchantId, slug: seller.slug, mode }) : null
    return shop === null ? '' : `${shop}/products/{slug}`
  }

  return {
    async listAdminTransfers({ db, caller, paging }) {
      if (paging.after !== null && !isId('trf', paging.after)) throw badCursorRefusal()
      const found = await listImports(db, caller, paging.after, adminRowsAsked)
      const { rows, meta } = pageOfRows(found, paging, ({ id }) => id)
      return { data: rows.map(summaryView), meta }
    },

    async createAdminTransfer({ db, caller, body: { kind, name, pieces }, now }) {
      refuseProblems('', controlCharacterProblems({ name }, ''))
      const { merchantId, mode } = caller
      // The lock makes concurrent uploads wait, so each counts the others.
      await db.lockRow`select id from merchants where id = ${merchantId}`
      const { all, shown, waiting } = await countImports(db, merchantId)
      if (waiting >= waitingMax || all >= storedMax) throw refuse('transfer_limit')
      if (shown >= shownMax) await discardOldest(db, merchantId)
      const id = newId('trf')
      insertImport(db, { merchantId, id, mode, kind, name, pieces, createdAt: now.getTime() })
      return new AuditedReply({ data: await viewOf(db, caller, id) }, [changeOf({ id, name }, 'create')])
    },

    async getAdminTransfer({ db, caller, path: { transferId } }) {
      return { data: importView(await find(db, caller, transferId)) }
    },

    async appendAdminTransfer({ db, caller, path: { transferId, piece: place }, body: { text }, now }) {
      const transfer = await lock(db, caller, transferId)
      const piece = /^[1-9]\d{0,2}$/.test(place) ? Number(place) : 0
      if (piece === 0 || piece > transfer.pieces) throw refuse('transfer_not_found')
      if (transfer.state !== 'receiving') throw refuse('transfer_not_receiving', { current: { state: transfer.state } })
      if (Buffer.byteLength(text) > limits.transferPieceBytesMax)
        refuseProblems('', [issueAt('/text', 'text_too_large', { kibibytes: limits.transferPieceBytesMax / 1024 })])
      const isNew = await insertPiece(db, transfer, piece, text)
      const received = transfer.received + (isNew ? 1 : 0)
      const isWhole = received === transfer.pieces
      await setReceived(db, transfer, { received, isWhole, now: now.getTime() })
      if (isWhole) db.signal('transfers')
      const change = changeOf(transfer, 'change', [{ member: 'piece', from: null, to: piece }])
      return new AuditedReply({ data: await viewOf(db, caller, transferId) }, [change])
    },

    async assignAdminTransferColumns({ db, caller, path: { transferId }, body: { columns: assigned }, now }) {
      const transfer = await lock(db, caller, transferId)
      const { state, fileColumns } = transfer
      if (!fileColumns || (state !== 'columns' && state !== 'ready'))
        throw refuse('transfer_not_ready', { current: { state } })
      refuseProblems('', assignmentProblems(fileColumns, assigned))
      const columns = withAssigned(fileColumns, assigned)
      await setAssigned(db, transfer, { columns, assigned, now: now.getTime() })
      await saveAssignedColumns(db, caller.merchantId, { columns, assigned, now: now.getTime() })
      db.signal('transfers')
      const change = changeOf(transfer, 'change', [
        { member: 'columns', from: meaningsOf(fileColumns), to: meaningsOf(columns) },
      ])
      return new AuditedReply({ data: await viewOf(db, caller, transferId) }, [change])
    },

    async confirmAdminTransfer({ db, caller, path: { transferId }, now, cause }) {
      const transfer = await lock(db, caller, transferId)
      const { state } = transfer
      if (state !== 'ready') throw refuse('transfer_not_ready', { current: { state } })
      await setConfirmed(db, transfer, {
        actor: actorOf(caller),
        requestId: cause?.requestId ?? null,
        now: now.getTime(),
      })
      db.signal('transfers')
      const change = changeOf(transfer, 'change', [{ member: 'state', from: state, to: 'writing' }])
      return new AuditedReply({ data: await viewOf(db, caller, transferId) }, [change])
    },

    async discardAdminTransfer({ db, caller, path: { transferId } }) {
      const transfer = await lock(db, caller, transferId)
      const { state, id } = transfer
      if (state === 'writing') throw refuse('transfer_not_ready', { current: { state } })
      await setDiscarded(db, transfer)
      return new AuditedReply({ data: { id, removed: true } }, [changeOf(transfer, 'retire')])
    },

    async listAdminExport({ db, caller, query: { of, link: givenLink, open, ...filters }, paging, now }) {
      const { after } = paging
      const exports = await loadExports()
      const exporters = {
        products: () => exports.exportProducts(db, caller, { after, origin: publicOrigin() }),
        stock: () => exports.exportStock(db, caller, { after, origin: publicOrigin() }),
        orders: () => exports.exportOrders(db, caller, { after, ...ordersAsked(filters) }),
        returns: async () => {
          const { from, to } = ordersAsked(filters)
          return (await loadAfterExports()).exportReturns(db, caller, { after, open, from, to })
        },
        drafts: async () => (await loadAfterExports()).exportDrafts(db, caller, { after, now: now.getTime() }),
        promotions: () => exports.exportPromotions(db, caller, { after, now: now.getTime() }),
        google: async () => exports.exportGoogle(db, caller, await feedAsked()),
        acp: async () => exports.exportAcp(db, caller, await feedAsked()),
      }
      return exportView(await exporters[of](), paging)

      async function feedAsked() {
        const link = givenLink ?? (await shownLink(db, caller))
        const problem = exports.linkProblem(link)
        if (problem !== undefined) throw refuse('invalid_request', { issues: [{ path: '/query/link', ...problem }] })
        return { after, origin: publicOrigin(), link, now: now.getTime() }
      }
    },

    async listAdminCustomerExport({ db, caller, query, paging, now }) {
      const ask = { after: paging.after, ...ordersAsked(query) }
      const { exportOrdersWithCustomers } = await loadExports()
      const page = await exportOrdersWithCustomers(db, caller, ask, { rootSecret, now: now.getTime() })
      const looks = page.orders.map(
        ({ id, number: name }) => ({ kind: 'look', what: 'order', id, name, members: [] }) as const,
      )
      return new AuditedReply(exportView(page, paging), looks)
    },
  }
}

function changeOf(
  { id, name }: { id: string; name: string },
  kind: AuditedChange['kind'],
  members: AuditedChange['members'] = [],
): AuditedChange {
  return { kind, what: 'transfer', id, name, members }
}

function meaningsOf(columns: readonly AdminFileColumn[]): Readonly<Record<string, string>> {
  return Object.fromEntries(columns.flatMap(({ name, as }) => (as === null ? [] : [[name, as] as const])))
}

function ordersAsked({ from, to, ...filters }: Static<typeof AdminCustomerExportQuery>): Omit<OrderAsk, 'after'> {
  return {
    ...filters,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  }
}

function exportView({ text, count, last }: ExportPage, paging: Paging) {
  return { data: { text }, meta: { count, next: last === null ? null : paging.next(last) } }
}

async function find(db: Reader, caller: MerchantMode, id: string): Promise<Transfer> {
  const transfer = isId('trf', id) ? await findImport(db, caller, id) : undefined
  if (!transfer) throw refuse('transfer_not_found')
  return transfer
}

async function lock(tx: Tx, caller: MerchantMode, id: string): Promise<Transfer> {
  if (isId('trf', id)) await lockImport(tx, { merchantId: caller.merchantId, id })
  return find(tx, caller, id)
}

async function viewOf(tx: Tx, caller: MerchantMode, id: string): Promise<AdminTransfer> {
  return importView(await find(tx, caller, id))
}

function importView(transfer: Transfer): AdminTransfer {
  const { changesCount, changes, refusedRows, notes, fileColumns } = transfer
  return {
    ...summaryView(transfer),
    columns: fileColumns && [...fileColumns],
    changesCount,
    changes: [...changes],
    refusedRows: [...refusedRows],
    notes: [...notes],
  }
}

function summaryView({
  merchantId: _,
  mode: __,
  state,
  createdAt,
  updatedAt,
  ...head
}: ImportHead): AdminTransferSummary {
  if (state === 'discarded') throw new Error('a discarded import must not be shown')
  const { id, kind, name, pieces, received, created, changed, unchanged, refused, written, problem } = head
  return {
    id,
    kind,
    name,
    state,
    pieces,
    received,
    created,
    changed,
    unchanged,
    refused,
    written,
    problem,
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(updatedAt),
  }
}
