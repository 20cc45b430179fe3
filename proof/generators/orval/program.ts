// The requests of the tour by the fetch functions of orval, whose addresses begin with a slash: `fetch` of the page's
// own origin, or of a mutator.

import {
  createHostedCheckoutSession,
  createPublicCart,
  getApiKeyCatalogProduct,
  getStorefrontOrder,
  listApiKeyCatalogProducts,
  listStorefrontOrders,
  setPublicCartAddress,
} from './generated/client'

export async function tour(shop: string, key: string): Promise<string> {
  const options = { headers: { Authorization: `Bearer ${key}` } }

  const products = await listApiKeyCatalogProducts(options)
  if (products.status !== 200) throw new Error(products.data.error.requestId)
  const slug: string | undefined = products.data.data[0]?.slug
  if (slug === undefined) throw new Error('no product')

  const product = await getApiKeyCatalogProduct(slug, options)
  if (product.status !== 200) throw new Error(`${product.data.error.code}: ${product.data.error.message}`)
  const skuId: string | undefined = product.data.data.skus[0]?.id
  if (skuId === undefined) throw new Error('no SKU')

  const created = await createPublicCart({ idempotencyKey: 'tour-1', items: [{ skuId, quantity: 2 }] }, options)
  if (created.status !== 200) throw new Error(created.data.error.requestId)
  const { id: cartId, version } = created.data.data

  const address = await setPublicCartAddress(
    cartId,
    {
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
    options,
  )
  if (address.status !== 200) throw new Error(address.data.error.requestId)

  const session = await createHostedCheckoutSession(
    { idempotencyKey: 'tour-7', cartId, successUrl: `${shop}/?paid={sessionId}` },
    options,
  )
  if (session.status !== 200) throw new Error(session.data.error.requestId)
  const { status, url, orderId } = session.data.data
  if (status === 'open' && url !== null) return url
  if (orderId === null) throw new Error(`the session is ${status}`)

  const order = await getStorefrontOrder(orderId, options)
  if (order.status !== 200) throw new Error(order.data.error.requestId)
  const total: number = order.data.data.totals.total
  return `${order.data.data.number}: ${total} ${order.data.data.currency}`
}

export async function refusedByTheCompiler(): Promise<void> {
  // @ts-expect-error successUrl is required
  await createHostedCheckoutSession({ cartId: 'cart_1' })
  // @ts-expect-error a quantity is a number
  await createPublicCart({ items: [{ skuId: 'sku_1', quantity: '2' }] })
  // @ts-expect-error there is no such member
  await createPublicCart({ item: [] })
  const orders = await listStorefrontOrders()
  // @ts-expect-error there is no such status
  if (orders.status === 200 && orders.data.data.orders[0]?.status === 'unpaid') return
}
