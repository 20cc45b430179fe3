// By which codes and sessions of a mailbox are found: a keyed hash, of one merchant.

import { createHmac } from 'node:crypto'
import { mailboxOf, withoutTag } from '../../platform/kit/email.ts'
import { deriveKey, type RootSecret } from '../../platform/secrets/secrets.ts'

export function mailboxHash(rootSecret: RootSecret, merchantId: string, email: string): string {
  return limitHash(rootSecret, merchantId, mailboxOf(withoutTag(email)))
}

// Also of a network, for which codes are counted too.
export function limitHash(rootSecret: RootSecret, merchantId: string, text: string): string {
  return createHmac('sha256', deriveKey(rootSecret, 'customer mailbox'))
    .update(`${merchantId} ${text}`)
    .digest('base64url')
}
