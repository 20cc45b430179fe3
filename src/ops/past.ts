// A server with its clock in the past. It creates the demo shop's month of history through the operations and pages that shoppers and
// members of the shop use. Each part of the history is one transaction that leaves no work for loops, so the real server's loops may run
// at the same time. No e-mails are queued, and only the webhook endpoints of `receiver` are called.

import { type App, createApp } from '../app.ts'
import { openInterfaceScopes, type Role } from '../contract/words.ts'
import { recordProviderDispute } from '../domain/checkout/pay/dispute.ts'
import { lockMerchant } from '../domain/merchants/store.ts'
import { recordRefundEnd } from '../domain/orders/refunds.ts'
import { listPlacedBefore } from '../domain/orders/store.ts'
import { cancelUnpaidOrders } from '../domain/orders/unpaid.ts'
import { payRefunds } from '../domain/payments/refunds.ts'
import { listPaymentsOfOrder, lockPayment } from '../domain/payments/store.ts'
import { createReturnService, type RequestReturn } from '../domain/returns/hosted.ts'
import { rightsFor } from '../domain/users/roles.ts'
import { type CallEndpoint, createCall } from '../domain/webhooks/call.ts'
import { claimDeliveries, type EndpointKey, listDueEndpoints } from '../domain/webhooks/claim.ts'
import { recordOutcomes } from '../domain/webhooks/outcomes.ts'
import type { CallOutcome, Sender, OutgoingCall as WebhookCall } from '../domain/webhooks/sender.ts'
import { deleteDeliveriesBefore, listEndpoints } from '../domain/webhooks/store.ts'
import { openWithdrawnReturns } from '../domain/withdrawals/openreturn.ts'
import type { KeyCaller } from '../platform/access/identify.ts'
import { personCaller } from '../platform/http/admin.ts'
import type { OperationCall } from '../platform/http/asked.ts'
import type { MountedSurface } from '../platform/http/surfaces.ts'
import { newId } from '../platform/kit/ids.ts'
import type { MerchantMode } from '../platform/kit/mode.ts'
import { createLog } from '../platform/log/log.ts'
import { isMailOn, setMailSwitch } from '../platform/outbox/emails.ts'
import type { RootSecret } from '../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../platform/storage/storage.ts'
import { version } from '../platform/version.ts'

export interface PastParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  shop: PastShop
  // Instant at which the history ends.
  endsAt: number
  // Answers webhooks to the `receiverUrls`, and to no other URL.
  receiver: (call: WebhookCall) => CallOutcome | undefined
  receiverUrls: readonly string[]
}

export interface PastShop extends MerchantMode {
  merchantSlug: string
  installationId: string
}

export interface PastPerson {
  userId: string
  role: Role
}

interface PastRequest {
  path?: Readonly<Record<string, string>>
  body?: Readonly<Record<string, unknown>>
}

export class PastSimulator {
  // The present time of this server.
  now: number
  // Ids of the orders created so far, oldest first.
  orderIds: string[] = []
  readonly #parts: PastParts
  readonly #app: App
  readonly #call: CallEndpoint
  readonly #requestReturn: RequestReturn
  #within: Tx | undefined

  constructor(parts: PastParts) {
    const { rootSecret, publicOrigin, receiver } = parts
    this.#parts = parts
    this.now = parts.endsAt
    const log = createLog({ level: 'error', pretty: false, write: () => {} })
    const clock = () => new Date(this.now)
    // All reads and writes of the server are part of one transaction.
    const storage: Storage = {
      ...parts.storage,
      read: (work) => work(this.#tx),
      write: (work) => work(this.#tx),
      rolledBack: async () => {},
      listen: () => () => {},
    }
    this.#app = createApp({
      ...{ storage, rootSecret, publicOrigin, log, version, clock },
      ...{ rateLimit: null, trustedProxies: [], webhookAllowPrivate: false },
    })
    this.#requestReturn = createReturnService(storage, rootSecret, clock)
    const sender: Sender = { send: async (call) => receiver(call) ?? notMade, close: async () => {} }
    this.#call = createCall({ rootSecret, log, version, sender })
  }

  close(): void {
    this.#app.close()
  }

  // Runs the work in one transaction, which may be retried. The lock makes other processes that create history of this shop wait.
  live(work: () => Promise<void>): Promise<void> {
    const { storage, shop, endsAt, receiverUrls } = this.#parts
    return storage.write(async (tx) => {
      this.#within = tx
      await lockMerchant(tx, shop.merchantSlug)
      this.orderIds = await listPlacedBefore(tx, shop, endsAt)
      const sendsMail = await isMailOn(tx)
      if (sendsMail) await setMailSwitch(tx, false, endsAt)
      await work()
      // Endpoints that a developer has added must not be called for hundreds of past events.
      await deleteDeliveriesBefore(tx, shop.installationId, { before: endsAt, exceptTo: receiverUrls })
      if (sendsMail) await setMailSwitch(tx, true, endsAt)
    })
  }

  // Performs an operation of the open API with a key of the shop. Returns the `data` of its response.
  async open<Data>(id: string, request: PastRequest): Promise<Data> {
    const { shop } = this.#parts
    const principal: KeyCaller = {
      ...{ kind: 'key', id: 'past', scopes: openInterfaceScopes, ...shop },
      ...{ claimant: shop.installationId, throttleKey: shop.installationId },
    }
    return performed(this.#app.open, id, { principal, ...request })
  }

  // Performs an operation of the admin API as a member of the shop. Returns the `data` of its response.
  async admin<Data>({ userId, role }: PastPerson, id: string, request: PastRequest): Promise<Data> {
    const { merchantId, mode } = this.#parts.shop
    const principal = personCaller({ userId, merchantId, mode, scopes: rightsFor(role).scopes })
    return performed(this.#app.admin, id, { principal, ...request })
  }

  // The services behind the checkout pages.

  get checkout(): Pick<App['checkout'], 'setDetails' | 'pay'> {
    return this.#app.checkout
  }

  get withdrawals(): App['withdrawals'] {
    return this.#app.withdrawals
  }

  get requestReturn(): RequestReturn {
    return this.#requestReturn
  }

  // Reports a dispute as a payment provider would, since the provider of test cards never does.
  async reportDispute(orderId: string, reason: string, dueAt: number): Promise<void> {
    const { installationId } = this.#parts.shop
    const [paid] = await listPaymentsOfOrder(this.#tx, installationId, orderId)
    const payment = paid && (await lockPayment(this.#tx, installationId, paid.id))
    if (!payment) throw new Error(`order ${orderId} was not paid`)
    const reference = `dp_${payment.id.slice(-12)}`
    const { amount } = payment
    await recordProviderDispute(this.#app.payTools, this.#tx, payment, {
      reference,
      amount,
      state: 'open',
      reason,
      dueAt,
    })
  }

  // Does the work of the loops until `until`: refunds, cancellations of unpaid orders, returns of withdrawals, and webhooks with their
  // retries, which may take days.
  async catchUp(until: number): Promise<void> {
    const { storage, providers, watch, rootSecret } = this.#app.payTools
    const from = this.now
    await payRefunds({ storage, providers, watch, onPaid: recordRefundEnd }, from + 2_000)
    await cancelUnpaidOrders(storage, from, 20)
    await openWithdrawnReturns(storage, rootSecret, { now: from, limit: 20 })
    for (const at of looksFrom(from)) {
      if (at >= until || (await this.#dueEndpoints(this.#parts.endsAt)).length === 0) return
      this.now = at
      await this.#deliver()
    }
  }

  async #deliver(): Promise<void> {
    const { now } = this
    const endpoints = await this.#dueEndpoints(now)
    if (endpoints.length === 0) return
    const { claimed } = await claimDeliveries(this.#tx, endpoints, { limit: 50, leaseMs: minute, now })
    const outcomes = await Promise.all(
      claimed.map(async (delivery) => ({ claimed: delivery, call: await this.#call(delivery, now), startedAt: now })),
    )
    if (outcomes.length > 0)
      await recordOutcomes(this.#tx, outcomes, now + Math.max(...outcomes.map(({ call }) => call.tookMs)))
  }

  // Leaves out endpoints with other URLs: their deliveries would fail for good, since only `receiver` answers calls from the past.
  async #dueEndpoints(at: number): Promise<EndpointKey[]> {
    const due = await listDueEndpoints(this.#tx, '', at)
    if (due.length === 0) return due
    const { shop, receiverUrls } = this.#parts
    const known = await listEndpoints(this.#tx, shop.installationId)
    const answered = new Set(known.filter(({ url }) => receiverUrls.includes(url)).map(({ id }) => id))
    return due.filter(({ id }) => answered.has(id))
  }

  get #tx(): Tx {
    if (!this.#within) throw new Error('past orders can only be written inside of a transaction')
    return this.#within
  }
}

async function performed<Data>(
  surface: MountedSurface,
  id: string,
  { body, ...request }: Omit<OperationCall, 'body'> & PastRequest,
): Promise<Data> {
  const given = body && { body: { ...body, idempotencyKey: newId('req') } }
  const answer = String((await surface.perform(id, { ...request, ...given })).body)
  // A bulk operation succeeds even if an item is refused.
  if (answer.includes('"outcome":"refused"')) throw new Error(`the operation ${id} refused an item: ${answer}`)
  // The cast holds if the caller names the type of the operation's data.
  return (JSON.parse(answer) as { data: Data }).data
}

const minute = 60_000

// Instants at which due webhooks are sent: often enough for all retries to a failing receiver.
function* looksFrom(from: number): Generator<number> {
  for (const ms of [1_000, 7_000, 45_000, 3 * minute, 14 * minute, 46 * minute]) yield from + ms
  for (let at = from + 60 * minute; ; at += 16 * minute) yield at
}

const notMade: CallOutcome = {
  kind: 'failed',
  statusCode: null,
  retryAfter: null,
  error: 'the call could not be made',
  answer: null,
  tookMs: 0,
}
