// <cartwright-cart>: a button with the number of items in the cart, and a dialog that lists them.

import { part, ShopElement } from './parts.ts'
import { type ShownCart, shop } from './shop.ts'
import { amountText, words } from './words.ts'

type Item = ShownCart['items'][number]

interface Line {
  row: HTMLElement
  text: HTMLElement
  field: HTMLInputElement
  // The quantity that the server has.
  quantity: number
}

export class CartElement extends ShopElement {
  readonly #open = part('button', { part: 'button', 'aria-haspopup': 'dialog' })
  readonly #list = part('ul', { part: 'lines' })
  readonly #total = part('p', { part: 'total' })
  readonly #close = part('button', { part: 'close', class: 'quiet' }, words.close)
  readonly #pay = part('button', { part: 'checkout' }, words.checkout)
  readonly #window = part('dialog', { part: 'dialog', 'aria-label': words.cart })
  readonly #lines = new Map<string, Line>()
  #unwatch: () => void = () => {}

  constructor() {
    super()
    const row = part('div', { class: 'row' }, this.#close, this.#pay)
    const title = part('p', { class: 'name' }, words.cart)
    this.#window.append(title, this.#list, this.#total, row, this.status)
    this.#open.onclick = () => this.#window.showModal()
    this.#close.onclick = () => this.#window.close()
    this.press(this.#pay, () => shop.checkOut())
    this.show(this.#open, this.#window)
    this.#draw(null)
  }

  connectedCallback(): void {
    this.#unwatch = shop.watch((cart) => this.#draw(cart))
  }

  disconnectedCallback(): void {
    this.#unwatch()
  }

  // Lines are updated rather than recreated, so the focus and typed text stay.
  #draw(cart: ShownCart | null): void {
    const items = cart?.items ?? []
    for (const [skuId, { row }] of this.#lines) {
      if (items.some((item) => item.skuId === skuId)) continue
      if (row.contains(this.root.activeElement)) this.#close.focus()
      row.remove()
      this.#lines.delete(skuId)
    }
    for (const item of items) {
      const line = this.#lines.get(item.skuId) ?? this.#line(item)
      line.text.textContent = `${labelOf(item)} · ${amountText(item.subtotal, cart?.currency ?? '')}`
      if (line.quantity !== item.quantity) line.field.value = String(item.quantity)
      line.quantity = item.quantity
    }
    this.#list.hidden = this.#pay.hidden = !cart?.itemCount
    this.#open.textContent = cart?.itemCount ? `${words.cart} (${cart.itemCount})` : words.cart
    this.#total.textContent = cart?.itemCount
      ? `${words.total} ${amountText(cart.totals.total, cart.currency)}`
      : words.empty
  }

  #line(item: Item): Line {
    const text = part('span', { dir: 'auto' })
    const attributes = { type: 'number', required: '', min: '0', max: '999', value: String(item.quantity) }
    const field = part('input', { ...attributes, 'aria-label': `${words.quantity}: ${labelOf(item)}` })
    const remove = part('button', { class: 'quiet', 'aria-label': `${words.remove}: ${labelOf(item)}` }, '×')
    const row = part('li', { class: 'row' }, text, part('span', { class: 'row' }, field, remove))
    const line = { row, text, field, quantity: item.quantity }
    field.onchange = async () => {
      const { value } = field
      // An empty field changes nothing.
      if (field.checkValidity()) await this.try(() => shop.change(item.skuId, Number(value)))
      if (field.value === value) field.value = String(line.quantity)
    }
    this.press(remove, () => shop.change(item.skuId, 0))
    this.#lines.set(item.skuId, line)
    this.#list.append(row)
    return line
  }
}

function labelOf({ name, options }: Item): string {
  return [name, ...options.map(({ value }) => value)].join(', ')
}
