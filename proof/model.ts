// Random histories of carts, sessions and orders against a model that is simple enough to be trusted. Each step must be
// answered as the model predicts, and everything that can be read afterwards must match the model: lines, totals,
// statuses, stock.

import fc from 'fast-check'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { runAdminModel } from './adminmodel.ts'
import { together } from './adminserver.ts'
import { runAfterSalesModel } from './aftersalesmodel.ts'
import { type Answer, type Caller, codeOf, createCaller, dataOf, undeclared } from './caller.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { berlin, makeShop, product, type Shop, type Stand, shopFile, standOf } from './shop.ts'
import { type CartData, cards, newForm, pay, type SessionData, successUrl } from './shopper.ts'

export const modelRun: ServerRun = {
  name: 'model',
  method:
    'random histories of steps on carts, codes, addresses, sessions, payments and cancellations (fast-check, shrunk where they differ) against a reference model in memory; judged after each step by the answer, the lines, the totals, the statuses and the stock; a twentieth as many of changes to products by the admin surface, by hand and by files; and a tenth as many of what happens after the purchase (edits, parcels, returns, refunds, exchanges, drafts and links), judged also by what the provider keeps, by the documents, and by the orders in the accounts of the shoppers',
  numbers: { histories: 5_000, steps: 60 },
  short: { histories: 12, steps: 25 },
  runOn: async (ground, { histories = 0, steps = 0 }, tools) =>
    together(
      await runModel(ground, { histories, steps }, tools),
      await runAdminModel(ground, { histories: Math.ceil(histories / 20), steps }, tools),
      await runAfterSalesModel(ground, { histories: Math.ceil(histories / 10), steps }, tools),
    ),
}

const codes = ['A', 'B', 'C'] as const
type Code = (typeof codes)[number]

// Prices of which ten per cent is a whole number, so the model needs no rounding rule.
const facts: Readonly<Record<Code, { price: number; stock: number; isSent: boolean }>> = {
  A: { price: 1_000, stock: 6, isSent: false },
  B: { price: 450, stock: 4, isSent: true },
  C: { price: 90, stock: 9, isSent: false },
}
const shippingPrice = 490
const bigFrom = 3_000
const bigOff = 500

type Step =
  | { kind: 'create'; lines: Partial<Record<Code, number>> }
  | { kind: 'put' | 'patch'; cart: number; code: Code; quantity: number }
  | { kind: 'remove'; cart: number; code: Code }
  | { kind: 'promote'; cart: number; promotion: 'TEN' | 'BIG' | 'NOSUCH' | null }
  | { kind: 'address'; cart: number }
  | { kind: 'open'; cart: number }
  | { kind: 'cancelSession'; session: number }
  | { kind: 'pay'; session: number; isApproved: boolean }
  | { kind: 'cancelOrder'; order: number }

const which = fc.nat(3)
const code = fc.constantFrom(...codes)
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      lines: fc.record(
        { A: fc.integer({ min: 1, max: 4 }), B: fc.integer({ min: 1, max: 4 }), C: fc.integer({ min: 1, max: 5 }) },
        { requiredKeys: [] },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('put' as const, 'patch' as const),
      cart: which,
      code,
      quantity: fc.integer({ min: 1, max: 7 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), cart: which, code, quantity: fc.constant(0) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), cart: which, code }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('promote' as const),
      cart: which,
      promotion: fc.constantFrom('TEN' as const, 'BIG' as const, 'NOSUCH' as const, null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('address' as const), cart: which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('open' as const), cart: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelSession' as const), session: which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pay' as const), session: which, isApproved: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelOrder' as const), order: which }) },
)

interface ModelCart {
  lines: Map<Code, number>
  status: 'open' | 'converted'
  version: number
  hasAddress: boolean
  promotion: 'TEN' | 'BIG' | null
  session: ModelSession | null
}

interface ModelSession {
  cart: ModelCart
  status: 'open' | 'completed' | 'cancelled'
  version: number
}

interface ModelOrder {
  lines: Map<Code, number>
  total: number
  status: 'placed' | 'cancelled'
}

class Model {
  onHand: Record<Code, number> = { A: facts.A.stock, B: facts.B.stock, C: facts.C.stock }
  carts: ModelCart[] = []
  sessions: ModelSession[] = []
  orders: ModelOrder[] = []

  // An open session holds the lines of its cart; units held for this cart are available to it.
  available(code: Code, cart: ModelCart | null): number {
    const others = this.sessions.filter((session) => session.status === 'open' && session.cart !== cart)
    return this.onHand[code] - others.reduce((sum, { cart: theirs }) => sum + (theirs.lines.get(code) ?? 0), 0)
  }

  // The code of the refusal, or `ok`.
  do(step: Step): string {
    switch (step.kind) {
      case 'create': {
        const lines = new Map(Object.entries(step.lines) as [Code, number][])
        if ([...lines].some(([code, quantity]) => quantity > this.available(code, null))) return 'insufficient_stock'
        this.carts.push({ lines, status: 'open', version: 1, hasAddress: false, promotion: null, session: null })
        return 'ok'
      }
      case 'put':
      case 'patch':
      case 'remove': {
        const cart = chosen(this.carts, step.cart)
        if (!cart) return 'skipped'
        const quantity = step.kind === 'remove' ? 0 : step.quantity
        if (step.kind !== 'put' && !cart.lines.has(step.code)) return 'cart_item_not_found'
        if (cart.status !== 'open') return 'cart_not_open'
        if (quantity > this.available(step.code, cart)) return 'insufficient_stock'
        if (quantity === 0) cart.lines.delete(step.code)
        else cart.lines.set(step.code, quantity)
        return this.#changed(cart)
      }
      case 'promote': {
        const cart = chosen(this.carts, step.cart)
        if (!cart) return 'skipped'
        if (cart.status !== 'open') return 'cart_not_open'
        // Not a change: the existing code stays.
        if (step.promotion === 'NOSUCH') return 'ok'
        cart.promotion = step.promotion
        return this.#changed(cart)
      }
      case 'address': {
        const cart = chosen(this.carts, step.cart)
        if (!cart) return 'skipped'
        if (cart.status !== 'open') return 'cart_not_open'
        cart.hasAddress = true
        return this.#changed(cart)
      }
      case 'open': {
        const cart = chosen(this.carts, step.cart)
        if (!cart) return 'skipped'
        if (cart.status !== 'open') return 'cart_not_open'
        if (cart.lines.size === 0) return 'cart_empty'
        if ([...cart.lines].some(([code, quantity]) => quantity > this.available(code, cart)))
          return 'insufficient_stock'
        cart.version += 1
        if (cart.session) cart.session.version += 1
        else {
          cart.session = { cart, status: 'open', version: 1 }
          this.sessions.push(cart.session)
        }
        return 'ok'
      }
      case 'cancelSession': {
        const session = chosen(this.sessions, step.session)
        if (!session) return 'skipped'
        if (session.status !== 'open') return 'checkout_session_not_open'
        this.#end(session, 'cancelled')
        return 'ok'
      }
      case 'pay':
        return this.#pay(chosen(this.sessions, step.session), step.isApproved)
      case 'cancelOrder': {
        const order = chosen(this.orders, step.order)
        if (!order) return 'skipped'
        if (order.status !== 'placed') return 'order_not_cancellable'
        order.status = 'cancelled'
        for (const [code, quantity] of order.lines) this.onHand[code] += quantity
        return 'ok'
      }
    }
  }

  // `completed`, or `told` if the page says why not, or `back` if the card was declined.
  #pay(session: ModelSession | undefined, isApproved: boolean): string {
    if (!session) return 'skipped'
    // A second post after paying also leads to the shop.
    if (session.status === 'completed') return 'completed'
    const { cart } = session
    const isSent = [...cart.lines.keys()].some((code) => facts[code].isSent)
    if (session.status !== 'open' || cart.lines.size === 0 || (isSent && !cart.hasAddress)) return 'told'
    if (!isApproved) {
      session.version += 2
      return 'back'
    }
    this.orders.push({ lines: new Map(cart.lines), total: totalsOf(cart).total, status: 'placed' })
    for (const [code, quantity] of cart.lines) this.onHand[code] -= quantity
    session.version += 1
    this.#end(session, 'completed')
    cart.status = 'converted'
    return 'completed'
  }

  #end(session: ModelSession, status: 'completed' | 'cancelled'): void {
    session.status = status
    session.version += 1
    session.cart.version += 1
    session.cart.session = null
  }

  #changed(cart: ModelCart): string {
    cart.version += 1
    if (cart.session) cart.session.version += 1
    return 'ok'
  }
}

function totalsOf({ lines, promotion, hasAddress }: Pick<ModelCart, 'lines' | 'promotion' | 'hasAddress'>) {
  const subtotal = [...lines].reduce((sum, [code, quantity]) => sum + facts[code].price * quantity, 0)
  const isBig = promotion === 'BIG' && subtotal >= bigFrom
  const discount = promotion === 'TEN' ? subtotal / 10 : isBig ? bigOff : 0
  const shipping = hasAddress && [...lines.keys()].some((code) => facts[code].isSent) ? shippingPrice : 0
  return { subtotal, discount, shipping, total: subtotal - discount + shipping }
}

function chosen<T>(values: readonly T[], number: number): T | undefined {
  return values[number % Math.max(1, values.length)]
}

const shelvesAtOnce = 50
const strands = 4

function fileOf(from: number) {
  const products = Array.from({ length: shelvesAtOnce }, (_, index) =>
    codes.map((code) => product(`${code}-${from + index}`, facts[code].stock, facts[code])),
  ).flat()
  return shopFile('model', {
    products,
    shipping: [
      { zone: 'home', countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: shippingPrice }] },
    ],
    promotions: [
      { code: 'TEN', name: 'Ten', type: 'percentage', percentage: 1_000 },
      { code: 'BIG', name: 'Big', type: 'fixed_amount', amount: bigOff, minimumSubtotal: bigFrom },
    ],
  })
}

export async function runModel(
  ground: Ground,
  { histories, steps }: { histories: number; steps: number },
  tools: RunTools,
): Promise<RunResult> {
  const shop = await makeShop(ground, [fileOf(0)])
  const caller = createCaller(strands * 2)
  const server = await startServer(shop)
  const stockRows = new SkuPool(shop)
  const violations = new Set<string>()
  const seen = { histories: 0, steps: 0, orders: 0, refused: 0 }
  const history = fc.array(stepOf, { minLength: Math.ceil(steps / 2), maxLength: steps, size: 'max' })

  async function strand(seed: number): Promise<void> {
    const property = fc.asyncProperty(history, async (wanted) => {
      const walk = new Walk(caller, server, standOf(shop), await stockRows.next())
      for (const step of wanted) await walk.take(step)
      seen.histories += 1
      seen.steps += wanted.length
      seen.orders += walk.model.orders.length
      seen.refused += walk.refused
      tools.tell(`${seen.histories} of ${histories} histories, ${seen.steps} steps`)
    })
    const details = await fc.check(property, { seed, numRuns: Math.ceil(histories / strands), endOnFailure: false })
    if (!details.failed) return
    const why = details.errorInstance instanceof Error ? details.errorInstance.message : 'it ended without a word'
    violations.add(
      `${why}; seed ${details.seed}, path ${details.counterexamplePath}, ${JSON.stringify(details.counterexample)}`,
    )
  }

  try {
    await Promise.all(Array.from({ length: strands }, () => strand(whole(tools.random, 0, 2 ** 31 - 1))))
    for (const line of defectsOf([server])) violations.add(line)
    for (const sentence of await shop.withStorage(findBroken)) violations.add(sentence)
    return { seen, violations: [...violations] }
  } finally {
    await server.end('SIGKILL')
    caller.close()
  }
}

type SkuIds = Readonly<Record<Code, string>>

// Every history has its own SKUs with full stock; more are created when they run out.
class SkuPool {
  readonly #shop: Shop
  #made = shelvesAtOnce
  #used = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(shop: Shop) {
    this.#shop = shop
  }

  next(): Promise<SkuIds> {
    const taken = this.#turn.then(() => this.#take())
    this.#turn = taken.catch(() => {})
    return taken
  }

  #take(): Promise<SkuIds> {
    const number = this.#used
    this.#used += 1
    return this.#shop.withStorage(async (storage) => {
      if (number >= this.#made) {
        await applyShop(storage, fileOf(this.#made), { now: Date.now(), stock: false, dryRun: false })
        this.#made += shelvesAtOnce
      }
      const rows = await storage.read(
        (db) => db.sql<{ code: string; id: string }>`
          select code, id from skus where code in (${`A-${number}`}, ${`B-${number}`}, ${`C-${number}`})`,
      )
      return Object.fromEntries(rows.map(({ code, id }) => [code.split('-')[0], id])) as SkuIds
    })
  }
}

// One history: the model and the shop, step by step.
class Walk {
  readonly model = new Model()
  readonly caller: Caller
  readonly server: Server
  readonly stand: Stand
  readonly skuIds: SkuIds
  refused = 0
  // Ids in the order of the model's own lists.
  readonly #carts: string[] = []
  readonly #sessions: { id: string; secret: string }[] = []
  readonly #orders: string[] = []
  static #keys = 0

  constructor(caller: Caller, server: Server, stand: Stand, skuIds: SkuIds) {
    this.caller = caller
    this.server = server
    this.stand = stand
    this.skuIds = skuIds
  }

  async take(step: Step): Promise<void> {
    const { carts, sessions, orders } = this.model
    // Which of them the step concerns, before the model changes.
    const cart = 'cart' in step ? step.cart % Math.max(1, carts.length) : 0
    const session = 'session' in step ? step.session % Math.max(1, sessions.length) : 0
    const order = 'order' in step ? step.order % Math.max(1, orders.length) : 0
    const version = sessions[session]?.version ?? 0
    const total = sessions[session] ? totalsOf(sessions[session].cart).total : 0
    const expected = this.model.do(step)
    if (expected === 'skipped') return
    const answered = await this.#do(step, { cart, session, order, version, total })
    if (answered !== expected) throw new Error(`${JSON.stringify(step)} is answered ${answered}, not ${expected}`)
    if (answered !== 'ok' && answered !== 'completed') this.refused += 1
    await this.#compare(cart, session, order)
  }

  async #do(
    step: Step,
    at: { cart: number; session: number; order: number; version: number; total: number },
  ): Promise<string> {
    const cartId = this.#carts[at.cart] ?? ''
    switch (step.kind) {
      case 'create': {
        const items = Object.entries(step.lines).map(([code, quantity]) => ({
          skuId: this.skuIds[code as Code],
          quantity,
        }))
        const answer = await this.#ask('createPublicCart', {}, { items })
        if (answer.status === 200) this.#carts.push(dataOf<CartData>(answer).id)
        return codeOf(answer)
      }
      case 'put':
      case 'patch': {
        const id = step.kind === 'put' ? 'putPublicCartItem' : 'updatePublicCartItemQuantity'
        const path = { cartId, skuId: this.skuIds[step.code] }
        return codeOf(await this.#ask(id, path, { quantity: step.quantity }))
      }
      case 'remove':
        return codeOf(await this.#ask('removePublicCartItem', { cartId, skuId: this.skuIds[step.code] }, {}))
      case 'promote':
        return codeOf(await this.#ask('applyPublicCartPromotion', { cartId }, { code: step.promotion }))
      case 'address':
        return codeOf(await this.#ask('setPublicCartAddress', { cartId }, { address: berlin }))
      case 'open': {
        const body = { cartId, successUrl, customer: { email: 'ada@example.com' } }
        const answer = await this.#ask('createHostedCheckoutSession', {}, body)
        if (answer.status !== 200) return codeOf(answer)
        const { id, url } = dataOf<SessionData>(answer)
        if (!this.#sessions.some((known) => known.id === id))
          this.#sessions.push({ id, secret: url?.split('/').at(-1) ?? '' })
        return 'ok'
      }
      case 'cancelSession': {
        const path = { sessionId: this.#sessions[at.session]?.id ?? '' }
        return codeOf(await this.#ask('cancelHostedCheckoutSession', path, {}))
      }
      case 'pay': {
        const { id = '', secret = '' } = this.#sessions[at.session] ?? {}
        const form = newForm(step.isApproved ? cards.approved : cards.declined)
        const paid = await pay(this.caller, this.server.origin, { secret, version: at.version, total: at.total }, form)
        if (paid === 'completed') {
          const { orderId } = await this.#read<SessionData>('getHostedCheckoutSession', { sessionId: id })
          if (orderId !== null && !this.#orders.includes(orderId)) this.#orders.push(orderId)
        }
        return paid
      }
      case 'cancelOrder':
        return codeOf(await this.#ask('cancelStorefrontOrder', { orderId: this.#orders[at.order] ?? '' }, {}))
    }
  }

  // What the step concerned, as it can be read now.
  async #compare(cart: number, session: number, order: number): Promise<void> {
    const { carts, sessions, orders } = this.model
    if (
      sessions.length !== this.#sessions.length ||
      orders.length !== this.#orders.length ||
      carts.length !== this.#carts.length
    )
      throw new Error(
        `there are ${this.#sessions.length} sessions and ${this.#orders.length} orders, not ${sessions.length} and ${orders.length}`,
      )
    const newest = [cart, carts.length - 1].map((index) => [carts[index], this.#carts[index]] as const)
    for (const [model, cartId] of newest) {
      if (!model || cartId === undefined) continue
      const seen = await this.#read<CartData>('getPublicCart', { cartId })
      const { subtotal, discount, shipping, total } = seen.totals
      same(
        `cart ${cartId}`,
        {
          status: seen.status,
          version: seen.version,
          lines: linesOf(seen.items, this.skuIds),
          totals: { subtotal, discount, shipping, total },
          code: seen.promotion.code,
          ...(model.status === 'open' && { available: seen.items.map(({ availableQuantity }) => availableQuantity) }),
        },
        {
          status: model.status,
          version: model.version,
          lines: Object.fromEntries([...model.lines].sort()),
          totals: totalsOf(model),
          // A cart that became an order shows what was charged; a code without a discount is not part of that.
          code: model.status === 'converted' && totalsOf(model).discount === 0 ? null : model.promotion,
          ...(model.status === 'open' && {
            available: [...model.lines.keys()].map((code) => Math.max(0, this.model.available(code, model))),
          }),
        },
      )
    }
    const [heldModel, held] = [sessions[session], this.#sessions[session]]
    if (heldModel && held) {
      const { status, version } = await this.#read<SessionData>('getHostedCheckoutSession', { sessionId: held.id })
      same(`session ${held.id}`, { status, version }, { status: heldModel.status, version: heldModel.version })
    }
    const [placed, orderId] = [orders[order], this.#orders[order]]
    if (placed && orderId !== undefined) {
      const seen = await this.#read<{ status: string; total: number; items: CartData['items'] }>('getStorefrontOrder', {
        orderId,
      })
      const { status, total, items } = seen
      same(
        `order ${orderId}`,
        { status, total, lines: linesOf(items, this.skuIds) },
        { status: placed.status, total: placed.total, lines: Object.fromEntries([...placed.lines].sort()) },
      )
    }
  }

  async #read<T>(id: Parameters<Caller['ask']>[1], path: Readonly<Record<string, string>>): Promise<T> {
    const answer = await this.caller.ask(this.server.origin, id, { key: this.stand.key, path })
    const problem = undeclared(id, answer)
    if (problem) throw new Error(problem)
    return dataOf<T>(answer)
  }

  async #ask(id: Parameters<Caller['ask']>[1], path: Readonly<Record<string, string>>, body: object): Promise<Answer> {
    Walk.#keys += 1
    const idempotencyKey = `model-${Walk.#keys}`
    const answer = await this.caller.ask(this.server.origin, id, {
      key: this.stand.key,
      path,
      body: { ...body, idempotencyKey },
    })
    const problem = undeclared(id, answer)
    if (problem) throw new Error(problem)
    return answer
  }
}

function linesOf(items: readonly { skuId: string; quantity: number }[], skuIds: SkuIds): Record<string, number> {
  const named = items.map(
    ({ skuId, quantity }) => [codes.find((code) => skuIds[code] === skuId) ?? skuId, quantity] as const,
  )
  return Object.fromEntries([...named].sort())
}

function same(what: string, seen: object, expected: object): void {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what} is ${one}, not ${other}`)
}
