// The operations that the app calls with the API key of an installation. The key goes out in a header to the shop and
// nowhere else. The types have only the members that are shown; the answers have more.

export interface Identity {
  installation: { id: string; name: string; mode: 'test' | 'live'; status: string }
  merchant: { slug: string; name: string }
  credential: { prefix: string; last4: string; scopes: string[] }
}

export interface ProductSummary {
  slug: string
  name: string
  availability: 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock'
}

export interface Product extends ProductSummary {
  skus: { id: string; name: string; availability: ProductSummary['availability'] }[]
}

export interface Endpoint {
  url: string
  status: 'enabled' | 'disabled' | 'paused'
}

export interface CheckoutSession {
  id: string
  status: 'open' | 'processing' | 'completed' | 'cancelled' | 'expired'
  // Anyone who has it can pay; null once the session has ended.
  url: string | null
}

export interface CheckoutInput {
  // Created once per intended checkout, so a request that is sent twice has one effect.
  idempotencyKey: string
  items: { skuId: string; quantity: number }[]
  successUrl: string
}

// A refusal by the shop. `code` is stable and for programs, the message for people.
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, { code, message }: { code: string; message: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

export type Api = ReturnType<typeof createApi>

const answerTimeoutMs = 10_000

export function createApi(shopUrl: string, apiKey: string) {
  // The answer is trusted to match its published schema.
  async function call<Reply>(path: string, body?: object): Promise<Reply> {
    const response = await fetch(new URL(path, shopUrl), {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
      redirect: 'error',
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    const answer = (await response.json()) as { data: Reply; error: { code: string; message: string } }
    if (!response.ok) throw new Refused(response.status, answer.error)
    return answer.data
  }

  return {
    identity: () => call<Identity>('/api/v1/open/installation/identity'),
    // The newest hundred; `meta.next` would lead on.
    products: () => call<ProductSummary[]>('/api/v1/open/catalog/products'),
    product: (slug: string) => call<Product>(`/api/v1/open/catalog/products/${encodeURIComponent(slug)}`),
    endpoints: async () => (await call<{ endpoints: Endpoint[] }>('/api/v1/open/webhooks/endpoints')).endpoints,
    checkout: (id: string) => call<CheckoutSession>(`/api/v1/open/hosted/checkout/sessions/${id}`),
    createCheckout: (input: CheckoutInput) => call<CheckoutSession>('/api/v1/open/hosted/checkout/sessions', input),
  }
}
