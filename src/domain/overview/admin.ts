// The admin operations that span many folders: home, search, duties, the list of changes and undoing a change.

import type { changeOperationRows } from '../../contract/admin/changes.ts'
import type { dutyOperationRows } from '../../contract/admin/duties.ts'
import { bestSellersMax, type homeOperationRows } from '../../contract/admin/home.ts'
import { limits } from '../../contract/limits.ts'
import { findEntry, listActorNames, listEntries, lockEntry } from '../../platform/audit/store.ts'
import { notUndoable, type Undoers, undoChanges } from '../../platform/audit/undo.ts'
import { changeView, subjectChangeView } from '../../platform/audit/view.ts'
import { actorOf } from '../../platform/http/actor.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { duties, dutyStates } from '../../platform/kit/duties.ts'
import { isId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { createLowStockCount } from '../catalog/lowstock.ts'
import { recentSales } from '../reports/report.ts'
import { listDutyFacts } from './duties.ts'
import { countOrders, countTodo } from './home.ts'
import { searchShop } from './search.ts'

export function adminHomeOperations({ rootSecret }: { rootSecret: RootSecret }): {
  [Id in keyof typeof homeOperationRows]: AdminHandler<Id>
} {
  const countLowStock = createLowStockCount()
  return {
    async getAdminHome({ db, caller, now }) {
      const [counts, sales] = await Promise.all([
        countTodo(db, caller, { now: now.getTime(), countLowStock }),
        recentSales(db, caller, now, bestSellersMax),
      ])
      return { data: { ...counts, ...sales } }
    },

    async getAdminOrderCounts({ db, caller }) {
      return { data: await countOrders(db, caller) }
    },

    async searchAdmin({ db, caller, query: { q } }) {
      const seesCustomers = caller.scopes.includes('admin:customers')
      return { data: await searchShop(db, rootSecret, caller, { question: q, seesCustomers }) }
    },
  }
}

export interface AdminParts {
  undoers: Undoers
}

export function adminChangeOperations({ undoers }: AdminParts): {
  [Id in keyof typeof changeOperationRows]: AdminHandler<Id>
} {
  return {
    async listAdminChanges({ db, caller: { merchantId, mode }, query, paging: { after }, paging }) {
      // For a single entry, the cursor is the number of changes that were shown already.
      const isOne = query.changeId !== undefined
      if (after !== null && !(isOne ? /^\d{1,9}$/.test(after) : isId('chg', after))) throw badCursorRefusal()
      const skipped = isOne ? Number(after ?? 0) : 0
      const { from, to, ...filters } = query
      const { entries, isMore } = await listEntries(db, merchantId, {
        ...filters,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        mode,
        after: isOne ? null : after,
        limit: limits.adminListRowsMax,
      })
      const last = entries.at(-1)
      const names = await listActorNames(db, merchantId, entries)
      const { subjectId } = query
      const shown = skipped + limits.changesShownMax
      const isRest = isOne ? (last?.changes.length ?? 0) > shown : isMore
      return {
        data: entries.map((entry) => changeView(entry, { names, subjectId, skipped })),
        meta: { count: entries.length, next: last && isRest ? paging.next(isOne ? String(shown) : last.id) : null },
      }
    },

    async undoAdminChange({ db, caller, path: { changeId }, body: { dryRun = false }, now, cause }) {
      const { merchantId, mode, scopes } = caller
      if (!isId('chg', changeId)) throw refuse('change_not_found')
      await lockEntry(db, merchantId, changeId)
      const entry = await findEntry(db, merchantId, changeId)
      if (!entry || (entry.mode !== null && entry.mode !== mode)) throw refuse('change_not_found')
      const { undoneBy } = entry
      if (undoneBy !== null) throw refuse('change_already_undone', { current: { undoneBy } })
      if (entry.cutCount !== null) throw notUndoable(entry.changes[0])
      const undone = await undoChanges(undoers, {
        tx: db,
        seller: { merchantId, mode },
        changes: entry.changes,
        scopes,
        dryRun,
        actor: actorOf(caller),
        context: { now: now.getTime(), cause },
      })
      return new AuditedReply({ data: { changes: undone.map(subjectChangeView) } }, dryRun ? [] : undone, changeId)
    },
  }
}

export function adminDutyOperations(): { [Id in keyof typeof dutyOperationRows]: AdminHandler<Id> } {
  return {
    async getAdminDuties({ db, caller: { merchantId } }) {
      const [facts] = await listDutyFacts(db, [merchantId])
      if (!facts) throw new Error(`merchant ${merchantId} does not exist`)
      return {
        data: {
          duties: dutyStates(facts).map(({ id, status, countries, lacks }) => {
            const { since, source } = duties[id]
            return { id, status, countries: [...countries], since, source, lacks: [...lacks] }
          }),
          productsWithoutMaker: facts.withoutMaker,
          makersWithoutResponsible: facts.withoutResponsible,
        },
      }
    },
  }
}
