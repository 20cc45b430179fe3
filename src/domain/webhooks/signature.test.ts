import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import {
  createSigningKeyCache,
  decryptSigningSecrets,
  encryptFormerSecret,
  encryptWebhookSecret,
  makeWebhookSecret,
} from './signature.ts'

const root = parseRootSecret('a-root-secret-that-only-this-test-knows') as RootSecret
const now = 1_000

describe('an encrypted webhook secret', () => {
  test('can be decrypted only for its own endpoint, even from the cache', () => {
    const open = createSigningKeyCache(root)
    const sealed = encryptWebhookSecret(root, 'whe_a', makeWebhookSecret())
    open('whe_a', sealed)
    assert.throws(() => open('whe_b', sealed), /cannot be decrypted/)
    assert.throws(() => createSigningKeyCache(root)('whe_b', sealed), /cannot be decrypted/)
  })

  test('that was replaced cannot be used as the current one, even from the cache', () => {
    const open = createSigningKeyCache(root)
    const former = encryptFormerSecret(root, 'whe_a', makeWebhookSecret())
    const secretSealed = encryptWebhookSecret(root, 'whe_a', makeWebhookSecret())
    const rotating = { id: 'whe_a', secretSealed, previousSealed: former, previousExpiresAt: now + 1 }
    assert.equal(decryptSigningSecrets(open, rotating, now).length, 2)
    assert.throws(() => decryptSigningSecrets(open, { ...rotating, secretSealed: former }, now), /cannot be decrypted/)
  })

  test('that an earlier release stored as the previous one still signs together with the current one', () => {
    const [current, former] = [makeWebhookSecret(), makeWebhookSecret()]
    const rotating = {
      id: 'whe_a',
      secretSealed: encryptWebhookSecret(root, 'whe_a', current),
      previousSealed: encryptWebhookSecret(root, 'whe_a', former),
      previousExpiresAt: now + 1,
    }
    const opened = decryptSigningSecrets(createSigningKeyCache(root), rotating, now)
    assert.deepEqual(
      opened.map((key) => `whsec_${key.export().toString('base64')}`),
      [current, former],
    )
  })
})
