// One merchant that sells in both modes, and a shopper in each of them.

import assert from 'node:assert/strict'
import { type Mode, openInterfaceScopes } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { market } from './carts.ts'
import { type Checkout, checkoutOf } from './checkout.ts'
import type { Given } from './storage.ts'
import { openTestServer, type TestServer, testSecret } from './testServer.ts'

export const twoModes: ShopFile = {
  ...market,
  promotions: [
    ...(market.promotions ?? []),
    { code: 'HALF', name: 'Half off', type: 'percentage', percentage: 5_000, usageLimit: 3 },
    { code: 'LAST', name: 'The last one', type: 'fixed_amount', amount: 100, usageLimit: 1 },
    { code: 'MINE', name: 'Once each', type: 'fixed_amount', amount: 100, customerLimit: 1 },
  ],
  payments: [{ mode: 'live', method: 'bank_transfer', instructions: 'IBAN DE00 0000' }],
  installations: [
    { name: 'Test', mode: 'test', redirectHosts: ['localhost'] },
    { name: 'Live', mode: 'live', redirectHosts: ['localhost'] },
  ],
}

export interface Purchase {
  orderId: string
  sessionId: string
  number: string
}

// The server as one of its two installations sees it.
export interface ModeTestServer extends TestServer {
  mode: Mode
  checkout: Checkout
  // In test mode by card, in live mode by bank transfer.
  buy(items: Readonly<Record<string, number>>, more?: object): Promise<Purchase>
  // Available units, as the key of this mode sees them.
  available(slug: string, code: string): Promise<number>
}

export async function openTwoModes(given: Given, shop = twoModes): Promise<Record<Mode, ModeTestServer>> {
  return sidesOf(await openTestServer(given, { shops: [shop] }))
}

// On a database that already contains the shop.
export async function openModesOn(given: Given, url: string, now: number): Promise<Record<Mode, ModeTestServer>> {
  return sidesOf(await openTestServer(given, { shops: [{ merchant: twoModes.merchant }], url, now }))
}

async function sidesOf(testServer: TestServer): Promise<Record<Mode, ModeTestServer>> {
  const installations = await testServer.storage.read((db) => listInstallations(db, testServer.merchantId))
  async function sideOf(mode: Mode): Promise<ModeTestServer> {
    const installation = installations.find((found) => found.mode === mode)
    assert.ok(installation)
    const input = { name: mode, scopes: openInterfaceScopes, expiresAt: null }
    const { key } = await testServer.storage.write((tx) =>
      createKey(tx, testSecret, installation, input, testServer.clock.now),
    )
    const own: TestServer = {
      ...testServer,
      installationId: installation.id,
      ask: (id, options = {}) => testServer.ask(id, { key, ...options }),
    }
    const checkout = await checkoutOf(own)
    return {
      ...own,
      mode,
      checkout,
      async buy(items, more = {}) {
        const { sessionId, secret, view } = await checkout.ready(items, {
          successUrl: 'https://localhost/thanks',
          ...more,
        })
        const result = await testServer.app.checkout.pay(secret, {
          version: view.session.version,
          expectedTotal: view.session.totals.total,
          ...(mode === 'live' ? { provider: 'manual', method: 'bank_transfer' } : { provider: 'test', method: 'card' }),
          details: { number: '4242424242424242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' },
          attempt: newId('pay'),
        })
        assert.equal(result?.problem, null, JSON.stringify(result?.problem))
        const { orderId } = result.view.session
        assert.ok(orderId, JSON.stringify(result.view.session.lastPaymentError))
        const order = await own.ask('getStorefrontOrder', { path: { orderId } })
        return { orderId, sessionId, number: order.body.data.number }
      },
      async available(slug, code) {
        const answer = await own.ask('getApiKeyCatalogProduct', { path: { slug } })
        const sku = answer.body.data.skus.find((one: { code: string }) => one.code === code)
        return sku.availableQuantity
      },
    }
  }
  return { test: await sideOf('test'), live: await sideOf('live') }
}
