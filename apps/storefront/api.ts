// The public operations that this shop uses, over HTTP. The key is sent only in the header of requests to the API. The types have
// only the members that the pages show; the answers have more.

export interface Money {
  amount: number
  currency: string
}

export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock'

export interface Identity {
  installation: { mode: 'test' | 'live' }
  merchant: { slug: string; name: string; currency: string }
}

export interface Category {
  slug: string
  name: string
  description: string
  path: string[]
  productCount: number
  imageUrl: string | null
}

export interface ProductSummary {
  slug: string
  name: string
  summary: string
  categories: string[]
  imageUrl: string | null
  imageAlt: string | null
  priceRange: { min: Money; max: Money }
  availability: Availability
}

export interface ProductList {
  products: ProductSummary[]
  next: string | null
}

export interface Sku {
  id: string
  code: string
  name: string
  options: { name: string; value: string }[]
  price: Money
  compareAtPrice: Money | null
  availability: Availability
  availableQuantity: number | null
  maxPerOrder: number
  weightGrams: number | null
  imageUrl: string | null
}

export interface Product extends ProductSummary {
  description: string
  media: { url: string; alt: string; width: number | null; height: number | null }[]
  options: { name: string; values: string[] }[]
  skus: Sku[]
}

export interface CartItem {
  skuId: string
  code: string
  productSlug: string
  name: string
  options: { name: string; value: string }[]
  imageUrl: string | null
  quantity: number
  unitPrice: number
  subtotal: number
  availability: Availability
  availableQuantity: number | null
  maxQuantity: number
}

export interface Totals {
  subtotal: number
  discount: number
  shipping: number
  tax: number
  taxIncluded: boolean
  total: number
}

export interface Cart {
  id: string
  version: number
  status: 'open' | 'locked' | 'converted' | 'expired'
  currency: string
  items: CartItem[]
  itemCount: number
  promotion: { state: 'none' | 'applied' | 'pending'; code: string | null; amount: number }
  shipping: { optionId: string | null }
  totals: Totals
  messages: {
    code: string
    message: string
    skuId: string | null
    previous: number | null
    current: number | null
  }[]
}

export interface AppliedPromotion {
  state: 'none' | 'applied' | 'pending' | 'rejected'
  reason: string | null
  conditions: { minimumSubtotal: number | null } | null
}

export interface CheckoutSession {
  id: string
  status: 'open' | 'processing' | 'completed' | 'cancelled' | 'expired'
  url: string | null
  cartId: string
  orderId: string | null
  items: { skuId: string; imageUrl: string | null }[]
}

export interface Order {
  number: string
  paymentStatus: string
  currency: string
  items: {
    skuId: string
    name: string
    options: { name: string; value: string }[]
    quantity: number
    subtotal: number
  }[]
  totals: Totals
  shippingAddress: { summary: string } | null
  shipping: { label: string } | null
}

// A refusal by the API. `code` is stable and for programs; words.ts turns it into words for shoppers.
export class ApiRefusal extends Error {
  readonly code: string
  readonly status: number
  readonly available: number | undefined
  readonly limit: number | undefined
  // The item in question, if there is one.
  readonly skuId: string | undefined

  constructor(error: ErrorBody['error']) {
    super(`${error.code} (${error.requestId}): ${error.message}`)
    this.code = error.code
    this.status = error.status
    this.available = error.current?.available
    this.limit = error.current?.limit
    this.skuId = error.current?.skuId
  }
}

// No usable answer: no connection, a timeout, a proxy's page.
export class ApiUnreachable extends Error {}

interface ErrorBody {
  error: {
    code: string
    message: string
    status: number
    requestId: string
    current: { available?: number; limit?: number; skuId?: string } | null
  }
}

// Every change has an idempotency key, so a change sent twice happens once.
interface Change {
  idempotencyKey: string
}

export type Api = ReturnType<typeof createApi>

const answerTimeoutMs = 10_000
const attemptsMax = 2
const categoryListsMax = 5

export function createApi({ apiUrl, apiKey }: { apiUrl: string; apiKey: string }) {
  const productsPath = '/api/v1/open/catalog/products'
  const cartsPath = '/api/v1/open/storefront/carts'
  const sessionsPath = '/api/v1/open/hosted/checkout/sessions'

  // The answer is trusted to match its published schema; that is the only cast of this example.
  async function call<Reply>(method: string, path: string, change?: Change): Promise<Reply> {
    const response = await sent(method, path, change)
    const body: unknown = await response.json().catch(() => {
      throw new ApiUnreachable(`${method} ${path} was answered ${response.status} without JSON`)
    })
    if (response.ok) return body as Reply
    if (isErrorBody(body)) throw new ApiRefusal(body.error)
    throw new ApiUnreachable(`${method} ${path} was answered ${response.status}`)
  }

  // Reads can be repeated, and so can changes, thanks to their key. So a lost request is retried once.
  async function sent(method: string, path: string, change: Change | undefined): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetch(new URL(path, apiUrl), {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            ...(change && { 'content-type': 'application/json' }),
          },
          body: change ? JSON.stringify(change) : null,
          redirect: 'error',
          signal: AbortSignal.timeout(answerTimeoutMs),
        })
      } catch (error) {
        if (attempt === attemptsMax) throw new ApiUnreachable(`${method} ${path} got no answer`, { cause: error })
      }
    }
  }

  const itemPath = (cartId: string, skuId: string) => `${cartsPath}/${cartId}/items/${skuId}`

  return {
    async identity(): Promise<Identity> {
      return (await call<{ data: Identity }>('GET', '/api/v1/open/installation/identity')).data
    },

    async categories(): Promise<Category[]> {
      const found: Category[] = []
      let path: string | null = '/api/v1/open/catalog/categories'
      for (let lists = 0; path !== null && lists < categoryListsMax; lists++) {
        const { data, meta }: ListReply<Category> = await call('GET', path)
        found.push(...data)
        path = meta?.next ?? null
      }
      return found
    },

    // `link` is the `next` of the previous page. It has been through a browser, so it is checked: the key must not be sent to
    // another host.
    async products(link: string | null = null): Promise<ProductList> {
      const url = URL.parse(link ?? productsPath, apiUrl)
      if (url?.origin !== new URL(apiUrl).origin || url.pathname !== productsPath) {
        throw new RangeError('not a link to products')
      }
      const { data, meta } = await call<ListReply<ProductSummary>>('GET', link ?? productsPath)
      return { products: data, next: meta?.next ?? null }
    },

    async product(slug: string): Promise<Product> {
      return (await call<{ data: Product }>('GET', `${productsPath}/${slug}`)).data
    },

    async cart(cartId: string): Promise<Cart> {
      return (await call<{ data: Cart }>('GET', `${cartsPath}/${cartId}`)).data
    },

    async createCart(change: Change & { items: { skuId: string; quantity: number }[] }): Promise<Cart> {
      return (await call<{ data: Cart }>('POST', cartsPath, change)).data
    },

    // Sets the quantity, and adds the line if it is missing.
    async putItem(
      cartId: string,
      skuId: string,
      change: Change & { quantity: number; expectedVersion: number },
    ): Promise<Cart> {
      return (await call<{ data: Cart }>('PUT', itemPath(cartId, skuId), change)).data
    },

    // Sets the quantity of an existing line; 0 removes it.
    async changeQuantity(
      cartId: string,
      skuId: string,
      change: Change & { quantity: number; expectedVersion: number },
    ): Promise<Cart> {
      return (await call<{ data: Cart }>('PATCH', itemPath(cartId, skuId), change)).data
    },

    async removeItem(cartId: string, skuId: string, change: Change & { expectedVersion: number }): Promise<Cart> {
      return (await call<{ data: Cart }>('DELETE', itemPath(cartId, skuId), change)).data
    },

    // A code that does not apply is not an error: the answer has its state and the reason.
    async applyPromotion(cartId: string, change: Change & { code: string | null }): Promise<AppliedPromotion> {
      const path = `${cartsPath}/${cartId}/promotion`
      return (await call<{ data: { promotion: AppliedPromotion } }>('PUT', path, change)).data.promotion
    },

    async createCheckoutSession(
      change: Change & { cartId: string; expectedCartVersion: number; successUrl: string; cancelUrl: string },
    ): Promise<CheckoutSession> {
      return (await call<{ data: CheckoutSession }>('POST', sessionsPath, change)).data
    },

    async checkoutSession(sessionId: string): Promise<CheckoutSession> {
      return (await call<{ data: CheckoutSession }>('GET', `${sessionsPath}/${sessionId}`)).data
    },

    async order(orderId: string): Promise<Order> {
      return (await call<{ data: Order }>('GET', `/api/v1/open/storefront/orders/${orderId}`)).data
    },
  }
}

interface ListReply<Row> {
  data: Row[]
  meta?: { next: string | null }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'object' &&
    body.error !== null &&
    'code' in body.error
  )
}
