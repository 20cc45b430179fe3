import assert from 'node:assert/strict'
import { createPrivateKey, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { parseRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { cookieKeys, signingKeys } from './keys.ts'

const [one, two] = ['the-first-root-secret-of-these-tests', 'the-second-root-secret-of-these-tests']
const secret = (text: string) => parseRootSecret(text) as RootSecret

test('keys are the same on every node, and different from each other', () => {
  assert.deepEqual(signingKeys(secret(one)), signingKeys(secret(one)))
  const all = cookieKeys(secret(one)).map((key) => key.toString('hex'))
  assert.equal(
    new Set([...all, Buffer.from(signingKeys(secret(one))[0]?.d ?? '', 'base64url').toString('hex')]).size,
    2,
  )
})

test('after a rotation of the root secret the first key comes from the new version, and the key of the old one is still accepted', () => {
  const rotated = secret(`2:${two},1:${one}`)
  const old = secret(`1:${one}`)
  assert.deepEqual(signingKeys(rotated)[1], signingKeys(old)[0])
  assert.notDeepEqual(signingKeys(rotated)[0], signingKeys(old)[0])
  assert.deepEqual(cookieKeys(rotated)[1], cookieKeys(old)[0])
  assert.deepEqual(
    signingKeys(secret(`1:${one},2:${two}`)).map(({ x }) => x),
    signingKeys(rotated)
      .map(({ x }) => x)
      .reverse(),
  )
})

test('a signing key is an Ed25519 key', () => {
  const [key] = signingKeys(secret(one))
  assert.ok(key)
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' })
  assert.equal(privateKey.asymmetricKeyType, 'ed25519')
  const text = Buffer.from('text')
  assert.ok(verify(null, text, privateKey, sign(null, text, privateKey)))
})
