// The storage adapter of the OAuth library. The library checks first and writes later, so only the conditions in the SQL statements
// called from here make codes, refresh tokens and proofs single-use.

import { isId } from '../../platform/kit/ids.ts'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { decryptPayload, encryptPayload, hashArtifactId, type Payload } from './artifacts.ts'
import { lockInstallationOfGrant } from './grants.ts'
import { endInstallationOfGrant } from './installing.ts'
import {
  type ArtifactRow,
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  findArtifactByUid,
  findUseOf,
  insertOnce,
  saveArtifact,
  trimArtifactsOfGrant,
  updateArtifact,
} from './store.ts'

export interface Adapter {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>
  find(id: string): Promise<Payload | undefined>
  findByUid(uid: string): Promise<Payload | undefined>
  findByUserCode(userCode: string): Promise<undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

export type OAuthRefusalCode = 'invalid_grant' | 'invalid_request' | 'invalid_request_uri' | 'session_not_found'

export interface AdapterParts {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
  log: Log
  findClient: (id: string) => Promise<Payload | undefined>
  // Returns the thumbprint of the key whose possession the current request has proved; null if there is none.
  findProvedKey: () => Promise<string | null>
  // Makes an error of the library. The library shows the message of any other error to the caller.
  refusal: (code: OAuthRefusalCode, detail: string) => Error
}

// A proof dated in the future is valid for longer than the library wants its record to be stored.
const replayLongerMs = 300_000

// Maximum number of artifacts of one kind per grant.
const artifactsPerGrantMax = 1_000

// The library requires an expiry; our grants last as long as their installation.
export const grantSeconds = 365 * 24 * 3_600

const ofGrants: ReadonlySet<string> = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken'])

const reuses = {
  AuthorizationCode: 'authorization code used again, not by the key of its first use; the installation ended',
  RefreshToken: 'refresh token used again after it was replaced; the installation ended',
} as const

export function createAdapters(parts: AdapterParts): (kind: string) => Adapter {
  return (kind) => (kind === 'Client' ? clientAdapter(parts) : artifactAdapter(parts, kind))
}

function artifactAdapter(parts: AdapterParts, kind: string): Adapter {
  const { storage, rootSecret, clock, log, refusal } = parts
  const clockMs = () => clock().getTime()

  function payloadOf(kept: ArtifactRow | undefined, now: number): Payload | undefined {
    const payload = kept && decryptPayload(rootSecret, kind, kept.id, kept.sealed)
    if (!payload) return undefined
    if (kind === 'Grant') return { ...payload, exp: Math.floor(now / 1000) + grantSeconds }
    // Codes and refresh tokens are never returned as consumed, because the library would then end the installation; find() and consume()
    // decide that.
    if (kept.consumedAt === null || ofGrants.has(kind)) return payload
    return { ...payload, consumed: Math.floor(kept.consumedAt / 1000) }
  }

  async function save(tx: Tx, id: string, payload: Payload, expiresAt: number, now: number): Promise<void> {
    const sealed = encryptPayload(rootSecret, kind, id, payload)
    const grantId = ofGrants.has(kind) && typeof payload.grantId === 'string' ? hashArtifactId(payload.grantId) : null
    if (grantId !== null) {
      const installation = await lockInstallationOfGrant(tx, grantId)
      if (!installation || installation.endedAt !== null) throw refusal('invalid_grant', 'the installation has ended')
    }
    const uid = kind === 'Session' && typeof payload.uid === 'string' ? hashArtifactId(payload.uid) : null
    const artifact = { kind, id, sealed, grantId, uid, expiresAt }
    // A second decision must not restore an interaction that is finished.
    if (kind !== 'Interaction' || payload.result === undefined) await saveArtifact(tx, artifact, now)
    else if (!(await updateArtifact(tx, artifact)))
      throw refusal('session_not_found', 'the consent was already decided')
    if (grantId !== null) await trimArtifactsOfGrant(tx, kind, grantId, artifactsPerGrantMax)
  }

  return {
    async upsert(value, payload, expiresIn) {
      const now = clockMs()
      const id = hashArtifactId(value)
      if (kind === 'Grant') throw new Error('a grant can only be created with its installation')
      if (kind !== 'ReplayDetection') {
        return storage.write((tx) => save(tx, id, payload, now + expiresIn * 1000, now))
      }
      const sealed = encryptPayload(rootSecret, kind, id, payload)
      // The client sets the expiry of its assertion, possibly in fractions of a second (RFC 7519, 2).
      const expiresAt = now + Math.ceil(expiresIn * 1000) + replayLongerMs
      const isFirst = await storage.write((tx) =>
        insertOnce(tx, { kind, id, sealed, grantId: null, uid: null, expiresAt }, now),
      )
      if (!isFirst) throw refusal('invalid_request', 'the assertion was already used')
    },

    // A refresh token of an assistant that is used a second time was copied, whatever else is wrong with the request. So the installation
    // is ended before the library checks anything else. A refresh token of an app is bound to a key and may be reused.
    async find(value) {
      const now = clockMs()
      const id = hashArtifactId(value)
      const found = await storage.read((db) => findArtifact(db, kind, id, now))
      const payload = payloadOf(found, now)
      const isUsed = kind === 'RefreshToken' && found !== undefined && found.consumedAt !== null
      if (!isUsed || !payload || isId('app', String(payload.clientId))) return payload
      const endedId = await storage.write(async (tx) => {
        const use = await findUseOf(tx, kind, id)
        return use && use.grantId !== null ? endInstallationOfGrant(tx, use.grantId, now) : undefined
      })
      if (endedId !== undefined) log.warn(reuses.RefreshToken, { installationId: endedId })
      return undefined
    },

    async findByUid(uid) {
      const now = clockMs()
      const payload = payloadOf(await storage.read((db) => findArtifactByUid(db, kind, hashArtifactId(uid), now)), now)
      // The uid column only finds the row, and may have been tampered with.
      return payload?.uid === uid ? payload : undefined
    },

    findByUserCode: async () => undefined,

    // A code that is used a second time with another key or without one was copied, so the installation is ended. With the same key, the
    // client itself lost the response or was loaded twice: the request is refused (RFC 6749, 4.1.2), and the installation stays. Only
    // assistants' refresh tokens are consumed; a second use always ends the installation. The refusal is thrown after the transaction,
    // because the end must be committed.
    async consume(value) {
      const now = clockMs()
      const id = hashArtifactId(value)
      const by = await parts.findProvedKey()
      const { isFirst, endedId } = await storage.write(async (tx) => {
        if (await consumeArtifact(tx, kind, id, { now, by })) return { isFirst: true }
        const use = await findUseOf(tx, kind, id)
        const isSameKey = kind !== 'RefreshToken' && by !== null && use?.consumedBy === by
        if (!use || use.grantId === null || isSameKey) return { isFirst: false }
        return { isFirst: false, endedId: await endInstallationOfGrant(tx, use.grantId, now) }
      })
      if (isFirst) return
      if (endedId !== undefined)
        log.warn(kind === 'RefreshToken' ? reuses.RefreshToken : reuses.AuthorizationCode, { installationId: endedId })
      throw kind === 'PushedAuthorizationRequest'
        ? refusal('invalid_request_uri', 'the request_uri was already used')
        : refusal('invalid_grant', 'the token or code was already used')
    },

    // A decision is used once: the library deletes the interaction and continues, so a concurrent duplicate must fail here.
    async destroy(value) {
      const id = hashArtifactId(value)
      if (kind === 'Grant') {
        await storage.write((tx) => endInstallationOfGrant(tx, id, clockMs()))
        return
      }
      const isGone = await storage.write((tx) => deleteArtifact(tx, kind, id))
      if (kind === 'Interaction' && !isGone) throw refusal('session_not_found', 'the consent was already decided')
    },

    // The library calls this for every kind when one token is revoked. endInstallationOfGrant deletes all artifacts of a grant; revoking
    // an access token keeps the others.
    revokeByGrantId: async () => {},
  }
}

// The library only reads apps.
function clientAdapter({ findClient }: AdapterParts): Adapter {
  const never = async (): Promise<never> => {
    throw new Error('the OAuth library must not change apps')
  }
  return {
    find: findClient,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: never,
    consume: never,
    destroy: never,
    revokeByGrantId: never,
  }
}
