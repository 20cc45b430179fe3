// Two or three things that happen to one order, draft or shopper at the same moment after the purchase, sent to two servers of one database.
// What cannot both happen does not, what merchant and shopper were answered holds, and in the end money, stock and documents agree.

import { setTimeout as pause } from 'node:timers/promises'
import { berlin } from '../harness/carts.ts'
import { signIn } from '../harness/openRequests.ts'
import { type Answer, testSecret } from '../harness/testServer.ts'
import { customerCodesMax, customerCodeTriesMax } from '../src/domain/customers/codes.ts'
import { eraseRequestedCustomers } from '../src/domain/customers/erase.ts'
import { linkCustomers } from '../src/domain/customers/link.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'
import { type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import { AfterSales, done, type Items, newEmail } from './aftersales.ts'
import type { Ground } from './place.ts'
import { pick } from './random.ts'
import type { RunResult, RunTools } from './runs.ts'

export async function runAfterSalesRaces(
  ground: Ground,
  { times }: { times: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const shops = [await AfterSales.open(testServer), await AfterSales.open(await testServer.another())]
    const racing = new AfterSalesRacing(testServer, shops, tools.random)
    await racing.begin()
    for (const [name, race] of racing.races)
      for (let time = 0; time < times; time += 1) {
        await racing.run(name, race)
        tools.tell(`${name}: ${time + 1} of ${times}`)
      }
    return { seen: Object.fromEntries(racing.seen), violations: [...racing.violations].slice(0, 50) }
  })
}

type Contender = (shop: AfterSales) => Promise<unknown>

class AfterSalesRacing {
  readonly testServer: ProofTestServer
  readonly shops: readonly AfterSales[]
  readonly random: () => number
  readonly violations = new Set<string>()
  // How often each race ended in which way.
  readonly seen = new Map<string, number>()
  readonly races: readonly (readonly [string, () => Promise<string>])[]

  constructor(testServer: ProofTestServer, shops: readonly AfterSales[], random: () => number) {
    this.testServer = testServer
    this.shops = shops
    this.random = random
    this.races = [
      ['return∥return', () => this.#openTwice()],
      ['approve∥refuse', () => this.#answerTwice()],
      ['receive∥receive', () => this.#receiveTwice()],
      ['refund∥refund', () => this.#giveBackTwice('refundAdminReturn', 'refundAdminReturn')],
      ['refund of a return∥of its order', () => this.#giveBackTwice('refundAdminReturn', 'refundAdminOrder')],
      ['exchange∥exchange', () => this.#giveBackTwice('exchangeAdminReturn', 'exchangeAdminReturn')],
      ['exchange∥refund', () => this.#giveBackTwice('exchangeAdminReturn', 'refundAdminReturn')],
      ['edit∥edit', () => this.#editTwice()],
      ['edit∥parcel', () => this.#editAnd('fulfilAdminOrder')],
      ['edit∥cancellation', () => this.#editAnd('cancelAdminOrder')],
      ['edit∥refund', () => this.#editAnd('refundAdminOrder')],
      ['link of an edit∥its order', () => this.#payEdit()],
      ['link of an exchange∥its return', () => this.#payExchange()],
      ['draft: pay∥pay, change, cancel', () => this.#payDraft()],
      ['last units: draft∥edit∥exchange', () => this.#lastUnits()],
      ['one code∥guesses', () => this.#guess()],
      ['one code in two hands', () => this.#openSessionTwice()],
      ['addresses∥addresses', () => this.#saveAddresses()],
      ['erase∥return, parcel, link', () => this.#erase()],
    ]
  }

  async begin(): Promise<void> {
    const { storage, clock } = this.testServer
    await storage.write((tx) => setMailSwitch(tx, true, clock.now))
    await this.shops[0]?.setStock('BOOK', 500)
  }

  async run(name: string, race: () => Promise<string>): Promise<void> {
    try {
      const ending = `${name}: ${await race()}`
      this.seen.set(ending, (this.seen.get(ending) ?? 0) + 1)
      await this.#one.settle()
      for (const broken of await this.#one.findBroken()) this.violations.add(`${name}: ${broken}`)
    } catch (error) {
      this.violations.add(`${name}: ${(error as Error).message}`)
    }
  }

  get #one(): AfterSales {
    return this.shops[0] as AfterSales
  }

  // At any server, at once or a moment later.
  async #together(...contenders: readonly Contender[]): Promise<void> {
    await Promise.all(
      contenders.map(async (contender) => {
        if (this.random() < 0.5) await pause(this.random() * 25)
        await contender(pick(this.random, this.shops))
      }),
    )
  }

  // What they answered. Each is 200 or 409.
  async #answers(...requests: readonly ((shop: AfterSales) => Promise<Answer>)[]): Promise<Answer[]> {
    const answers: Answer[] = []
    await this.#together(
      ...requests.map((ask, at) => async (shop: AfterSales) => {
        answers[at] = await ask(shop)
      }),
    )
    const odd = answers.find(({ status }) => status !== 200 && status !== 409)
    if (odd) throw new Error(`answered ${odd.status} ${odd.text.slice(0, 200)}`)
    return answers
  }

  async #oneWins(...requests: readonly ((shop: AfterSales) => Promise<Answer>)[]): Promise<string> {
    const answers = await this.#answers(...requests)
    const won = answers.flatMap(({ status }, at) => (status === 200 ? [at + 1] : []))
    if (won.length !== 1) throw new Error(`${won.length} of ${answers.length} succeeded`)
    return `${won[0]} won`
  }

  async #sent(items: Items): Promise<string> {
    const orderId = await this.#one.buy(newEmail(), items)
    done(await this.#one.ask('fulfilAdminOrder', { orderId }))
    return orderId
  }

  #wish(items: Items) {
    return { items: this.#one.items(items), reason: 'late' }
  }

  async #returned(items: Items): Promise<{ orderId: string; returnId: string }> {
    const orderId = await this.#sent(items)
    const { data } = done(await this.#one.ask('createAdminReturn', { orderId }, this.#wish(items)))
    return { orderId, returnId: data.id }
  }

  async #openTwice(): Promise<string> {
    const orderId = await this.#sent({ CARD: 2 })
    const { statusUrl } = done(await this.testServer.ask('getStorefrontOrder', { path: { orderId } })).data
    const open = (shop: AfterSales) => shop.ask('createAdminReturn', { orderId }, this.#wish({ CARD: 1 }))
    // By the shopper on the page of the order, who learns nothing but that there is a return.
    const ask = async (shop: AfterSales) => {
      const { origin } = shop.testServer
      const form = { [`quantity-${shop.sku('CARD')}`]: '1', reason: 'late', wish: 'refund', to: 'send' }
      const init = { method: 'POST', headers: { origin }, body: new URLSearchParams(form), redirect: 'manual' } as const
      const { status } = await shop.testServer.fetch(`${new URL(statusUrl).pathname}/return`, init)
      if (status !== 303 && status !== 409) throw new Error(`the page answered ${status}`)
    }
    const opened: number[] = []
    await this.#together(
      async (shop) => void opened.push((await open(shop)).status),
      async (shop) => void opened.push((await open(shop)).status),
      ask,
    )
    const { data } = (await this.testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).body
    if (data.length !== 1) throw new Error(`the order has ${data.length} returns`)
    return data[0].openedBy
  }

  async #answerTwice(): Promise<string> {
    const orderId = await this.#sent({ CARD: 1 })
    const { statusUrl } = done(await this.testServer.ask('getStorefrontOrder', { path: { orderId } })).data
    const form = { [`quantity-${this.#one.sku('CARD')}`]: '1', reason: 'late', wish: 'refund', to: 'send' }
    const headers = { origin: this.testServer.origin }
    await this.testServer.fetch(`${new URL(statusUrl).pathname}/return`, {
      ...{ method: 'POST', headers, body: new URLSearchParams(form), redirect: 'manual' },
    })
    const [found] = done(await this.testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).data
    const path = { returnId: found.id }
    return this.#oneWins(
      (shop) => shop.ask('approveAdminReturn', path),
      (shop) => shop.ask('refuseAdminReturn', path, { text: 'It was worn.' }),
    )
  }

  async #receiveTwice(): Promise<string> {
    const { returnId } = await this.#returned({ CARD: 2 })
    const before = await this.#one.stock('CARD')
    const receive = (shop: AfterSales) => shop.ask('receiveAdminReturn', { returnId })
    const ending = await this.#oneWins(receive, receive)
    const { onHand } = await this.#one.stock('CARD')
    if (onHand !== before.onHand + 2) throw new Error(`2 units came, and the stock grew by ${onHand - before.onHand}`)
    return ending
  }

  async #giveBackTwice(...ids: readonly ('refundAdminReturn' | 'exchangeAdminReturn' | 'refundAdminOrder')[]) {
    const { orderId, returnId } = await this.#returned({ CARD: 2 })
    const items = this.#one.items({ CARD: 2 })
    const bodies = {
      refundAdminReturn: { items, shipping: false },
      exchangeAdminReturn: { items, newItems: items },
      refundAdminOrder: { items },
    }
    const ending = await this.#oneWins(
      ...ids.map((id) => (shop: AfterSales) => {
        const path: Record<string, string> = id === 'refundAdminOrder' ? { orderId } : { returnId }
        return shop.ask(id, path, bodies[id])
      }),
    )
    const { totals } = await this.#one.order(orderId)
    const back = totals.refunded + totals.refundPending
    if (back !== 666) throw new Error(`${back} went back for units that cost 666`)
    return ending
  }

  async #editTwice(): Promise<string> {
    const orderId = await this.#one.buy(newEmail(), { CARD: 4 })
    const { version } = await this.#one.order(orderId)
    const edit = (quantity: number) => (shop: AfterSales) =>
      shop.ask('editAdminOrder', { orderId }, { items: shop.items({ CARD: quantity }), expectedVersion: version })
    return this.#oneWins(edit(2), edit(1))
  }

  async #editAnd(id: 'fulfilAdminOrder' | 'cancelAdminOrder' | 'refundAdminOrder'): Promise<string> {
    const orderId = await this.#one.buy(newEmail(), { CARD: 3, BOOK: 1 })
    const [edited, other] = await this.#answers(
      (shop) => shop.ask('editAdminOrder', { orderId }, { items: shop.items({ CARD: 1 }) }),
      (shop) => shop.ask(id, { orderId }, id === 'refundAdminOrder' ? { amount: 400 } : {}),
    )
    // The other can be done whatever the edit leaves.
    if (other?.status !== 200) throw new Error(`${id} was refused: ${other?.text.slice(0, 200)}`)
    const { items, totals } = await this.#one.order(orderId)
    const cards = items.find(({ code }) => code === 'CARD')
    if (cards?.quantity !== (edited?.status === 200 ? 1 : 3)) throw new Error(`${cards?.quantity} cards are left`)
    if (items.some(({ fulfilled, quantity }) => fulfilled > quantity)) throw new Error('more was sent than is ordered')
    if (id === 'cancelAdminOrder' && totals.refunded + totals.refundPending !== totals.total)
      throw new Error('a cancelled order keeps money')
    return edited?.status === 200 ? 'both' : 'not the edit'
  }

  async #payEdit(): Promise<string> {
    const orderId = await this.#one.buy(newEmail(), { CARD: 2 })
    const ask = { items: this.#one.items({ CARD: 1, BOOK: 1 }), payByLink: true }
    const { draftId } = done(await this.#one.ask('editAdminOrder', { orderId }, ask)).data
    const secret = await this.#one.secretOf(draftId)
    const rivals: Readonly<Record<string, Contender>> = {
      parcel: (shop) => shop.ask('fulfilAdminOrder', { orderId }),
      cancellation: (shop) => shop.ask('cancelAdminOrder', { orderId }),
      refund: (shop) => shop.ask('refundAdminOrder', { orderId }, { items: shop.items({ CARD: 2 }) }),
      withdrawal: (shop) => shop.ask('cancelAdminDraft', { draftId }),
      edit: (shop) => shop.ask('editAdminOrder', { orderId }, { items: shop.items({ CARD: 1 }) }),
    }
    const name = pick(this.random, Object.keys(rivals))
    const isPaid = await this.#paid(secret, rivals[name] as Contender)
    const { items, payments } = await this.#one.order(orderId)
    const hasBook = items.some(({ code }) => code === 'BOOK')
    if (hasBook !== isPaid || payments.length !== (isPaid ? 2 : 1))
      throw new Error(`${name}: the shopper was told ${isPaid}, and the order has ${payments.length} payments`)
    await this.#one.ask('cancelAdminDraft', { draftId })
    return `${name}, ${isPaid ? 'paid' : 'not paid'}`
  }

  async #payExchange(): Promise<string> {
    const { orderId, returnId } = await this.#returned({ CARD: 2 })
    const ask = { newItems: this.#one.items({ BOOK: 1 }), payByLink: true }
    const { draftId } = done(await this.#one.ask('exchangeAdminReturn', { returnId }, ask)).data
    const secret = await this.#one.secretOf(draftId)
    const rivals: Readonly<Record<string, Contender>> = {
      refund: (shop) => shop.ask('refundAdminReturn', { returnId }, { shipping: false }),
      closing: (shop) => shop.ask('closeAdminReturn', { returnId }),
      parcel: (shop) => shop.ask('receiveAdminReturn', { returnId }),
      withdrawal: (shop) => shop.ask('cancelAdminDraft', { draftId }),
    }
    const name = pick(this.random, Object.keys(rivals))
    const isPaid = await this.#paid(secret, rivals[name] as Contender)
    const { exchanges, refunded } = await this.#one.return(returnId)
    const { totals } = await this.#one.order(orderId)
    if (exchanges.length !== (isPaid ? 1 : 0) || (isPaid && refunded > 0))
      throw new Error(`${name}: the shopper was told ${isPaid}, and there are ${exchanges.length} exchanges`)
    const back = totals.refunded + totals.refundPending
    if (back !== (isPaid || refunded > 0 ? 666 : 0)) throw new Error(`${name}: ${back} left the order`)
    await this.#one.ask('cancelAdminDraft', { draftId })
    return `${name}, ${isPaid ? 'paid' : 'not paid'}`
  }

  async #payDraft(): Promise<string> {
    const { draft } = done(await this.#one.draft(newEmail(), { CARD: 2 })).data
    const path = { draftId: draft.id }
    const secret = await this.#one.secretOf(draft.id)
    const rivals: Readonly<Record<string, Contender>> = {
      pay: async (shop) => void (await shop.payLink(secret)),
      change: (shop) => shop.ask('updateAdminDraft', path, { items: shop.items({ CARD: 5 }) }),
      cancellation: (shop) => shop.ask('cancelAdminDraft', path),
    }
    const name = pick(this.random, Object.keys(rivals))
    const isPaid = await this.#paid(secret, rivals[name] as Contender)
    const after = done(await this.testServer.askAdmin('getAdminDraft', { path })).data
    if (name === 'pay' ? after.order === null : (after.order !== null) !== isPaid)
      throw new Error(`${name}: the shopper was told ${isPaid}, and the draft is ${after.status}`)
    if (after.order) {
      const { payments, totals } = await this.#one.order(after.order.id)
      if (payments.length !== 1 || payments[0]?.amount !== totals.total)
        throw new Error(`${name}: the order of a draft has ${payments.length} payments`)
    } else await this.#one.ask('cancelAdminDraft', path)
    return `${name}, ${isPaid ? 'paid' : 'not paid'}`
  }

  async #paid(secret: string, rival: Contender): Promise<boolean> {
    let isPaid = false
    const view = await this.#one.look(secret)
    await this.#together(async (shop) => {
      isPaid = await shop.payLink(secret, view)
    }, rival)
    return isPaid
  }

  // Three want the last two books.
  async #lastUnits(): Promise<string> {
    const orderId = await this.#one.buy(newEmail(), { CARD: 1 })
    const { returnId } = await this.#returned({ CARD: 30 })
    const { onHand, held } = await this.#one.stock('BOOK')
    await this.#one.setStock('BOOK', held + 2)
    const ending = await this.#oneWins(
      (shop) => shop.draft(newEmail(), { BOOK: 2 }),
      (shop) => shop.ask('editAdminOrder', { orderId }, { items: shop.items({ BOOK: 2 }), payByLink: true }),
      (shop) => shop.ask('exchangeAdminReturn', { returnId }, { newItems: shop.items({ BOOK: 2 }) }),
    )
    const { onHand: after, held: heldAfter } = await this.#one.stock('BOOK')
    if (after !== heldAfter) throw new Error(`${after} are on hand and ${heldAfter} held`)
    // What the drafts hold is given up.
    const { data } = (await this.testServer.askAdmin('listAdminDrafts')).body
    for (const { id, status } of data) if (status === 'open') await this.#one.ask('cancelAdminDraft', { draftId: id })
    await this.#one.setStock('BOOK', onHand)
    return ending
  }

  async #askCode(email: string): Promise<{ browserToken: string; code: string }> {
    this.#later()
    const body = { idempotencyKey: newId('req'), email }
    const { browserToken } = done(await this.testServer.ask('requestCustomerCode', { body })).data
    const [mail] = await this.testServer.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`
        select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc limit 1`,
    )
    const { code } = (mail && decryptUserEmail(testSecret, mail.id, mail.sealed)) ?? {}
    if (!code) throw new Error('no code was mailed')
    return { browserToken, code }
  }

  // So many codes an hour are mailed to a network.
  #later(): void {
    for (const { testServer } of this.shops) testServer.clock.now += 3_600_000 / customerCodesMax.networkHour + 1
  }

  async #open(shop: AfterSales, browserToken: string, code: string): Promise<boolean> {
    const body = { idempotencyKey: newId('req'), browserToken, code }
    return done(await shop.testServer.ask('openCustomerSession', { body })).data.session !== null
  }

  async #guess(): Promise<string> {
    const { browserToken, code } = await this.#askCode(newEmail())
    const wrong = Array.from({ length: 3 * customerCodeTriesMax }, (_, at) =>
      String((Number(code) + 1 + at) % 1_000_000).padStart(6, '0'),
    )
    let opened = 0
    const guess = (typed: string) => async (shop: AfterSales) => {
      if (await this.#open(shop, browserToken, typed)) opened += 1
    }
    await this.#together(...wrong.map(guess))
    for (const shop of this.shops) await guess(code)(shop)
    if (opened > 0) throw new Error(`${opened} sessions after ${wrong.length} guesses`)
    return 'refused'
  }

  async #openSessionTwice(): Promise<string> {
    const { browserToken, code } = await this.#askCode(newEmail())
    let opened = 0
    const open: Contender = async (shop) => {
      if (await this.#open(shop, browserToken, code)) opened += 1
    }
    await this.#together(open, open, open)
    if (opened !== 1) throw new Error(`one code opened ${opened} sessions`)
    return 'one session'
  }

  async #saveAddresses(): Promise<string> {
    this.#later()
    const headers = await signIn(this.testServer, { email: newEmail() })
    const save =
      (line1: string): Contender =>
      (shop) => {
        const body = { idempotencyKey: newId('req'), address: { ...berlin, line1 } }
        return shop.testServer.ask('addCustomerAddress', { headers, body })
      }
    await this.#together(
      save('Linden 1'),
      save('LINDEN 1'),
      ...Array.from({ length: 24 }, (_, at) => save(`Weg ${at}`)),
    )
    const { data } = done(await this.testServer.ask('listCustomerAddresses', { headers }))
    const first = data.filter(({ address }: { address: { line1: string } }) => /^linden/i.test(address.line1))
    if (data.length > 20 || first.length > 1) throw new Error(`${data.length} addresses, ${first.length} of them alike`)
    return `${data.length} saved`
  }

  // A person is erased while an order is sent, sent back, or paid by link. What is not sent yet waits, everything else forgets who it was.
  async #erase(): Promise<string> {
    this.#later()
    const email = newEmail()
    const [shop, { storage, clock }] = [this.#one, this.testServer]
    const [sentId, unsentId] = [await shop.buy(email, { CARD: 2 }), await shop.buy(email, { CARD: 1 })]
    done(await shop.ask('fulfilAdminOrder', { orderId: sentId }))
    const { draft } = done(await shop.draft(email, { CARD: 1 })).data
    const secret = await shop.secretOf(draft.id)
    while ((await linkCustomers(storage, testSecret, { now: clock.now, limit: 100 })) > 0);
    const { customerId } = await shop.order(sentId)
    if (customerId === null) throw new Error('the order has no customer')
    const erase = async ({ testServer }: AfterSales) => {
      await eraseRequestedCustomers(testServer.storage, testSecret, { now: clock.now, limit: 10 })
    }
    let isPaid = false
    await this.#together(
      async (at) => {
        done(await at.ask('eraseAdminCustomer', { customerId }))
        await erase(at)
      },
      (at) => at.ask('createAdminReturn', { orderId: sentId }, this.#wish({ CARD: 1 })),
      (at) => at.ask('fulfilAdminOrder', { orderId: unsentId }),
      async (at) => {
        isPaid = await at.payLink(secret)
      },
    )
    for (const at of this.shops) await erase(at)
    if (!isPaid) await shop.ask('cancelAdminDraft', { draftId: draft.id })
    const known = await storage.read(
      (db) => db.sql<{ id: string }>`
        select id from orders where id = ${sentId} and (email_hash is not null or email_masked is not null)`,
    )
    if (known.length > 0) throw new Error('the order that was sent still says who it was')
    // The merchant goes on with a return of somebody who is not known any more.
    const [found] = done(await this.testServer.askAdmin('listAdminReturns', { query: `?orderId=${sentId}` })).data
    if (!found) throw new Error('the return was refused')
    done(await shop.ask('receiveAdminReturn', { returnId: found.id }))
    done(await shop.ask('refundAdminReturn', { returnId: found.id }, { close: true }))
    return isPaid ? 'paid' : 'not paid'
  }
}
