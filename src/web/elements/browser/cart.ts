// <cartwright-cart>: a button with the number of things in the cart, and a window with them.

import { part, pressing, ShopElement } from './parts.ts'
import { type ShownCart, shop } from './shop.ts'
import { amountText, words } from './words.ts'

export class CartElement extends ShopElement {
  readonly #open = part('button', { part: 'button', type: 'button', 'aria-haspopup': 'dialog' })
  readonly #list = part('ul', { part: 'lines' })
  readonly #total = part('p', { part: 'total' })
  readonly #pay = part('button', { part: 'checkout', type: 'button' }, words.checkout)
  readonly #status = part('p', { part: 'status', role: 'status' })
  readonly #window = part('dialog', { part: 'dialog', 'aria-label': words.cart })
  #unwatch: () => void = () => {}

  constructor() {
    super()
    const close = part('button', { part: 'close', type: 'button', class: 'quiet' }, words.close)
    const row = part('div', { class: 'row' }, close, this.#pay)
    this.#window.append(part('p', { class: 'name' }, words.cart), this.#list, this.#total, row, this.#status)
    this.#open.addEventListener('click', () => this.#window.showModal())
    close.addEventListener('click', () => this.#window.close())
    pressing(this.#pay, this.#status, () => shop.checkOut())
    this.show(this.#open, this.#window)
    this.#draw(null)
  }

  connectedCallback(): void {
    this.#unwatch = shop.watch((cart) => this.#draw(cart))
  }

  disconnectedCallback(): void {
    this.#unwatch()
  }

  #draw(cart: ShownCart | null): void {
    const count = cart?.itemCount ?? 0
    this.#open.textContent = count === 0 ? words.cart : `${words.cart} (${count})`
    this.#list.replaceChildren(
      ...(cart && count > 0 ? cart.items.map((item) => this.#line(cart, item)) : [part('li', {}, words.empty)]),
    )
    this.#total.textContent = cart && count > 0 ? `${words.total} ${amountText(cart.totals.total, cart.currency)}` : ''
    this.#pay.hidden = count === 0
  }

  #line(
    { currency }: ShownCart,
    { skuId, name, options, quantity, subtotal }: ShownCart['items'][number],
  ): HTMLLIElement {
    const label = [name, ...options.map(({ value }) => value)].join(', ')
    const attributes = { type: 'number', min: '0', max: '999', value: String(quantity) }
    const field = part('input', { ...attributes, 'aria-label': `${words.quantity}: ${label}` })
    const remove = part('button', { type: 'button', class: 'quiet', 'aria-label': `${words.remove}: ${label}` }, '×')
    field.addEventListener('change', () => {
      shop.change(skuId, Number(field.value)).catch(() => {
        field.value = String(quantity)
        this.#status.textContent = words.failed
      })
    })
    pressing(remove, this.#status, () => shop.change(skuId, 0))
    const text = part('span', { dir: 'auto' }, `${label} · ${amountText(subtotal, currency)}`)
    return part('li', { class: 'row' }, text, part('span', { class: 'row' }, field, remove))
  }
}
