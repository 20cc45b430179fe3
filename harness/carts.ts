// Carts for tests: the shop they are filled from, and the calls that fill them.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { OperationId } from '../src/contract/open/operations.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { bloom } from './shops.ts'
import type { Answer, AskOptions, TestServer } from './testServer.ts'

// Prices that do not divide evenly, two tax classes, a digital good, scarce and sold-out SKUs, zones and every kind of
// code.
export const market: ShopFile = {
  ...bloom,
  products: [
    ...(bloom.products ?? []),
    {
      slug: 'book',
      name: 'Book of flowers',
      categories: ['vases'],
      publishedAt: '2026-01-02T00:00:00.000Z',
      skus: [{ code: 'BOOK', price: 2995, stock: 100, taxClass: 'reduced', weightGrams: 800 }],
    },
    {
      slug: 'card',
      name: 'Card',
      publishedAt: '2026-01-03T00:00:00.000Z',
      skus: [{ code: 'CARD', price: 333, stock: 1000, weightGrams: 10 }],
    },
    {
      slug: 'course',
      name: 'Course',
      publishedAt: '2026-01-04T00:00:00.000Z',
      skus: [{ code: 'COURSE', price: 9900, stock: 50, requiresShipping: false }],
    },
  ],
  taxes: [
    { country: 'DE', rate: 1900 },
    { country: 'DE', class: 'reduced', rate: 700 },
    { country: 'FR', rate: 2000 },
  ],
  shipping: [
    {
      zone: 'home',
      countries: ['DE'],
      options: [
        { id: 'standard', label: 'Standard', amount: 490, freeFrom: 10_000 },
        { id: 'express', label: 'Express', amount: 990 },
      ],
    },
    {
      zone: 'abroad',
      countries: ['FR'],
      options: [
        {
          id: 'parcel',
          label: 'Parcel',
          amount: 1290,
          weightSteps: [
            { upToGrams: 1000, amount: 1290 },
            { upToGrams: 5000, amount: 1990 },
          ],
        },
      ],
    },
  ],
  promotions: [
    { code: 'WELCOME10', name: 'Welcome', type: 'percentage', percentage: 1000 },
    { code: 'FIVER', name: 'Five off', type: 'fixed_amount', amount: 500 },
    { code: 'SHIPFREE', name: 'Free shipping', type: 'free_shipping' },
    { code: 'BIG', name: 'Big carts', type: 'percentage', percentage: 2000, minimumSubtotal: 20_000 },
    { code: 'ROSES', name: 'Roses only', type: 'percentage', percentage: 5000, categories: ['bouquets'] },
    { code: 'BOOKISH', name: 'The book', type: 'fixed_amount', amount: 1000, skus: ['BOOK'] },
    { code: 'OLD', name: 'Over', type: 'percentage', percentage: 1000, endsAt: '2026-05-01T00:00:00.000Z' },
    { code: 'SOON', name: 'Not yet', type: 'percentage', percentage: 1000, startsAt: '2027-01-01T00:00:00.000Z' },
    { code: 'OFF', name: 'Disabled', type: 'percentage', percentage: 1000, disabled: true },
    { code: 'GONE', name: 'Used up', type: 'percentage', percentage: 1000, usageLimit: 0 },
  ],
}

export const berlin = {
  name: 'Ada Lovelace',
  line1: 'Unter den Linden 1',
  city: 'Berlin',
  postalCode: '10117',
  country: 'DE',
  phone: '+49 30 1234567',
}
export const paris = {
  name: 'Jean Martin',
  line1: '1 rue de Rivoli',
  city: 'Paris',
  postalCode: '75001',
  country: 'FR',
}

export interface Carts {
  sku: (code: string) => string
  create(items?: Readonly<Record<string, number>>): Promise<string>
  read(cartId: string): Promise<Answer>
  put(cartId: string, code: string, quantity: number, more?: object): Promise<Answer>
  patch(cartId: string, code: string, quantity: number, more?: object): Promise<Answer>
  remove(cartId: string, code: string, more?: object): Promise<Answer>
  promote(cartId: string, code: string | null, more?: object): Promise<Answer>
  address(cartId: string, address: object, more?: object): Promise<Answer>
  ship(cartId: string, optionId: string, more?: object): Promise<Answer>
}

export async function cartsOf(testServer: TestServer): Promise<Carts> {
  const rows = await testServer.storage.read(
    (db) =>
      db.sql<{ code: string; id: string }>`select code, id from skus where merchant_id = ${testServer.merchantId}`,
  )
  const ids = new Map(rows.map(({ code, id }) => [code, id]))
  function sku(code: string): string {
    const id = ids.get(code)
    assert.ok(id, `there is no SKU ${code}`)
    return id
  }
  const key = () => ({ idempotencyKey: randomUUID() })
  const call = (id: OperationId, options: AskOptions) => testServer.ask(id, options)
  return {
    sku,
    async create(items = {}) {
      const wanted = Object.entries(items).map(([code, quantity]) => ({ skuId: sku(code), quantity }))
      const answer = await call('createPublicCart', { body: { ...key(), items: wanted } })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data.id
    },
    read: (cartId) => call('getPublicCart', { path: { cartId } }),
    put: (cartId, code, quantity, more = {}) =>
      call('putPublicCartItem', { path: { cartId, skuId: sku(code) }, body: { ...key(), quantity, ...more } }),
    patch: (cartId, code, quantity, more = {}) =>
      call('updatePublicCartItemQuantity', {
        path: { cartId, skuId: sku(code) },
        body: { ...key(), quantity, ...more },
      }),
    remove: (cartId, code, more = {}) =>
      call('removePublicCartItem', { path: { cartId, skuId: sku(code) }, body: { ...key(), ...more } }),
    promote: (cartId, code, more = {}) =>
      call('applyPublicCartPromotion', { path: { cartId }, body: { ...key(), code, ...more } }),
    address: (cartId, address, more = {}) =>
      call('setPublicCartAddress', { path: { cartId }, body: { ...key(), address, ...more } }),
    ship: (cartId, optionId, more = {}) =>
      call('setPublicCartShipping', { path: { cartId }, body: { ...key(), optionId, ...more } }),
  }
}

export async function eventsOf(testServer: TestServer, subjectId: string) {
  const rows = await testServer.storage.read(
    (db) => db.sql<{ type: string; sequence: number; body: string }>`
      select type, sequence, body from events where subject_id = ${subjectId} order by sequence`,
  )
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) }))
}
