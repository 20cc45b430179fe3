// A withdrawal opens a return: automatically if it was sent with the e-mail address of the order, otherwise when the merchant decides so.
// `return_due_at` marks withdrawals that are still to be checked, so none is lost if the server is killed.

import type { ReturnOpener } from '../../contract/words.ts'
import { handleEach } from '../../platform/jobs/rows.ts'
import { newId } from '../../platform/kit/ids.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { lockOrderFacts } from '../orders/change.ts'
import { listRefundedLines, type OrderKey } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { openReturn } from '../returns/change.ts'
import { isReturnOpen } from '../returns/lifecycle.ts'
import { listReturnsOfOrder } from '../returns/store.ts'
import { returnableUnits } from '../returns/units.ts'
import { isWithdrawable } from './exempt.ts'
import { decryptStatement } from './receive.ts'
import {
  findWithdrawal,
  listOrdersOfNumbers,
  listWithdrawalsDueForReturn,
  lockWithdrawal,
  updateReturn,
  type WithdrawalKey,
  type WithdrawalRow,
  type WithdrawnOrderRow,
} from './store.ts'

// One round of the background job. Safe on several nodes at the same time.
export async function openWithdrawnReturns(
  storage: Storage,
  rootSecret: RootSecret,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const rows = await storage.read((db) => listWithdrawalsDueForReturn(db, now, limit))
  return handleEach(
    { storage, loop: 'withdrawals', now },
    rows,
    ({ merchantId, withdrawalId }) => ({ tenantId: merchantId, rowId: withdrawalId }),
    async (key) => {
      await storage.write((tx) => openByItself(tx, rootSecret, key, now))
      return 1
    },
  )
}

async function openByItself(tx: Tx, rootSecret: RootSecret, key: WithdrawalKey, now: number): Promise<void> {
  const seen = await findWithdrawal(tx, key)
  const order = seen && (await findOrderOf(tx, seen))
  const isOwn = seen !== undefined && order !== undefined && isOfMailbox(seen, order)
  // Locks the order first, as in every change of a return.
  const facts = isOwn ? await lockOrderFacts(tx, order) : undefined
  const row = await lockWithdrawal(tx, key)
  if (!row || row.returnDueAt === null) return
  const context = { now, cause: { operationId: null, requestId: newId('req') } }
  const returnId = facts ? await openedReturn(tx, rootSecret, { row, facts, openedBy: 'shopper' }, context) : null
  updateReturn(tx, row, { ...row, returnId, returnDueAt: null, version: row.version + 1 })
}

// Both hashes use the same key, unless the order is of an earlier release, or the key was replaced because its version of the root secret
// was lost; then the merchant decides.
export function isOfMailbox({ emailHash }: WithdrawalRow, order: Pick<WithdrawnOrderRow, 'emailHash'>): boolean {
  return emailHash !== null && emailHash === order.emailHash
}

async function findOrderOf(db: Reader, row: WithdrawalRow): Promise<(WithdrawnOrderRow & OrderKey) | undefined> {
  const [order] = row.orderNumber === null ? [] : await listOrdersOfNumbers(db, row, [row.orderNumber])
  return order
}

interface Opening {
  row: WithdrawalRow
  facts: OrderFacts
  openedBy: ReturnOpener
}

// Returns the order's open return, or opens a new one. Returns null if nothing can be returned: the order was not sent, everything was
// returned, or the items are exempt from withdrawal.
async function openedReturn(
  tx: Tx,
  rootSecret: RootSecret,
  opening: Opening,
  context: ChangeContext,
): Promise<string | null> {
  try {
    return await openOf(tx, rootSecret, opening, context)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'return_not_possible') return null
    throw error
  }
}

async function openOf(
  tx: Tx,
  rootSecret: RootSecret,
  { row, facts, openedBy }: Opening,
  context: ChangeContext,
): Promise<string> {
  const { order, lines } = facts
  const key = { installationId: order.installationId, orderId: order.id }
  const [returns, refunded] = await Promise.all([listReturnsOfOrder(tx, key), listRefundedLines(tx, key)])
  const open = returns.find((one) => isReturnOpen(one.row.status))
  if (open) return open.row.id
  const others = returns.map((one) => ({ status: one.row.status, lines: one.lines }))
  const items = lines.filter(isWithdrawable).flatMap((line) => {
    const quantity = returnableUnits(line, refunded, others)
    return quantity > 0 ? [{ skuId: line.skuId, quantity }] : []
  })
  if (items.length === 0)
    throw refuse('return_not_possible', { message: 'The order has no items that can be returned.' })
  // The shopper names the items in free text, so the return includes all items that can be withdrawn from, with the text as its note.
  const note = decryptStatement(rootSecret, row)?.items ?? ''
  const given = { items, reason: 'changed_mind', wish: 'refund', openedBy, note, answer: null, labelUrl: null } as const
  return (await openReturn(tx, rootSecret, facts, given, context)).row.id
}

// The merchant opens the return, whatever the mailbox of the withdrawal. Returns the withdrawal before and after.
export async function openReturnByHand(
  tx: Tx,
  rootSecret: RootSecret,
  key: WithdrawalKey,
  context: ChangeContext,
): Promise<{ before: WithdrawalRow; after: WithdrawalRow }> {
  const seen = await findWithdrawal(tx, key)
  if (!seen) throw refuse('withdrawal_not_found')
  const order = await findOrderOf(tx, seen)
  const facts = order && (await lockOrderFacts(tx, order))
  const before = await lockWithdrawal(tx, key)
  if (!before) throw refuse('withdrawal_not_found')
  if (!facts) throw refuse('order_not_found')
  const returnId = await openOf(tx, rootSecret, { row: before, facts, openedBy: 'merchant' }, context)
  if (returnId === before.returnId) return { before, after: before }
  const after = { ...before, returnId, returnDueAt: null, version: before.version + 1 }
  updateReturn(tx, before, after)
  return { before, after }
}
