// A shop for tests of the checkout page, on the real service, with the web shop to which shoppers return.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckoutView } from '../src/domain/checkout/port.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { type Checkout, checkoutOf, secretOf } from './checkout.ts'
import { lasting } from './lasting.ts'
import type { Given } from './storage.ts'
import { openTestServer, type TestServer } from './testServer.ts'

const publishedAt = '2026-01-01T00:00:00.000Z'

// Some SKUs are scarce, and each test that needs one takes one of its own: sessions hold what they show.
const scarce = ['A', 'B', 'C', 'D']

export const pageShop: ShopFile = {
  merchant: {
    slug: 'alder-finch',
    name: 'Alder & Finch',
    currency: 'EUR',
    country: 'DE',
    supportEmail: 'hello@alder-finch.example.com',
    links: {
      terms: 'https://example.com/terms',
      privacy: 'https://example.com/privacy',
      refunds: 'https://example.com/returns',
      imprint: 'https://example.com/imprint',
    },
  },
  products: [
    {
      slug: 'mug',
      name: 'Speckled stoneware mug',
      publishedAt,
      images: [{ url: '/media/demo/stoneware-mug.svg' }],
      options: [
        { name: 'Size', values: ['350 ml'] },
        { name: 'Colour', values: ['Oat'] },
      ],
      skus: [
        {
          code: 'MUG',
          options: { Size: '350 ml', Colour: 'Oat' },
          price: 2800,
          stock: 10_000,
          maxPerOrder: 10,
          weightGrams: 400,
        },
      ],
    },
    {
      slug: 'towel',
      name: 'Linen tea towel',
      publishedAt,
      images: [{ url: '/media/demo/linen-tea-towel.svg' }],
      skus: [{ code: 'TOWEL', price: 1490, stock: 10_000 }],
    },
    {
      slug: 'pencils',
      name: 'Cedar pencils',
      publishedAt,
      options: [{ name: 'Grade', values: Array.from({ length: 9 }, (_, grade) => `${grade}B`) }],
      skus: Array.from({ length: 9 }, (_, grade) => ({
        code: `PENCIL-${grade}`,
        options: { Grade: `${grade}B` },
        price: 120,
        stock: 10_000,
      })),
    },
    ...scarce.map((letter) => ({
      slug: `bowl-${letter.toLowerCase()}`,
      name: `Bowl ${letter}`,
      publishedAt,
      skus: [{ code: `BOWL-${letter}`, price: 2800, stock: 3 }],
    })),
    {
      slug: 'course',
      name: 'Course',
      publishedAt,
      skus: [{ code: 'COURSE', price: 9900, stock: 10_000, requiresShipping: false }],
    },
    {
      slug: 'markup',
      name: '<img src=x onerror=alert(1)>',
      publishedAt,
      skus: [{ code: 'MARKUP', price: 100, stock: 10_000 }],
    },
  ],
  taxes: [{ country: 'DE', rate: 1900 }],
  shipping: [
    {
      zone: 'world',
      countries: ['*'],
      options: [
        { id: 'standard', label: 'Standard', amount: 490 },
        { id: 'express', label: 'Express', amount: 990 },
      ],
    },
    // One mug, and not two.
    {
      zone: 'island',
      countries: ['IS'],
      options: [{ id: 'letter', label: 'Letter', amount: 290, weightSteps: [{ upToGrams: 500, amount: 290 }] }],
    },
  ],
  promotions: [
    { code: 'WELCOME10', name: 'Welcome', type: 'percentage', percentage: 1000 },
    { code: 'OLD', name: 'Over', type: 'percentage', percentage: 1000, endsAt: '2026-05-01T00:00:00.000Z' },
    { code: 'BIG', name: 'Big carts', type: 'percentage', percentage: 2000, minimumSubtotal: 200_000 },
    { code: 'GIFT', name: 'A gift', type: 'percentage', percentage: 10_000 },
  ],
  installations: [{ name: 'Storefront', mode: 'test' }],
}

// The same shop with other prices.
export function repriced(prices: Readonly<Record<string, number>>): ShopFile {
  const products = (pageShop.products ?? []).map((product) => ({
    ...product,
    skus: product.skus.map((sku) => ({ ...sku, price: prices[sku.code] ?? sku.price })),
  }))
  return { ...pageShop, products }
}

export interface PageSession {
  id: string
  secret: string
  path: string
}

export interface PageTestServer {
  testServer: TestServer
  checkout: Checkout
  // The web shop, and the requests that it got with a referrer, which could give the secret of a page away.
  shopOrigin: string
  referred: string[]
  // Runs the work while the bank does not know what became of a payment.
  whileBankIsSlow<Result>(work: () => Promise<Result>): Promise<Result>
  open(items?: Readonly<Record<string, number>>, more?: object): Promise<PageSession>
  // With contact, address and delivery, to be paid.
  ready(items?: Readonly<Record<string, number>>, more?: object): Promise<PageSession>
  // While the merchant has another shop file.
  during(file: ShopFile, work: () => Promise<void>): Promise<void>
  view(session: Pick<PageSession, 'secret'>): Promise<CheckoutView>
  // The amounts that were collected for a session.
  collected(session: Pick<PageSession, 'id'>): Promise<number[]>
}

export const usualItems = { MUG: 2, TOWEL: 1 }

export async function openPageTestServer(given: Given): Promise<PageTestServer> {
  const testServer = await openTestServer(given, { shops: [pageShop] })
  const checkout = await checkoutOf(testServer)
  let isBankSlow = false
  const { providers } = testServer.app.payTools
  const providerOf = providers.of
  providers.of = async (db, payment) => {
    const provider = await providerOf(db, payment)
    return provider && isBankSlow ? { ...provider, lookUp: async () => ({ kind: 'unknown' }) } : provider
  }
  const referred: string[] = []
  const shop = createServer(lasting, ({ url, headers }, response) => {
    if (headers.referer) referred.push(`${url} from ${headers.referer}`)
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>The shop</h1>')
  })
  shop.listen(0, '127.0.0.1')
  await once(shop, 'listening')
  given.later(async () => {
    shop.closeAllConnections()
    shop.close()
  })
  const shopOrigin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  const urls = { successUrl: `${shopOrigin}/thanks?session={sessionId}`, cancelUrl: `${shopOrigin}/basket` }
  const named = (id: string, secret: string) => ({ id, secret, path: `/c/${secret}` })

  return {
    testServer,
    checkout,
    shopOrigin,
    referred,
    async whileBankIsSlow(work) {
      isBankSlow = true
      return work().finally(() => {
        isBankSlow = false
      })
    },
    async open(items = usualItems, more = {}) {
      const answer = await checkout.open(items, { ...urls, ...more })
      assert.equal(answer.status, 200, answer.text)
      return named(answer.body.data.id, secretOf(answer.body.data.url))
    },
    async ready(items = usualItems, more = {}) {
      const { sessionId, secret } = await checkout.ready(items, { ...urls, ...more })
      return named(sessionId, secret)
    },
    async during(file, work) {
      await testServer.apply(file)
      try {
        await work()
      } finally {
        await testServer.apply(pageShop)
      }
    },
    view: ({ secret }) => checkout.look(secret),
    collected: async ({ id }) => {
      const rows = await testServer.storage.read(
        (db) => db.sql<{ amount: number }>`
          select t.amount from test_charges t join payments p on p.id = t.key
          where p.checkout_session_id = ${id} and t.state = 'approved' order by t.key`,
      )
      return rows.map(({ amount }) => amount)
    },
  }
}
