import assert from 'node:assert/strict'
import { hkdfSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import fc from 'fast-check'
import {
  decrypt,
  decryptByRootSecret,
  deriveKey,
  encrypt,
  encryptByRootSecret,
  isEqualSecret,
  parseRootSecret,
  RootSecret,
  signToken,
  verifyToken,
} from './secrets.ts'

const oldText = 'old-text-of-a-root-secret-for-these-tests'
const newText = 'new-text-of-a-root-secret-for-these-tests'

function rootFrom(text: string): RootSecret {
  const parsed = parseRootSecret(text)
  assert.ok(parsed instanceof RootSecret, 'problem' in parsed ? parsed.problem : '')
  return parsed
}

function replaced(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1)
}

test('a root secret has versions, and the first version is the current one', () => {
  assert.equal(rootFrom(oldText).currentVersion, 1)
  assert.equal(rootFrom(`  ${oldText}\n`).currentVersion, 1)
  const root = rootFrom(`2:${newText},1:${oldText}`)
  assert.equal(root.currentVersion, 2)
  assert.deepEqual(
    [0, 1, 2, 3].map((version) => root.hasVersion(version)),
    [false, true, true, false],
  )
  assert.equal(rootFrom(`1:${oldText}, 2:${newText}`).currentVersion, 1)
})

test('an invalid root secret is reported in a sentence that does not contain it', () => {
  const bad = [
    '',
    'short-secret',
    'x'.repeat(31),
    'x'.repeat(1025),
    `with space ${oldText}`,
    `é${oldText}`,
    '1:short-secret',
    `0:${oldText}`,
    `256:${oldText}`,
    `1000:${oldText}`,
    `1:${oldText},1:${newText}`,
    `2:${newText},${oldText}`,
    `2:${newText},`,
  ]
  for (const text of bad) {
    const parsed = parseRootSecret(text)
    assert.ok('problem' in parsed, text)
    assert.match(parsed.problem, /\.$/)
    assert.doesNotMatch(parsed.problem, /old-|new-|short-secret/)
  }
})

test('a root secret that can be guessed is refused, unless it is an older version that is being replaced', () => {
  const weak = [
    'a'.repeat(32),
    'changeme'.repeat(4),
    'change-this-secret!'.repeat(3),
    'abcdefghijklmnopqrstuvwxyz0123456789',
    '01234567890123456789012345678901',
    'ababababababababababababababababacac',
  ]
  for (const text of weak) {
    assert.match((parseRootSecret(text) as { problem: string }).problem, /too easy to guess/, text)
    assert.equal(rootFrom(`2:${newText},1:${text}`).currentVersion, 2)
  }
  assert.match((parseRootSecret(`1:${oldText},2:${oldText}`) as { problem: string }).problem, /are the same text/)
  for (let i = 0; i < 300; i += 1) {
    rootFrom(randomBytes(16).toString('hex'))
    rootFrom(randomBytes(32).toString('base64url'))
  }
})

test('a root secret cannot be printed', () => {
  const root = rootFrom(oldText)
  const prints = [
    String(root),
    `${root}`,
    JSON.stringify({ root }),
    JSON.stringify(Object.entries(root)),
    inspect(root, { showHidden: true, depth: 9 }),
    inspect({ deep: [root] }, { depth: 9 }),
    format('%s %o %j', root, root, root),
    inspect({ ...root }),
  ]
  for (const print of prints) assert.doesNotMatch(print, /old-/)
  assert.equal(String(root), '[secret]')
})

test('keys are different for each purpose and version, and derived by HKDF', () => {
  const root = rootFrom(`2:${newText},1:${oldText}`)
  const keys = [deriveKey(root, 'a'), deriveKey(root, 'b'), deriveKey(root, 'a', 1)]
  assert.equal(new Set(keys.map((key) => key.export().toString('hex'))).size, 3)
  assert.ok(deriveKey(root, 'a', 2).equals(deriveKey(root, 'a')))
  assert.ok(deriveKey(root, 'a', 1).equals(deriveKey(rootFrom(oldText), 'a')))
  assert.deepEqual(deriveKey(root, 'a', 1).export(), Buffer.from(hkdfSync('sha256', oldText, 'cartwright', 'a', 32)))
  assert.throws(() => deriveKey(root, 'a', 3), RangeError)
})

test('an encrypted text can be decrypted only with the same key and context', () => {
  const key = deriveKey(rootFrom(oldText), 'a')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
      const sealed = encrypt(key, plain, context)
      assert.match(sealed, /^[A-Za-z0-9_-]+$/)
      assert.equal(decrypt(key, sealed, context), plain)
      assert.equal(decrypt(key, sealed, `${context}x`), undefined)
      assert.equal(decrypt(deriveKey(rootFrom(newText), 'a'), sealed, context), undefined)
    }),
  )
  assert.notEqual(encrypt(key, 'same', 'c'), encrypt(key, 'same', 'c'))
})

test('each encrypted text has its own nonce, however many are encrypted', () => {
  const key = deriveKey(rootFrom(newText), 'a')
  const texts = Array.from({ length: 1_000 }, () => encrypt(key, 'same', 'same'))
  const nonces = texts.map((text) => Buffer.from(text, 'base64url').toString('hex', 2, 14))
  assert.equal(new Set(nonces).size, texts.length)
  assert.ok(texts.every((text) => decrypt(key, text, 'same') === 'same'))
})

test('an encrypted text with any change cannot be decrypted', () => {
  const key = deriveKey(rootFrom(oldText), 'a')
  const bytes = Buffer.from(encrypt(key, 'plain', 'row 1'), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[at] = (bytes[at] as number) ^ (1 << bit)
      assert.equal(decrypt(key, changed.toString('base64url'), 'row 1'), undefined)
    }
    assert.equal(decrypt(key, bytes.subarray(0, at).toString('base64url'), 'row 1'), undefined)
  }
  assert.equal(decrypt(key, 'not base64 !', 'row 1'), undefined)
})

test('a text that an old version of the root secret encrypted can be decrypted while that version is known', () => {
  const old = rootFrom(oldText)
  const both = rootFrom(`2:${newText},1:${oldText}`)
  const sealed = encryptByRootSecret(old, 'address row key', 'plain', 'row 1')
  assert.equal(decryptByRootSecret(both, 'address row key', sealed, 'row 1'), 'plain')
  assert.equal(
    decryptByRootSecret(
      old,
      'address row key',
      encryptByRootSecret(both, 'address row key', 'plain', 'row 1'),
      'row 1',
    ),
    undefined,
  )
  assert.equal(decryptByRootSecret(both, 'webhook secret', sealed, 'row 1'), undefined)
  assert.equal(decryptByRootSecret(both, 'address row key', sealed, 'row 2'), undefined)
  assert.equal(decryptByRootSecret(both, 'address row key', '', 'row 1'), undefined)
  assert.equal(decrypt(deriveKey(old, 'address row key'), sealed, 'row 1'), undefined)
})

test('a token is read only exactly as it was signed', () => {
  const key = deriveKey(rootFrom(oldText), 'list cursor')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (payload) => {
      const token = signToken(key, payload)
      assert.match(token, /^[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{43}$/)
      assert.equal(verifyToken(key, token), payload)
    }),
  )
  const token = signToken(key, '["2026",1]')
  for (let at = 0; at < token.length; at++) {
    for (const by of ['A', 'B', '.', '=', ' ', '']) {
      const changed = replaced(token, at, by)
      if (changed !== token) assert.equal(verifyToken(key, changed), undefined, changed)
    }
  }
  assert.equal(verifyToken(deriveKey(rootFrom(newText), 'list cursor'), token), undefined)
  for (const text of ['', '.', 'a', `${token}.`, `${token}=`, signToken(key, 'x'.repeat(5000))]) {
    assert.equal(verifyToken(key, text), undefined)
  }
})

test('two secrets are equal only with the same length and the same characters', () => {
  assert.equal(isEqualSecret('', ''), true)
  assert.equal(isEqualSecret('abc', 'abc'), true)
  assert.equal(isEqualSecret('abc', 'abd'), false)
  assert.equal(isEqualSecret('abc', 'abcd'), false)
  assert.equal(isEqualSecret('é', 'e'), false)
})
