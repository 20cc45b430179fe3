import assert from 'node:assert/strict'
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { readClientKeys } from './clientkeys.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const other = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const ed = generateKeyPairSync('ed25519')
const x = generateKeyPairSync('x25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 })

const es256 = ec.publicKey.export({ format: 'jwk' })
const ed25519 = ed.publicKey.export({ format: 'jwk' })
const ps256 = rsa.publicKey.export({ format: 'jwk' })

describe('reading the keys of a confidential app', () => {
  test('accepts ES256, Ed25519 and PS256, and returns only known members', () => {
    const read = readClientKeys({
      keys: [
        { ...es256, kid: 'a', alg: 'ES256', x5u: 'https://evil.example/', ext: true },
        { ...ed25519, use: 'sig', key_ops: ['verify'] },
        ps256,
      ],
    })
    assert.deepEqual(read, {
      keys: [
        { kty: 'EC', use: 'sig', kid: 'a', alg: 'ES256', crv: 'P-256', x: es256.x, y: es256.y },
        { kty: 'OKP', use: 'sig', crv: 'Ed25519', x: ed25519.x },
        { kty: 'RSA', use: 'sig', alg: 'PS256', n: ps256.n, e: ps256.e },
      ],
    })
    assert.deepEqual(readClientKeys(read), read)
  })

  const one = (key: JsonWebKey | Record<string, unknown>) => ({ keys: [key] })
  // biome-ignore format: a table is read by its rows
  const refused: [name: string, given: unknown, path: string][] = [
    ['a text instead of an object', 'keys', ''],
    ['a key instead of a set of keys', es256, ''],
    ['keys that are not a list', { keys: es256 }, ''],
    ['an empty list of keys', { keys: [] }, '/keys'],
    ['eleven keys', { keys: Array.from({ length: 11 }, () => es256) }, '/keys'],
    ['a key that is null', { keys: [null] }, '/keys/0'],
    ['a private EC key', one(ec.privateKey.export({ format: 'jwk' })), '/keys/0/d'],
    ['a private Ed25519 key', one(ed.privateKey.export({ format: 'jwk' })), '/keys/0/d'],
    ['a private RSA key', one(rsa.privateKey.export({ format: 'jwk' })), '/keys/0/d'],
    ['a prime of an RSA key', one({ ...ps256, p: 'AQAB' }), '/keys/0/p'],
    ['a private part that is null', one({ ...es256, d: null }), '/keys/0/d'],
    ['a shared secret', one({ kty: 'oct', k: 'AAAA' }), '/keys/0/k'],
    ['an unknown key type', one({ kty: 'AKP' }), '/keys/0/kty'],
    ['a key type that is a name in Object.prototype', one({ kty: 'toString' }), '/keys/0/kty'],
    ['the curve P-384', one(other.publicKey.export({ format: 'jwk' })), '/keys/0/crv'],
    ['a key for key agreement', one(x.publicKey.export({ format: 'jwk' })), '/keys/0/crv'],
    ['the algorithm RS256', one({ ...ps256, alg: 'RS256' }), '/keys/0/alg'],
    ['the algorithm none', one({ ...es256, alg: 'none' }), '/keys/0/alg'],
    ['a key for encryption', one({ ...es256, use: 'enc' }), '/keys/0/use'],
    ['a key for signing', one({ ...es256, key_ops: ['sign'] }), '/keys/0/key_ops'],
    ['an id of spaces', one({ ...es256, kid: ' ' }), '/keys/0/kid'],
    ['two keys with the same id', { keys: [{ ...es256, kid: 'a' }, { ...ed25519, kid: 'a' }] }, '/keys/1/kid'],
    ['a missing member', one({ ...es256, y: undefined }), '/keys/0/y'],
    ['a member that is not base64url', one({ ...es256, x: 'a b' }), '/keys/0/x'],
    ['a point off the curve', one({ ...es256, x: es256.y, y: es256.x }), '/keys/0'],
    ['a short Ed25519 key', one({ ...ed25519, x: 'AAAA' }), '/keys/0'],
    ['an RSA key of 1,024 bits', one(weak.publicKey.export({ format: 'jwk' })), '/keys/0/n'],
    ['an RSA key with a small exponent', one({ ...ps256, e: 'Aw' }), '/keys/0/n'],
  ]
  for (const [name, given, path] of refused) {
    test(`refuses ${name}`, () => {
      const read = readClientKeys(given)
      assert('problem' in read)
      assert.equal(read.problem.path, path)
    })
  }
})
