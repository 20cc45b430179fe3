import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { capabilitiesIn, negotiate, newestUcpVersion, readPlatformProfile, ucpVersions } from './negotiate.ts'

const profile = (version: string, names: readonly string[], of = version) =>
  readPlatformProfile({
    ucp: {
      version,
      capabilities: Object.fromEntries(names.map((name) => [`dev.ucp.shopping.${name}`, [{ version: of }]])),
    },
  })
const checkout = 'dev.ucp.shopping.checkout'
const strict = { capability: checkout, isLenient: false }

describe('negotiation', () => {
  test('selects what both sides list in the version of the profile, and extensions only together with their parent', () => {
    for (const { version } of ucpVersions) {
      const found = negotiate(profile(version, ['checkout', 'discount', 'unknown']), strict)
      assert.ok(typeof found === 'object' && found.isActive)
      assert.deepEqual([...found.active].sort(), [checkout, 'dev.ucp.shopping.discount'])
      assert.deepEqual(capabilitiesIn(found.active, found.dialect, checkout), {
        [checkout]: [{ version }],
        'dev.ucp.shopping.discount': [{ version }],
      })
    }
    const orphan = negotiate(profile(newestUcpVersion.version, ['fulfillment', 'order']), strict)
    assert.ok(typeof orphan === 'object' && !orphan.isActive)
    assert.deepEqual([...orphan.active], ['dev.ucp.shopping.order'])
  })

  test('ignores entries of a version other than that of the profile', () => {
    const found = negotiate(profile('2026-08-25', ['checkout'], '2026-04-08'), strict)
    assert.ok(typeof found === 'object' && !found.isActive)
  })

  test('refuses an unknown version, but in test mode assumes a caller that supports everything', () => {
    assert.equal(negotiate(profile('2025-01-01', ['checkout']), strict), 'version_unsupported')
    for (const given of [undefined, profile('2025-01-01', []), profile('2026-04-08', [])]) {
      const found = negotiate(given, { ...strict, isLenient: true })
      assert.ok(typeof found === 'object' && found.isActive && found.active.size > 5)
    }
  })

  test('ignores a malformed profile', () => {
    for (const value of [null, [], {}, { ucp: 1 }, { ucp: { version: 5 } }])
      assert.equal(readPlatformProfile(value), undefined)
    const wrong = { ucp: { version: 'x', capabilities: { [checkout]: 'b', a: [{ version: '2026-08-25' }] } } }
    assert.deepEqual(readPlatformProfile(wrong)?.capabilities.get(checkout), [])
  })

  test('stores only the used parts of a profile, with limits', () => {
    const version = '2026-08-25'
    const key = {
      kid: 'a',
      kty: 'EC',
      crv: 'P-256',
      x: 'AA',
      y: 'AA',
      more: 'x'.repeat(1_000),
      key_ops: ['sign', 'verify'],
    }
    const many = Array.from({ length: 10_000 }, () => ({}))
    const capabilities = {
      [checkout]: [{ version }, ...many],
      ...Object.fromEntries(many.map((_, at) => [`c${at}`, many])),
    }
    const read = readPlatformProfile({ ucp: { version, capabilities }, keys: [key, null, ...many] })
    const { more: _, ...kept } = key
    assert.deepEqual(read?.keys.slice(0, 2), [{ ...kept, key_ops: ['verify'] }, {}])
    assert.ok(JSON.stringify([read?.keys, [...(read?.capabilities ?? [])]]).length < 1_000)
  })
})
