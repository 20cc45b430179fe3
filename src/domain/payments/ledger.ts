// The charges and refunds of the test provider, and their SQL. Each function that takes the storage is one transaction and stands for a
// call to a remote provider, so it must not be called within a transaction of ours.

import type { PaymentErrorCode } from '../../contract/words.ts'
import { Fragment, listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import type { Charge, RefundRequest } from './port.ts'

export type TestChargeState = 'challenge' | 'approved' | 'declined' | 'voided'

// `given`: the refund succeeds. `refused`: the refund fails. `lost`: the refund succeeds, but the response to the first request is lost.
export type TestRefundAnswer = 'given' | 'refused' | 'lost'

export interface TestCharge {
  key: string
  amount: number
  currency: string
  state: TestChargeState
  errorCode: PaymentErrorCode | null
  brand: string | null
  last4: string | null
  refundAnswer: TestRefundAnswer
  refunded: number
  createdAt: number
  updatedAt: number
}

export type TestVerdict = Pick<TestCharge, 'state' | 'errorCode' | 'brand' | 'last4' | 'refundAnswer'>

// Lists all charges, oldest first. Tests and invariants compare our payments with them.
export async function listTestCharges(storage: Storage): Promise<TestCharge[]> {
  return storage.read((db) => db.sql<TestCharge>`select ${chargeColumns} from test_charges order by created_at, key`)
}

// If several requests have the same key, one inserts the charge, and the others find it: the key is unique.
export async function recordTestCharge(
  storage: Storage,
  charge: Charge,
  verdict: TestVerdict,
  now: number,
): Promise<{ found: TestCharge; isNew: boolean }> {
  return storage.write(async (tx) => {
    const made = await insertCharge(tx, charge, verdict, now)
    const found = made ?? (await findIn(tx, charge))
    if (!found) throw new Error('the test charge could neither be recorded nor found')
    return { found, isNew: made !== undefined }
  })
}

export async function findCharge(storage: Storage, charge: Charge): Promise<TestCharge | undefined> {
  return storage.read((db) => findIn(db, charge))
}

// Only the first answer counts: a challenge that has ended is not changed.
export async function answerTestChallenge(
  storage: Storage,
  charge: Charge,
  verdict: Pick<TestVerdict, 'state' | 'errorCode'>,
  now: number,
): Promise<TestCharge> {
  return storage.write(async (tx) => {
    await tx.sql`
      update test_charges set state = ${verdict.state}, error_code = ${verdict.errorCode}, updated_at = ${now}
      where key = ${charge.key} and state = 'challenge'`
    const found = await findIn(tx, charge)
    if (!found) throw new Error(`the test charge ${charge.key} cannot be confirmed, because it was never started`)
    return found
  })
}

export type RefundOutcome = 'paid' | 'paid_losing_answer' | 'paid_before' | 'refused'

// Locks the row of the charge, so refunds of a charge run one after the other and each sees the earlier ones.
export async function recordTestRefund(storage: Storage, refund: RefundRequest, now: number): Promise<RefundOutcome> {
  const { key, charge, amount } = refund
  return storage.write(async (tx) => {
    const found = await lockIn(tx, charge)
    const before = await findRefund(tx, key)
    if (before) {
      if (before.chargeKey === charge.key && before.amount === amount) return 'paid_before'
      throw new Error(`the test refund ${key} was already requested with another charge or amount`)
    }
    if (found?.state !== 'approved' || found.refundAnswer === 'refused') return 'refused'
    if (found.refunded + amount > found.amount) return 'refused'
    await tx.sql`
      insert into test_refunds (key, charge_key, amount, created_at) values (${key}, ${charge.key}, ${amount}, ${now})`
    await tx.sql`
      update test_charges set refunded = refunded + ${amount}, updated_at = ${now} where key = ${charge.key}`
    return found.refundAnswer === 'lost' ? 'paid_losing_answer' : 'paid'
  })
}

// An unknown key is closed by inserting a voided charge, so a delayed request to create the charge finds the key closed.
export async function recordTestVoid(storage: Storage, charge: Charge, now: number): Promise<boolean> {
  return storage.write(async (tx) => {
    const closed = { state: 'voided', errorCode: null, brand: null, last4: null, refundAnswer: 'given' } as const
    await insertCharge(tx, charge, closed, now)
    const found = await lockIn(tx, charge)
    if (!found || found.refunded > 0) return false
    if (found.state === 'approved' || found.state === 'challenge')
      await tx.sql`update test_charges set state = 'voided', updated_at = ${now} where key = ${charge.key}`
    return true
  })
}

// Closes the key, so nothing can be charged with it any more. An approved charge stays. Returns false if there is one.
export async function recordTestClose(storage: Storage, charge: Charge, now: number): Promise<boolean> {
  return storage.write(async (tx) => {
    const closed = { state: 'voided', errorCode: null, brand: null, last4: null, refundAnswer: 'given' } as const
    await insertCharge(tx, charge, closed, now)
    const found = await lockIn(tx, charge)
    if (found?.state === 'challenge')
      await tx.sql`update test_charges set state = 'voided', updated_at = ${now} where key = ${charge.key}`
    return found?.state !== 'approved'
  })
}

// Deletes the charges of payments that are deleted. Approved and refunded charges stay, so `doctor` finds charges without a payment.
export async function deleteCharges(tx: Tx, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += deletedAtOnce)
    await tx.sql`
      delete from test_charges
      where key in (${listFragment(keys.slice(from, from + deletedAtOnce))}) and state <> 'approved' and refunded = 0`
}

const deletedAtOnce = 1_000

const chargeColumns = new Fragment(`
  key, amount, currency, state, error_code as "errorCode", brand, card_last4 as "last4",
  refund_answer as "refundAnswer", refunded, created_at as "createdAt", updated_at as "updatedAt"`)

// Returns undefined if the charge already exists.
async function insertCharge(
  tx: Tx,
  charge: Charge,
  verdict: TestVerdict,
  now: number,
): Promise<TestCharge | undefined> {
  const [row] = await tx.sql<TestCharge>`
    insert into test_charges (key, amount, currency, state, error_code, brand, card_last4, refund_answer, created_at,
      updated_at)
    values (${charge.key}, ${charge.amount}, ${charge.currency}, ${verdict.state}, ${verdict.errorCode}, ${verdict.brand},
      ${verdict.last4}, ${verdict.refundAnswer}, ${now}, ${now})
    on conflict (key) do nothing returning ${chargeColumns}`
  return row
}

async function findIn(db: Reader, charge: Charge): Promise<TestCharge | undefined> {
  const [row] = await db.sql<TestCharge>`select ${chargeColumns} from test_charges where key = ${charge.key}`
  return row && sameFacts(row, charge)
}

async function lockIn(tx: Tx, charge: Charge): Promise<TestCharge | undefined> {
  const [row] = await tx.sql<TestCharge>`
    select ${chargeColumns} from test_charges where key = ${charge.key} ${tx.forUpdate}`
  return row && sameFacts(row, charge)
}

// A key belongs to one amount. A caller with another amount has confused two payments, and must get no response about either.
function sameFacts(row: TestCharge, charge: Charge): TestCharge {
  if (row.amount === charge.amount && row.currency === charge.currency) return row
  throw new Error(`the test charge ${charge.key} was already requested with another amount or currency`)
}

async function findRefund(tx: Tx, key: string): Promise<{ chargeKey: string; amount: number } | undefined> {
  const [row] = await tx.sql<{ chargeKey: string; amount: number }>`
    select charge_key as "chargeKey", amount from test_refunds where key = ${key}`
  return row
}
