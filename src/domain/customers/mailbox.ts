// The hash of a mailbox in one shop. It identifies the mailbox when codes are counted and sessions are ended.

import { createHmac, type KeyObject } from 'node:crypto'
import { normalizeMailbox, withoutTag } from '../../platform/kit/email.ts'
import { deriveKeys, type RootSecret } from '../../platform/secrets/secrets.ts'

// The first hash is for new rows. The others use the other known versions of the root secret.
export function mailboxHashes(rootSecret: RootSecret, merchantId: string, email: string): [string, ...string[]] {
  return keyedHashes(rootSecret, merchantId, normalizeMailbox(withoutTag(email)))
}

export function networkHash(rootSecret: RootSecret, merchantId: string, network: string): string {
  return keyedHashes(rootSecret, merchantId, network)[0]
}

function keyedHashes(rootSecret: RootSecret, merchantId: string, text: string): [string, ...string[]] {
  const hashBy = (key: KeyObject) => createHmac('sha256', key).update(`${merchantId} ${text}`).digest('base64url')
  const [current, ...others] = deriveKeys(rootSecret, 'customer mailbox')
  return [hashBy(current), ...others.map(hashBy)]
}
