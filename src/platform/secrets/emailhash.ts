// Users and invitations are found by a keyed hash of the e-mail address. The address itself is stored encrypted.

import { createHmac } from 'node:crypto'
import { deriveKey, type RootSecret } from './secrets.ts'

export function emailHash(rootSecret: RootSecret, normal: string, version: number): string {
  const key = deriveKey(rootSecret, 'user e-mail hash', version)
  return createHmac('sha256', key).update(normal).digest('base64url')
}
