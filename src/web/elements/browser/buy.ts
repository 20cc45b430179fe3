// <cartwright-buy sku="sku_…">Buy</cartwright-buy>, or with the code of a SKU: <cartwright-buy product="mug" sku="MUG-1">. With the
// attribute `checkout`, pressing the button opens the checkout directly.

import { part, ShopElement } from './parts.ts'
import { shop } from './shop.ts'
import { words } from './words.ts'

export class BuyElement extends ShopElement {
  connectedCallback(): void {
    const button = part('button', { part: 'button' }, part('slot', {}, words.add))
    this.show(button, this.status)
    this.press(button, async () => {
      await shop.add(await this.#skuId(), Math.max(1, Number(this.getAttribute('quantity')) || 1))
      if (this.hasAttribute('checkout')) await shop.checkOut()
      else this.status.textContent = words.added
    })
  }

  async #skuId(): Promise<string> {
    const [slug, sku] = [this.getAttribute('product'), this.getAttribute('sku') ?? '']
    if (slug === null) return sku
    const { skus } = await shop.product(slug)
    return (skus.find(({ id, code }) => id === sku || code === sku) ?? skus[0])?.id ?? sku
  }
}
