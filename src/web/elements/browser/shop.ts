// A client of the shop's API with the operations that the elements need, and the cart of this page.

export interface Price {
  amount: number
  currency: string
}

export interface ShownSku {
  id: string
  code: string
  name: string
  options: { name: string; value: string }[]
  price: Price
  availability: string
  imageUrl: string | null
}

export interface ShownProduct {
  name: string
  summary: string
  imageUrl: string | null
  imageAlt: string | null
  skus: ShownSku[]
}

export interface ShownCart {
  id: string
  version: number
  status: string
  currency: string
  itemCount: number
  items: { skuId: string; name: string; options: { value: string }[]; quantity: number; subtotal: number }[]
  totals: { total: number }
}

// The element of a classic script can only be read while the script runs for the first time.
const tag = document.currentScript as HTMLScriptElement | null

class Shop {
  readonly key = tag?.dataset.key ?? ''
  readonly #base = new URL('/api/v1/open', tag?.src ?? location.href).href
  readonly #products = new Map<string, Promise<ShownProduct>>()
  readonly #watching = new Set<(cart: ShownCart | null) => void>()
  #cart: ShownCart | null = null
  // Changes run one at a time, because `add` sends a quantity that it computes from the current one.
  #last: Promise<unknown> = Promise.resolve()

  async #ask<Data>(method: string, path: string, body?: object): Promise<Data> {
    const answer = await fetch(this.#base + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify({ ...body, idempotencyKey: newKey() }) }),
    })
    if (!answer.ok) throw new Error(String(answer.status))
    return (await answer.json()).data
  }

  product(slug: string): Promise<ShownProduct> {
    const known = this.#products.get(slug)
    if (known) return known
    const asked = this.#ask<ShownProduct>('GET', `/catalog/products/${encodeURIComponent(slug)}`)
    asked.catch(() => this.#products.delete(slug))
    this.#products.set(slug, asked)
    return asked
  }

  // Calls `look` with the current cart, and after each change. Returns a function that stops this.
  watch(look: (cart: ShownCart | null) => void): () => void {
    this.#watching.add(look)
    if (this.#cart) look(this.#cart)
    else void this.#inTurn(() => this.#known()).catch(() => look(null))
    return () => this.#watching.delete(look)
  }

  add(skuId: string, quantity: number): Promise<unknown> {
    return this.#inTurn(async () => {
      const cart = await this.#known()
      const before = cart?.items.find((item) => item.skuId === skuId)?.quantity ?? 0
      this.#store(
        cart
          ? await this.#ask('PUT', `/storefront/carts/${cart.id}/items/${skuId}`, { quantity: before + quantity })
          : await this.#ask('POST', '/storefront/carts', { items: [{ skuId, quantity }] }),
      )
    })
  }

  change(skuId: string, quantity: number): Promise<unknown> {
    return this.#inTurn(async () => {
      const cart = await this.#known()
      if (cart) this.#store(await this.#ask('PATCH', `/storefront/carts/${cart.id}/items/${skuId}`, { quantity }))
    })
  }

  checkOut(): Promise<unknown> {
    return this.#inTurn(async () => {
      const cart = await this.#known()
      if (!cart) return
      const here = location.href.replace(/#.*/, '')
      const asked = { cartId: cart.id, successUrl: here, cancelUrl: here }
      const { url } = await this.#ask<{ url: string | null }>('POST', '/hosted/checkout/sessions', asked)
      if (url !== null && /^https?:/.test(url)) location.assign(url)
    })
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work, work)
    this.#last = done.catch(() => {})
    return done
  }

  // Reloads the cart. Forgets a cart that became an order, expired or no longer exists.
  async #known(): Promise<ShownCart | null> {
    const id = this.#cart?.id ?? stored.read()
    if (id === null) return null
    const cart = await this.#ask<ShownCart>('GET', `/storefront/carts/${id}`).catch((error: unknown) => {
      if (error instanceof Error && error.message === '404') return null
      throw error
    })
    this.#store(cart && /open|locked/.test(cart.status) ? cart : null)
    return this.#cart
  }

  #store(cart: ShownCart | null): void {
    this.#cart = cart
    stored.write(cart?.id ?? null)
    for (const look of this.#watching) look(cart)
  }
}

// The id of the cart in the local storage. Where storage is not available, the cart lasts as long as the page.
const stored = {
  name: `cartwright ${tag?.dataset.key}`,
  read(): string | null {
    try {
      const id = localStorage.getItem(this.name)
      return id !== null && /^cart_[0-9a-z]{26}$/.test(id) ? id : null
    } catch {
      return null
    }
  },
  write(id: string | null): void {
    try {
      if (id === null) localStorage.removeItem(this.name)
      else localStorage.setItem(this.name, id)
    } catch {
      // Without storage the id is not stored.
    }
  },
}

function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

export const shop = new Shop()
