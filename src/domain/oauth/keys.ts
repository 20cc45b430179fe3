// The secrets of the authorization server. All but the nonce key are derived from the root secret, so every node has them, none of them
// is stored, and they rotate with the root secret. The current version of the root secret is used to write; every configured version is
// accepted when reading.

import { createPrivateKey } from 'node:crypto'
import { createDatabaseKey, type DatabaseKey } from '../../platform/secrets/databasekey.ts'
import { deriveKey, type RootSecret } from '../../platform/secrets/secrets.ts'

// Keys that sign cookies.
export function cookieKeys(rootSecret: RootSecret): Buffer[] {
  return rootSecret.versions.map((version) => deriveKey(rootSecret, 'oauth cookie', version).export())
}

// Stored in the database: a client may send a nonce of one node to another, which may already use another version of the root secret. The
// first value is the one that releases derived before the key was stored, so both kinds of releases can run at the same time.
export function createNonceKey(rootSecret: RootSecret): DatabaseKey {
  return createDatabaseKey(rootSecret, 'oauth nonce', () => deriveKey(rootSecret, 'oauth nonce').export())
}

export interface SigningKey {
  kty: string
  crv: string
  x: string
  d: string
  alg: string
  use: string
}

// The first bytes of an Ed25519 private key in PKCS #8 (RFC 8410, 7), before the key itself.
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

// No token is signed with these keys, because tokens are opaque. The metadata contains a key set, and the library requires at least one
// key.
export function signingKeys(rootSecret: RootSecret): SigningKey[] {
  return rootSecret.versions.map((version) => {
    const seed = deriveKey(rootSecret, 'oauth signing key', version).export()
    const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
    const { kty = '', crv = '', x = '', d = '' } = key.export({ format: 'jwk' })
    return { kty, crv, x, d, alg: 'EdDSA', use: 'sig' }
  })
}
