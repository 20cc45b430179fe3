// The receiver that is shown as an example, held against the fixture, against callers that mean ill, and against calls that
// come twice; and the guide for receivers, held against the facts.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type Inbox, openInbox } from '../examples/receiver/inbox.ts'
import { createReceiver, type ReceivedEvent, verifiedEvent } from '../examples/receiver/receiver.ts'
import { tempFolder } from '../harness/process.ts'
import { testSecret } from '../harness/testServer.ts'
import { eventExamples } from '../src/contract/open/examples.ts'
import { operations } from '../src/contract/open/operations.ts'
import { eventKinds } from '../src/contract/words.ts'
import { fixtureFor } from '../src/domain/webhooks/fixture.ts'
import { deliveryWaitsMs } from '../src/domain/webhooks/schedule.ts'
import { encryptWebhookSecret, makeWebhookSecret, signedHeaders } from '../src/domain/webhooks/signature.ts'
import { newId } from '../src/platform/kit/ids.ts'

const folder = await tempFolder()
const secret = makeWebhookSecret()
const endpoint = {
  installationId: newId('ins'),
  mode: 'test' as const,
  id: 'whe_01k5x8t0fme4p9w2r7s3h6v101',
  secretSealed: encryptWebhookSecret(testSecret, 'whe_01k5x8t0fme4p9w2r7s3h6v101', secret),
  previousSealed: null,
  previousExpiresAt: null,
}
const fixture = fixtureFor(testSecret, endpoint, Date.now())

describe('the verification in the example', () => {
  for (const vector of fixture.vectors) {
    test(`${vector.expect}s ${vector.name}`, (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: vector.now * 1000 })
      const body = Buffer.from(vector.bodyBase64, 'base64')
      const event = verifiedEvent(new Webhook(fixture.secret), vector.headers, body)
      assert.equal(event ? 'accept' : 'reject', vector.expect)
    })
  }

  test('accepts a message that was just signed, and the live check at the time of its signature', (t) => {
    const { fresh, liveCheck } = fixture
    assert.equal(
      verifiedEvent(new Webhook(fixture.secret), fresh.headers, Buffer.from(fresh.body))?.type,
      'webhook.fixture',
    )
    const live = () => verifiedEvent(new Webhook(secret), liveCheck.headers, Buffer.from(liveCheck.body))
    assert.equal(live(), undefined, 'today it is too old')
    t.mock.timers.enable({ apis: ['Date'], now: Number(liveCheck.headers['webhook-timestamp']) * 1000 })
    assert.equal(live()?.type, 'webhook.fixture')
  })
})

describe('the receiver in the example', () => {
  let server: Server
  let origin: string
  let inbox: Inbox
  let isBroken = false
  const problems: unknown[] = []

  before(async () => {
    const receiver = createReceiver({
      secret,
      keep(event) {
        if (isBroken) throw new Error('the disk is full')
        inbox.keep(event)
      },
      onProblem: (error) => problems.push(error),
    })
    server = createServer(receiver)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    inbox.close()
  })

  let file = ''
  beforeEach(() => {
    if (file) inbox.close()
    file = join(folder, `${randomBytes(4).toString('hex')}.db`)
    inbox = openInbox(file)
  })

  function eventOf(sequence: number, subjectId = 'ord_1'): ReceivedEvent {
    return {
      ...(eventExamples['order.placed'] as ReceivedEvent),
      id: newId('evt'),
      sequence,
      subject: { type: 'order', id: subjectId },
    }
  }

  async function call(event: ReceivedEvent, { sent, by = [secret] }: { sent?: string; by?: string[] } = {}) {
    const body = JSON.stringify(event)
    const headers = signedHeaders(by, { id: event.id, timestamp: Math.floor(Date.now() / 1000), body })
    const answer = await fetch(origin, { method: 'POST', headers, body: sent ?? body })
    return answer.status
  }

  async function worked(): Promise<[string, boolean][]> {
    const seen: [string, boolean][] = []
    while (await inbox.next(async ({ id }, isNewest) => void seen.push([id, isNewest])));
    return seen
  }

  test('stores genuine messages, also during the rotation of the secret, and no others', async () => {
    const [first, second] = [eventOf(1), eventOf(2)]
    assert.equal(await call(first), 204)
    assert.equal(await call(second, { by: [makeWebhookSecret(), secret] }), 204)
    assert.equal(await call(eventOf(3), { by: [makeWebhookSecret()] }), 401)
    assert.equal(await call(eventOf(3), { sent: '{"id":"evt_forged"}' }), 401)
    assert.equal(await call(eventOf(3), { sent: '' }), 401)
    assert.equal((await fetch(origin, { method: 'POST', body: 'x' })).status, 401)
    assert.equal((await fetch(origin)).status, 405)
    assert.equal(await call(eventOf(3), { sent: 'x'.repeat(65_537) }), 413)
    assert.deepEqual(await worked(), [
      [first.id, true],
      [second.id, true],
    ])
  })

  test('processes an event once, even if it arrives twice or twenty times concurrently', async () => {
    const event = eventOf(1)
    const statuses = await Promise.all(Array.from({ length: 20 }, () => call(event)))
    assert.deepEqual(new Set(statuses), new Set([204]))
    assert.deepEqual(await worked(), [[event.id, true]])
    assert.equal(await call(event), 204)
    assert.deepEqual(await worked(), [])
  })

  test('marks an event that is older than another event of the same subject', async () => {
    const [third, first, other] = [eventOf(3), eventOf(1), eventOf(1, 'ord_2')]
    for (const event of [third, first, other]) assert.equal(await call(event), 204)
    assert.deepEqual(await worked(), [
      [third.id, true],
      [first.id, false],
      [other.id, true],
    ])
  })

  test('responds with 500 to an event that it cannot store', async () => {
    isBroken = true
    const event = eventOf(1)
    assert.equal(await call(event), 500)
    assert.match(String(problems.at(-1)), /the disk is full/)
    isBroken = false
    assert.equal(await call(event), 204)
    assert.deepEqual(await worked(), [[event.id, true]])
  })

  test('goes on with unprocessed events after a restart', async () => {
    const [first, second] = [eventOf(1), eventOf(2)]
    for (const event of [first, second]) await call(event)
    await inbox.next(async () => {})
    await assert.rejects(
      inbox.next(async () => {
        throw new Error('the warehouse is away')
      }),
    )
    inbox.close()
    inbox = openInbox(file)
    assert.deepEqual(await worked(), [[second.id, true]])
  })
})

describe('the guide for receivers', () => {
  const root = join(import.meta.dirname, '..')
  const guide = readFileSync(join(root, 'docs', 'webhooks.md'), 'utf8')

  test('lists each kind of event once, in the order of the catalogue', () => {
    const rows = [...guide.matchAll(/^\| `(\w+\.\w+)` \| \w/gm)].map(([, kind]) => kind)
    assert.deepEqual(rows, [...eventKinds])
  })

  test('contains the same code as the tested example', async () => {
    const receiver = await readFile(join(root, 'examples', 'receiver', 'receiver.ts'), 'utf8')
    const [, shown = ''] = /```ts\n(export function createReceiver.*?)```/s.exec(guide) ?? []
    const functions = shown.trim().split(/\n\n(?=\/\/ Undefined)/)
    assert.equal(functions.length, 2)
    for (const text of functions) assert.ok(receiver.includes(text), text.slice(0, 60))
  })

  test('contains the waits of the retry schedule', () => {
    const [, row = ''] = /^\| after \|(.*)\|$/m.exec(guide) ?? []
    const units = { s: 1_000, min: 60_000, h: 3_600_000 }
    const waits = row.split('|').map((cell) => {
      const [amount, unit] = cell.trim().split(' ')
      return Number(amount) * units[unit as keyof typeof units]
    })
    assert.deepEqual(waits, [...deliveryWaitsMs])
  })

  test('names only paths and files that exist', () => {
    assert.ok(guide.includes(operations.getInstallationWebhookSignatureFixture.path.replace('{id}', '$ENDPOINT')))
    const links = [...guide.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, link = '']) => link)
    assert.ok(links.length >= 3)
    for (const link of links) assert.ok(existsSync(join(root, 'docs', link)), link)
  })
})
