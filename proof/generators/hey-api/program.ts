// The requests of the tour by the client of @hey-api/openapi-ts.

import {
  createHostedCheckoutSession,
  createPublicCart,
  getApiKeyCatalogProduct,
  getStorefrontOrder,
  listApiKeyCatalogProducts,
  listStorefrontOrders,
  setPublicCartAddress,
} from './generated'
import { client } from './generated/client.gen'

export async function tour(shop: string, key: string): Promise<string> {
  client.setConfig({ baseUrl: shop, auth: () => key })

  const { data: products } = await listApiKeyCatalogProducts()
  const slug: string | undefined = products?.data[0]?.slug
  if (slug === undefined) throw new Error('no product')

  const product = await getApiKeyCatalogProduct({ path: { slug } })
  if (product.data === undefined) throw new Error(`${product.error.error.code}: ${product.error.error.message}`)
  const skuId: string | undefined = product.data.data.skus[0]?.id
  if (skuId === undefined) throw new Error('no SKU')

  const created = await createPublicCart({
    body: { idempotencyKey: 'tour-1', items: [{ skuId, quantity: 2 }] },
    throwOnError: true,
  })
  const { id: cartId, version } = created.data.data

  await setPublicCartAddress({
    path: { cartId },
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
    throwOnError: true,
  })

  const session = await createHostedCheckoutSession({
    body: { idempotencyKey: 'tour-7', cartId, successUrl: `${shop}/?paid={sessionId}` },
    throwOnError: true,
  })
  const { status, url, orderId } = session.data.data
  if (status === 'open' && url !== null) return url
  if (orderId === null) throw new Error(`the session is ${status}`)

  const order = await getStorefrontOrder({ path: { orderId }, throwOnError: true })
  const total: number = order.data.data.totals.total
  return `${order.data.data.number}: ${total} ${order.data.data.currency}`
}

export async function refusedByTheCompiler(): Promise<void> {
  // @ts-expect-error successUrl is required
  await createHostedCheckoutSession({ body: { cartId: 'cart_1' } })
  // @ts-expect-error a quantity is a number
  await createPublicCart({ body: { items: [{ skuId: 'sku_1', quantity: '2' }] } })
  // @ts-expect-error there is no such member
  await createPublicCart({ body: { item: [] } })
  const { data } = await listStorefrontOrders()
  // @ts-expect-error there is no such status
  if (data?.data.orders[0]?.status === 'unpaid') return
}
