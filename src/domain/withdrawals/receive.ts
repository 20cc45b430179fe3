// Receives a withdrawal: one transaction writes the statement, its event and its two e-mails, and only then the page confirms it. No
// order is looked up, so neither the answer nor its time reveals whether the order exists.

import { createHmac } from 'node:crypto'
import type { EventDataOf } from '../../contract/open/events.ts'
import type { Mode } from '../../contract/words.ts'
import { idFromDigest } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { onlyMove } from '../../platform/kit/lifecycle.ts'
import { announce } from '../../platform/outbox/announce.ts'
import { queueWithdrawalEmails } from '../../platform/outbox/emails.ts'
import { decryptByRootSecret, deriveKey, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { listActiveInstallations } from '../inventory/store.ts'
import { findMerchant, findMerchantFace, type PublicMerchantFacts } from '../merchants/store.ts'
import { withdrawalLifecycle } from './lifecycle.ts'
import { modeOfOrder, parseOrderNumber, refundDueAt, type Statement } from './statement.ts'
import { findWithdrawal, insertWithdrawal, type WithdrawalRow } from './store.ts'

export interface WithdrawalTools {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
  // Computes the hash of the mailbox, as orders store it.
  emailHash(tx: Tx, merchantId: string, email: string, now: number): Promise<string>
}

export interface WithdrawalPort {
  // Returns undefined if the shop does not exist, or if it sells to no country with this duty.
  findShop(slug: string): Promise<WithdrawalShop | undefined>
  receive(shop: WithdrawalShop, given: StatementInput): Promise<ReceivedStatement>
}

export interface WithdrawalShop extends PublicMerchantFacts {
  id: string
  timeZone: string
}

export interface StatementInput {
  statement: Statement
  // Created when the form was rendered: the same form sent twice is one withdrawal.
  attempt: string
  locale: string
}

export interface ReceivedStatement {
  id: string
  mode: Mode
  receivedAt: string
}

export function createWithdrawals({ storage, rootSecret, clock, emailHash }: WithdrawalTools): WithdrawalPort {
  return {
    findShop: (slug) =>
      storage.read(async (db) => {
        const merchant = await findMerchant(db, slug)
        if (!merchant) return undefined
        const face = await findMerchantFace(db, merchant.id)
        return face?.offersWithdrawal ? { ...face, id: merchant.id, timeZone: merchant.timeZone } : undefined
      }),

    receive: (shop, { statement, attempt, locale }) =>
      storage.write(async (tx) => {
        const now = clock().getTime()
        const orderNumber = parseOrderNumber(statement.order)
        const mode = modeOfOrder(orderNumber)
        const id = withdrawalId(rootSecret, shop.id, attempt, statement)
        const { to: status } = onlyMove(withdrawalLifecycle, 'receive')
        const row: WithdrawalRow = {
          merchantId: shop.id,
          mode,
          id,
          sealed: sealStatement(rootSecret, { merchantId: shop.id, mode, id }, statement),
          orderNumber,
          emailHash: await emailHash(tx, shop.id, statement.email, now),
          locale,
          status,
          outcome: null,
          version: 1,
          receivedAt: now,
          settledAt: null,
          returnId: null,
          // A background job looks up the order later, so the response takes the same time whether or not the order exists.
          returnDueAt: now,
        }
        const isNew = await insertWithdrawal(tx, row)
        if (isNew) await announceAndQueue(tx, row)
        const first = isNew ? row : await findWithdrawal(tx, { merchantId: shop.id, mode, withdrawalId: id })
        return { id, mode, receivedAt: toInstant((first ?? row).receivedAt) }
      }),
  }
}

// The id depends on the statement, so a shopper who goes back and corrects the form sends a different withdrawal.
function withdrawalId(rootSecret: RootSecret, merchantId: string, attempt: string, statement: Statement): string {
  const { name, order, email, items } = statement
  const form = JSON.stringify([merchantId, attempt, name, order, email, items])
  return idFromDigest('wdr', createHmac('sha256', deriveKey(rootSecret, 'withdrawal attempt')).update(form).digest())
}

async function announceAndQueue(tx: Tx, row: WithdrawalRow): Promise<void> {
  const { merchantId, mode, id, orderNumber, receivedAt, emailHash } = row
  const { announces } = onlyMove(withdrawalLifecycle, 'receive')
  const data: EventDataOf<'withdrawal.received'> = {
    withdrawal: {
      id,
      orderNumber,
      receivedAt: toInstant(receivedAt),
      refundDueAt: toInstant(refundDueAt(receivedAt)),
    },
  }
  for (const { id: installationId } of await listActiveInstallations(tx, { merchantId, mode }))
    announce(tx, {
      installationId,
      mode,
      kind: announces,
      subject: { type: 'withdrawal', id },
      sequence: row.version,
      dataText: JSON.stringify(data),
      cause: null,
      now: receivedAt,
    })
  queueWithdrawalEmails(tx, { merchantId, withdrawalId: id, recipientHash: emailHash ?? '', mode }, receivedAt)
}

interface SealedName {
  merchantId: string
  mode: Mode
  id: string
}

const contextOf = ({ merchantId, mode, id }: SealedName) => `${merchantId} ${mode} ${id}`

function sealStatement(rootSecret: RootSecret, name: SealedName, statement: Statement): string {
  return encryptByRootSecret(rootSecret, 'withdrawal', JSON.stringify(statement), contextOf(name))
}

// Returns null once the statement was erased, or undefined if the version of the root secret that encrypted it was removed.
export function decryptStatement(
  rootSecret: RootSecret,
  row: SealedName & { sealed: string | null },
): Statement | null | undefined {
  if (row.sealed === null) return null
  const text = decryptByRootSecret(rootSecret, 'withdrawal', row.sealed, contextOf(row))
  return text === undefined ? undefined : (JSON.parse(text) as Statement)
}
