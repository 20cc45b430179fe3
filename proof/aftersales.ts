// What merchant and shoppers do after the purchase, at a whole server in this process: returns, exchanges, edits, drafts, accounts. On
// PostgreSQL runs may add servers of the same database.

import { berlin } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { signIn } from '../harness/openRequests.ts'
import { type Answer, type TestServer, testSecret } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { AdminOrder } from '../src/contract/admin/orders.ts'
import type { AdminReturn } from '../src/contract/admin/returns.ts'
import type { CheckoutView } from '../src/domain/checkout/port.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { newId } from '../src/platform/kit/ids.ts'
import type { ProofTestServer } from './adminserver.ts'

export type Code = 'CARD' | 'BOOK'
export type Items = Readonly<Partial<Record<Code, number>>>

// What they cost. Delivery is free from this subtotal.
export const prices: Readonly<Record<Code, number>> = { CARD: 333, BOOK: 2_995 }
export const delivery = { price: 490, freeFrom: 10_000 }

export interface Stock {
  onHand: number
  held: number
}

export class AfterSales {
  readonly testServer: ProofTestServer
  readonly #checkout: Checkout
  static #keys = 0

  constructor(testServer: ProofTestServer, checkout: Checkout) {
    this.testServer = testServer
    this.#checkout = checkout
  }

  static async open(testServer: ProofTestServer): Promise<AfterSales> {
    return new AfterSales(testServer, await checkoutOf(testServer))
  }

  sku(code: Code): string {
    return this.#checkout.carts.sku(code)
  }

  ask(
    id: AdminOperationId,
    path: Readonly<Record<string, string>>,
    body: object = {},
    at: Pick<TestServer, 'askAdmin'> = this.testServer,
  ): Promise<Answer> {
    AfterSales.#keys += 1
    return at.askAdmin(id, { path, body: { idempotencyKey: `after-${AfterSales.#keys}`, ...body } })
  }

  items(items: Items): { skuId: string; quantity: number }[] {
    return Object.entries(items).map(([code, quantity]) => ({ skuId: this.sku(code as Code), quantity: quantity ?? 0 }))
  }

  // Through the hosted checkout, by card.
  async buy(email: string, items: Items): Promise<string> {
    const { sessionId, secret, view } = await this.#checkout.ready(items as Record<string, number>, {}, email)
    const { problem } = await this.#checkout.pay(secret, view)
    if (problem !== null) throw new Error(`a purchase failed: ${JSON.stringify(problem)}`)
    return (await this.#checkout.read(sessionId)).body.data.orderId
  }

  async draft(email: string, items: Items): Promise<Answer> {
    return this.ask('createAdminDraft', {}, { items: this.items(items), customer: { email }, address: berlin })
  }

  // Empty once the draft is over.
  async secretOf(draftId: string): Promise<string> {
    const { data } = done(await this.testServer.askAdmin('getAdminDraft', { path: { draftId } }))
    return secretOf(data.url ?? '')
  }

  look(secret: string): Promise<CheckoutView> {
    return this.#checkout.look(secret)
  }

  // Whether the link was paid. It may be over.
  async payLink(secret: string, view?: CheckoutView, card: string = cards.approved): Promise<boolean> {
    const seen = view ?? (await this.testServer.app.checkout.look(secret))
    if (!seen) return false
    const { view: after } = await this.#checkout.pay(secret, seen, card)
    return after.session.status === 'completed'
  }

  async order(orderId: string): Promise<AdminOrder> {
    return done(await this.testServer.askAdmin('getAdminOrder', { path: { orderId } })).data
  }

  async return(returnId: string): Promise<AdminReturn> {
    return done(await this.testServer.askAdmin('getAdminReturn', { path: { returnId } })).data
  }

  async stock(code: Code): Promise<Stock> {
    const [row] = await this.testServer.storage.read(
      (db) => db.sql<Stock>`
        select on_hand as "onHand", held from stock where sku_id = ${this.sku(code)} and mode = 'test'`,
    )
    if (!row) throw new Error(`${code} has no stock`)
    return row
  }

  async setStock(code: Code, onHand: number): Promise<void> {
    const { onHand: expectedOnHand } = await this.stock(code)
    const { data } = done(
      await this.ask('updateAdminSkus', {}, { rows: [{ skuId: this.sku(code), onHand, expectedOnHand }] }),
    )
    if (data[0].code !== null) throw new Error(`the stock of ${code} is not set: ${data[0].code}`)
  }

  // One that ended with its order or return holds stock until a loop has seen it.
  async endLinks(): Promise<void> {
    const { storage, clock, app } = this.testServer
    while ((await expireSessions(storage, app.payTools, clock.now)) > 0);
  }

  // Refunds are paid, links whose time has come end, and documents are made.
  async settle(): Promise<void> {
    const { storage, clock, orders } = this.testServer
    await this.endLinks()
    while ((await orders.pay()).length > 0);
    while ((await issueDocuments(storage, testSecret, { now: clock.now, limit: 50 })) > 0);
  }

  // What is wrong once everything has settled: the rules that always hold; the provider keeps what orders cost and did not give back; the
  // documents of an order add up to it.
  async findBroken(): Promise<string[]> {
    return this.testServer.storage.read(async (db) => {
      const broken = (await findViolations(db)).map(({ name, subjects }) => `${name}: ${subjects.join(', ')}`)
      const [money] = await db.sql<{ kept: number; due: number }>`
        select (select coalesce(sum(amount - refunded), 0) from test_charges where state = 'approved') as "kept",
          (select coalesce(sum(total - refunded), 0) from orders where payment_status <> 'pending') as "due"`
      if (money && Number(money.kept) !== Number(money.due))
        broken.push(`the provider keeps ${money.kept}, and the orders come to ${money.due}`)
      const wrong = await db.sql<{ id: string; documents: number; left: number }>`
        select o.id, coalesce(d.total, 0) as "documents", o.total - o.refunded as "left" from orders o
        left join (
          select merchant_id, order_id, sum(case when kind = 'invoice' then total else -total end) as total
          from documents group by merchant_id, order_id) d on d.merchant_id = o.merchant_id and d.order_id = o.id
        where o.payment_status <> 'pending' and coalesce(d.total, 0) <> o.total - o.refunded limit 5`
      for (const { id, documents, left } of wrong)
        broken.push(`the documents of ${id} come to ${documents}, and it to ${left}`)
      return broken
    })
  }

  // Numbers of orders and what they cost, as the shopper's account lists them.
  async ordersInAccount(email: string): Promise<[string, number][]> {
    const headers = await signIn(this.testServer, { email })
    const { data } = done(await this.testServer.ask('listCustomerOrders', { headers }))
    return data.map(({ id, total }: { id: string; total: number }): [string, number] => [id, total])
  }
}

export function done({ status, text, body }: Answer): Answer['body'] {
  if (status !== 200) throw new Error(`a request that was to succeed is answered ${status}: ${text.slice(0, 300)}`)
  return body
}

export function newEmail(): string {
  return `${newId('req').slice(4)}@example.com`
}
