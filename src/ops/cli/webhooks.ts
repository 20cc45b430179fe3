// `webhooks`: endpoints, their deliveries, and a receiver for development. A secret is printed once, when it is created.

import { setTimeout as pause } from 'node:timers/promises'
import type { WebhookEndpoint } from '../../contract/open/webhooks.ts'
import {
  addEndpoint,
  disableEndpoint,
  enableEndpoint,
  pauseEndpoint,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
} from '../../domain/webhooks/endpoints.ts'
import { replayDelivery } from '../../domain/webhooks/replay.ts'
import {
  type Attempt,
  countOpenDeliveries,
  type Delivery,
  type Endpoint,
  findDelivery,
  findDeliveryAnywhere,
  findEndpointAnywhere,
  listAttempts,
  listEndpoints,
  listNewestDeliveries,
  lockEndpoint,
} from '../../domain/webhooks/store.ts'
import { subscriptionsProblem } from '../../domain/webhooks/subscription.ts'
import { deliveryView, endpointView, replayView } from '../../domain/webhooks/view.ts'
import { changeOf, createdMembers, facts } from '../../domain/webhooks/written.ts'
import { type AuditedChange, membersChanged, visible } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { invalidEntry } from '../provisioning/entry.ts'
import { receiverPort, urlProblem } from '../provisioning/webhooks.ts'
import {
  type Command,
  chooseInstallation,
  type Given,
  installationOption,
  Misuse,
  merchantOption,
  print,
  printReport,
  readLine,
  type Terminal,
  withStorage,
} from './command.ts'
import { listen } from './listen.ts'
import { type Written, writeDown } from './written.ts'

const newestCount = 20
const waitSecondsMax = 60

export const webhooksCommand: Command = {
  summary: 'Manage webhook endpoints, look at deliveries, and receive calls on this machine.',
  verbs: {
    add: {
      summary: 'Add an endpoint and print its secret, which is shown only once.',
      effect: 'changes',
      options: {
        url: { value: 'URL', help: 'where calls go: https, and a public host', isRequired: true },
        events: { value: 'NAMES', help: 'comma-separated: event names, subject.* or * (default: *)' },
        description: { value: 'TEXT', help: 'what the endpoint is for' },
        paused: { help: 'hold the calls until it is enabled' },
        installation: installationOption,
        merchant: merchantOption,
      },
      run: add,
    },
    list: {
      summary: 'List the endpoints of an installation and how their calls went.',
      effect: 'reads',
      options: { installation: installationOption, merchant: merchantOption },
      run: list,
    },
    rotate: {
      summary: 'Replace the secret; the old one also signs for a day.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      run: rotate,
    },
    test: {
      summary: 'Send a test call and report the outcome.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      options: {
        wait: { value: 'SECONDS', help: `how long to wait for the answer, up to ${waitSecondsMax} (default: 25)` },
      },
      run: testCall,
    },
    pause: { summary: 'Hold all calls until it is enabled.', effect: 'changes', words: ['ENDPOINT_ID'], run: pauseIt },
    enable: {
      summary: 'Send calls again, those that were held first.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      run: enable,
    },
    disable: {
      summary: 'Disable it, and notify the other endpoints.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      run: disable,
    },
    remove: {
      summary: 'Remove it; what was not sent yet is discarded.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      run: remove,
    },
    deliveries: {
      summary: 'List the newest deliveries of an endpoint, or show one with its attempts.',
      effect: 'reads',
      words: ['ENDPOINT_ID|DELIVERY_ID'],
      options: { limit: { value: 'N', help: `how many of the newest deliveries (default: ${newestCount})` } },
      run: deliveries,
    },
    replay: {
      summary: 'Send a delivery again.',
      effect: 'changes',
      words: ['DELIVERY_ID'],
      options: {
        'allow-succeeded': { help: 'replay even a delivery that succeeded' },
        reason: { value: 'TEXT', help: 'why it is replayed, for your records' },
      },
      run: replay,
    },
    listen: {
      summary: 'Receive, verify and print calls on this machine.',
      effect: 'changes',
      options: {
        port: { value: 'N', help: `where to receive on this machine (default: ${receiverPort})` },
        endpoint: { value: 'ENDPOINT_ID', help: 'whose calls are received (default: the endpoint that points here)' },
        installation: installationOption,
        merchant: merchantOption,
      },
      run: listen,
    },
  },
}

async function add(given: Given, terminal: Terminal): Promise<number> {
  const { url = '' } = given.texts
  const events = readEvents(given.texts.events)
  const description = readLine(given.texts.description, 'description', 200) ?? ''
  const status = given.flags.has('paused') ? 'paused' : 'enabled'
  return withStorage(given, async (storage, { rootSecret, webhookAllowPrivate }) => {
    const tools = { rootSecret, allowPrivate: webhookAllowPrivate }
    const problem = urlProblem(url, tools)
    if (problem !== undefined) throw invalidEntry('webhook_endpoint_invalid', '/url', problem)
    const installation = await chooseInstallation(storage, given)
    const now = Date.now()
    const { endpoint, secret } = await storage.write(async (tx) => {
      const made = await addEndpoint(tx, installation.id, { url, description, events, status }, tools, now)
      const change = changeOf('create', made.endpoint, createdMembers(facts(made.endpoint)))
      await writeDownEndpoint(tx, made.endpoint, 'createAdminWebhookEndpoint', change, now)
      return made
    })
    print(terminal, given, { endpoint: endpointView(endpoint, [], 0, now), secret }, () => [
      secret,
      `the secret of ${endpoint.id}, shown only once`,
    ])
    return 0
  })
}

function readEvents(text = '*'): string[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const problem = subscriptionsProblem(words)
  if (problem !== undefined) throw new Misuse(problem.message)
  return [...new Set(words)]
}

function list(given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const installation = await chooseInstallation(storage, given)
    const endpoints = await storage.read(async (db) => {
      const shown: WebhookEndpoint[] = []
      for (const endpoint of await listEndpoints(db, installation.id)) shown.push(await shownEndpoint(db, endpoint))
      return shown
    })
    print(terminal, given, { endpoints }, () => endpoints.flatMap(endpointText).map(visible))
    return 0
  })
}

async function shownEndpoint(db: Reader, endpoint: Endpoint): Promise<WebhookEndpoint> {
  const [newest, pending] = await Promise.all([
    listNewestDeliveries(db, endpoint, newestCount),
    countOpenDeliveries(db, endpoint),
  ])
  return endpointView(endpoint, newest, pending, Date.now())
}

function endpointText({ id, status, url, description, events, secretHint, health }: WebhookEndpoint): string[] {
  const { pending, consecutiveFailures, lastSuccessAt, lastFailureAt } = health
  return [
    `${id}  ${status.padEnd(8)}  ${url}  ${events.join(',')}  ${description}`.trimEnd(),
    `  ${pending} pending, ${consecutiveFailures} failures in a row, last success ${lastSuccessAt ?? '–'}, last failure ${lastFailureAt ?? '–'}, secret ${secretHint}`,
  ]
}

function rotate(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage, { rootSecret }) => {
    const made = await change(storage, id, (tx, { installationId }, now) =>
      rotateSecret(tx, installationId, id, rootSecret, now),
    )
    const previousExpiresAt = toInstant(made.endpoint.previousExpiresAt ?? 0)
    print(terminal, given, { id, secret: made.secret, previousExpiresAt }, () => [
      made.secret,
      `the new secret of ${id}, shown only once; the old one also signs until ${previousExpiresAt}`,
    ])
    return 0
  })
}

function pauseIt(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    const { status } = await change(storage, id, (tx, { installationId }, now) =>
      pauseEndpoint(tx, installationId, id, now),
    )
    if (status === 'disabled') {
      const message = `${id} is disabled, and its calls are already held.`
      throw refuse('endpoint_disabled', { message, current: { status } })
    }
    print(terminal, given, { id, status }, () => [`${id} is paused; its calls are held until it is enabled`])
    return 0
  })
}

function enable(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    const { endpoint, resumed } = await change(storage, id, (tx, { installationId }, now) =>
      enableEndpoint(tx, installationId, id, now),
    )
    print(terminal, given, { id, status: endpoint.status, resumed }, () => [
      `${id} is enabled; held calls that are due now: ${resumed}`,
    ])
    return 0
  })
}

function disable(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    const { status } = await change(storage, id, async (tx, { installationId }, now) => {
      const endpoint = await lockEndpoint(tx, installationId, id)
      return endpoint && disableEndpoint(tx, endpoint, 'operator', null, now)
    })
    print(terminal, given, { id, status }, () => [`${id} is disabled; its calls are held until it is enabled`])
    return 0
  })
}

function remove(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    await change(
      storage,
      id,
      async (tx, { installationId }, now) => (await removeEndpoint(tx, installationId, id, now)) || undefined,
    )
    print(terminal, given, { id, removed: true }, () => [`${id} is removed; its pending deliveries are discarded`])
    return 0
  })
}

// The endpoint may be removed between the read and the change, which then finds nothing.
async function change<Outcome>(
  storage: Storage,
  id: string,
  work: (tx: Tx, endpoint: Endpoint, now: number) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  const outcome = await storage.write(async (tx) => {
    const now = Date.now()
    const endpoint = await findEndpointAnywhere(tx, id)
    const done = endpoint && (await work(tx, endpoint, now))
    if (endpoint && done !== undefined) await writeDownChange(tx, endpoint, now)
    return done
  })
  if (outcome === undefined) throw noEndpoint(id)
  return outcome
}

// What became of the endpoint. A test call changes nothing of it.
async function writeDownChange(tx: Tx, before: Endpoint, now: number): Promise<void> {
  const after = await findEndpointAnywhere(tx, before.id)
  if (!after) return writeDownEndpoint(tx, before, 'removeAdminWebhookEndpoint', changeOf('retire', before, []), now)
  if (after.secretHint !== before.secretHint) {
    const members = [{ member: 'secretHint', from: `…${before.secretHint}`, to: `…${after.secretHint}` }]
    return writeDownEndpoint(tx, after, 'rotateAdminWebhookSecret', changeOf('change', after, members), now)
  }
  const members = membersChanged(facts(before), facts(after), ['url', 'description', 'events', 'status'])
  if (members.length > 0)
    await writeDownEndpoint(tx, after, 'updateAdminWebhookEndpoint', changeOf('change', after, members), now)
}

async function writeDownEndpoint(
  tx: Tx,
  { installationId }: Endpoint,
  operation: Written['operation'],
  change: AuditedChange,
  now: number,
): Promise<void> {
  const [owner] = await tx.sql<Pick<Written, 'merchantId' | 'mode'>>`
    select merchant_id as "merchantId", mode from installations where id = ${installationId}`
  if (owner) writeDown(tx, { ...owner, operation, changes: [change], now })
}

function noEndpoint(id: string): Refusal {
  return refuse('webhook_endpoint_not_found', { message: `There is no webhook endpoint ${id}.` })
}

const lookEveryMs = 100

// The call is made by a running server, like every other; this only requests it and polls its outcome.
function testCall(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  const seconds = readCount(given, 'wait', waitSecondsMax) ?? 25
  return withStorage(given, async (storage) => {
    const asked = await change(storage, id, (tx, { installationId }, now) => testEndpoint(tx, installationId, id, now))
    const deadline = performance.now() + seconds * 1_000
    let seen = await look(storage, asked)
    while (isUnderWay(seen.delivery) && performance.now() < deadline) {
      await pause(lookEveryMs)
      seen = await look(storage, asked)
    }
    const hasSucceeded = seen.delivery.status === 'succeeded'
    const endpoint = await storage.read((db) => findEndpointAnywhere(db, id))
    const value = { succeeded: hasSucceeded, ...seenView(seen) }
    const line = visible(`${outcomeText(seen, restOf(endpoint))}  ${seen.delivery.id}`)
    const error = hasSucceeded ? null : ({ code: 'call_failed', message: line } as const)
    return printReport(terminal, given, { value, lines: () => [line], error })
  })
}

interface Seen {
  delivery: Delivery
  attempts: Attempt[]
}

async function look(storage: Storage, { installationId, id }: Delivery): Promise<Seen> {
  return storage.read(async (db) => {
    const delivery = await findDelivery(db, installationId, id)
    if (!delivery) throw noDelivery(id)
    return { delivery, attempts: await listAttempts(db, installationId, id) }
  })
}

// One failed attempt is enough; the schedule makes the others.
function isUnderWay({ status, attempts }: Delivery): boolean {
  return (status === 'pending' || status === 'sending' || status === 'retrying') && attempts === 0
}

function restOf(endpoint: Endpoint | undefined): string | undefined {
  const { restingUntil, consecutiveFailures } = endpoint ?? { restingUntil: null }
  if (restingUntil === null || restingUntil <= Date.now()) return undefined
  return `backing off until ${toInstant(restingUntil)} after ${consecutiveFailures} failures in a row; webhooks pause and webhooks enable retry now`
}

function outcomeText({ delivery, attempts }: Seen, rest: string | undefined): string {
  const { status, lastStatusCode, lastError, dueAt } = delivery
  const last = attempts.at(-1)
  const answer = [lastStatusCode === null ? 'no answer' : `answered ${lastStatusCode}`, last && `in ${last.tookMs} ms`]
  const what = answer.filter(Boolean).join(' ')
  if (status === 'succeeded') return `✓ ${what}`
  if (status === 'sending' && delivery.attempts === 0) return '✗ the call is under way; no answer yet'
  if (delivery.attempts === 0 && dueAt !== null)
    return `✗ not sent yet: ${rest ?? 'no server is running on this database, or it is busy; it is sent as soon as possible'}`
  const next = dueAt === null ? '' : `; next attempt at ${toInstant(dueAt)}`
  return `✗ ${what}${lastError === null ? '' : `: ${lastError}`}, ${status}${next}`
}

function deliveries(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  const limit = readCount(given, 'limit', 1_000) ?? newestCount
  return withStorage(given, async (storage) => {
    const isDelivery = id.startsWith('whd_')
    const delivery = isDelivery ? await storage.read((db) => findDeliveryAnywhere(db, id)) : undefined
    if (delivery) {
      const seen = await look(storage, delivery)
      print(terminal, given, seenView(seen), () => [
        deliveryText(seen.delivery),
        ...seen.attempts.flatMap(attemptText).map(visible),
      ])
      return 0
    }
    if (isDelivery) throw noDelivery(id)
    const newest = await storage.read(async (db) => {
      const endpoint = await findEndpointAnywhere(db, id)
      if (!endpoint) throw noEndpoint(id)
      return listNewestDeliveries(db, endpoint, limit)
    })
    print(terminal, given, { deliveries: newest.map(shownDelivery) }, () => newest.map(deliveryText))
    return 0
  })
}

function noDelivery(id: string): Refusal {
  return refuse('webhook_delivery_not_found', { message: `There is no webhook delivery ${id}.` })
}

function replay(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  const reason = readLine(given.texts.reason, 'reason', 500)
  return withStorage(given, async (storage, { retentionMs }) => {
    const replayed = await storage.write(async (tx) => {
      const delivery = await findDeliveryAnywhere(tx, id)
      if (!delivery) throw noDelivery(id)
      const input = { allowSucceeded: given.flags.has('allow-succeeded'), reason, textsMs: retentionMs.texts }
      return replayDelivery(tx, delivery.installationId, id, input, Date.now())
    })
    print(terminal, given, { delivery: replayView(replayed) }, () => [
      `${replayed.id} repeats ${id} and is due now; webhooks deliveries ${replayed.id} shows its progress`,
    ])
    return 0
  })
}

function readCount(given: Given, name: string, max: number): number | undefined {
  const text = given.texts[name]
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > max)
    throw new Misuse(`--${name} must be a whole number from 1 to ${max}`)
  return Number(text)
}

function shownDelivery(delivery: Delivery) {
  const { endpointId, subjectId, sequence, replayOf, finishedAt } = delivery
  const ended = finishedAt === null ? null : toInstant(finishedAt)
  return { ...deliveryView(delivery), endpointId, subjectId, sequence, replayOf, finishedAt: ended }
}

function seenView({ delivery, attempts }: Seen) {
  return {
    delivery: shownDelivery(delivery),
    attempts: attempts.map((attempt) => ({ ...attempt, startedAt: toInstant(attempt.startedAt) })),
  }
}

function deliveryText(delivery: Delivery): string {
  const { id, status, eventType, subjectId, sequence, attempts, lastStatusCode, lastError, createdAt, dueAt } = delivery
  const facts = [
    id,
    status.padEnd(9),
    eventType.padEnd(26),
    `${subjectId} #${sequence}`,
    toInstant(createdAt),
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    ...(lastStatusCode === null ? [] : [String(lastStatusCode)]),
    ...(lastError === null ? [] : [lastError]),
    ...(attempts > 0 && dueAt !== null ? [`again at ${toInstant(dueAt)}`] : []),
    ...(delivery.replayOf === null ? [] : [`repeats ${delivery.replayOf}`]),
  ]
  return visible(facts.join('  '))
}

const answerLengthShown = 200

// A receiver's answer is foreign text, so control characters in it are escaped.
function attemptText({ attempt, startedAt, tookMs, statusCode, error, answer }: Attempt): string[] {
  const facts = [`#${attempt}`, toInstant(startedAt), `${tookMs} ms`, statusCode === null ? '–' : String(statusCode)]
  return [
    `  ${[...facts, ...(error === null ? [] : [error])].join('  ')}`,
    ...(answer ? [`      ${answer.slice(0, answerLengthShown)}`] : []),
  ]
}
