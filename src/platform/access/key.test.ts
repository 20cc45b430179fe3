import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../harness/texts.ts'
import { parseRootSecret, RootSecret } from '../secrets/secrets.ts'
import { generateKey, keyDigest, keyLast4, keyPrefix, parseApiKey, unboundDigest } from './key.ts'

const rootSecret = parseRootSecret(
  '2:the-newer-root-secret-of-this-test-only,1:the-older-root-secret-of-this-test-only',
)

test('a key has the form of the contract, and is parsed to what was made', () => {
  for (const mode of ['live', 'test'] as const) {
    const key = generateKey(mode)
    assert.match(key.text, new RegExp(`^cwk_${mode}_[0-9A-Za-z]{48}$`))
    assert.equal(key.lookup, key.text.slice(9, 21))
    assert.deepEqual(parseApiKey(key.text), key)
  }
  assert.equal(new Set(Array.from({ length: 1000 }, () => generateKey('test').lookup)).size, 1000)
})

test('a key with any change is refused without reading the database', () => {
  const { text } = generateKey('test')
  for (let at = 0; at < text.length; at++) {
    for (const by of ['', 'a', 'Z', '0', '_', ' ', '\n', 'é', 'ab']) {
      const changed = text.slice(0, at) + by + text.slice(at + 1)
      if (changed !== text) assert.equal(parseApiKey(changed), undefined, JSON.stringify(changed))
    }
  }
  assert.equal(parseApiKey(text.replace('test', 'live')), undefined)
  assert.equal(parseApiKey(text.toUpperCase()), undefined)
  fc.assert(fc.property(anyText(), (garbage) => assert.equal(parseApiKey(garbage), undefined)))
})

test('a publishable key is recognized by its prefix', () => {
  for (const mode of ['test', 'live'] as const) {
    const { text, lookup } = generateKey(mode, 'publishable')
    assert.match(text, new RegExp(`^cwp_${mode}_[0-9A-Za-z]{48}$`))
    assert.deepEqual(parseApiKey(text), { mode, lookup, text })
    assert.equal(parseApiKey(text.replace('cwp', 'cwk')), undefined)
  }
})

test('the displayed parts of a key are its prefix and the last four characters of its checksum', () => {
  const key = generateKey('live')
  assert.equal(keyPrefix(key), key.text.slice(0, 21))
  assert.equal(keyLast4(key), key.text.slice(-4))
})

test('the digest depends on the whole key, the version of the root secret and the row of the key', () => {
  assert.ok(rootSecret instanceof RootSecret)
  const { text } = generateKey('live')
  const binding = {
    id: 'key_1',
    installationId: 'ins_1',
    merchantId: 'mer_1',
    mode: 'live',
    scopes: 'a b',
    origins: null,
  } as const
  const digest = keyDigest(rootSecret, 1, text, binding)
  assert.match(digest, /^[0-9a-f]{64}$/)
  assert.equal(keyDigest(rootSecret, 1, text, { ...binding }), digest)
  assert.notEqual(keyDigest(rootSecret, 2, text, binding), digest)
  assert.notEqual(keyDigest(rootSecret, 1, generateKey('live').text, binding), digest)
  assert.notEqual(unboundDigest(rootSecret, 1, text), digest)
  for (const name of Object.keys(binding))
    assert.notEqual(keyDigest(rootSecret, 1, text, { ...binding, [name]: 'x' }), digest, name)
})
