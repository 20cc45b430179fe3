import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes as allScopes } from '../../contract/words.ts'
import { isId } from '../kit/ids.ts'
import { parseRootSecret, RootSecret } from '../secrets/secrets.ts'
import { credentialStatus, newCredential, scopesFrom, scopesText } from './credential.ts'
import { keyDigest, parseApiKey } from './key.ts'

test('a new credential has everything of its key except the key itself', () => {
  const rootSecret = parseRootSecret('7:a-root-secret-that-only-this-test-knows')
  assert.ok(rootSecret instanceof RootSecret)
  const input = {
    installationId: 'ins_1',
    merchantId: 'mer_1',
    name: 'Shop',
    mode: 'test',
    scopes: ['catalog:read'],
    expiresAt: null,
    rotatedFrom: null,
  } as const
  const { credential, keyText } = newCredential(rootSecret, input, 5)
  const { id, ...rest } = credential
  assert.ok(isId('key', id))
  assert.deepEqual(rest, {
    ...input,
    origins: [],
    lookup: parseApiKey(keyText)?.lookup,
    digest: keyDigest(rootSecret, 7, keyText, { ...input, id, scopes: 'catalog:read', origins: null }),
    pepperVersion: 7,
    prefix: keyText.slice(0, 21),
    last4: keyText.slice(-4),
    createdAt: 5,
  })
  assert.doesNotMatch(JSON.stringify(credential), new RegExp(keyText.slice(21)))
})

test('the status depends on expiry, revocation and replacement', () => {
  const now = 100
  const cases = [
    // expiresAt, revokedAt, replacedBy, status
    [null, null, null, 'active'],
    [101, null, null, 'active'],
    [100, null, null, 'expired'],
    [99, null, 'key_2', 'expired'],
    [101, null, 'key_2', 'expiring'],
    [null, null, 'key_2', 'active'],
    [null, 99, null, 'revoked'],
    [99, 98, 'key_2', 'revoked'],
  ] as const
  for (const [expiresAt, revokedAt, replacedBy, status] of cases) {
    assert.equal(credentialStatus({ expiresAt, revokedAt, replacedBy }, now), status)
  }
})

test('scopes are parsed to the order of the contract, and unknown words grant nothing', () => {
  assert.deepEqual(scopesFrom(scopesText(allScopes)), [...allScopes])
  assert.deepEqual(scopesFrom('checkout:quote root catalog:read  CATALOG:READ'), ['catalog:read', 'checkout:quote'])
  assert.deepEqual(scopesFrom(''), [])
  assert.ok(Object.isFrozen(scopesFrom('catalog:read')))
})
