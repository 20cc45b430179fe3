// The command `webhooks`: endpoints, their deliveries, and a receiver for development. A secret is printed once, when it is created.

import { setTimeout as pause } from 'node:timers/promises'
import { type AdminWebhookEndpoint, developerOperationRows } from '../../contract/admin/developers.ts'
import { disableEndpoint } from '../../domain/webhooks/endpoints.ts'
import { replayDelivery } from '../../domain/webhooks/replay.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  type Endpoint,
  findDelivery,
  findDeliveryAnywhere,
  findEndpointAnywhere,
  listAttempts,
  listNewestDeliveries,
  lockEndpoint,
} from '../../domain/webhooks/store.ts'
import { deliveryView, replayView } from '../../domain/webhooks/view.ts'
import { endpointChange } from '../../domain/webhooks/written.ts'
import { escapeControlCharacters } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { invalidEntry } from '../provisioning/entry.ts'
import { receiverPort, urlProblem } from '../provisioning/webhooks.ts'
import {
  type Command,
  installationOption,
  merchantOption,
  type ParsedArguments,
  printReport,
  printResult,
  readLine,
  type Terminal,
  withStorage,
} from './command.ts'
import { listenForWebhooks } from './listen.ts'
import { type CommandTarget, forInstallation, operationVerbs, readWholeNumber } from './operation.ts'
import { recordCommand } from './written.ts'

const { one, list, perform } = operationVerbs(developerOperationRows, 'webhooks')

// Ids of endpoints are unique among all merchants.
const ofEndpoint: CommandTarget = {
  words: ['ENDPOINT_ID'],
  async find({ word: endpointId }, storage) {
    const { owner } = await storage.read((db) => findOwned(db, endpointId))
    return { of: owner, members: { endpointId } }
  },
}

function turned(status: 'paused' | 'enabled'): CommandTarget {
  return {
    ...ofEndpoint,
    async find({ word: endpointId }, storage) {
      const { owner, endpoint } = await storage.read((db) => findOwned(db, endpointId))
      if (status === 'paused' && endpoint.status === 'disabled') {
        const message = `The webhook endpoint ${endpointId} is disabled, so its calls are already held.`
        throw refuse('endpoint_disabled', { message, current: { status: endpoint.status } })
      }
      return { of: owner, members: { endpointId, status } }
    },
  }
}

const changeable = ['url', 'events', 'description', 'status']

// The settings of this machine decide whether private addresses are allowed, so the error message names the setting.
const findUrlAllowed: CommandTarget['find'] = async (given, storage, config) => {
  const tools = { rootSecret: config.rootSecret, allowPrivate: config.webhookAllowPrivate }
  const problem = urlProblem(given.texts.url ?? '', tools)
  if (problem !== undefined) throw invalidEntry('webhook_endpoint_invalid', '/url', problem)
  return forInstallation.find(given, storage, config)
}

const newestCount = 20
const waitSecondsMax = 60

export const webhooksCommand: Command = {
  summary: 'Manage webhook endpoints, list deliveries, and receive webhook calls on this machine.',
  verbs: {
    add: one('createAdminWebhookEndpoint', {
      summary: 'Add a webhook endpoint, and print its secret, which is shown only once.',
      target: { ...forInstallation, find: findUrlAllowed },
      omits: ['status'],
      values: { events: 'NAMES' },
      helps: {
        url: 'https URL with a public host, to which the calls are sent',
        events: 'events of the endpoint, comma-separated: event names, subject.* or * (default: *)',
        description: 'description of the endpoint, for your records',
      },
      options: { paused: { help: 'hold the calls until the endpoint is enabled' } },
      read: ({ flags }) => (flags.has('paused') ? { status: 'paused' } : {}),
    }),
    list: list('listAdminWebhookEndpoints', {
      summary: 'List the webhook endpoints of an installation, and the outcomes of their calls.',
      target: forInstallation,
      name: 'endpoints',
      columns: ['id', 'status', 'url', 'events', healthOf, 'description'],
    }),
    rotate: one('rotateAdminWebhookSecret', {
      summary: 'Replace the secret of an endpoint; for a day, calls are also signed with the old secret.',
      target: ofEndpoint,
    }),
    test: {
      summary: 'Send a test call to an endpoint, and print the outcome.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      options: {
        wait: {
          value: 'SECONDS',
          help: `maximum time to wait for the answer, up to ${waitSecondsMax} seconds (default: 25)`,
        },
      },
      run: testCall,
    },
    pause: one('updateAdminWebhookEndpoint', {
      summary: 'Hold all calls of an endpoint until it is enabled.',
      target: turned('paused'),
      omits: changeable,
    }),
    enable: one('updateAdminWebhookEndpoint', {
      summary: 'Enable an endpoint, and send the held calls first.',
      target: turned('enabled'),
      omits: changeable,
    }),
    disable: {
      summary: 'Disable an endpoint, and notify the other endpoints.',
      effect: 'changes',
      words: ['ENDPOINT_ID'],
      run: disable,
    },
    remove: one('removeAdminWebhookEndpoint', {
      summary: 'Remove an endpoint, and discard its calls that were not sent yet.',
      target: ofEndpoint,
    }),
    deliveries: {
      summary: 'List the newest deliveries of an endpoint, or show a delivery with its attempts.',
      effect: 'reads',
      words: ['ENDPOINT_ID|DELIVERY_ID'],
      options: { limit: { value: 'N', help: `number of deliveries (default: ${newestCount})` } },
      run: deliveries,
    },
    replay: {
      summary: 'Send a delivery again.',
      effect: 'changes',
      words: ['DELIVERY_ID'],
      options: {
        'allow-succeeded': { help: 'replay the delivery even if it has succeeded' },
        reason: { value: 'TEXT', help: 'reason of the replay, for your records' },
      },
      run: replay,
    },
    listen: {
      summary: 'Receive, verify and print webhook calls on this machine.',
      effect: 'changes',
      options: {
        port: { value: 'N', help: `port of this machine on which calls are received (default: ${receiverPort})` },
        endpoint: {
          value: 'ENDPOINT_ID',
          help: 'endpoint whose calls are received (default: the endpoint that points to this machine)',
        },
        installation: installationOption,
        merchant: merchantOption,
      },
      run: listenForWebhooks,
    },
  },
}

function healthOf({ health, secretHint }: AdminWebhookEndpoint): string {
  const { pending, consecutiveFailures, lastSuccessAt } = health
  return `${pending} pending, ${consecutiveFailures} failures in a row, last success ${lastSuccessAt ?? '–'}, secret ${secretHint}`
}

// Disabling an endpoint is reserved for the operator, so there is no operation for it.
function disable(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    const status = await storage.write(async (tx) => {
      const now = Date.now()
      const { owner, endpoint } = await findOwned(tx, id)
      const before = await lockEndpoint(tx, endpoint.installationId, id)
      if (!before) throw noEndpoint(id)
      const after = await disableEndpoint(tx, before, 'operator', null, now)
      const members = [{ member: 'status', from: before.status, to: after.status }]
      const changes = before.status === after.status ? [] : [endpointChange('change', endpoint, members)]
      recordCommand(tx, { ...owner, operation: 'updateAdminWebhookEndpoint', changes, now })
      return after.status
    })
    printResult(terminal, given, { id, status }, () => [
      `the webhook endpoint ${id} is disabled; its calls are held until it is enabled`,
    ])
    return 0
  })
}

async function findOwned(db: Reader, id: string): Promise<{ owner: MerchantMode; endpoint: Endpoint }> {
  const endpoint = await findEndpointAnywhere(db, id)
  if (!endpoint) throw noEndpoint(id)
  const [owner] = await db.sql<MerchantMode>`
    select merchant_id as "merchantId", mode from installations where id = ${endpoint.installationId}`
  if (!owner) throw noEndpoint(id)
  return { owner, endpoint }
}

function noEndpoint(id: string): Refusal {
  return refuse('webhook_endpoint_not_found', { message: `There is no webhook endpoint ${id}.` })
}

const lookEveryMs = 100

// A running server makes the call, like every other call; the command only requests it and polls for the outcome.
function testCall(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const id = given.word
  const seconds = readWholeNumber(given, 'wait', waitSecondsMax) ?? 25
  return withStorage(given, async (storage, config) => {
    const { owner, endpoint: called } = await storage.read((db) => findOwned(db, id))
    const { id: deliveryId } = await perform({ storage, config }, 'testAdminWebhookEndpoint', owner, { endpointId: id })
    const asked = { installationId: called.installationId, id: deliveryId }
    const deadline = performance.now() + seconds * 1_000
    let seen = await look(storage, asked)
    while (isUnderWay(seen.delivery) && performance.now() < deadline) {
      await pause(lookEveryMs)
      seen = await look(storage, asked)
    }
    const hasSucceeded = seen.delivery.status === 'succeeded'
    const endpoint = await storage.read((db) => findEndpointAnywhere(db, id))
    const value = { succeeded: hasSucceeded, ...seenView(seen) }
    const line = escapeControlCharacters(`${outcomeText(seen, restOf(endpoint))}  ${seen.delivery.id}`)
    const error = hasSucceeded ? null : ({ code: 'call_failed', message: line } as const)
    return printReport(terminal, given, { value, lines: () => [line], error })
  })
}

interface Seen {
  delivery: Delivery
  attempts: DeliveryAttempt[]
}

async function look(storage: Storage, { installationId, id }: Pick<Delivery, 'installationId' | 'id'>): Promise<Seen> {
  return storage.read(async (db) => {
    const delivery = await findDelivery(db, installationId, id)
    if (!delivery) throw noDelivery(id)
    return { delivery, attempts: await listAttempts(db, installationId, id) }
  })
}

// The command waits for one attempt only: after a failure, further attempts follow the retry schedule.
function isUnderWay({ status, attempts }: Delivery): boolean {
  return (status === 'pending' || status === 'sending' || status === 'retrying') && attempts === 0
}

function restOf(endpoint: Endpoint | undefined): string | undefined {
  const { restingUntil, consecutiveFailures } = endpoint ?? { restingUntil: null }
  if (restingUntil === null || restingUntil <= Date.now()) return undefined
  return `backing off until ${toInstant(restingUntil)} after ${consecutiveFailures} failures in a row; to retry now, run \`webhooks pause\` and \`webhooks enable\``
}

function outcomeText({ delivery, attempts }: Seen, rest: string | undefined): string {
  const { status, lastStatusCode, lastError, dueAt } = delivery
  const last = attempts.at(-1)
  const answer = [lastStatusCode === null ? 'no answer' : `answered ${lastStatusCode}`, last && `in ${last.tookMs} ms`]
  const what = answer.filter(Boolean).join(' ')
  if (status === 'succeeded') return `✓ ${what}`
  if (status === 'sending' && delivery.attempts === 0) return '✗ the call is in progress; there is no answer yet'
  if (delivery.attempts === 0 && dueAt !== null)
    return `✗ not sent yet: ${rest ?? 'no server is running on this database, or the server is busy; the call is sent as soon as possible'}`
  const next = dueAt === null ? '' : `; next attempt at ${toInstant(dueAt)}`
  return `✗ ${what}${lastError === null ? '' : `: ${lastError}`}, ${status}${next}`
}

function deliveries(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const id = given.word
  const limit = readWholeNumber(given, 'limit', 1_000) ?? newestCount
  return withStorage(given, async (storage) => {
    const isDelivery = id.startsWith('whd_')
    const delivery = isDelivery ? await storage.read((db) => findDeliveryAnywhere(db, id)) : undefined
    if (delivery) {
      const seen = await look(storage, delivery)
      printResult(terminal, given, seenView(seen), () => [
        deliveryText(seen.delivery),
        ...seen.attempts.flatMap(attemptText).map(escapeControlCharacters),
      ])
      return 0
    }
    if (isDelivery) throw noDelivery(id)
    const newest = await storage.read(async (db) => {
      const endpoint = await findEndpointAnywhere(db, id)
      if (!endpoint) throw noEndpoint(id)
      return listNewestDeliveries(db, endpoint, limit)
    })
    printResult(terminal, given, { deliveries: newest.map(shownDelivery) }, () => newest.map(deliveryText))
    return 0
  })
}

function noDelivery(id: string): Refusal {
  return refuse('webhook_delivery_not_found', { message: `There is no webhook delivery ${id}.` })
}

function replay(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const id = given.word
  const reason = readLine(given.texts.reason, 'reason', 500)
  return withStorage(given, async (storage, { retentionMs }) => {
    const replayed = await storage.write(async (tx) => {
      const delivery = await findDeliveryAnywhere(tx, id)
      if (!delivery) throw noDelivery(id)
      const input = { allowSucceeded: given.flags.has('allow-succeeded'), reason, textsMs: retentionMs.texts }
      return replayDelivery(tx, delivery.installationId, id, input, Date.now())
    })
    printResult(terminal, given, { delivery: replayView(replayed) }, () => [
      `the delivery ${replayed.id} repeats ${id} and is due now; to see its progress, run \`webhooks deliveries ${replayed.id}\``,
    ])
    return 0
  })
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
    ...(attempts > 0 && dueAt !== null ? [`next attempt at ${toInstant(dueAt)}`] : []),
    ...(delivery.replayOf === null ? [] : [`replay of ${delivery.replayOf}`]),
  ]
  return escapeControlCharacters(facts.join('  '))
}

const answerLengthShown = 200

// The response of a receiver is foreign text, so control characters in it are escaped.
function attemptText({ attempt, startedAt, tookMs, statusCode, error, answer }: DeliveryAttempt): string[] {
  const facts = [`#${attempt}`, toInstant(startedAt), `${tookMs} ms`, statusCode === null ? '–' : String(statusCode)]
  return [
    `  ${[...facts, ...(error === null ? [] : [error])].join('  ')}`,
    ...(answer ? [`      ${answer.slice(0, answerLengthShown)}`] : []),
  ]
}
