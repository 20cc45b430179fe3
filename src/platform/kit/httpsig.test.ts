import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { test } from 'node:test'
import { fieldBytes, fieldMemberText, isInnerList, readDictionary } from './fields.ts'
import { contentDigestOf, isSignedBy, signatureBase, signatureHeaders, thumbprintOf, verifyingKey } from './httpsig.ts'

const jwkOf = (spki: string): JsonWebKey =>
  createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' }).export({ format: 'jwk' })

// The keys and messages of RFC 9421, appendix B.
const p256 = jwkOf(
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==',
)
const ed25519 = jwkOf('MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=')
const vectors = [
  {
    name: 'B.2.4, a response by ECDSA P-256',
    jwk: p256,
    input:
      'sig=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
    signature: 'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==',
    message: {
      status: 200,
      headers: {
        'content-type': 'application/json',
        'content-digest':
          'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:',
        'content-length': '23',
      },
    },
  },
  {
    name: 'B.2.6, a request by Ed25519',
    jwk: ed25519,
    input:
      'sig=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    signature: 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
    message: {
      method: 'POST',
      path: '/foo',
      query: '?param=Value&Pet=dog',
      authority: 'example.com',
      headers: {
        date: 'Tue, 20 Apr 2021 02:07:55 GMT',
        'content-type': 'application/json',
        'content-length': '18',
      },
    },
  },
]

for (const { name, jwk, input, signature, message } of vectors)
  test(`the example of the RFC is verified: ${name}`, () => {
    const list = readDictionary(input)?.get('sig')
    const key = verifyingKey(jwk)
    assert.ok(isInnerList(list) && key)
    const base = signatureBase(list, message)
    assert.ok(base !== undefined)
    assert.ok(isSignedBy(key, base, Buffer.from(signature, 'base64')))
    assert.ok(!isSignedBy(key, `${base} `, Buffer.from(signature, 'base64')))
  })

test('the thumbprint of the key in RFC 8037 is the published one', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  assert.equal(thumbprintOf({ kty: 'OKP', crv: 'Ed25519', x }), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
})

test('the digest equals that in RFC 9530, and our own signature is verified', () => {
  assert.equal(contentDigestOf('{"hello": "world"}\n'), 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const message = { method: 'POST', authority: 'a.example', path: '/x', query: '', headers: { a: ' one ' } }
  const headers = signatureHeaders(['@method', '@query', 'a'], message, { keyId: 'k"1', privateKey }, 7)
  assert.equal(headers['signature-input'], 'sig1=("@method" "@query" "a");created=7;keyid="k\\"1"')
  const list = readDictionary(headers['signature-input'])?.get('sig1')
  const bytes = fieldBytes(readDictionary(headers.signature)?.get('sig1'))
  const key = verifyingKey(publicKey.export({ format: 'jwk' }))
  assert.ok(isInnerList(list) && bytes && key)
  const base = signatureBase(list, message)
  assert.match(base ?? '', /^"@method": POST\n"@query": \?\n"a": one\n"@signature-params": /)
  assert.ok(isSignedBy(key, base ?? '', bytes))
})

test('a signature can cover a member of a dictionary by its key; unknown, missing or duplicate components are refused', () => {
  const list = (text: string) => {
    const member = readDictionary(`s=${text}`)?.get('s')
    assert.ok(isInnerList(member), text)
    return member
  }
  const message = { method: 'GET', headers: { 'signature-agent': 'a="x", b="https://b.example";type=jwks_uri' } }
  assert.match(
    signatureBase(list('("signature-agent";key="b")'), message) ?? '',
    /^"signature-agent";key="b": "https:\/\/b.example";type=jwks_uri\n/,
  )
  for (const wrong of [
    '("signature-agent";key="c")',
    '("signature-agent";sf)',
    '("@method" "@method")',
    '("@method";req)',
    '("@status")',
    '("@target-uri")',
    '("Accept")',
    '("none")',
    '(1)',
  ])
    assert.equal(signatureBase(list(wrong), message), undefined, wrong)
})

test('the dictionaries of RFC 8941 that signatures use are parsed, and others are refused', () => {
  const good = 'a=1, b;x=?0, c=("q\\"" tok;n=:AQI=:);d="e"'
  const read = readDictionary(good)
  assert.deepEqual(
    [...(read ?? [])].map(([name, member]) => `${name}=${fieldMemberText(member)}`),
    ['a=1', 'b=?1;x=?0', 'c=("q\\"" tok;n=:AQI=:);d="e"'],
  )
  assert.equal(readDictionary('')?.size, 0)
  const many = Array.from({ length: 65 }, (_, index) => `k${index}=1`).join(', ')
  for (const wrong of ['A=1', 'a=', 'a=1,', 'a=1 b=2', 'a=("x"', 'a=("x""y")', 'a="é"', 'a=1.5', 'a=:*:', many])
    assert.equal(readDictionary(wrong), undefined, wrong)
  assert.equal(readDictionary(`a="${'x'.repeat(9_000)}"`), undefined)
})
