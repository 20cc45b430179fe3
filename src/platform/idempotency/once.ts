// Performs a request at most once. The idempotency key, the changes, the events and the stored response are one transaction, so a crash
// cannot separate them. A second request with the same key gets the response of the first, byte for byte.

import { createHash, hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { handleRows } from '../jobs/rows.ts'
import { isNotDeferred } from '../jobs/store.ts'
import { createSlicePauses } from '../kit/breath.ts'
import { canonicalJson, canonicalPieces } from '../kit/canonical.ts'
import { packText, unpackText } from '../kit/packed.ts'
import { refuse } from '../kit/refuse.ts'
import { retentionDefaultsMs } from '../kit/retention.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret, secretVersionOf } from '../secrets/secrets.ts'
import { isDuplicate, type Reader, type Storage, type Tx } from '../storage/storage.ts'

export interface IdempotencyClaim {
  // Owner of the key (`Principal.claimant`). The column `installation_id` stores it, even if it is not an installation.
  claimant: string
  key: string
  fingerprint: string
  now: number
  // Time for which responses are stored. Afterwards the key can be used again.
  keptMs?: number
}

export interface IdempotentAnswer {
  text: string
  replayed: boolean
}

// How a response is stored: as plain text, or encrypted if it contains a secret, such as the URL of a payment page.
export interface AnswerCodec {
  seal(text: string, claim: IdempotencyClaim): string
  open(stored: string, claim: IdempotencyClaim): string
}

const plainly: AnswerCodec = { seal: (text) => text, open: (stored) => stored }

export function encryptedAnswerCodec(rootSecret: RootSecret): AnswerCodec {
  const purpose = 'idempotent answer'
  const contextOf = ({ claimant, key }: IdempotencyClaim) => `${claimant} ${key}`
  return {
    seal: (text, claim) => encryptByRootSecret(rootSecret, purpose, text, contextOf(claim)),
    open(stored, claim) {
      const text = decryptByRootSecret(rootSecret, purpose, stored, contextOf(claim))
      if (text !== undefined) return text
      const version = secretVersionOf(stored)
      // If the version is known, the stored text itself was corrupted, which is a defect.
      if (version === undefined || rootSecret.hasVersion(version))
        throw new Error(
          'the stored answer of an idempotency key cannot be decrypted, although its version of the root secret is present',
        )
      // The request was performed, and must not be performed again because its response cannot be decrypted.
      const message =
        'This idempotency key was used before. The request was performed, but its stored answer can no longer be shown.'
      throw refuse('idempotency_key_reused', { message })
    },
  }
}

// Returns the fingerprint of a request: equal for requests with the same operation, path, query and body, except for the idempotency key.
export async function requestFingerprint(
  operationId: string,
  path: Readonly<Record<string, string>>,
  body: object,
  query?: object,
): Promise<string> {
  const { idempotencyKey: _, ...rest } = body as { idempotencyKey?: string }
  const value = [operationId, path, rest, ...(query ? [query] : [])]
  if (!Object.values(rest).some(isLong)) return hash('sha256', canonicalJson(value), 'base64url')
  const breath = createSlicePauses()
  const digest = createHash('sha256')
  for (const piece of canonicalPieces(value)) {
    if (breath.isDue()) await breath.take()
    digest.update(piece)
  }
  return digest.digest('base64url')
}

// A long text, such as a file. Hashing a megabyte takes 10 ms.
function isLong(member: unknown): boolean {
  return typeof member === 'string' && member.length > limits.bodyBytesMax
}

type Work = (tx: Tx) => Promise<string>

// Runs the work unless it was done before. A refusal rolls back the claim of the key, so the next request with the key runs the work
// again.
export async function runOnce(
  storage: Storage,
  claim: IdempotencyClaim,
  work: Work,
  keeper: AnswerCodec = plainly,
): Promise<IdempotentAnswer> {
  const patiently = (tx: Tx) => lookAndWork(tx, claim, work, keeper)
  try {
    return await storage.write((tx) => (tx.isAlone ? patiently(tx) : claimAndWork(tx, claim, work, keeper)))
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
  }
  const stored = await storage.read((db) => findKey(db, claim))
  return stored ? replay(stored, claim, keeper) : storage.write(patiently)
}

// Stores a response that was computed without claiming the key. If several are stored for the key, the first one counts.
export async function storeAnswerOnce(
  storage: Storage,
  claim: IdempotencyClaim,
  text: string,
  keeper: AnswerCodec = plainly,
): Promise<IdempotentAnswer> {
  const { claimant, key, fingerprint, now } = claim
  const answer = keeper.seal(packText(text), claim)
  const stored = await storage.write(async (tx) => {
    const kept = await tx.sql`
      insert into idempotency_keys (installation_id, key, fingerprint, answer, created_at)
      values (${claimant}, ${key}, ${fingerprint}, ${answer}, ${now})
      on conflict (installation_id, key) do update
        set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at
        where idempotency_keys.created_at <= ${endedBy(claim)}
      returning key`
    return kept.length > 0 ? undefined : findKey(tx, claim)
  })
  return stored ? replay(stored, claim, keeper) : { text, replayed: false }
}

// Returns the response to an earlier request with the key, or undefined.
export async function findOnce(
  storage: Storage,
  claim: IdempotencyClaim,
  keeper: AnswerCodec = plainly,
): Promise<IdempotentAnswer | undefined> {
  const stored = await storage.read((db) => findKey(db, claim))
  return stored && replay(stored, claim, keeper)
}

class KeyTaken extends Error {}

// The first SQL statements of the work are sent together with the claim of the key and run after it. If the key is taken, the claim
// fails, PostgreSQL skips the other statements, and the stored response is found without waiting for a lock.
async function claimAndWork(
  tx: Tx,
  claim: IdempotencyClaim,
  work: Work,
  keeper: AnswerCodec,
): Promise<IdempotentAnswer> {
  const claiming = claimNewKey(tx, claim)
  const working = work(tx)
  // If the claim fails, the result of the work is ignored.
  working.catch(() => {})
  await claiming
  return keep(tx, claim, await working, keeper)
}

async function claimNewKey(tx: Tx, { claimant, key, fingerprint, now }: IdempotencyClaim): Promise<void> {
  try {
    await tx.sql`
      insert into idempotency_keys (installation_id, key, fingerprint, created_at)
      values (${claimant}, ${key}, ${fingerprint}, ${now})`
  } catch (error) {
    throw isDuplicate(error) ? new KeyTaken('the idempotency key is already claimed', { cause: error }) : error
  }
}

// The general case: also handles a key that has expired, and a key that a sweep deletes concurrently.
async function lookAndWork(
  tx: Tx,
  claim: IdempotencyClaim,
  work: Work,
  keeper: AnswerCodec,
): Promise<IdempotentAnswer> {
  const stored = await claimOrFind(tx, claim)
  return stored ? replay(stored, claim, keeper) : keep(tx, claim, await work(tx), keeper)
}

async function claimOrFind(tx: Tx, claim: IdempotencyClaim): Promise<StoredKey | undefined> {
  if (tx.isAlone) return findKey(tx, claim)
  // A sweep may delete the key between the failed claim and the read.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await claimKey(tx, claim)) return undefined
    const stored = await findKey(tx, claim)
    if (stored) return stored
  }
  throw new Error('the idempotency key could neither be claimed nor found')
}

function keep(tx: Tx, claim: IdempotencyClaim, text: string, keeper: AnswerCodec): IdempotentAnswer {
  keepAnswer(tx, claim, keeper.seal(packText(text), claim))
  return { text, replayed: false }
}

function replay(stored: StoredKey, claim: IdempotencyClaim, keeper: AnswerCodec): IdempotentAnswer {
  if (stored.fingerprint !== claim.fingerprint) throw refuse('idempotency_key_reused')
  // The response is written in the transaction that claims the key, so a committed key always has one.
  if (stored.answer === null) throw new Error('the idempotency key was committed without its answer')
  return { text: unpackText(keeper.open(stored.answer, claim)), replayed: true }
}

// The unique index is the lock: a concurrent request with the same key waits here until the first one commits or rolls back. An expired
// key can be claimed even if no sweep has deleted it yet.
async function claimKey(tx: Tx, claim: IdempotencyClaim): Promise<boolean> {
  const { claimant, key, fingerprint, now } = claim
  const rows = await tx.sql`
    insert into idempotency_keys (installation_id, key, fingerprint, created_at)
    values (${claimant}, ${key}, ${fingerprint}, ${now})
    on conflict (installation_id, key) do update
      set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${endedBy(claim)}
    returning key`
  return rows.length > 0
}

// Overwrites the claim of this transaction, or an expired key.
function keepAnswer(tx: Tx, { claimant, key, fingerprint, now }: IdempotencyClaim, answer: string): void {
  tx.send`
    insert into idempotency_keys (installation_id, key, fingerprint, answer, created_at)
    values (${claimant}, ${key}, ${fingerprint}, ${answer}, ${now})
    on conflict (installation_id, key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
}

interface StoredKey {
  fingerprint: string
  answer: string | null
}

async function findKey(db: Reader, claim: IdempotencyClaim): Promise<StoredKey | undefined> {
  const { claimant, key } = claim
  const [row] = await db.sql<StoredKey>`
    select fingerprint, answer from idempotency_keys
    where installation_id = ${claimant} and key = ${key} and created_at > ${endedBy(claim)}`
  return row
}

function endedBy({ now, keptMs = retentionDefaultsMs.answers }: IdempotencyClaim): number {
  return now - keptMs
}

// Keys per transaction: few, so other transactions do not wait long for locks.
export const keysSweptMax = 1_000

// Deletes the oldest expired keys. Several nodes may run this concurrently, even on the same keys.
export async function sweepIdempotencyKeys(
  storage: Storage,
  now: number,
  keptMs: number = retentionDefaultsMs.answers,
): Promise<number> {
  const before = now - keptMs
  const old = await storage.read((db) => listOldKeys(db, before, now))
  return handleRows(
    { storage, loop: 'idempotency_keys', now },
    [old],
    ({ installationId, key }) => ({ tenantId: installationId, rowId: key }),
    (keys) => storage.write((tx) => deleteOldKeys(tx, keys, before)),
  )
}

interface OldKey {
  installationId: string
  key: string
}

async function listOldKeys(db: Reader, before: number, now: number): Promise<OldKey[]> {
  return db.sql<OldKey>`
    select k.installation_id as "installationId", k.key from idempotency_keys k
    where k.created_at <= ${before} and ${isNotDeferred('idempotency_keys', 'k.installation_id', 'k.key', now)}
    order by k.created_at limit ${keysSweptMax}`
}

// Checks the age again, since an expired key may have been used again meanwhile.
async function deleteOldKeys(tx: Tx, keys: readonly OldKey[], before: number): Promise<number> {
  const old = tx.rows(
    keys.map(({ installationId, key }) => [installationId, key]),
    ['text', 'text'],
  )
  const rows = await tx.sql`
    with old (installation_id, key) as (${old})
    delete from idempotency_keys where (installation_id, key) in (select installation_id, key from old)
      and created_at <= ${before}
    returning key`
  return rows.length
}
