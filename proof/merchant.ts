// What a merchant does after the purchase, by the admin surface: edits, parcels, returns, refunds, exchanges and drafts, whose links shoppers
// pay. The run says how a change is sent and recorded, and how a link is paid.

import { berlin } from '../harness/carts.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { AdminOrder } from '../src/contract/admin/orders.ts'
import { type Answer, dataOf } from './caller.ts'
import { pick, whole } from './random.ts'

type Path = Readonly<Record<string, string>>

export interface MerchantParts {
  random: () => number
  sku: (code: string) => string
  change(id: AdminOperationId, path: Path, body: object): Promise<Answer>
  read(id: AdminOperationId, path: Path): Promise<Answer>
  payLink(secret: string): Promise<void>
  // An order came of a link.
  placed(orderId: string): void
}

export class Merchant {
  readonly #parts: MerchantParts
  readonly seen = { edits: 0, parcels: 0, returns: 0, moneyBack: 0, exchanges: 0, drafts: 0, links: 0 }

  constructor(parts: MerchantParts) {
    this.#parts = parts
  }

  async handle(orderId: string): Promise<void> {
    if (this.#isIn(40)) await this.#edit(await this.#order(orderId))
    if (this.#isIn(30)) return
    const sent = await this.#parts.change('fulfilAdminOrder', { orderId }, {})
    if (sent.status !== 200) return
    this.seen.parcels += 1
    if (this.#isIn(70)) await this.#takeBack(await this.#order(orderId))
  }

  async draft(email: string): Promise<void> {
    const { sku } = this.#parts
    const items = [{ skuId: sku('PLAIN'), quantity: 1 }]
    const answer = await this.#parts.change('createAdminDraft', {}, { items, customer: { email }, address: berlin })
    if (answer.status !== 200) return
    this.seen.drafts += 1
    await this.#payOrWithdraw(dataOf<{ draft: { id: string } }>(answer).draft.id)
  }

  async #edit({ id: orderId, items }: AdminOrder): Promise<void> {
    const { skuId, quantity } = pick(this.#parts.random, items)
    const more = this.#isIn(50)
    const wanted = more
      ? { items: [{ skuId, quantity: quantity + 1 }], payByLink: true }
      : { items: [{ skuId, quantity: quantity - 1 }] }
    const answer = await this.#parts.change('editAdminOrder', { orderId }, wanted)
    if (answer.status !== 200) return
    this.seen.edits += 1
    const { draftId } = dataOf<{ draftId: string | null }>(answer)
    if (draftId !== null) await this.#payOrWithdraw(draftId)
  }

  async #takeBack({ id: orderId, items }: AdminOrder): Promise<void> {
    const { change, random, sku } = this.#parts
    const { skuId } = pick(random, items)
    const wish = { items: [{ skuId, quantity: 1 }], reason: 'late' }
    const opened = await change('createAdminReturn', { orderId }, wish)
    if (opened.status !== 200) return
    this.seen.returns += 1
    const path = { returnId: dataOf<{ id: string }>(opened).id }
    await change('receiveAdminReturn', path, { items: [{ skuId, quantity: 1, restock: this.#isIn(50) }] })
    if (this.#isIn(50)) {
      const refund = await change('refundAdminReturn', path, { shipping: this.#isIn(50) })
      if (refund.status === 200) this.seen.moneyBack += 1
    } else {
      const newItems = [{ skuId: sku(this.#isIn(50) ? 'PLAIN' : 'SENT'), quantity: whole(random, 1, 2) }]
      const answer = await change('exchangeAdminReturn', path, { newItems, payByLink: true })
      if (answer.status === 200) {
        this.seen.exchanges += 1
        const { draftId, order } = dataOf<{ draftId: string | null; order: { id: string } | null }>(answer)
        if (order) this.#parts.placed(order.id)
        if (draftId !== null) await this.#payOrWithdraw(draftId)
      }
    }
    if (this.#isIn(50)) await change('closeAdminReturn', path, {})
  }

  // The link goes on being paid, withdrawn or forgotten.
  async #payOrWithdraw(draftId: string): Promise<void> {
    const path = { draftId }
    const { url } = dataOf<{ url: string | null }>(await this.#parts.read('getAdminDraft', path))
    if (this.#isIn(20)) return void (await this.#parts.change('cancelAdminDraft', path, {}))
    if (url === null || this.#isIn(10)) return
    await this.#parts.payLink(url.split('/').at(-1) ?? '')
    const { order, ofOrder } = dataOf<{ order: { id: string } | null; ofOrder: object | null }>(
      await this.#parts.read('getAdminDraft', path),
    )
    if (!order) return
    this.seen.links += 1
    if (ofOrder === null) this.#parts.placed(order.id)
  }

  async #order(orderId: string): Promise<AdminOrder> {
    return dataOf<AdminOrder>(await this.#parts.read('getAdminOrder', { orderId }))
  }

  #isIn(percent: number): boolean {
    return this.#parts.random() * 100 < percent
  }
}
