import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventSchemas } from '../../contract/open/events.ts'
import { WebhookSignatureFixture } from '../../contract/open/webhooks.ts'
import { compileSchema } from '../../contract/validator.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { parseRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { type FixtureEndpoint, fixtureFor } from './fixture.ts'
import { encryptWebhookSecret, makeWebhookSecret, signWebhook } from './signature.ts'

const rootText = 'a-root-secret-that-only-this-test-knows'
const root = parseRootSecret(rootText) as RootSecret
const now = Date.parse('2026-06-01T12:00:00.750Z')

interface Known {
  endpoint: FixtureEndpoint
  live: string
  former: string
}

function givenEndpoint(previousExpiresAt: number | null = null): Known {
  const id = newId('whe')
  const [live, former] = [makeWebhookSecret(), makeWebhookSecret()]
  const endpoint = {
    installationId: newId('ins'),
    mode: 'test' as const,
    id,
    secretSealed: encryptWebhookSecret(root, id, live),
    previousSealed: previousExpiresAt === null ? null : encryptWebhookSecret(root, id, former),
    previousExpiresAt,
  }
  return { endpoint, live, former }
}

interface Received {
  headers: Record<string, string>
  body: string
}

// Whether the published library accepts the webhook at this time.
function isTakenByLibrary(context: TestContext, secret: string, { headers, body }: Received, seconds: number): boolean {
  context.mock.timers.enable({ apis: ['Date'], now: seconds * 1000 })
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch (error) {
    assert.equal((error as Error).name, 'WebhookVerificationError')
    return false
  } finally {
    context.mock.timers.reset()
  }
}

// Whether a receiver that follows the text of the specification, without any library, accepts the webhook.
function isTakenByTheLetter(secret: string, { headers, body }: Received, seconds: number): boolean {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => lower.get(`webhook-${name}`))
  if (!id || !timestamp || !signatures || !/^\d+$/.test(timestamp)) return false
  if (Math.abs(seconds - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
  return signatures
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === wanted.length && timingSafeEqual(signature, wanted))
}

describe('the signature fixture', () => {
  const { endpoint, live } = givenEndpoint()
  const fixture = fixtureFor(root, endpoint, now)

  test('matches the contract', () => {
    assert.deepEqual(compileSchema(WebhookSignatureFixture)(fixture), [])
    assert.equal(fixture.endpointId, endpoint.id)
  })

  test('has every required vector, each with its own name', () => {
    const names = (expect: string) =>
      fixture.vectors.filter((vector) => vector.expect === expect).map(({ name }) => name)
    assert.deepEqual(names('accept'), [
      'valid',
      'rotated_receiver_has_new',
      'rotated_receiver_has_old',
      'old_only',
      'unknown_scheme_first',
      'unicode',
      'trailing_newline',
      'spaced_json',
      'header_case',
      'almost_too_old',
      'almost_too_new',
    ])
    assert.deepEqual(names('reject'), [
      'tampered_body',
      'tampered_id',
      'tampered_timestamp',
      'wrong_secret',
      'rotated_neither_fits',
      'reserialised_json',
      'trailing_newline_added',
      'too_old',
      'too_new',
      'timestamp_float',
      'timestamp_suffixed',
      'timestamp_negative',
      'timestamp_plus_sign',
      'timestamp_exponent',
      'timestamp_milliseconds',
      'timestamp_empty',
      'missing_id',
      'missing_timestamp',
      'missing_signature',
      'signature_empty',
      'signature_without_value',
      'signature_truncated',
      'signature_comma_joined',
      'signature_hex',
      'signature_without_scheme',
      'signature_unknown_scheme',
    ])
    assert.equal(new Set(fixture.vectors.map(({ name }) => name)).size, fixture.vectors.length)
  })

  for (const vector of fixture.vectors) {
    test(`${vector.name}: the published library and a strict receiver both ${vector.expect} it`, (context) => {
      const isTaken = vector.expect === 'accept'
      assert.equal(isTakenByLibrary(context, fixture.secret, vector, vector.now), isTaken)
      assert.equal(isTakenByTheLetter(fixture.secret, vector, vector.now), isTaken)
      assert.equal(Buffer.from(vector.bodyBase64, 'base64').toString(), vector.body)
    })
  }

  test('has vectors that differ from the valid one only in what they are named after', () => {
    const valid = vectorOf('valid')
    for (const { name, expect, body } of fixture.vectors) {
      if (expect === 'accept' && !['unicode', 'trailing_newline', 'spaced_json'].includes(name))
        assert.equal(body, valid.body, name)
    }
    const spellings = Object.keys(vectorOf('header_case').headers)
    assert.notDeepEqual(spellings, Object.keys(valid.headers))
    assert.deepEqual(
      spellings.map((name) => name.toLowerCase()),
      Object.keys(valid.headers),
    )
    assert.deepEqual(JSON.parse(vectorOf('spaced_json').body), JSON.parse(valid.body))
    for (const text of ['\u2028', '\u2029', '\u00ef', 'i\u0308', '\u{1f337}', '</script>'])
      assert.ok(vectorOf('unicode').body.includes(text), JSON.stringify(text))
    for (const header of ['id', 'timestamp', 'signature'])
      assert.ok(!(`webhook-${header}` in vectorOf(`missing_${header}`).headers))
  })

  test('detects each common mistake of receivers', () => {
    const careless: Readonly<Record<string, (received: Received, seconds: number) => boolean>> = {
      'looks at the first signature only': ({ headers, body }, seconds) =>
        isTakenByTheLetter(
          fixture.secret,
          { headers: { ...headers, 'webhook-signature': headers['webhook-signature']?.split(' ')[0] ?? '' }, body },
          seconds,
        ),
      'serialises again': ({ headers, body }, seconds) =>
        isTakenByTheLetter(fixture.secret, { headers, body: JSON.stringify(JSON.parse(body)) }, seconds),
      'trims the body': ({ headers, body }, seconds) =>
        isTakenByTheLetter(fixture.secret, { headers, body: body.trim() }, seconds),
      'normalises the body': ({ headers, body }, seconds) =>
        isTakenByTheLetter(fixture.secret, { headers, body: body.normalize() }, seconds),
      'has no clock': (received) =>
        isTakenByTheLetter(fixture.secret, received, Number(received.headers['webhook-timestamp'])),
      'believes everything': () => true,
      'believes nothing': () => false,
    }
    for (const [what, take] of Object.entries(careless)) {
      const failed = fixture.vectors.filter((vector) => take(vector, vector.now) !== (vector.expect === 'accept'))
      assert.ok(failed.length > 0, what)
    }
  })

  test('is signed like real calls', () => {
    const { headers, body } = vectorOf('valid')
    const message = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body }
    assert.equal(headers['webhook-signature'], signWebhook(fixture.secret, message))
  })

  test('is the same for an endpoint at any time except for the fresh call, and different for other endpoints', () => {
    const { fresh: _, ...rest } = fixture
    const { fresh, ...later } = fixtureFor(root, endpoint, now + 86_400_000)
    assert.deepEqual(later, rest)
    assert.notDeepEqual(fresh, fixture.fresh)
    assert.notEqual(fixtureFor(root, { ...endpoint, ...givenEndpoint().endpoint }, now).secret, fixture.secret)
    assert.match(fixture.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  })

  test('has a fresh call that the library accepts until it expires', (context) => {
    const { fresh, secret } = fixture
    assert.equal(fresh.headers['webhook-timestamp'], String(Math.floor(now / 1000)))
    assert.equal(fresh.expiresAt, '2026-06-01T12:05:00.000Z')
    const expiresAt = Date.parse(fresh.expiresAt) / 1000
    for (const [seconds, isTaken] of [
      [now / 1000, true],
      [expiresAt, true],
      [expiresAt + 1, false],
    ] as const)
      assert.equal(isTakenByLibrary(context, secret, fresh, seconds), isTaken)
    assertFixtureMessage(fresh)
  })

  test('has a live check that is signed with the live secret and cannot be used as an event', (context) => {
    const { liveCheck } = fixture
    const then = Number(liveCheck.headers['webhook-timestamp'])
    assert.ok(isTakenByLibrary(context, live, liveCheck, then))
    assert.ok(!isTakenByLibrary(context, live, liveCheck, now / 1000), 'it is years old')
    assert.ok(!isTakenByLibrary(context, fixture.secret, liveCheck, then))
    assert.ok(!isTakenByLibrary(context, makeWebhookSecret(), liveCheck, then))
    assertFixtureMessage(liveCheck)
  })

  test('has a secret that verifies no live call, and the live secret verifies no vector', (context) => {
    const message = { id: newId('evt'), timestamp: Math.floor(now / 1000), body: '{}' }
    const headers = {
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestamp),
      'webhook-signature': signWebhook(live, message),
    }
    assert.ok(!isTakenByLibrary(context, fixture.secret, { headers, body: message.body }, message.timestamp))
    for (const vector of fixture.vectors) assert.ok(!isTakenByTheLetter(live, vector, vector.now), vector.name)
  })

  test('signs the live check with both secrets during a rotation, and with one afterwards', (context) => {
    const { endpoint: rotating, live: current, former } = givenEndpoint(now + 1)
    const during = fixtureFor(root, rotating, now).liveCheck
    const then = Number(during.headers['webhook-timestamp'])
    for (const secret of [current, former]) assert.ok(isTakenByLibrary(context, secret, during, then))
    const after = fixtureFor(root, rotating, now + 1).liveCheck
    assert.ok(isTakenByLibrary(context, current, after, then))
    assert.ok(!isTakenByLibrary(context, former, after, then))
  })

  test('contains no secret but its own', () => {
    const { endpoint: rotating, live: current, former } = givenEndpoint(now + 1)
    const text = JSON.stringify(fixtureFor(root, rotating, now))
    for (const secret of [current, former]) {
      const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
      for (const spelling of ['base64', 'base64url', 'hex'] as const)
        assert.ok(!text.includes(bytes.toString(spelling).replaceAll('=', '')))
    }
    assert.ok(!text.includes(rootText))
    for (const sealed of [rotating.secretSealed, rotating.previousSealed ?? '']) assert.ok(!text.includes(sealed))
  })

  function vectorOf(name: string) {
    const vector = fixture.vectors.find((known) => known.name === name)
    assert.ok(vector, name)
    return vector
  }

  function assertFixtureMessage({ headers, body }: Received): void {
    const schema = eventSchemas.get('webhook.fixture')
    assert.ok(schema)
    const event = JSON.parse(body) as { id: string; subject: { id: string } }
    assert.deepEqual(compileSchema(schema)(event), [])
    assert.equal(event.id, headers['webhook-id'])
    assert.match(event.id, /^fixture_\w+$/)
    assert.ok(!isId('evt', event.id))
    assert.equal(event.subject.id, endpoint.id)
  }
})
