// The keys that sign what a shop sends to platforms. One key signs; a retired key stays published as long as platforms may still verify
// its signatures.

import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type MessageSigner, thumbprintOf } from '../../platform/kit/httpsig.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { type AgentKeyRow, deleteAgentKeys, insertAgentKey, listAgentKeys, retireAgentKeys } from './store.ts'

// How long a retired key stays published.
const publishedMs = 7 * 24 * 3_600_000

export interface AgentKeyTools {
  storage: Storage
  rootSecret: RootSecret
}

// `signingKid`: id of the key that signs now, if the caller knows it. With it, the keys of the shop are cached.
export type AgentKeyOwner = MerchantMode & { signingKid?: string | null }

// Returns the keys that the profile publishes, the signing key first.
export async function listPublishedKeys(
  tools: AgentKeyTools,
  seller: AgentKeyOwner,
  now: number,
): Promise<JsonWebKey[]> {
  return (await knownKeys(tools, seller, now))
    .filter(({ retiredAt }) => retiredAt === null || now - retiredAt < publishedMs)
    .map(({ kid, publicJwk }) => ({ kid, ...(JSON.parse(publicJwk) as object), use: 'sig', alg: 'ES256' }))
}

// Returns undefined if the key was encrypted with a version of the root secret that was removed. The shop then needs a new key.
export async function loadAgentSigner(
  tools: AgentKeyTools,
  seller: AgentKeyOwner,
  now: number,
): Promise<MessageSigner | undefined> {
  const row = (await knownKeys(tools, seller, now)).find(({ retiredAt }) => retiredAt === null)
  const privateKey = row && (openedKeys.get(row.privateSealed) ?? openKey(tools.rootSecret, row))
  return row && privateKey && { keyId: row.kid, privateKey }
}

// Decrypted keys, by their encrypted text. Decrypting and parsing a key takes longer than signing with it.
const openedKeys = new Lru<string, KeyObject>(100)

function openKey(rootSecret: RootSecret, row: AgentKeyRow): KeyObject | undefined {
  const text = decryptByRootSecret(rootSecret, 'agent signing key', row.privateSealed, agentKeyContext(row))
  if (text === undefined) return undefined
  const opened = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })
  openedKeys.set(row.privateSealed, opened)
  return opened
}

// Keys of shops, by the id of the signing key. The set of keys changes only together with the signing key.
const knownRows = new Lru<string, AgentKeyRow[]>(100)

// Creates the first key if the shop has none.
async function knownKeys(tools: AgentKeyTools, seller: AgentKeyOwner, now: number): Promise<AgentKeyRow[]> {
  const { merchantId, mode, signingKid } = seller
  const name = `${merchantId} ${mode} ${signingKid}`
  const known = signingKid ? knownRows.get(name) : undefined
  if (known) return known
  const rows = await tools.storage.read((db) => listAgentKeys(db, seller))
  if (!rows.some(({ retiredAt }) => retiredAt === null))
    return tools.storage.write((tx) => ensureAgentKey(tx, tools.rootSecret, seller, now))
  if (rows[0]?.kid === signingKid) knownRows.set(name, rows)
  return rows
}

async function ensureAgentKey(
  tx: Tx,
  rootSecret: RootSecret,
  seller: MerchantMode,
  now: number,
): Promise<AgentKeyRow[]> {
  await lockMerchantById(tx, seller.merchantId)
  const rows = await listAgentKeys(tx, seller)
  return rows.some(({ retiredAt }) => retiredAt === null) ? rows : [makeKey(tx, rootSecret, seller, now), ...rows]
}

// Creates a key that signs from now on, and retires the former one. The caller has locked the merchant.
export async function rotateAgentKey(
  tx: Tx,
  rootSecret: RootSecret,
  seller: MerchantMode,
  now: number,
): Promise<{ kid: string; former: string | null }> {
  const former = (await listAgentKeys(tx, seller)).find(({ retiredAt }) => retiredAt === null)
  deleteAgentKeys(tx, seller, now - publishedMs)
  retireAgentKeys(tx, seller, now)
  return { kid: makeKey(tx, rootSecret, seller, now).kid, former: former?.kid ?? null }
}

function makeKey(tx: Tx, rootSecret: RootSecret, { merchantId, mode }: MerchantMode, now: number): AgentKeyRow {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const kid = thumbprintOf({ kty, crv, x, y } as JsonWebKey)
  const text = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const row = {
    merchantId,
    mode,
    kid,
    publicJwk: JSON.stringify({ kty, crv, x, y }),
    privateSealed: encryptByRootSecret(
      rootSecret,
      'agent signing key',
      text,
      agentKeyContext({ merchantId, mode, kid }),
    ),
    createdAt: now,
    retiredAt: null,
  }
  insertAgentKey(tx, row)
  return row
}

function agentKeyContext({ merchantId, mode, kid }: Pick<AgentKeyRow, 'merchantId' | 'mode' | 'kid'>): string {
  return `${merchantId} ${mode} ${kid}`
}
