import assert from 'node:assert/strict'
import { generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { test } from 'node:test'
import { isInnerList, readDictionary } from '../../platform/kit/fields.ts'
import { contentDigestOf, signatureBase, thumbprintOf } from '../../platform/kit/httpsig.ts'
import { findSignatureProblem, hasSignature, type ProvableRequest } from './proof.ts'

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const ed25519 = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = ({ publicKey }: typeof p256, kid: string, more: object = {}): JsonWebKey => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  ...more,
})

const now = 1_780_000_000
const keys = [
  { kid: 'rsa', kty: 'RSA', n: 'AQAB', e: 'AQAB' },
  null,
  jwk(p256, 'k1'),
  jwk(p384, 'k2'),
  jwk(ed25519, 'k3'),
]
const body = Buffer.from('{"a":1}')
const parts = '"@method" "@authority" "@path" "ucp-agent" "idempotency-key" "content-digest" "content-type"'
const request: ProvableRequest = {
  method: 'POST',
  authority: 'shop.example',
  path: '/ucp/tea/carts',
  query: '',
  body,
  headers: {
    'ucp-agent': 'profile="https://p.example"',
    'idempotency-key': '0123456789012345678901',
    'content-type': 'application/json',
    'content-digest': contentDigestOf(body),
  },
}

interface Signing {
  message?: Partial<ProvableRequest>
  // What is sent, if it differs from what was signed.
  sent?: Partial<ProvableRequest>
  covered?: string
  params?: string
  by?: typeof p256
  hash?: string | null
  isDer?: boolean
  label?: string
}

function signed(signing: Signing = {}): ProvableRequest {
  const { message = {}, sent = {}, covered = parts, params = ';keyid="k1"', by = p256, hash = 'sha256' } = signing
  const whole = { ...request, ...message, headers: { ...request.headers, ...message.headers } }
  const text = `(${covered})${params}`
  const input = readDictionary(`s=${text}`)?.get('s')
  assert.ok(isInnerList(input), text)
  const base = signatureBase(input, whole)
  assert.ok(base !== undefined, text)
  const bytes = sign(hash, Buffer.from(base), {
    key: by.privateKey,
    dsaEncoding: signing.isDer ? 'der' : 'ieee-p1363',
  })
  const label = signing.label ?? 'sig1'
  const headers = {
    ...whole.headers,
    'signature-input': `${label}=${text}`,
    signature: `${label}=:${bytes.toString('base64')}:`,
    ...sent.headers,
  }
  return { ...whole, ...sent, headers }
}

const problem = (message: ProvableRequest, known: readonly unknown[] = keys) =>
  findSignatureProblem(message, known, now * 1_000)

test('a signature by a P-256, P-384 or Ed25519 key of the profile is accepted', () => {
  assert.ok(!hasSignature(request))
  assert.ok(hasSignature(signed()))
  assert.equal(problem(signed()), null)
  assert.equal(problem(signed({ params: ';keyid="k2"', by: p384, hash: 'sha384' })), null)
  assert.equal(problem(signed({ params: ';keyid="k3"', by: ed25519, hash: null })), null)
  const thumb = thumbprintOf(jwk(p256, ''))
  const tagged = signed({ params: `;keyid="${thumb}";created=${now};expires=${now + 60};tag="web-bot-auth"` })
  assert.equal(problem(tagged, [jwk(p256, thumb)]), null)
  const query = '?a=1'
  assert.equal(problem(signed({ message: { query }, covered: `${parts} "@query"` })), null)
  const members = '"content-digest";key="sha-256"'
  assert.equal(problem(signed({ covered: parts.replace('"content-digest"', members) })), null)
  const agent = { headers: { 'signature-agent': 'sig1="https://p.example"' } }
  assert.equal(problem(signed({ message: agent, covered: `${parts} "signature-agent";key="sig1"` })), null)
  const read: Partial<ProvableRequest> = { method: 'GET', body: Buffer.alloc(0) }
  assert.equal(
    problem(signed({ message: read, covered: '"@method" "@authority" "@path" "ucp-agent" "idempotency-key"' })),
    null,
  )
})

test('one valid signature out of two is enough', () => {
  const good = signed({ label: 'b' })
  const bad = signed({ label: 'a', by: other })
  const join = (name: string) => `${bad.headers[name]}, ${good.headers[name]}`
  const headers = { ...good.headers, 'signature-input': join('signature-input'), signature: join('signature') }
  assert.equal(problem({ ...good, headers }), null)
  assert.equal(problem({ ...good, headers: { ...headers, signature: bad.headers.signature } }), 'signature_invalid')
})

const without = (name: string) => parts.replace(`"${name}"`, '').replaceAll(/ +/g, ' ').trim()
const agentHeader = { headers: { 'signature-agent': 'sig1="https://p.example"' } }

// biome-ignore format: a table is read by its rows
const wrong: readonly (readonly [name: string, code: string, message: ProvableRequest, known?: readonly unknown[]])[] = [
  ...['@method', '@authority', '@path', 'ucp-agent', 'idempotency-key', 'content-digest', 'content-type'].map((name) => [`${name} is not covered`, 'signature_invalid', signed({ covered: without(name) })] as const),
  ['the query is not covered', 'signature_invalid', signed({ message: { query: '?a=1' } })],
  ['the Signature-Agent header is not covered', 'signature_invalid', signed({ message: agentHeader })],
  ['only another digest of the body is covered', 'signature_invalid', signed({ message: { headers: { 'content-digest': `${contentDigestOf(body)}, sha-512=:AAAA:` } }, covered: parts.replace('"content-digest"', '"content-digest";key="sha-512"'), sent: { body: Buffer.from('{}'), headers: { 'content-digest': `${contentDigestOf('{}')}, sha-512=:AAAA:` } } })],
  ['only one member of the UCP-Agent header is covered', 'signature_invalid', signed({ message: { headers: { 'ucp-agent': 'profile="https://p.example", v=1' } }, covered: parts.replace('"ucp-agent"', '"ucp-agent";key="v"'), sent: { headers: { 'ucp-agent': 'profile="https://q.example", v=1' } } })],
  ['another method', 'signature_invalid', signed({ sent: { method: 'PUT' } })],
  ['another host', 'signature_invalid', signed({ sent: { authority: 'evil.example' } })],
  ['another path', 'signature_invalid', signed({ sent: { path: '/ucp/other/carts' } })],
  ['another query', 'signature_invalid', signed({ message: { query: '?a=1' }, covered: `${parts} "@query"`, sent: { query: '?a=2' } })],
  ['another profile', 'signature_invalid', signed({ sent: { headers: { 'ucp-agent': 'profile="https://q.example"' } } })],
  ['another idempotency key', 'signature_invalid', signed({ sent: { headers: { 'idempotency-key': '1123456789012345678901' } } })],
  ['another content type', 'signature_invalid', signed({ sent: { headers: { 'content-type': 'text/plain' } } })],
  ['the digest of another body', 'digest_mismatch', signed({ sent: { body: Buffer.from('{"a":2}') } })],
  ['another body and its digest', 'signature_invalid', signed({ sent: { body: Buffer.from('{}'), headers: { 'content-digest': contentDigestOf('{}') } } })],
  ['only a digest by SHA-512', 'digest_mismatch', signed({ message: { headers: { 'content-digest': 'sha-512=:AAAA:' } } })],
  ['a key that the profile does not have', 'key_not_found', signed({ params: ';keyid="gone"' })],
  ['a key that is retired', 'key_not_found', signed(), [jwk(p384, 'k2')]],
  ['a key for encryption', 'key_not_found', signed(), [jwk(p256, 'k1', { use: 'enc' })]],
  ['a key that is not for verifying', 'key_not_found', signed(), [jwk(p256, 'k1', { key_ops: ['deriveKey'] })]],
  ['another key with this ID', 'signature_invalid', signed({ by: other })],
  ['an unknown type of key', 'algorithm_unsupported', signed({ params: ';keyid="rsa"' })],
  ['a damaged key', 'algorithm_unsupported', signed(), [{ kid: 'k1', kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }]],
  ['a key whose curve is not the one it names', 'algorithm_unsupported', signed(), [{ ...jwk(p256, 'k1'), crv: 'P-384' }]],
  ['a signature in DER', 'signature_invalid', signed({ isDer: true })],
  ['a signature without a key ID', 'signature_invalid', signed({ params: '' })],
  ['another tag', 'signature_invalid', signed({ params: ';keyid="k1";tag="x"' })],
  ['a tagged key whose ID is not its thumbprint', 'signature_invalid', signed({ params: ';keyid="k1";tag="web-bot-auth"' })],
  ['an expired signature', 'signature_invalid', signed({ params: `;keyid="k1";created=${now - 60};expires=${now}` })],
  ['a signature made in the future', 'signature_invalid', signed({ params: `;keyid="k1";created=${now + 301}` })],
  ['a signature older than ten minutes', 'signature_invalid', signed({ params: `;keyid="k1";created=${now - 601}` })],
  ['a signature valid for more than a day', 'signature_invalid', signed({ params: `;keyid="k1";expires=${now + 90_000}` })],
  ['a time that is not a number', 'signature_invalid', signed({ params: ';keyid="k1";created="x"' })],
  ['no signature with this label', 'signature_missing', signed({ sent: { headers: { signature: 'x=:AAAA:' } } })],
  ['a signature that is a string', 'signature_missing', signed({ sent: { headers: { signature: 'sig1="AAAA"' } } })],
  ['a Signature-Input header without a list', 'signature_invalid', signed({ sent: { headers: { 'signature-input': 'sig1="x"' } } })],
  ['a malformed Signature-Input header', 'signature_invalid', signed({ sent: { headers: { 'signature-input': '(' } } })],
  ['a signature without a Signature-Input header', 'signature_invalid', signed({ sent: { headers: { 'signature-input': undefined } } })],
]

for (const [name, code, message, known] of wrong)
  test(`${code}: ${name}`, () => assert.equal(problem(message, known), code))
