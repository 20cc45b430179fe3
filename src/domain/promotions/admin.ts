// The admin operations on promotions.

import type { AdminPromotion, catalogOperationRows } from '../../contract/admin/catalog.ts'
import type { PromotionEntry } from '../../contract/entries.ts'
import type { Mode } from '../../contract/words.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { isId } from '../../platform/kit/ids.ts'
import { controlCharacterProblems, type EntryProblem } from '../../platform/kit/problems.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { announcePromotion } from './announce.ts'
import { auditedChange, noNewGoods, type PromotionSeller, planPromotions, savePromotions } from './change.ts'
import { promotionEntryOf, promotionProblems, promotionStatus } from './entry.ts'
import {
  findOperatorPromotionById,
  listPromotionsWhere,
  lockPromotionSeller,
  normalizePromotionCode,
  type OperatorPromotion,
} from './store.ts'

type PromotionOperation = Extract<keyof typeof catalogOperationRows, `${string}Promotion` | `${string}Promotions`>

export function adminPromotionOperations(): { [Id in PromotionOperation]: AdminHandler<Id> } {
  return {
    async listAdminPromotions({ db, caller, query: { q, status }, paging, now }) {
      const found = await listPromotionsWhere(db, caller, {
        code: q === undefined ? undefined : normalizePromotionCode(q),
        status,
        afterCode: paging.after ?? '',
        now: now.getTime(),
        limit: adminRowsAsked,
      })
      const { rows, meta } = pageOfRows(found, paging, ({ code }) => code)
      return { data: rows.map((row) => promotionView(row, caller.mode, now.getTime())), meta }
    },

    async getAdminPromotion({ db, caller, path: { promotionId }, now }) {
      const promotion = await findOne(db, caller.merchantId, promotionId)
      return { data: promotionView(promotion, caller.mode, now.getTime()) }
    },

    async createAdminPromotion({ db, caller, body: { promotion: entry }, now, cause }) {
      refuseProblems('/promotion', problemsOf(entry))
      const seller = await lockSeller(db, caller.merchantId)
      const { plans } = await planPromotions(db, seller, [entry], noNewGoods, now.getTime())
      if (plans[0] && plans[0].write !== 'insert') throw refuse('promotion_exists')
      return save(db, seller, entry, 'promotion.created', caller.mode, { now: now.getTime(), cause })
    },

    async replaceAdminPromotion({ db, caller, path: { promotionId }, body, now, cause }) {
      const { promotion: entry, expectedVersion } = body
      refuseProblems('/promotion', problemsOf(entry))
      const seller = await lockSeller(db, caller.merchantId)
      const before = await findOne(db, caller.merchantId, promotionId)
      if (before.editVersion !== expectedVersion)
        throw versionConflict(promotionView(before, caller.mode, now.getTime()))
      if (normalizePromotionCode(entry.code) !== before.code)
        throw refuse('code_not_changeable', { current: { code: before.code } })
      return save(db, seller, entry, 'promotion.updated', caller.mode, { now: now.getTime(), cause })
    },
  }
}

async function save(
  tx: Tx,
  seller: PromotionSeller,
  entry: PromotionEntry,
  kind: 'promotion.created' | 'promotion.updated',
  mode: Mode,
  context: Parameters<typeof announcePromotion>[4],
) {
  const { plans, refused } = await savePromotions(tx, seller, [entry], noNewGoods, context.now)
  const [plan] = plans
  if (!plan) throw refused[0]?.refusal ?? new Error('the promotion was neither planned nor refused')
  const after = await findOne(tx, seller.id, plan.promotion.id)
  if (plan.changes.length > 0) await announcePromotion(tx, seller.id, kind, after, context)
  const changes = plan.changes.map((change) => auditedChange(change, after))
  return new AuditedReply({ data: promotionView(after, mode, context.now) }, changes)
}

async function lockSeller(tx: Tx, merchantId: string): Promise<PromotionSeller> {
  const seller = await lockPromotionSeller(tx, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} does not exist`)
  return seller
}

async function findOne(db: Reader, merchantId: string, id: string): Promise<OperatorPromotion> {
  const promotion = isId('prm', id) ? await findOperatorPromotionById(db, merchantId, id) : undefined
  if (!promotion) throw refuse('promotion_not_found')
  return promotion
}

function* problemsOf(entry: PromotionEntry): Generator<EntryProblem> {
  yield* controlCharacterProblems(entry, '')
  yield* promotionProblems(entry)
}

function promotionView(promotion: OperatorPromotion, mode: Mode, now: number): AdminPromotion {
  const used = mode === 'live' ? promotion.used : promotion.testUsed
  const { percentage, amount, ...entry } = promotionEntryOf(promotion)
  return {
    id: promotion.id,
    version: promotion.editVersion,
    status: promotionStatus({ ...promotion, used }, now),
    used,
    promotion: { ...entry, ...(percentage !== null && { percentage }), ...(amount !== null && { amount }) },
  }
}
