// <cartwright-product slug="speckled-stoneware-mug">: picture, name, price, a choice of SKUs, and a button.

import { part, ShopElement } from './parts.ts'
import { type ShownProduct, type ShownSku, shop } from './shop.ts'
import { amountText, words } from './words.ts'

export class ProductElement extends ShopElement {
  static readonly observedAttributes = ['slug']

  connectedCallback(): void {
    void this.#load()
  }

  attributeChangedCallback(_: string, before: string | null): void {
    if (before !== null && this.isConnected) void this.#load()
  }

  async #load(): Promise<void> {
    const slug = this.getAttribute('slug') ?? ''
    try {
      const product = await shop.product(slug)
      if (slug === this.getAttribute('slug')) this.#draw(product)
    } catch {
      this.show(part('slot', {}, words.failed))
    }
  }

  #draw({ name, summary, imageUrl, imageAlt, skus }: ShownProduct): void {
    const picture = part('img', { part: 'picture', alt: imageAlt ?? '', loading: 'lazy' })
    const price = part('p', { part: 'price' })
    const button = part('button', { part: 'button' })
    const choice = part('select', { part: 'choice', 'aria-label': name }, ...skus.map(optionOf))
    const chosen = () => skus[choice.selectedIndex] ?? skus[0]
    const choose = () => {
      const sku = chosen()
      const isOut = sku === undefined || sku.availability === 'out_of_stock'
      price.textContent = sku ? amountText(sku.price.amount, sku.price.currency) : ''
      button.textContent = isOut ? words.soldOut : words.add
      button.disabled = isOut
      const address = sku?.imageUrl ?? imageUrl ?? ''
      picture.hidden = !/^https?:/.test(address)
      if (!picture.hidden) picture.src = address
    }
    const inStock = skus.findIndex(({ availability }) => availability !== 'out_of_stock')
    choice.selectedIndex = Math.max(0, inStock)
    choice.onchange = choose
    this.press(button, async () => {
      const sku = chosen()
      if (sku) await shop.add(sku.id, 1)
      this.status.textContent = words.added
    })
    const title = part('p', { part: 'name', class: 'name', dir: 'auto' }, name)
    const more = part('p', { part: 'summary', dir: 'auto' }, summary)
    this.show(
      part(
        'div',
        { class: 'product', part: 'product' },
        picture,
        title,
        more,
        price,
        ...(skus.length > 1 ? [choice] : []),
        button,
        this.status,
      ),
    )
    choose()
  }
}

function optionOf({ id, name, options }: ShownSku): HTMLOptionElement {
  return part('option', { value: id }, options.map(({ value }) => value).join(', ') || name)
}
