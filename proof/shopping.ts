// Shoppers who fill carts, use codes, pay, cancel and have webhooks replayed, at any server that is open, and a journal
// of what was acknowledged to them. The run decides which servers exist and when one is killed.

import { setTimeout as pause } from 'node:timers/promises'
import type { MailServer } from '../harness/mailserver.ts'
import { customerCodesMax } from '../src/domain/customers/codes.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { type Answer, type AnyOperationId, type Caller, codeOf, crowd, dataOf, undeclared } from './caller.ts'
import { findUndelivered, hashOf, type Journal } from './journal.ts'
import { Merchant } from './merchant.ts'
import { findBroken, letTimePass, untilSettled } from './oracles.ts'
import { pick, whole } from './random.ts'
import type { RedirectPayments, UntilAnswered } from './redirect.ts'
import type { RunTools } from './runs.ts'
import { defectsOf, runCommand, type Server, type ServerOptions, startServer } from './servers.ts'
import { berlin, product, type Shop, shopFile, standOf } from './shop.ts'
import {
  type CartData,
  cards,
  confirm,
  look,
  newForm,
  PageUnavailable,
  type PayForm,
  pay,
  type Session,
  sessionFrom,
  successUrl,
} from './shopper.ts'

const codes = ['TEN', 'FIVER', 'MANY', 'NOSUCH'] as const
const skuCodes = ['SENT', 'PLAIN', 'DIGITAL', 'SCARCE', 'LATER'] as const

// Plenty of most things, too little of one, and one that is sold on backorder.
export function shoppingShop(slug: string): ShopFile {
  return shopFile(slug, {
    products: [
      product('SENT', 1_000_000, { isSent: true, price: 1_999 }),
      product('PLAIN', 1_000_000, { isSent: true, price: 333 }),
      product('DIGITAL', 1_000_000, { price: 9_900 }),
      product('SCARCE', 60, { price: 500 }),
      product('LATER', 3, { price: 700, isBackordered: true }),
    ],
    promotions: [
      { code: 'TEN', name: 'Ten', type: 'percentage', percentage: 1_000 },
      { code: 'FIVER', name: 'Five off', type: 'fixed_amount', amount: 500 },
      { code: 'MANY', name: 'Many', type: 'percentage', percentage: 500, usageLimit: 1_000_000, customerLimit: 2 },
    ],
  })
}

// One request that was answered with 200, and its answer.
interface Acknowledged {
  id: AnyOperationId
  path: Readonly<Record<string, string>>
  body: object
  // Of a shopper who is signed in.
  session: string | undefined
  hash: string
  atMs: number
}

// What an answer said about a thing.
interface Fact {
  kind: 'cart' | 'session' | 'order' | 'address'
  id: string
  // Of the shopper whose address it is.
  session?: string
  version: number
  // Set if it can no longer change.
  status?: string
  // When an answer last mentioned it.
  atMs?: number
}

// The run has ended, and the shopper stops.
class RunEnded extends Error {}

// The servers that may be called now. Shoppers wait while there is none.
export class OpenServers {
  readonly #open: string[] = []
  #isOver = false
  #changed = Promise.withResolvers<void>()

  get isOver(): boolean {
    return this.#isOver
  }

  open(origin: string): void {
    this.#open.push(origin)
    this.#tell()
  }

  close(origin: string): void {
    this.#open.splice(this.#open.indexOf(origin), 1)
  }

  isOpen(origin: string): boolean {
    return this.#open.includes(origin)
  }

  end(): void {
    this.#isOver = true
    this.#tell()
  }

  async enter(random: () => number): Promise<string> {
    for (;;) {
      if (this.#isOver) throw new RunEnded()
      if (this.#open.length > 0) return pick(random, this.#open)
      await this.#changed.promise
    }
  }

  #tell(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

export type WaitKind = 'changes' | 'reads' | 'pages' | 'payments'

export interface ShoppingPlan {
  shoppers: number
  // The longest pause of a shopper before each step.
  thinkMs: number
  cards: readonly string[]
  // Where half of the shoppers pay; if undefined, all pay here.
  redirect?: RedirectPayments
  // The servers delete ended things after this long, so older ones are not checked; if undefined, everything is
  // checked.
  keptMs?: number
  // What happens after the purchase happens too: the merchant edits, sends, takes back and makes drafts, and shoppers sign in by codes that
  // arrive here.
  afterwards?: MailServer
  // The shop moves between servers: where it is said that it is not there any more, the shopper asks at another one.
  followsMoves?: boolean
}

// Most pay, and everything else happens too.
export const usualCards: readonly string[] = [
  ...Array<string>(8).fill(cards.approved),
  cards.declined,
  cards.challenged,
  cards.approvedUnheard,
  cards.declinedUnheard,
  cards.unasked,
  cards.refundUnheard,
]

export class Shopping {
  readonly shop: Shop
  readonly caller: Caller
  readonly random: () => number
  readonly tell: (text: string) => void
  readonly openServers = new OpenServers()
  readonly violations = new Set<string>()
  readonly seen = { lost: 0, unavailable: 0, repeated: 0, orders: 0, cancelled: 0, refusals: 0, moved: 0, accounts: 0 }
  // The journal, which only grows.
  readonly acknowledged: Acknowledged[] = []
  readonly facts = new Map<string, Fact>()
  // How long callers waited for their answers.
  readonly waitsMs: Record<WaitKind, number[]> = { changes: [], reads: [], pages: [], payments: [] }
  // The reasons that the servers gave for their 503s.
  readonly whyUnavailable = new Map<string, number>()
  // What is wrong with an answer of a server.
  undeclared: (origin: string, id: AnyOperationId, answer: Answer) => string | undefined = (_, id, answer) =>
    undeclared(id, answer)
  readonly merchant: Merchant
  readonly #plan: ShoppingPlan
  #codesAsked = 0
  #keys = 0
  #endedAt = Number.POSITIVE_INFINITY

  constructor(shop: Shop, caller: Caller, plan: ShoppingPlan, { random, tell }: RunTools) {
    this.shop = shop
    this.caller = caller
    this.random = random
    this.tell = tell
    this.#plan = plan
    this.merchant = new Merchant({
      random,
      sku: (code) => shop.sku(code),
      change: (id, path, body) => this.#change(id, path, body),
      read: (id, path) => this.#ask('reads', id, path),
      payLink: (secret) => this.#payLink(secret),
      placed: (id) => this.note({ kind: 'order', id, version: 1 }),
    })
  }

  // Runs the shoppers for as long as the work takes.
  async during(work: () => Promise<void>): Promise<void> {
    // A failing shopper must not become an unhandled rejection while the work goes on.
    const ended = Promise.allSettled(Array.from({ length: this.#plan.shoppers }, () => this.#shopAround()))
    try {
      await work()
    } finally {
      this.openServers.end()
      this.#endedAt = performance.now()
    }
    for (const result of await ended) {
      if (result.status === 'rejected' && !(result.reason instanceof RunEnded))
        this.violations.add(`a shopper failed: ${String(result.reason)}`)
    }
  }

  // The longest time without an acknowledged change, after the first one.
  async watchSilence(signal: AbortSignal): Promise<number> {
    let [count, longestMs, since] = [0, 0, performance.now()]
    while (!signal.aborted) {
      if (this.acknowledged.length > count) since = performance.now()
      else if (count > 0) longestMs = Math.max(longestMs, Math.round(performance.now() - since))
      count = this.acknowledged.length
      await pause(10)
    }
    return longestMs
  }

  async start(options: Partial<ServerOptions> = {}): Promise<Server | undefined> {
    try {
      return await startServer({ ...this.shop, ...options })
    } catch (error) {
      this.violations.add(`after a kill it does not start again: ${(error as Error).message}`)
      return undefined
    }
  }

  noteDefects(server: Server): void {
    for (const line of defectsOf([server])) this.violations.add(line)
    for (const [reason, times] of server.unavailable())
      this.whyUnavailable.set(reason, (this.whyUnavailable.get(reason) ?? 0) + times)
  }

  // Starts the server once more, with enough time for everything that was interrupted.
  async judge(webhooks: Journal, factsMax: number): Promise<void> {
    const { redirect } = this.#plan
    for (const problem of (await redirect?.settle(this.shop)) ?? []) this.violations.add(problem)
    await this.shop.withStorage((storage) => letTimePass(storage))
    const server = await this.start()
    if (!server) return
    try {
      for (const problem of await this.shop.withStorage((storage) => untilSettled(storage, this.tell)))
        this.violations.add(problem)
      await this.repeat(
        server,
        this.acknowledged.filter(({ atMs }) => this.#isKept(atMs)),
      )
      await this.lookAtFacts(server, factsMax)
    } finally {
      await server.end()
    }
    this.noteDefects(server)
    const broken = await this.shop.withStorage(async (storage) => [
      ...(await findBroken(storage)),
      ...(await findUndelivered(storage, webhooks, this.#keptSinceMs())),
      ...((await redirect?.compare(storage)) ?? []),
    ])
    for (const sentence of broken) this.violations.add(sentence)
    const doctor = await runCommand(this.shop, ['doctor'])
    if (doctor.code !== 0) this.violations.add(`doctor says: ${doctor.said}`)
  }

  // Repeats every request with its key: the answer must have the same bytes.
  async repeat(server: Server, entries: readonly Acknowledged[]): Promise<void> {
    const { key } = standOf(this.shop)
    await crowd(entries, 16, async ({ id, path, body, session, hash }) => {
      const asked = { key, path, body, headers: headersOf(session) }
      const answer = await this.#untilAble(() => this.caller.ask(server.origin, id, asked))
      this.seen.repeated += 1
      if (answer.status !== 200 || hashOf(answer.text) !== hash)
        this.violations.add(
          `${id} was acknowledged, and repeated it is ${answer.status} ${codeOf(answer)} or other bytes`,
        )
      else if (answer.headers['idempotency-replayed'] !== 'true')
        this.violations.add(`${id} was acknowledged and executed a second time`)
    })
  }

  // Checks this many acknowledged things: none is gone, and none is older than acknowledged.
  async lookAtFacts(server: Server, most: number): Promise<void> {
    const known = [...this.facts.values()].filter(({ kind, atMs = 0 }) => kind === 'order' || this.#isKept(atMs))
    const some = known.length <= most ? known : Array.from({ length: most }, () => pick(this.random, known))
    const { key } = standOf(this.shop)
    await crowd(some, 16, async ({ kind, id, version, status, session }) => {
      if (kind === 'address') return void (await this.#lookAtAddress(server, id, session))
      const ask = {
        cart: () => this.caller.ask(server.origin, 'getPublicCart', { key, path: { cartId: id } }),
        session: () => this.caller.ask(server.origin, 'getHostedCheckoutSession', { key, path: { sessionId: id } }),
        order: () => this.caller.ask(server.origin, 'getStorefrontOrder', { key, path: { orderId: id } }),
      }
      const answer = await this.#untilAble(ask[kind])
      if (answer.status !== 200) return void this.violations.add(`${kind} ${id} was acknowledged but is gone`)
      const now = dataOf<{ version: number; status: string }>(answer)
      if (now.version < version) this.violations.add(`${kind} ${id} was at version ${version} and is at ${now.version}`)
      if (status !== undefined && now.status !== status)
        this.violations.add(`${kind} ${id} was ${status} and is ${now.status}`)
    })
  }

  async #lookAtAddress(server: Server, id: string, session: string | undefined): Promise<void> {
    const asked = { key: standOf(this.shop).key, headers: headersOf(session) }
    const answer = await this.#untilAble(() => this.caller.ask(server.origin, 'listCustomerAddresses', asked))
    if (answer.status !== 200 || !dataOf<{ id: string }[]>(answer).some((one) => one.id === id))
      this.violations.add(`address ${id} was acknowledged but is gone, or its shopper is signed out`)
  }

  #isKept(atMs: number): boolean {
    return performance.timeOrigin + atMs >= this.#keptSinceMs()
  }

  // Half of the retention, because what was acknowledged before the end of the run is checked some time after it.
  #keptSinceMs(): number {
    const { keptMs } = this.#plan
    return keptMs === undefined ? 0 : Math.floor(performance.timeOrigin + this.#endedAt - keptMs / 2)
  }

  // A 503 says nothing about what was acknowledged. It is counted, and retried a few times.
  async #untilAble(ask: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask()
      if (answer.status !== 503 || tries === 10) return answer
      this.seen.unavailable += 1
      await pause(500)
    }
  }

  note(fact: Fact): void {
    const known = this.facts.get(fact.id)
    if (!known || known.version <= fact.version)
      this.facts.set(fact.id, {
        ...fact,
        ...(known?.status && !fact.status && { status: known.status }),
        atMs: performance.now(),
      })
  }

  // One change with its own key, repeated until a server answers.
  async #change(
    id: AnyOperationId,
    path: Readonly<Record<string, string>>,
    wanted: object,
    session?: string,
  ): Promise<Answer> {
    this.#keys += 1
    const body = { ...wanted, idempotencyKey: `shopping-${this.#keys}` }
    const answer = await this.#ask('changes', id, path, body, session)
    if (answer.status === 200)
      this.acknowledged.push({ id, path, body, session, hash: hashOf(answer.text), atMs: performance.now() })
    else this.seen.refusals += 1
    return answer
  }

  async #ask(
    kind: WaitKind,
    id: AnyOperationId,
    path: Readonly<Record<string, string>>,
    body?: object,
    session?: string,
  ): Promise<Answer> {
    const { key } = standOf(this.shop)
    return this.#untilAnswered(kind, async (origin) => {
      const answer = await this.caller.ask(origin, id, { key, path, body, headers: headersOf(session) })
      const problem = answer.status === 503 || answer.status === 421 ? undefined : this.undeclared(origin, id, answer)
      if (problem) this.violations.add(problem)
      return answer
    })
  }

  async #untilAnswered<T extends Answer | string>(kind: WaitKind, ask: (origin: string) => Promise<T>): Promise<T> {
    const { thinkMs } = this.#plan
    if (thinkMs > 0) await pause(this.random() * thinkMs)
    for (;;) {
      const origin = await this.openServers.enter(this.random)
      const askedAt = performance.now()
      try {
        const answer = await ask(origin)
        if (typeof answer !== 'string' && answer.status === 421 && this.#plan.followsMoves) this.seen.moved += 1
        else if (typeof answer === 'string' || answer.status !== 503) {
          this.waitsMs[kind].push(performance.now() - askedAt)
          return answer
        } else this.seen.unavailable += 1
      } catch (error) {
        this.#noteSilence(error, origin)
      }
      // The server is dead, or about to be marked as such.
      await pause(10)
    }
  }

  #noteSilence(error: unknown, origin: string): void {
    if (error instanceof PageUnavailable) this.seen.unavailable += 1
    else if (error instanceof Error && isLost(error)) {
      this.seen.lost += 1
      // A run removes a server from the open ones before it kills it.
      if (this.openServers.isOpen(origin))
        this.violations.add(`no server was killed, but no answer came: ${error.message}`)
    } else throw error
  }

  async #shopAround(): Promise<void> {
    while (!this.openServers.isOver) await this.#buy()
  }

  async #buy(): Promise<void> {
    if (this.random() < 0.5) await this.#browse()
    const cart = await this.#fill()
    if (!cart || this.random() < 0.2) return
    const session = await this.#openSession(cart)
    if (!session) return
    if (this.random() < 0.15) {
      const path = { sessionId: session.id }
      const answer = await this.#change('cancelHostedCheckoutSession', path, { reason: 'abandoned' })
      if (answer.status === 200) this.#noteSession(answer)
      return
    }
    const orderId = await this.#pay(session)
    if (orderId === null) return
    this.seen.orders += 1
    if (this.random() < 0.3) {
      const answer = await this.#change('cancelStorefrontOrder', { orderId }, { note: 'by the proof' })
      if (answer.status === 200) {
        this.seen.cancelled += 1
        this.note({ kind: 'order', id: orderId, version: 1, status: 'cancelled' })
      }
    }
    if (this.#plan.afterwards && this.random() < 0.5) await this.#goOn(this.#plan.afterwards, orderId)
    if (this.random() < 0.2) await this.#replay()
    if (this.random() < 0.2) await this.#ask('reads', 'getStorefrontOrder', { orderId })
    if (this.random() < 0.1) await this.#ask('reads', 'listStorefrontOrders', {})
  }

  async #goOn(mail: MailServer, orderId: string): Promise<void> {
    await this.merchant.handle(orderId)
    if (this.random() < 0.3) await this.merchant.draft(this.#newEmail())
    if (this.random() < 0.1) await this.#useAccount(mail)
  }

  #newEmail(): string {
    return `shopper-${whole(this.random, 1, 1_000_000)}@example.com`
  }

  // A shopper signs in by the mailed code and saves an address.
  async #useAccount(mail: MailServer): Promise<void> {
    // No more are mailed to a network in an hour.
    if (this.#codesAsked === customerCodesMax.networkHour) return
    this.#codesAsked += 1
    const email = `account-${this.#codesAsked}@example.com`
    const asked = await this.#change('requestCustomerCode', {}, { email })
    if (asked.status !== 200) return
    const code = await this.#codeFor(mail, email)
    if (code === undefined) return
    const { browserToken } = dataOf<{ browserToken: string }>(asked)
    const opened = await this.#change('openCustomerSession', {}, { browserToken, code })
    const { session } = dataOf<{ session: { token: string } | null }>(opened)
    if (!session) return void this.violations.add(`the code for ${email} did not sign in`)
    const saved = await this.#change('addCustomerAddress', {}, { address: berlin }, session.token)
    if (saved.status !== 200) return
    const { id } = dataOf<{ id: string }>(saved)
    this.note({ kind: 'address', id, version: 1, session: session.token })
    this.seen.accounts += 1
  }

  // A server that is killed while it sends the e-mail sends it after its lease.
  async #codeFor(mail: MailServer, email: string): Promise<string | undefined> {
    const deadline = performance.now() + codeMsMax
    while (performance.now() < deadline && !this.openServers.isOver) {
      const [, code] = /\b(\d{3} ?\d{3})\b/.exec(mail.emails.find(({ to }) => to.includes(email))?.text ?? '') ?? []
      if (code !== undefined) return code
      await pause(20)
    }
    return undefined
  }

  // As its page is posted. Where the link is over, nothing can be paid.
  async #payLink(secret: string): Promise<void> {
    let form: PayForm | undefined
    await this.#untilAnswered('payments', async (origin) => {
      const page = await look(this.caller, origin, secret)
      const numberOf = (name: string) => Number(new RegExp(`name="${name}" value="(\\d+)"`).exec(page.text)?.[1])
      const [version, total] = [numberOf('version'), numberOf('expectedTotal')]
      if (Number.isNaN(version) || Number.isNaN(total)) return page
      form ??= newForm()
      return pay(this.caller, origin, { secret, version, total }, form)
    })
  }

  async #browse(): Promise<void> {
    if (this.random() < 0.3) await this.#ask('reads', 'listApiKeyCatalogProducts', {})
    const slug = pick(this.random, skuCodes).toLowerCase()
    await this.#ask('reads', 'getApiKeyCatalogProduct', { slug })
  }

  async #fill(): Promise<string | undefined> {
    const { random, shop } = this
    const items = [...new Set([pick(random, skuCodes), pick(random, skuCodes)])]
    const wanted = items.map((code) => ({ skuId: shop.sku(code), quantity: whole(random, 1, 3) }))
    const made = await this.#change('createPublicCart', {}, { items: wanted })
    if (made.status !== 200) return undefined
    const cartId = this.#noteCart(made)
    for (let edits = whole(random, 0, 4); edits > 0; edits -= 1) await this.#edit(cartId)
    await this.#change('setPublicCartAddress', { cartId }, { address: berlin })
    return cartId
  }

  async #edit(cartId: string): Promise<void> {
    const { random } = this
    const skuId = this.shop.sku(pick(random, skuCodes))
    const edits = [
      () => this.#change('putPublicCartItem', { cartId, skuId }, { quantity: whole(random, 1, 4) }),
      () => this.#change('updatePublicCartItemQuantity', { cartId, skuId }, { quantity: whole(random, 0, 4) }),
      () => this.#change('removePublicCartItem', { cartId, skuId }, {}),
      () => this.#change('applyPublicCartPromotion', { cartId }, { code: pick(random, codes) }),
    ]
    const answer = await pick(random, edits)()
    if (answer.status === 200 && 'version' in dataOf<object>(answer)) this.#noteCart(answer)
  }

  #noteCart(answer: Answer): string {
    const { id, version } = dataOf<CartData>(answer)
    this.note({ kind: 'cart', id, version })
    return id
  }

  #noteSession(answer: Answer): Session {
    const session = sessionFrom(answer)
    const isOver = ['completed', 'cancelled', 'expired'].includes(session.status)
    this.note({ kind: 'session', id: session.id, version: session.version, ...(isOver && { status: session.status }) })
    return session
  }

  async #openSession(cartId: string): Promise<Session | undefined> {
    const customer = { email: this.#newEmail() }
    // If the run is to see the deletion of what is left behind, that must expire within the run.
    const expiry = this.#plan.keptMs === undefined ? {} : { expiresInSeconds: 300 }
    const body = { cartId, successUrl, customer, ...expiry }
    const answer = await this.#change('createHostedCheckoutSession', {}, body)
    return answer.status === 200 ? this.#noteSession(answer) : undefined
  }

  // Returns the order, or null if there is none (yet).
  async #pay(session: Session): Promise<string | null> {
    const { redirect } = this.#plan
    if (redirect && session.total > 0 && this.random() < 0.5) {
      const ask: UntilAnswered = (each) => this.#untilAnswered('payments', each)
      if (!(await redirect.pay(session, ask, this.caller))) return null
    } else await this.#payHere(session)
    const { orderId } = this.#noteSession(
      await this.#ask('reads', 'getHostedCheckoutSession', { sessionId: session.id }),
    )
    if (orderId !== null) this.note({ kind: 'order', id: orderId, version: 1 })
    return orderId
  }

  async #payHere(session: Session): Promise<void> {
    const form = newForm(pick(this.random, this.#plan.cards))
    await this.#untilAnswered('pages', (origin) => look(this.caller, origin, session.secret))
    await this.#untilAnswered('payments', (origin) => pay(this.caller, origin, session, form))
    if (form.card === cards.challenged) {
      const isAccepted = this.random() < 0.7
      await this.#untilAnswered('payments', (origin) => confirm(this.caller, origin, session.secret, isAccepted))
    }
  }

  async #replay(): Promise<void> {
    const answer = await this.#ask('reads', 'listInstallationWebhooks', {})
    const { endpoints } = dataOf<{ endpoints: { recentDeliveries: { id: string; status: string }[] }[] }>(answer)
    const done = endpoints[0]?.recentDeliveries.filter(({ status }) => status === 'succeeded') ?? []
    if (done.length === 0) return
    const { id } = pick(this.random, done)
    await this.#change('replayInstallationWebhookDelivery', { id }, { allowSucceeded: true })
  }
}

// How long a shopper waits for a code.
const codeMsMax = 5_000

function headersOf(session: string | undefined): Record<string, string> {
  return session === undefined ? {} : { 'customer-session': session }
}

function isLost(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code ?? '') || error.message === 'the answer was cut off'
}
