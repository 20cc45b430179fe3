// The signature fixture: calls with which the author of a receiver can test it offline, a call that is signed at the time of the request,
// and a call that is signed with the live secret. Pure. The live secret itself is never shown.

import { createHmac } from 'node:crypto'
import type { SignatureVector, WebhookSignatureFixture } from '../../contract/open/webhooks.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { eventBody } from '../../platform/outbox/announce.ts'
import { deriveKey, type RootSecret } from '../../platform/secrets/secrets.ts'
import {
  createSigningKeyCache,
  decryptSigningSecrets,
  type SealedSecrets,
  secretPrefix,
  signedHeaders,
} from './signature.ts'
import type { Endpoint } from './store.ts'

const toleranceSeconds = 300
// The time at the receiver in every vector. It is years ago, so no vector can be mistaken for a current call.
const vectorNow = 1_700_000_000

export type FixtureEndpoint = SealedSecrets & Pick<Endpoint, 'installationId' | 'mode'>

export function fixtureFor(rootSecret: RootSecret, endpoint: FixtureEndpoint, now: number): WebhookSignatureFixture {
  const secret = fixtureSecret(rootSecret, endpoint.id)
  return {
    kind: 'webhook_signature_fixture',
    endpointId: endpoint.id,
    spec: 'standard-webhooks/1.0.0',
    algorithm: 'hmac-sha256',
    headers: { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' },
    signedContent: '{webhook-id}.{webhook-timestamp}.{body}',
    toleranceSeconds,
    secret,
    vectors: vectorsFor(endpoint, secret, fixtureSecret(rootSecret, `${endpoint.id} other`)),
    fresh: freshCall(endpoint, secret, now),
    liveCheck: liveCheck(rootSecret, endpoint, now),
  }
}

// A fixture secret reveals neither other fixture secrets nor the root secret nor the secrets that sign calls.
function fixtureSecret(rootSecret: RootSecret, name: string): string {
  const key = deriveKey(rootSecret, 'webhook fixture')
  return secretPrefix + createHmac('sha256', key).update(name).digest('base64')
}

function freshCall(endpoint: FixtureEndpoint, secret: string, now: number): WebhookSignatureFixture['fresh'] {
  const timestamp = Math.floor(now / 1000)
  const id = `fixture_fresh_${timestamp}`
  const body = fixtureBody(endpoint, id, timestamp, 'Signed just now with the fixture secret.')
  return {
    headers: signedHeaders([secret], { id, timestamp, body }),
    body,
    expiresAt: toInstant((timestamp + toleranceSeconds) * 1000),
  }
}

// A copy of this call is harmless: no event has such an id or type, and its time is years ago.
function liveCheck(
  rootSecret: RootSecret,
  endpoint: FixtureEndpoint,
  now: number,
): WebhookSignatureFixture['liveCheck'] {
  const id = 'fixture_live_check'
  const body = fixtureBody(endpoint, id, vectorNow, 'Signed with the live secret. Nothing happened.')
  const headers = signedHeaders(decryptSigningSecrets(createSigningKeyCache(rootSecret), endpoint, now), {
    id,
    timestamp: vectorNow,
    body,
  })
  return { headers, body }
}

function fixtureBody(
  { installationId, mode, id }: FixtureEndpoint,
  messageId: string,
  seconds: number,
  message: string,
) {
  return eventBody(messageId, {
    installationId,
    mode,
    kind: 'webhook.fixture',
    subject: { type: 'webhook_endpoint', id },
    sequence: 1,
    dataText: JSON.stringify({ endpointId: id, message }),
    cause: null,
    now: seconds * 1000,
  })
}

interface Call {
  id: string
  // The value of the header, valid or not.
  timestamp: string
  body: string
}

// What the vectors are made of. Only the fixture secret is published; `other` signs with a secret that the receiver does not have.
interface Bench {
  call: Call
  // `spaced`: the same JSON in other bytes. `unicode`: text that changes if it is decoded, normalized or escaped.
  spaced: Call
  unicode: Call
  own: (call: Call) => string
  other: (call: Call) => string
}

function vectorsFor(endpoint: FixtureEndpoint, secret: string, otherSecret: string): SignatureVector[] {
  const id = 'fixture_vector'
  const timestamp = String(vectorNow)
  const body = fixtureBody(endpoint, id, vectorNow, 'A test vector.')
  const manyScripts = 'na\u00efve, nai\u0308ve, \u2615, \u{1f337}, \u2028, \u2029, \u0000, </script>, "\\"'
  const bench: Bench = {
    call: { id, timestamp, body },
    spaced: { id, timestamp, body: JSON.stringify(JSON.parse(body), null, 2) },
    unicode: { id, timestamp, body: fixtureBody(endpoint, id, vectorNow, manyScripts) },
    own: (call) => sign(secret, call),
    other: (call) => sign(otherSecret, call),
  }
  return [...acceptedVectors(bench), ...rejectedVectors(bench)]
}

function acceptedVectors({ call, spaced, unicode, own, other }: Bench): SignatureVector[] {
  const newline = { ...call, body: `${call.body}\n` }
  const before = at(call, vectorNow - 120)
  const almostOld = at(call, vectorNow - toleranceSeconds + 1)
  const almostNew = at(call, vectorNow + toleranceSeconds - 1)
  const accept = (name: string, sent: Call, signature: string, headerNames?: HeaderNames) =>
    vector('accept', name, sent, headersOf(sent, signature, headerNames))
  return [
    accept('valid', call, own(call)),
    // During a rotation the new secret signs first and the former secret second, and a receiver may have either. In this vector the
    // fixture secret is the new one.
    accept('rotated_receiver_has_new', call, `${own(call)} ${other(call)}`),
    // In this vector the fixture secret is the former one, so a receiver that checks only the first signature fails.
    accept('rotated_receiver_has_old', call, `${other(call)} ${own(call)}`),
    // Sent before the rotation, so only the former secret signs, which is the fixture secret here. A receiver must not require two
    // signatures during a rotation.
    accept('old_only', before, own(before)),
    // A receiver must ignore signatures of unknown schemes.
    accept('unknown_scheme_first', call, `v9,${macOf(other(call))} ${own(call)}`),
    // The signature covers the bytes, not the characters or the JSON.
    accept('unicode', unicode, own(unicode)),
    accept('trailing_newline', newline, own(newline)),
    accept('spaced_json', spaced, own(spaced)),
    // Names of headers are case-insensitive.
    accept('header_case', call, own(call), ['Webhook-Id', 'WEBHOOK-TIMESTAMP', 'webhook-Signature']),
    // The time is one second within the tolerance, in both directions.
    accept('almost_too_old', almostOld, own(almostOld)),
    accept('almost_too_new', almostNew, own(almostNew)),
  ]
}

function rejectedVectors({ call, spaced, own, other }: Bench): SignatureVector[] {
  const reject = (name: string, sent: Call, signature: string) =>
    vector('reject', name, sent, headersOf(sent, signature))
  // The signature is correct for the sent time, so only the time is wrong.
  const rejectAt = (name: string, timestamp: number | string) => {
    const sent = at(call, timestamp)
    return reject(name, sent, own(sent))
  }
  // Signed as if the missing header were empty: many frameworks read a missing header as an empty text.
  const rejectWithout = (name: string, signed: Call, missing: string) => {
    const { [missing]: _, ...headers } = headersOf(signed, own(signed))
    return vector('reject', name, call, headers)
  }
  return [
    // One character of the body, the id or the time differs from what was signed.
    reject('tampered_body', { ...call, body: call.body.replace('A test', 'A best') }, own(call)),
    reject('tampered_id', { ...call, id: 'fixture_vectos' }, own(call)),
    reject('tampered_timestamp', at(call, vectorNow + 1), own(call)),
    // Signed with another secret.
    reject('wrong_secret', call, other(call)),
    // Two signatures as during a rotation: one with another secret, and one with the right secret but of another call.
    reject('rotated_neither_fits', call, `${other(call)} ${own({ ...call, id: 'fixture_other' })}`),
    // The same JSON in other bytes is another body.
    reject('reserialised_json', call, own(spaced)),
    reject('trailing_newline_added', { ...call, body: `${call.body}\n` }, own(call)),
    // Correctly signed, but one second beyond the tolerance: the call may be a replay, or was signed in advance.
    rejectAt('too_old', vectorNow - toleranceSeconds - 1),
    rejectAt('too_new', vectorNow + toleranceSeconds + 1),
    // A time must consist of decimal digits only; a lenient parser would accept several spellings of one time.
    rejectAt('timestamp_float', `${vectorNow}.5`),
    rejectAt('timestamp_suffixed', `${vectorNow}s`),
    rejectAt('timestamp_negative', `-${vectorNow}`),
    rejectAt('timestamp_plus_sign', `+${vectorNow}`),
    rejectAt('timestamp_exponent', '1.7e9'),
    rejectAt('timestamp_milliseconds', `${vectorNow}000`),
    rejectAt('timestamp_empty', ''),
    rejectWithout('missing_id', { ...call, id: '' }, 'webhook-id'),
    rejectWithout('missing_timestamp', at(call, ''), 'webhook-timestamp'),
    rejectWithout('missing_signature', call, 'webhook-signature'),
    // The signature is missing or incomplete.
    reject('signature_empty', call, ''),
    reject('signature_without_value', call, 'v1,'),
    reject('signature_truncated', call, own(call).slice(0, -12)),
    // Signatures are separated by spaces, so this is one signature, made with another secret and followed by text.
    reject('signature_comma_joined', call, `${other(call)},${own(call)}`),
    // The right signature in another encoding, without a scheme, or with an unknown scheme.
    reject('signature_hex', call, `v1,${Buffer.from(macOf(own(call)), 'base64').toString('hex')}`),
    reject('signature_without_scheme', call, macOf(own(call))),
    reject('signature_unknown_scheme', call, `v9,${macOf(own(call))}`),
  ]
}

function vector(
  expect: SignatureVector['expect'],
  name: string,
  { body }: Call,
  headers: Record<string, string>,
): SignatureVector {
  return { name, expect, now: vectorNow, headers, body, bodyBase64: Buffer.from(body).toString('base64') }
}

type HeaderNames = readonly [id: string, timestamp: string, signature: string]
const usualNames: HeaderNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function headersOf({ id, timestamp }: Call, signature: string, names = usualNames): Record<string, string> {
  return { [names[0]]: id, [names[1]]: timestamp, [names[2]]: signature }
}

function at(call: Call, timestamp: number | string): Call {
  return { ...call, timestamp: String(timestamp) }
}

// Signs any text as the time. Real calls are signed by `signWebhook`, which accepts only numbers.
function sign(secret: string, { id, timestamp, body }: Call): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

function macOf(signature: string): string {
  return signature.slice('v1,'.length)
}
