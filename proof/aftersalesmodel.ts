// Random histories of what happens after a purchase, against a model that is simple enough to be trusted: edits, parcels, returns,
// refunds, exchanges, drafts and links. Each step must be possible exactly where the model says so, and after each step orders, returns and
// stock must be what it says, to the cent. In the end the provider keeps what the orders come to, documents add up to them, and each shopper's
// account lists that shopper's orders.

import fc from 'fast-check'
import { withAdminTestServer } from './adminserver.ts'
import { AfterSales, type Code, delivery, done, type Items, newEmail, prices } from './aftersales.ts'
import type { Ground } from './place.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools } from './runs.ts'

type Step =
  | { kind: 'buy'; shopper: number; items: Items }
  | { kind: 'edit'; order: number; code: Code; quantity: number; byLink: boolean }
  | { kind: 'send'; order: number; part: Code | null }
  | { kind: 'cancel'; order: number }
  | { kind: 'refund'; order: number; code: Code; quantity: number }
  | { kind: 'refundAmount'; order: number; amount: number }
  | { kind: 'return'; order: number; code: Code; quantity: number }
  | { kind: 'receive'; order: number; quantity: number; restock: boolean }
  | { kind: 'refundReturn'; order: number; quantity: number; deduction: number }
  | { kind: 'exchange'; order: number; quantity: number; wanted: Code; wantedQuantity: number; byLink: boolean }
  | { kind: 'close'; order: number }
  | { kind: 'draft'; shopper: number; code: Code; quantity: number }
  | { kind: 'payLink'; link: number }
  | { kind: 'withdraw'; link: number }
  | { kind: 'settle' }

const which = fc.nat(3)
const code = fc.constantFrom<Code>('CARD', 'BOOK')
const few = fc.integer({ min: 1, max: 4 })
const order = { order: which }
const kindOf = <Kind extends Step['kind']>(kind: Kind) => fc.constant(kind)
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary })
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  weighted(
    3,
    fc.record({
      kind: kindOf('buy'),
      shopper: fc.nat(1),
      items: fc.record({ CARD: few, BOOK: few }, { requiredKeys: ['CARD'] }),
    }),
  ),
  weighted(
    4,
    fc.record({ kind: kindOf('edit'), ...order, code, quantity: fc.integer({ min: 0, max: 5 }), byLink: fc.boolean() }),
  ),
  weighted(4, fc.record({ kind: kindOf('send'), ...order, part: fc.constantFrom<Code | null>('CARD', null, null) })),
  weighted(1, fc.record({ kind: kindOf('cancel'), ...order })),
  weighted(1, fc.record({ kind: kindOf('refund'), ...order, code, quantity: few })),
  weighted(1, fc.record({ kind: kindOf('refundAmount'), ...order, amount: fc.integer({ min: 1, max: 4_000 }) })),
  weighted(4, fc.record({ kind: kindOf('return'), ...order, code, quantity: few })),
  weighted(3, fc.record({ kind: kindOf('receive'), ...order, quantity: few, restock: fc.boolean() })),
  weighted(
    2,
    fc.record({ kind: kindOf('refundReturn'), ...order, quantity: few, deduction: fc.constantFrom(0, 0, 100, 5_000) }),
  ),
  weighted(
    3,
    fc.record({
      kind: kindOf('exchange'),
      ...order,
      quantity: few,
      wanted: code,
      wantedQuantity: few,
      byLink: fc.boolean(),
    }),
  ),
  weighted(1, fc.record({ kind: kindOf('close'), ...order })),
  weighted(1, fc.record({ kind: kindOf('draft'), shopper: fc.nat(1), code, quantity: few })),
  weighted(3, fc.record({ kind: kindOf('payLink'), link: which })),
  weighted(1, fc.record({ kind: kindOf('withdraw'), link: which })),
  weighted(3, fc.record({ kind: kindOf('settle') })),
)

interface ModelLine {
  quantity: number
  sent: number
  // Units that were refunded by line, and for how much.
  back: number
  backAmount: number
}

interface ModelReturn {
  id: string
  code: Code
  quantity: number
  received: number
  // Units of it that were refunded or exchanged.
  settled: number
  status: 'approved' | 'received' | 'closed'
}

interface ModelOrder {
  id: string
  shopper: number
  lines: Map<Code, ModelLine>
  shipping: number
  isCancelled: boolean
  // Arrived, and on its way; without what edits gave back.
  refunded: number
  pending: number
  returns: ModelReturn[]
}

interface ModelLink {
  draftId: string
  secret: string
  // What it holds.
  items: Items
  order: ModelOrder | null
  shopper: number
  change:
    | { kind: 'edit'; code: Code; quantity: number }
    | { kind: 'exchange'; return: ModelReturn; quantity: number; credit: number }
    | null
}

// A step that the model refuses, and the server must refuse too.
class Refused extends Error {}

function refuseIf(condition: boolean, why: string): void {
  if (condition) throw new Refused(why)
}

export async function runAfterSalesModel(
  ground: Ground,
  { histories, steps }: { histories: number; steps: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const shop = await AfterSales.open(testServer)
    const seen = { afterSalesHistories: 0, afterSalesSteps: 0, afterSalesRefused: 0 }
    const violations: string[] = []
    const someSteps = fc.array(stepOf, { minLength: Math.ceil(steps / 2), maxLength: steps, size: 'max' })
    const property = fc.asyncProperty(someSteps, async (history) => {
      const model = new AfterSalesModel(shop)
      await model.begin()
      await model.take({ kind: 'buy', shopper: 0, items: { CARD: 3, BOOK: 2 } })
      for (const step of history) {
        if (!(await model.take(step))) seen.afterSalesRefused += 1
        seen.afterSalesSteps += 1
      }
      await model.end()
      seen.afterSalesHistories += 1
      tools.tell(`after-sales: ${seen.afterSalesHistories} of ${histories} histories`)
    })
    const outcome = await fc.check(property, { numRuns: histories, seed: whole(tools.random, 0, 2 ** 31 - 1) })
    if (outcome.failed) {
      const why = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : String(outcome.errorInstance)
      violations.push(
        `after-sales: ${why}, path ${outcome.counterexamplePath}, ${JSON.stringify(outcome.counterexample)}`,
      )
    }
    return { seen, violations }
  })
}

const scarce = 14

class AfterSalesModel {
  readonly shop: AfterSales
  readonly emails = [newEmail(), newEmail()]
  readonly orders: ModelOrder[] = []
  links: ModelLink[] = []
  readonly onHand: Record<Code, number> = { CARD: 0, BOOK: scarce }

  constructor(shop: AfterSales) {
    this.shop = shop
  }

  async begin(): Promise<void> {
    // So many codes an hour are mailed to a network.
    this.shop.testServer.clock.now += 3_600_000
    await this.shop.setStock('BOOK', scarce)
    this.onHand.CARD = (await this.shop.stock('CARD')).onHand
  }

  // Whether it was possible.
  async take(step: Step): Promise<boolean> {
    let isPossible = true
    try {
      await this.#do(step)
    } catch (error) {
      if (!(error instanceof Refused)) throw new Error(`${(error as Error).message}, at ${JSON.stringify(step)}`)
      isPossible = false
    }
    await this.#compare(step)
    return isPossible
  }

  async end(): Promise<void> {
    for (const { draftId } of this.links) done(await this.shop.ask('cancelAdminDraft', { draftId }))
    this.links = []
    await this.shop.settle()
    const [broken] = await this.shop.findBroken()
    if (broken !== undefined) throw new Error(broken)
    for (const [shopper, email] of this.emails.entries()) {
      const own = this.orders.filter((one) => one.shopper === shopper).map((one) => [one.id, totalOf(one)])
      const listed = await this.shop.ordersInAccount(email)
      same(`the account of shopper ${shopper}`, listed.toSorted(), own.toSorted())
    }
  }

  // Both decide: first the model, then the server, and the model follows what it decided.
  async #do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'buy':
        return this.#buy(step)
      case 'edit':
        return this.#edit(step)
      case 'send':
        return this.#send(step)
      case 'cancel':
        return this.#cancel(step)
      case 'refund':
        return this.#refund(step)
      case 'refundAmount':
        return this.#refundAmount(step)
      case 'return':
        return this.#return(step)
      case 'receive':
        return this.#receive(step)
      case 'refundReturn':
        return this.#refundReturn(step)
      case 'exchange':
        return this.#exchange(step)
      case 'close':
        return this.#close(step)
      case 'draft':
        return this.#draft(step)
      case 'payLink':
        return this.#payLink(step)
      case 'withdraw':
        return this.#withdraw(step)
      case 'settle':
        await this.shop.settle()
        for (const one of this.orders) {
          one.refunded += one.pending
          one.pending = 0
        }
    }
  }

  async #buy({ shopper, items }: Extract<Step, { kind: 'buy' }>): Promise<void> {
    // Refusals of the checkout have their own model.
    if (!this.#has(items)) return
    const id = await this.shop.buy(this.emails[shopper] ?? '', items)
    this.#place(id, shopper, items, subtotalOf(items) >= delivery.freeFrom ? 0 : delivery.price)
    this.#take(items)
  }

  async #edit({ order: at, code: of, quantity, byLink }: Extract<Step, { kind: 'edit' }>): Promise<void> {
    const found = this.#order(at)
    const line = found?.lines.get(of)
    const more = quantity - (line?.quantity ?? 0)
    if (!found || more === 0) return
    const ask = { items: [{ skuId: this.shop.sku(of), quantity }], ...(byLink && { payByLink: true }) }
    const { data } = await this.#both('editAdminOrder', { orderId: found.id }, ask, () => {
      refuseIf(!isEditable(found), 'ended or refunding')
      refuseIf(this.#linkOf(found) !== undefined, 'a change waits')
      refuseIf(quantity < Math.max(line?.sent ?? 0, line?.back ?? 0), 'sent or refunded')
      refuseIf(unitsOf(found) + more === 0, 'nothing left')
      refuseIf(more > 0 && !this.#has({ [of]: more }), 'no stock')
      refuseIf(more > 0 && !byLink, 'costs more')
      refuseIf(more < 0 && found.refunded > 0 && totalOf(found) + more * prices[of] <= found.refunded, 'refunded')
    })
    if (more < 0) this.#setLine(found, of, quantity)
    else {
      const change = { kind: 'edit', code: of, quantity } as const
      await this.#link(data.draftId, { items: { [of]: more }, order: found, shopper: found.shopper, change })
    }
  }

  async #send({ order: at, part }: Extract<Step, { kind: 'send' }>): Promise<void> {
    const found = this.#order(at)
    if (!found) return
    const line = part && found.lines.get(part)
    if (part && !line) return
    const body = part ? { items: [{ skuId: this.shop.sku(part), quantity: 1 }] } : {}
    await this.#both('fulfilAdminOrder', { orderId: found.id }, body, () => {
      refuseIf(isEnded(found), 'ended')
      refuseIf(found.pending > 0 || found.refunded === totalOf(found), 'paid back')
      refuseIf(line ? line.sent === line.quantity : false, 'sent')
    })
    if (line) line.sent += 1
    else for (const one of found.lines.values()) one.sent = one.quantity
    this.#endEditLinks(found)
  }

  async #cancel({ order: at }: Extract<Step, { kind: 'cancel' }>): Promise<void> {
    const found = this.#order(at)
    if (!found) return
    await this.#both('cancelAdminOrder', { orderId: found.id }, {}, () => {
      refuseIf(isEnded(found), 'ended')
      refuseIf(
        [...found.lines.values()].some(({ sent }) => sent > 0),
        'sent',
      )
    })
    found.isCancelled = true
    found.pending = totalOf(found) - found.refunded
    for (const [of, { quantity }] of found.lines) this.onHand[of] += quantity
    this.#endEditLinks(found)
  }

  async #refund({ order: at, code: of, quantity }: Extract<Step, { kind: 'refund' }>): Promise<void> {
    const found = this.#order(at)
    const line = found?.lines.get(of)
    if (!found || !line) return
    const amount = Math.min(quantity * prices[of], line.quantity * prices[of] - line.backAmount)
    await this.#both(
      'refundAdminOrder',
      { orderId: found.id },
      { items: [{ skuId: this.shop.sku(of), quantity }] },
      () => {
        refuseIf(quantity > line.quantity - line.back, 'refunded')
        refuseIf(amount > leftOf(found), 'too much')
      },
    )
    giveBack(found, line, { quantity, amount, isPending: true })
  }

  async #refundAmount({ order: at, amount }: Extract<Step, { kind: 'refundAmount' }>): Promise<void> {
    const found = this.#order(at)
    if (!found) return
    // An amount alone is refused while one is on its way, unless the caller says what was seen.
    const seen = { expectedRefunded: found.refunded + found.pending }
    await this.#both('refundAdminOrder', { orderId: found.id }, { amount, ...seen }, () =>
      refuseIf(amount > leftOf(found), 'too much'),
    )
    found.pending += amount
  }

  async #return({ order: at, code: of, quantity }: Extract<Step, { kind: 'return' }>): Promise<void> {
    const found = this.#order(at)
    const line = found?.lines.get(of)
    if (!found || !line) return
    const body = { items: [{ skuId: this.shop.sku(of), quantity }], reason: 'late' }
    const { data } = await this.#both('createAdminReturn', { orderId: found.id }, body, () => {
      refuseIf(openReturnOf(found) !== undefined, 'open')
      refuseIf(quantity > returnable(found, of, line), 'not returnable')
    })
    found.returns.push({ id: data.id, code: of, quantity, received: 0, settled: 0, status: 'approved' })
  }

  async #receive({ order: at, quantity, restock }: Extract<Step, { kind: 'receive' }>): Promise<void> {
    const of = this.#openReturn(at)
    if (!of) return
    const items = [{ skuId: this.shop.sku(of.code), quantity, restock }]
    await this.#both('receiveAdminReturn', { returnId: of.id }, { items }, () =>
      refuseIf(quantity > of.quantity - of.received, 'not expected'),
    )
    of.received += quantity
    of.status = 'received'
    if (restock) this.onHand[of.code] += quantity
  }

  async #refundReturn({ order: at, quantity, deduction }: Extract<Step, { kind: 'refundReturn' }>): Promise<void> {
    const found = this.#order(at)
    const of = found && openReturnOf(found)
    const line = of && found.lines.get(of.code)
    if (!found || !of || !line) return
    const credit = creditFor(found, of, quantity, deduction)
    const items = [{ skuId: this.shop.sku(of.code), quantity }]
    const asked = { items, shipping: false, deduction }
    const { data } = await this.#both('refundAdminReturn', { returnId: of.id }, asked, () => {
      refuseIf(credit === undefined, 'settled')
      refuseIf(credit === 0, 'nothing')
    })
    same('what a return gives back', data.amount, credit)
    giveBack(found, line, { quantity, amount: credit ?? 0, isPending: true })
    of.settled += quantity
  }

  async #exchange(step: Extract<Step, { kind: 'exchange' }>): Promise<void> {
    const { order: at, quantity, wanted, wantedQuantity, byLink } = step
    const found = this.#order(at)
    const of = found && openReturnOf(found)
    if (!found || !of) return
    const credit = creditFor(found, of, quantity, 0)
    const costs = wantedQuantity * prices[wanted]
    const body = {
      items: [{ skuId: this.shop.sku(of.code), quantity }],
      newItems: [{ skuId: this.shop.sku(wanted), quantity: wantedQuantity }],
      ...(byLink && { payByLink: true }),
    }
    const { data } = await this.#both('exchangeAdminReturn', { returnId: of.id }, body, () => {
      refuseIf(this.#linkOf(found) !== undefined, 'a change waits')
      refuseIf(credit === undefined || credit === 0, 'settled')
      refuseIf(!this.#has({ [wanted]: wantedQuantity }), 'no stock')
      refuseIf(costs > (credit ?? 0) && !byLink, 'costs more')
    })
    const items = { [wanted]: wantedQuantity }
    if (data.order) {
      this.#take(items)
      this.#exchanged(found, of, { quantity, credit: credit ?? 0, items, orderId: data.order.id })
    } else {
      const change = { kind: 'exchange', return: of, quantity, credit: credit ?? 0 } as const
      await this.#link(data.draftId, { items, order: found, shopper: found.shopper, change })
    }
  }

  async #close({ order: at }: Extract<Step, { kind: 'close' }>): Promise<void> {
    const of = this.#openReturn(at)
    if (!of) return
    await this.#both('closeAdminReturn', { returnId: of.id }, {}, () => {})
    of.status = 'closed'
    this.links = this.links.filter(({ change }) => change?.kind !== 'exchange' || change.return !== of)
  }

  async #draft({ shopper, code: of, quantity }: Extract<Step, { kind: 'draft' }>): Promise<void> {
    const items = { [of]: quantity }
    if (!this.#has(items)) return
    const { data } = done(await this.shop.draft(this.emails[shopper] ?? '', items))
    await this.#link(data.draft.id, { items, order: null, shopper, change: null })
  }

  async #payLink({ link: at }: Extract<Step, { kind: 'payLink' }>): Promise<void> {
    const link = this.links[at % Math.max(1, this.links.length)]
    if (!link) return
    const isAgreed = this.#isAgreed(link)
    same('whether a link is paid', await this.shop.payLink(link.secret), isAgreed)
    if (isAgreed) {
      const { change, order: of, items, draftId, shopper } = link
      const ended = done(await this.shop.testServer.askAdmin('getAdminDraft', { path: { draftId } })).data
      this.#take(items)
      if (change?.kind === 'edit' && of) this.#setLine(of, change.code, change.quantity, false)
      else if (change?.kind === 'exchange' && of) {
        const { quantity, credit } = change
        this.#exchanged(of, change.return, { quantity, credit, items, orderId: ended.order.id })
      } else this.#place(ended.order.id, shopper, items, subtotalOf(items) >= delivery.freeFrom ? 0 : delivery.price)
    } else await this.shop.ask('cancelAdminDraft', { draftId: link.draftId })
    this.links = this.links.filter((one) => one !== link)
  }

  async #withdraw({ link: at }: Extract<Step, { kind: 'withdraw' }>): Promise<void> {
    const link = this.links[at % Math.max(1, this.links.length)]
    if (!link) return
    done(await this.shop.ask('cancelAdminDraft', { draftId: link.draftId }))
    this.links = this.links.filter((one) => one !== link)
  }

  #isAgreed({ change, order: of }: ModelLink): boolean {
    if (!change || !of) return true
    if (change.kind === 'edit') return isEditable(of)
    const credit = isOpen(change.return) ? creditFor(of, change.return, change.quantity, 0) : undefined
    return credit === change.credit
  }

  // What the model refuses, the server refuses too, and nothing else.
  async #both(
    id: Parameters<AfterSales['ask']>[0],
    path: Readonly<Record<string, string>>,
    body: object,
    decide: () => void,
  ) {
    let refusal: Refused | undefined
    try {
      decide()
    } catch (error) {
      refusal = error as Refused
    }
    const answer = await this.shop.ask(id, path, body)
    if (refusal === undefined) return done(answer)
    if (answer.status !== 409) throw new Error(`${id} answers ${answer.status} and not 409 (${refusal.message})`)
    throw refusal
  }

  async #link(draftId: string, link: Omit<ModelLink, 'draftId' | 'secret'>): Promise<void> {
    this.links.push({ ...link, draftId, secret: await this.shop.secretOf(draftId) })
  }

  #linkOf(of: ModelOrder): ModelLink | undefined {
    return this.links.find((link) => link.order === of)
  }

  // Nothing is left to change of an order that is over.
  #endEditLinks(of: ModelOrder): void {
    if (isEnded(of)) this.links = this.links.filter((link) => link.order !== of || link.change?.kind !== 'edit')
  }

  #setLine(of: ModelOrder, code: Code, quantity: number, takesStock = true): void {
    const line = of.lines.get(code) ?? { quantity: 0, sent: 0, back: 0, backAmount: 0 }
    if (takesStock) this.onHand[code] -= quantity - line.quantity
    line.quantity = quantity
    if (quantity === 0) of.lines.delete(code)
    else of.lines.set(code, line)
  }

  #place(id: string, shopper: number, items: Items, shipping: number): ModelOrder {
    const lines = Object.entries(items).map(
      ([code, quantity]) => [code as Code, { quantity: quantity ?? 0, sent: 0, back: 0, backAmount: 0 }] as const,
    )
    const placed = {
      id,
      shopper,
      shipping,
      lines: new Map(lines),
      isCancelled: false,
      refunded: 0,
      pending: 0,
      returns: [],
    }
    this.orders.push(placed)
    return placed
  }

  // The credit moves at once.
  #exchanged(
    from: ModelOrder,
    of: ModelReturn,
    { quantity, credit, items, orderId }: { quantity: number; credit: number; items: Items; orderId: string },
  ): void {
    const line = from.lines.get(of.code)
    if (line) giveBack(from, line, { quantity, amount: credit, isPending: false })
    of.settled += quantity
    this.#place(orderId, from.shopper, items, 0)
  }

  #take(items: Items): void {
    for (const [code, quantity] of Object.entries(items)) this.onHand[code as Code] -= quantity ?? 0
  }

  #held(code: Code): number {
    return this.links.reduce((sum, { items }) => sum + (items[code] ?? 0), 0)
  }

  #has(items: Items): boolean {
    return Object.entries(items).every(
      ([code, quantity = 0]) => quantity <= this.onHand[code as Code] - this.#held(code as Code),
    )
  }

  #order(at: number): ModelOrder | undefined {
    return this.orders[at % Math.max(1, this.orders.length)]
  }

  #openReturn(at: number): ModelReturn | undefined {
    const found = this.#order(at)
    return found && openReturnOf(found)
  }

  async #compare(step: Step): Promise<void> {
    const after = `after ${JSON.stringify(step)}`
    await this.shop.endLinks()
    // The one that the step is about, and the newest: each change is about one of them.
    const seen = new Set([this.#order('order' in step ? step.order : 0), this.orders.at(-1)])
    if (step.kind === 'payLink' || step.kind === 'settle') for (const one of this.orders) seen.add(one)
    for (const one of seen) if (one) await this.#compareOrder(one, after)
    for (const item of ['CARD', 'BOOK'] as const) {
      const { onHand, held } = await this.shop.stock(item)
      same(`the stock of ${item} ${after}`, [onHand, held], [this.onHand[item], this.#held(item)])
    }
  }

  async #compareOrder(one: ModelOrder, after: string): Promise<void> {
    const { status, totals, items, payments, openChange } = await this.shop.order(one.id)
    const lines = items.map(({ code, quantity, fulfilled }) => [code, quantity, fulfilled])
    same(
      `order ${one.id} ${after}`,
      {
        status,
        total: totals.total,
        refunded: totals.refunded,
        pending: totals.refundPending,
        lines: lines.toSorted(),
        isChanging: openChange !== null,
      },
      {
        status: statusOf(one),
        total: totalOf(one),
        refunded: one.refunded,
        pending: one.pending,
        lines: [...one.lines].map(([code, { quantity, sent }]) => [code, quantity, sent]).toSorted(),
        isChanging: this.#linkOf(one) !== undefined,
      },
    )
    if (payments.length === 0) throw new Error(`order ${one.id} has no payment`)
    const of = one.returns.at(-1)
    if (!of) return
    const found = await this.shop.return(of.id)
    same(`return ${of.id} ${after}`, [found.status, found.items[0]?.received], [of.status, of.received])
  }
}

function subtotalOf(items: Items): number {
  return Object.entries(items).reduce((sum, [code, quantity = 0]) => sum + prices[code as Code] * quantity, 0)
}

function unitsOf({ lines }: ModelOrder): number {
  return [...lines.values()].reduce((sum, { quantity }) => sum + quantity, 0)
}

function totalOf({ lines, shipping }: ModelOrder): number {
  return [...lines].reduce((sum, [code, { quantity }]) => sum + prices[code] * quantity, shipping)
}

function leftOf(one: ModelOrder): number {
  return totalOf(one) - one.refunded - one.pending
}

function statusOf(one: ModelOrder): string {
  if (one.isCancelled) return 'cancelled'
  const lines = [...one.lines.values()]
  if (lines.every(({ quantity, sent }) => sent === quantity)) return 'completed'
  return lines.some(({ sent }) => sent > 0) ? 'processing' : 'placed'
}

function isEnded(one: ModelOrder): boolean {
  return ['cancelled', 'completed'].includes(statusOf(one))
}

function isEditable(one: ModelOrder): boolean {
  return !isEnded(one) && one.pending === 0 && one.refunded < totalOf(one)
}

function isOpen({ status }: ModelReturn): boolean {
  return status !== 'closed'
}

function openReturnOf({ returns }: ModelOrder): ModelReturn | undefined {
  return returns.find(isOpen)
}

function returnable({ returns }: ModelOrder, code: Code, { quantity, sent, back }: ModelLine): number {
  const taken = returns
    .filter((one) => one.code === code)
    .reduce((sum, one) => sum + (isOpen(one) ? one.quantity : one.received), 0)
  return Math.max(0, sent - Math.max(taken, back - (quantity - sent), 0))
}

// What units of a return are worth; undefined where so many are not left of it.
function creditFor(
  of: ModelOrder,
  { code, status, quantity, received, settled }: ModelReturn,
  units: number,
  deduction: number,
) {
  const line = of.lines.get(code)
  if (!line) return undefined
  const left = Math.min((status === 'received' ? received : quantity) - settled, line.quantity - line.back)
  if (units > left) return undefined
  const worth = Math.min(units * prices[code], line.quantity * prices[code] - line.backAmount)
  return Math.min(worth - Math.min(deduction, worth), leftOf(of))
}

function giveBack(
  of: ModelOrder,
  line: ModelLine,
  { quantity, amount, isPending }: { quantity: number; amount: number; isPending: boolean },
): void {
  line.back += quantity
  line.backAmount += amount
  if (isPending) of.pending += amount
  else of.refunded += amount
}

function same(what: string, seen: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what} is ${one}, and the model says ${other}`)
}
