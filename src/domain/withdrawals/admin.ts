// The admin operations on withdrawals.

import type { AdminWithdrawal, withdrawalOperationRows } from '../../contract/admin/withdrawals.ts'
import { membersChanged } from '../../platform/audit/change.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { withdrawalLifecycle } from './lifecycle.ts'
import { isOfMailbox, openReturnByHand } from './openreturn.ts'
import { decryptStatement } from './receive.ts'
import { refundDueAt } from './statement.ts'
import {
  findWithdrawal,
  listOrdersOfNumbers,
  listWithdrawals,
  lockWithdrawal,
  updateSettled,
  type WithdrawalRow,
} from './store.ts'

export function adminWithdrawalOperations({ rootSecret }: { rootSecret: RootSecret }): {
  [Id in keyof typeof withdrawalOperationRows]: AdminHandler<Id>
} {
  return {
    async listAdminWithdrawals({ db, caller, query, paging }) {
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'wdr')
      const found = await listWithdrawals(db, caller, { status: query.status, after, limit: adminRowsAsked })
      const { rows, meta } = pageOfRows(found, paging, ({ receivedAt, id }) =>
        writeCursorPosition({ at: receivedAt, id }),
      )
      return { data: await views(db, caller, rows), meta }
    },

    async getAdminWithdrawal({ db, caller, path: { withdrawalId } }) {
      return { data: await view(db, caller, await found(db, caller, withdrawalId)) }
    },

    async getAdminWithdrawalStatement({ db, caller, path: { withdrawalId } }) {
      const row = await found(db, caller, withdrawalId)
      const look = { kind: 'look', what: 'withdrawal', id: row.id, name: nameOf(row), members: [] } as const
      return new AuditedReply({ data: decryptStatement(rootSecret, row) ?? null }, [look])
    },

    async settleAdminWithdrawal({ db, caller, path: { withdrawalId }, body, now }) {
      const before = isId('wdr', withdrawalId) ? await lockWithdrawal(db, { ...caller, withdrawalId }) : undefined
      if (!before) throw refuse('withdrawal_not_found')
      const { expectedVersion, outcome } = body
      refuseOtherVersion(before, expectedVersion)
      const move = moveFor(withdrawalLifecycle, 'settle', before.status)
      if (!move) throw new Error(`withdrawal ${before.id} is ${before.status} and cannot be settled`)
      const isSame = before.status === move.to && before.outcome === outcome
      const after: WithdrawalRow = isSame
        ? before
        : { ...before, status: move.to, outcome, settledAt: now.getTime(), version: before.version + 1 }
      if (!isSame) updateSettled(db, before, after)
      const members = membersChanged(before, after, ['status', 'outcome'])
      return new AuditedReply(
        { data: await view(db, caller, after) },
        isSame ? [] : [{ kind: 'change', what: 'withdrawal', id: after.id, name: nameOf(after), members }],
      )
    },

    async openAdminWithdrawalReturn({ db, caller, path: { withdrawalId }, body, now, cause }) {
      const { merchantId, mode } = caller
      if (!isId('wdr', withdrawalId)) throw refuse('withdrawal_not_found')
      const context = { now: now.getTime(), cause }
      const { before, after } = await openReturnByHand(db, rootSecret, { merchantId, mode, withdrawalId }, context)
      refuseOtherVersion(before, body.expectedVersion)
      const members = membersChanged(before, after, ['returnId'])
      return new AuditedReply(
        { data: await view(db, caller, after) },
        members.length === 0
          ? []
          : [{ kind: 'change', what: 'withdrawal', id: after.id, name: nameOf(after), members }],
      )
    },
  }
}

function refuseOtherVersion({ status, version }: WithdrawalRow, expected: number | undefined): void {
  if (expected === undefined || expected === version) return
  const message = `The withdrawal is at version ${version}; the request expected ${expected}.`
  throw refuse('version_conflict', { message, current: { status, version } })
}

async function found(db: Reader, caller: MerchantMode, withdrawalId: string): Promise<WithdrawalRow> {
  const { merchantId, mode } = caller
  const row = isId('wdr', withdrawalId) ? await findWithdrawal(db, { merchantId, mode, withdrawalId }) : undefined
  if (!row) throw refuse('withdrawal_not_found')
  return row
}

async function view(db: Reader, seller: MerchantMode, row: WithdrawalRow): Promise<AdminWithdrawal> {
  const [one] = await views(db, seller, [row])
  if (!one) throw new Error(`withdrawal ${row.id} has no view`)
  return one
}

// The list of changes contains nothing of the shopper's statement but the order number.
function nameOf({ orderNumber, id }: WithdrawalRow): string {
  return orderNumber ?? id
}

async function views(db: Reader, seller: MerchantMode, rows: readonly WithdrawalRow[]): Promise<AdminWithdrawal[]> {
  const numbers = [...new Set(rows.flatMap(({ orderNumber }) => orderNumber ?? []))]
  const orders = await listOrdersOfNumbers(db, seller, numbers)
  const byNumber = new Map(orders.map((order) => [order.orderNumber, order]))
  return rows.map((row) => {
    const order = row.orderNumber === null ? undefined : byNumber.get(row.orderNumber)
    return {
      id: row.id,
      mode: row.mode,
      status: row.status,
      outcome: row.outcome,
      order: order
        ? {
            id: order.orderId,
            number: order.orderNumber,
            emailMatches: isOfMailbox(row, order),
          }
        : null,
      returnId: row.returnId,
      receivedAt: toInstant(row.receivedAt),
      refundDueAt: toInstant(refundDueAt(row.receivedAt)),
      settledAt: row.settledAt === null ? null : toInstant(row.settledAt),
      version: row.version,
    }
  })
}
