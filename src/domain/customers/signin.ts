// Codes and sessions of shoppers, within the transaction of their request. No result reveals whether a mailbox is known.

import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { isPlainAddress, normalizeTypedEmail } from '../../platform/kit/email.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { queueCustomerCode } from '../../platform/outbox/emails.ts'
import { decryptByRootSecret, deriveKey, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { customerCodeMs, isCodeOpen, mayRequestCode } from './codes.ts'
import { mailboxHashes, networkHash } from './mailbox.ts'
import {
  type CodeRow,
  countCodes,
  insertCode,
  insertCustomerSession,
  isKnownBrowser,
  lockCodeGate,
  lockCodeOfBrowser,
  markCodeUsed,
  raiseCodeTries,
  rememberBrowser,
} from './store.ts'

export interface CodeRequest {
  email: string
  // The hash of the secret that the browser stores.
  browserHash: string
  network: string
  locale: string
  // Path of the link in the e-mail, given the secret of the link. Left out if only the code signs in.
  pathOf?: (link: string) => string
}

const codePurpose = 'customer code'
export const customerSessionPurpose = 'customer session'

// Returns undefined if e-mails cannot be sent to the address.
export function parseTypedMailbox(typed: string): string | undefined {
  const email = normalizeTypedEmail(typed)
  return isPlainAddress(email) ? email : undefined
}

export async function sendSignInCode(
  tx: Tx,
  rootSecret: RootSecret,
  { merchantId, mode }: MerchantMode,
  { email, browserHash, network, locale, pathOf }: CodeRequest,
  now: number,
): Promise<void> {
  const hashes = mailboxHashes(rootSecret, merchantId, email)
  const id = newId('cod')
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const link = makeSessionToken()
  await lockCodeGate(tx, merchantId, now)
  const isKnown = await isKnownBrowser(tx, { merchantId, mailboxHashes: hashes, browserHash }, now)
  const row: CodeRow = {
    ...{ merchantId, id, mode, browserHash, tries: 0, usedAt: null, isKnown: isKnown ? 1 : 0 },
    mailboxHash: hashes[0],
    networkHash: networkHash(rootSecret, merchantId, network),
    emailSealed: encryptByRootSecret(rootSecret, codePurpose, email, id),
    codeHash: codeHash(rootSecret, id, code),
    linkHash: hashSessionToken(link),
    createdAt: now,
    expiresAt: now + customerCodeMs,
  }
  if (!mayRequestCode(await countCodes(tx, row, now), isKnown)) return
  insertCode(tx, row)
  const path = pathOf?.(link)
  const message = { id, merchantId, mode, email, code, ...(path !== undefined && { path }), expiresAt: row.expiresAt }
  queueCustomerCode(tx, rootSecret, { ...message, locale }, now)
}

export type ShownCodeOrLink = { code: string } | { link: string }

export interface SessionRequest {
  browserHash: string
  shown: ShownCodeOrLink
  tokenHash: (token: string) => string
  sessionMs: number
}

// Returns the token of the session. A wrong code or link counts as an attempt at the newest code that this browser requested.
export async function startCustomerSession(
  tx: Tx,
  rootSecret: RootSecret,
  shop: MerchantMode,
  { browserHash, shown, tokenHash, sessionMs }: SessionRequest,
  now: number,
): Promise<{ token: string; expiresAt: number } | undefined> {
  const row = await lockCodeOfBrowser(tx, shop, browserHash)
  if (!row || !isCodeOpen(row, now)) return undefined
  const isRight =
    'code' in shown
      ? isSame(row.codeHash, codeHash(rootSecret, row.id, shown.code))
      : isSame(row.linkHash, hashSessionToken(shown.link))
  if (!isRight) {
    raiseCodeTries(tx, row)
    return undefined
  }
  const email = decryptByRootSecret(rootSecret, codePurpose, row.emailSealed, row.id)
  if (email === undefined) return undefined
  markCodeUsed(tx, row, now)
  const { merchantId } = row
  const hashes = mailboxHashes(rootSecret, merchantId, email)
  rememberBrowser(tx, { merchantId, mailboxHashes: hashes, browserHash: row.browserHash }, now)
  return grantCustomerSession(tx, rootSecret, shop, { email, tokenHash, sessionMs }, now)
}

// Creates a session. The caller has verified that the shopper owns the e-mail address.
export function grantCustomerSession(
  tx: Tx,
  rootSecret: RootSecret,
  { merchantId, mode }: MerchantMode,
  { email, tokenHash, sessionMs }: Pick<SessionRequest, 'tokenHash' | 'sessionMs'> & { email: string },
  now: number,
): { token: string; expiresAt: number } {
  const id = newId('cus')
  const token = makeSessionToken()
  const expiresAt = now + sessionMs
  insertCustomerSession(tx, {
    ...{ merchantId, id, mode, mailboxHash: mailboxHashes(rootSecret, merchantId, email)[0] },
    tokenHash: tokenHash(token),
    emailSealed: encryptByRootSecret(rootSecret, customerSessionPurpose, email, id),
    createdAt: now,
    expiresAt,
  })
  return { token, expiresAt }
}

export function makeSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

export function hashSessionToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

// The hash of a token of the open interface. The origin is part of the hash, so a token is unknown at every other origin, and on the
// account pages.
export function storefrontTokenHash(origin: string, token: string): string {
  return hashSessionToken(`open ${origin} ${token}`)
}

function codeHash(rootSecret: RootSecret, id: string, code: string): string {
  return createHmac('sha256', deriveKey(rootSecret, codePurpose)).update(`${id} ${code}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
