// The requests of the tour by openapi-fetch, with the types of openapi-typescript.

import createClient from 'openapi-fetch'
import type { components, paths } from './generated/schema.ts'

export async function tour(shop: string, key: string): Promise<string> {
  const client = createClient<paths>({ baseUrl: shop, headers: { Authorization: `Bearer ${key}` } })

  const { data: products } = await client.GET('/api/v1/open/catalog/products')
  const slug: string | undefined = products?.data[0]?.slug
  if (slug === undefined) throw new Error('no product')

  const product = await client.GET('/api/v1/open/catalog/products/{slug}', { params: { path: { slug } } })
  if (product.error) throw new Error(`${product.error.error.code}: ${product.error.error.message}`)
  const skuId: string | undefined = product.data.data.skus[0]?.id
  if (skuId === undefined) throw new Error('no SKU')

  const created = await client.POST('/api/v1/open/storefront/carts', {
    body: { idempotencyKey: 'tour-1', items: [{ skuId, quantity: 2 }] },
  })
  if (created.error) throw new Error(created.error.error.requestId)
  const { id: cartId, version } = created.data.data

  const address = await client.PUT('/api/v1/open/storefront/carts/{cartId}/address', {
    params: { path: { cartId } },
    body: {
      idempotencyKey: 'tour-5',
      expectedVersion: version,
      address: {
        name: 'Ada Lovelace',
        line1: 'Unter den Linden 1',
        city: 'Berlin',
        postalCode: '10117',
        country: 'DE',
      },
    },
  })
  if (address.error) throw new Error(address.error.error.requestId)

  const session = await client.POST('/api/v1/open/hosted/checkout/sessions', {
    body: { idempotencyKey: 'tour-7', cartId, successUrl: `${shop}/?paid={sessionId}` },
  })
  if (session.error) throw new Error(session.error.error.requestId)
  const { status, url, orderId } = session.data.data
  if (status === 'open' && url !== null) return url
  if (orderId === null) throw new Error(`the session is ${status}`)

  const order = await client.GET('/api/v1/open/storefront/orders/{orderId}', { params: { path: { orderId } } })
  if (order.error) throw new Error(order.error.error.requestId)
  const total: number = order.data.data.totals.total
  return `${order.data.data.number}: ${total} ${order.data.data.currency}`
}

export async function refusedByTheCompiler(shop: string): Promise<void> {
  const client = createClient<paths>({ baseUrl: shop })
  // @ts-expect-error successUrl is required
  await client.POST('/api/v1/open/hosted/checkout/sessions', { body: { cartId: 'cart_1' } })
  // @ts-expect-error a quantity is a number
  await client.POST('/api/v1/open/storefront/carts', { body: { items: [{ skuId: 'sku_1', quantity: '2' }] } })
  // @ts-expect-error there is no such member
  const cart: components['schemas']['PublicCartCreateRequest'] = { item: [] }
  await client.POST('/api/v1/open/storefront/carts', { body: cart })
  const { data } = await client.GET('/api/v1/open/storefront/orders')
  // @ts-expect-error there is no such status
  if (data?.data.orders[0]?.status === 'unpaid') return
}
