// Identifies callers by their API keys. A key is looked up and verified, and the result is cached for two seconds. Failures are not
// cached.
import type { Mode, Scope } from '../../contract/words.ts'
import { handleRows, RowsFailed } from '../jobs/rows.ts'
import { Lru } from '../kit/lru.ts'
import { refuse } from '../kit/refuse.ts'
import { isEqualSecret, type RootSecret } from '../secrets/secrets.ts'
import type { Storage } from '../storage/storage.ts'
import { readAuthorization } from './authorization.ts'
import { credentialStatus, originsFrom, scopesFrom } from './credential.ts'
import { type KeyBinding, keyDigest, parseApiKey, unboundDigest } from './key.ts'
import { findMovedOrigin } from './moved.ts'
import type { Principal } from './principal.ts'
import { type DigestRenewal, findCredential, type IdentityRow, renewDigests, touchCredentials } from './store.ts'

// A caller with an API key. `id` is the id of the credential.
export interface KeyCaller extends Principal {
  readonly kind: 'key'
  readonly installationId: string
  readonly merchantSlug: string
  readonly mode: Mode
  readonly scopes: readonly Scope[]
  // Id of the key if it is publishable: its visitors can only use carts that were created with publishable keys.
  readonly publicKeyId?: string
}

export interface Identify {
  // Returns undefined without a reason if the key is malformed, unknown, expired or revoked, its installation is disabled, or its
  // merchant is closed. Refuses with a reason if the shop was moved to another server, or is being moved.
  identify(authorization: string | undefined, now: number): Promise<KeyCaller | undefined>
  // Removes a credential from the cache of this node. Called after the transaction that changed the credential has committed.
  forget(credentialId: string): void
  // Removes all credentials from the cache: some were changed by another node, or many at once.
  forgetAll(): void
  // Writes when credentials were last used, each credential at most once a minute, and digests that were renewed. A loop calls this more
  // often.
  flushLastUse(now: number): Promise<void>
}

export interface IdentifyOptions {
  readonly storage: Storage
  readonly rootSecret: RootSecret
  readonly entriesMax?: number
}

// Time after which a key that was revoked on another node no longer works here.
const freshMs = 2_000
const lastUseEveryMs = 60_000
const touchesMax = 512 // per transaction
const entriesMaxDefault = 10_000

interface Entry {
  readonly caller: KeyCaller
  // Every cache hit returns this promise: creating one for each hit would be most of the hit's cost.
  readonly answer: Promise<KeyCaller | undefined>
  readonly expiresAt: number
  readonly readAt: number
  readonly use: Use
}

interface Use {
  readonly installationId: string
  at: number
  writtenAt: number
  // After a failed write, the write is not retried before this instant.
  retryAt: number
}

interface Due {
  id: string
  at: number
  use: Use
}

const unknown: Promise<undefined> = Promise.resolve(undefined)

export function createIdentify({ storage, rootSecret, entriesMax = entriesMaxDefault }: IdentifyOptions): Identify {
  const entries = new Lru<string, Entry>(entriesMax)
  const uses = new Lru<string, Use>(entriesMax)
  // New digests of keys whose stored digest was made with an older version of the root secret, or is not bound to the key's rights.
  const renewals = new Lru<string, DigestRenewal>(entriesMax)
  const flights = new Map<string, Promise<Entry | undefined>>()
  // Number of forget() calls. What was read before a call must not be cached after it.
  let forgotten = 0

  function identify(authorization: string | undefined, now: number): Promise<KeyCaller | undefined> {
    const text = readAuthorization(authorization)
    if (text === undefined) return unknown
    // A hit does not refresh the entry's place in the cache: a key in use is read and cached again every two seconds, so the oldest
    // entries belong to idle keys.
    const entry = entries.peek(text)
    if (entry === undefined || !isFresh(entry, now)) return lookUp(text, now)
    return admit(entry, now)
  }

  function admit(entry: Entry, now: number): Promise<KeyCaller | undefined> {
    if (now >= entry.expiresAt) return unknown
    entry.use.at = now
    return entry.answer
  }

  // Concurrent callers with the same key share one query.
  async function lookUp(text: string, now: number): Promise<KeyCaller | undefined> {
    let flight = flights.get(text)
    if (flight === undefined) {
      flight = readEntry(text, now)
      flights.set(text, flight)
      const land = () => flights.get(text) === flight && flights.delete(text)
      flight.then(land, land)
    }
    const entry = await flight
    return entry && admit(entry, now)
  }

  async function readEntry(text: string, now: number): Promise<Entry | undefined> {
    const key = parseApiKey(text)
    if (key === undefined) return undefined
    const forgottenBefore = forgotten
    const { row, movedTo } = await storage.read(async (db) => {
      const found = await findCredential(db, key.lookup)
      return { row: found, movedTo: found ? undefined : await findMovedOrigin(db, 'key', key.lookup) }
    })
    if (movedTo !== undefined)
      throw refuse('unauthenticated', {
        status: 421,
        message: `The shop was moved to ${movedTo}.`,
        current: { origin: movedTo },
      })
    const proof = proofOf(text, row)
    const mayEnter = proof !== null && row !== undefined && isOpen(row, now)
    entries.delete(text) // if there is one, it is stale
    if (!mayEnter) return undefined
    if (row.isMoving > 0)
      throw refuse('unavailable', {
        message: 'The shop is being moved to another server: try again in a moment.',
        retryAfterMs: 2_000,
      })
    if (proof === 'unbound' || row.pepperVersion < rootSecret.currentVersion)
      renewals.set(row.id, renewalFor(text, row))
    const caller = callerFrom(row)
    const entry: Entry = {
      caller,
      answer: Promise.resolve(caller),
      expiresAt: row.expiresAt ?? Number.POSITIVE_INFINITY,
      readAt: now,
      use: useOf(row),
    }
    if (forgottenBefore === forgotten) entries.set(text, entry)
    return entry
  }

  // If there is no row, the text is compared with a digest that no key has, so an unknown key takes as long as a wrong secret.
  function proofOf(text: string, row: IdentityRow | undefined): 'bound' | 'unbound' | null {
    const wanted = row?.pepperVersion ?? rootSecret.currentVersion
    const isKnown = rootSecret.hasVersion(wanted)
    const version = isKnown ? wanted : rootSecret.currentVersion
    const isBound = isEqualSecret(keyDigest(rootSecret, version, text, row ?? noBinding), row?.digest ?? noDigest)
    const isUnbound = isEqualSecret(unboundDigest(rootSecret, version, text), row?.digest ?? noDigest)
    if (!isKnown) return null
    return isBound ? 'bound' : isUnbound ? 'unbound' : null
  }

  function renewalFor(text: string, row: IdentityRow): DigestRenewal {
    const { currentVersion } = rootSecret
    const digest = keyDigest(rootSecret, currentVersion, text, row)
    return { id: row.id, before: row.digest, digest, pepperVersion: currentVersion }
  }

  async function flushRenewals(): Promise<void> {
    const due = [...renewals].map(([, renewal]) => renewal).slice(0, touchesMax)
    if (due.length === 0) return
    due.sort((one, other) => (one.id < other.id ? -1 : 1))
    await storage.write((tx) => renewDigests(tx, due))
    for (const { id } of due) renewals.delete(id)
  }

  function useOf(row: IdentityRow): Use {
    const known = uses.get(row.id)
    if (known) return known
    const writtenAt = row.lastUsedAt ?? Number.NEGATIVE_INFINITY
    const use = { installationId: row.installationId, at: writtenAt, writtenAt, retryAt: 0 }
    uses.set(row.id, use)
    return use
  }

  function forget(credentialId: string): void {
    forgotten++
    flights.clear()
    for (const [text, entry] of entries) {
      if (entry.caller.id === credentialId) entries.delete(text)
    }
  }

  function forgetAll(): void {
    forgotten++
    flights.clear()
    entries.clear()
  }

  async function flushLastUse(now: number): Promise<void> {
    await flushRenewals()
    const due: Due[] = []
    for (const [id, use] of uses) {
      if (Math.abs(now - use.writtenAt) < lastUseEveryMs || now < use.retryAt) continue
      if (use.at > use.writtenAt) due.push({ id, at: use.at, use })
      // The key was idle for a minute. All cache entries with this use are stale, and the next cache entry creates a new use.
      else uses.delete(id)
    }
    // Sorted by id, so concurrent nodes lock rows in the same order and do not deadlock.
    due.sort((one, other) => (one.id < other.id ? -1 : 1))
    const parts = Array.from({ length: Math.ceil(due.length / touchesMax) }, (_, part) =>
      due.slice(part * touchesMax, (part + 1) * touchesMax),
    )
    const keyOf = ({ id, use }: Due) => ({ tenantId: use.installationId, rowId: id })
    await handleRows({ storage, loop: 'last_use', now }, parts, keyOf, async (part) => {
      await storage.write((tx) => touchCredentials(tx, part))
      for (const { at, use } of part) use.writtenAt = Math.max(at, now)
      return part.length
    }).catch((error: unknown) => {
      if (error instanceof RowsFailed) putOff(error)
      throw error
    })
  }

  function putOff({ failures }: RowsFailed): void {
    for (const { rowId, retryAt } of failures) {
      const use = uses.get(rowId)
      if (use) use.retryAt = retryAt
    }
  }

  return { identify, forget, forgetAll, flushLastUse }
}

const noDigest = '0'.repeat(64)
const noBinding: KeyBinding = { id: '', installationId: '', merchantId: '', mode: 'test', scopes: '', origins: null }

// A negative age means that the clock was set back. Such an entry must not stay cached for hours.
function isFresh(entry: Entry, now: number): boolean {
  const age = now - entry.readAt
  return age >= 0 && age < freshMs
}

function isOpen(row: IdentityRow, now: number): boolean {
  if (row.installationDisabledAt !== null || row.merchantClosedAt !== null) return false
  const status = credentialStatus(row, now)
  return status === 'active' || status === 'expiring'
}

function callerFrom(row: IdentityRow): KeyCaller {
  return Object.freeze({
    kind: 'key',
    id: row.id,
    merchantId: row.merchantId,
    installationId: row.installationId,
    // All visitors of a page know its publishable key, so the idempotency keys of visitors are kept apart from those of the shop's
    // servers.
    claimant: row.origins === null ? row.installationId : `${row.installationId} ${row.id}`,
    throttleKey: row.id,
    merchantSlug: row.merchantSlug,
    mode: row.mode,
    scopes: scopesFrom(row.scopes),
    ...(row.origins !== null && { origins: originsFrom(row.origins), publicKeyId: row.id }),
  })
}
