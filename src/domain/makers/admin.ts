// The admin operations on makers.

import type { AdminMaker, makerOperationRows } from '../../contract/admin/makers.ts'
import { makersMax } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { pageOfRows } from '../../platform/http/paging.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { changedMakerRow, type MakerRow, makerChange, makerProblems, makerRecord, newMakerRow } from './maker.ts'
import {
  countMakers,
  countProductsOfMakers,
  deleteMaker,
  findMaker,
  insertMaker,
  listMakers,
  listMakersBySlug,
  updateMaker,
} from './store.ts'

export function adminMakerOperations(): { [Id in keyof typeof makerOperationRows]: AdminHandler<Id> } {
  return {
    async listAdminMakers({ db, caller, query: { q = '', limit = limits.adminListRowsMax }, paging }) {
      const asked = { part: q, after: paging.after ?? '', limit: limit + 1 }
      const found = await listMakers(db, caller.merchantId, asked)
      const { rows, meta } = pageOfRows(found, paging, ({ slug }) => slug, limit)
      const slugs = rows.map(({ slug }) => slug)
      const counts = await countProductsOfMakers(db, caller.merchantId, slugs)
      const countOf = new Map(counts.map(({ slug, count }) => [slug, count]))
      return { data: rows.map((row) => makerView(row, countOf.get(row.slug) ?? 0)), meta }
    },

    async createAdminMaker({ db, caller: { merchantId }, body: { maker: entry }, now }) {
      refuseProblems('/maker', makerProblems(entry))
      await lockMerchantById(db, merchantId)
      if ((await listMakersBySlug(db, merchantId, [entry.slug])).length > 0) throw refuse('maker_exists')
      if ((await countMakers(db, merchantId)) >= makersMax) throw refuse('maker_limit')
      const maker = newMakerRow(entry, now.getTime())
      await insertMaker(db, merchantId, maker)
      return new AuditedReply({ data: makerView(maker, 0) }, [makerChange(undefined, maker)])
    },

    async replaceAdminMaker({ db, caller: { merchantId }, path: { makerId }, body, now }) {
      const { maker: entry, expectedVersion } = body
      refuseProblems('/maker', makerProblems(entry))
      const { maker: before, count } = await lockMaker(db, merchantId, makerId, expectedVersion)
      if (entry.slug !== before.slug) throw refuse('slug_not_changeable', { current: { slug: before.slug } })
      const after = changedMakerRow(before, makerRecord(entry), now.getTime())
      if (after === before) return new AuditedReply({ data: makerView(before, count) }, [])
      await updateMaker(db, merchantId, after)
      return new AuditedReply({ data: makerView(after, count) }, [makerChange(before, after)])
    },

    async removeAdminMaker({ db, caller: { merchantId }, path: { makerId }, body: { expectedVersion } }) {
      const { maker, count } = await lockMaker(db, merchantId, makerId, expectedVersion)
      if (count > 0) throw refuse('maker_in_use', { current: { products: count } })
      await deleteMaker(db, merchantId, maker.id)
      return new AuditedReply({ data: makerView(maker, 0) }, [makerChange(maker, undefined)])
    },
  }
}

// Products are written under the same lock, so a count of the maker's products stays correct until the commit.
async function lockMaker(
  tx: Tx,
  merchantId: string,
  id: string,
  expectedVersion: number,
): Promise<{ maker: MakerRow; count: number }> {
  await lockMerchantById(tx, merchantId)
  const maker = isId('mkr', id) ? await findMaker(tx, merchantId, id) : undefined
  if (!maker) throw refuse('maker_not_found')
  const count = await usesOf(tx, merchantId, maker)
  if (maker.version !== expectedVersion) throw versionConflict(makerView(maker, count))
  return { maker, count }
}

async function usesOf(db: Reader, merchantId: string, { slug }: MakerRow): Promise<number> {
  return (await countProductsOfMakers(db, merchantId, [slug]))[0]?.count ?? 0
}

function makerView({ id, version, updatedAt, ...maker }: MakerRow, productCount: number): AdminMaker {
  return { id, version, maker: makerRecord(maker), productCount, updatedAt: toInstant(updatedAt) }
}
