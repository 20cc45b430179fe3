import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { createSecretOpener, newSecret, sealFormerSecret, sealSecret, secretsOf } from './signature.ts'

const root = parseRootSecret('a-root-secret-that-only-this-test-knows') as RootSecret
const now = 1_000

describe('a sealed webhook secret', () => {
  test('opens only for its own endpoint, also from the cache', () => {
    const open = createSecretOpener(root)
    const sealed = sealSecret(root, 'whe_a', newSecret())
    open('whe_a', sealed)
    assert.throws(() => open('whe_b', sealed), /does not open/)
    assert.throws(() => createSecretOpener(root)('whe_b', sealed), /does not open/)
  })

  test('that is the previous one does not sign as the current one, also from the cache', () => {
    const open = createSecretOpener(root)
    const former = sealFormerSecret(root, 'whe_a', newSecret())
    const secretSealed = sealSecret(root, 'whe_a', newSecret())
    const rotating = { id: 'whe_a', secretSealed, previousSealed: former, previousExpiresAt: now + 1 }
    assert.equal(secretsOf(open, rotating, now).length, 2)
    assert.throws(() => secretsOf(open, { ...rotating, secretSealed: former }, now), /does not open/)
  })

  test('that an earlier version kept as the previous one still signs next to the current one', () => {
    const [current, former] = [newSecret(), newSecret()]
    const rotating = {
      id: 'whe_a',
      secretSealed: sealSecret(root, 'whe_a', current),
      previousSealed: sealSecret(root, 'whe_a', former),
      previousExpiresAt: now + 1,
    }
    const opened = secretsOf(createSecretOpener(root), rotating, now)
    assert.deepEqual(
      opened.map((key) => `whsec_${key.export().toString('base64')}`),
      [current, former],
    )
  })
})
