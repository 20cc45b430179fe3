import assert from 'node:assert/strict'
import type { catalogOperationRows } from '../../src/contract/admin/catalog.ts'
import type { ProductEntry } from '../../src/contract/entries.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { TestServer } from '../testServer.ts'
import type { Given } from './world.ts'

type Asks = Pick<TestServer, 'askAdmin'>

let counter = 0
export function unusedName(prefix: string): string {
  counter += 1
  return `${prefix}-${counter}`
}

export function productEntry(members: Partial<ProductEntry> = {}): ProductEntry {
  const slug = unusedName('mug')
  return { slug, name: 'A mug', skus: [{ code: slug.toUpperCase(), price: 1_200, stock: 7 }], ...members }
}

// The data of the answer of an operation that creates something.
async function created(
  testServer: Asks,
  id: 'createAdminProduct' | 'createAdminCategory' | 'createAdminPromotion',
  body: object,
) {
  const answer = await testServer.askAdmin(id, { body: { idempotencyKey: newId('req'), ...body } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

export const createProduct = (testServer: Asks, members: Partial<ProductEntry> = {}) =>
  created(testServer, 'createAdminProduct', { product: productEntry(members) })

export const createCategory = (testServer: Asks, members: object = {}) =>
  created(testServer, 'createAdminCategory', { category: { slug: unusedName('shelf'), name: 'Shelf', ...members } })

export const createPromotion = (testServer: Asks, members: object = {}) =>
  created(testServer, 'createAdminPromotion', {
    promotion: { code: unusedName('CODE'), name: 'Ten off', type: 'percentage', percentage: 1_000, ...members },
  })

export const catalogGivens: Readonly<Record<keyof typeof catalogOperationRows, Given>> = {
  listAdminProducts: async () => ({}),
  getAdminProduct: async (testServer) => ({ path: { productId: (await createProduct(testServer)).id } }),
  createAdminProduct: async () => ({ body: { product: productEntry() } }),
  replaceAdminProduct: async (testServer) => {
    const { id, version, product } = await createProduct(testServer)
    return { path: { productId: id }, body: { expectedVersion: version, product: { ...product, name: 'Another mug' } } }
  },
  updateAdminProducts: async (testServer) => ({
    body: { productIds: [(await createProduct(testServer)).id], change: { status: 'hidden' } },
  }),
  listAdminSkus: async () => ({}),
  listAdminStockMovements: async (testServer) => ({ path: { skuId: (await createProduct(testServer)).skus[0].id } }),
  updateAdminSkus: async (testServer) => ({
    body: { rows: [{ skuId: (await createProduct(testServer)).skus[0].id, price: 1_300, adjustBy: -2 }] },
  }),
  listAdminBrands: async () => ({}),
  listAdminCategories: async () => ({}),
  createAdminCategory: async () => ({ body: { category: { slug: unusedName('shelf'), name: 'Shelf' } } }),
  replaceAdminCategory: async (testServer) => {
    const { id, version, category } = await createCategory(testServer)
    return {
      path: { categoryId: id },
      body: { expectedVersion: version, category: { ...category, name: 'Top shelf' } },
    }
  },
  removeAdminCategory: async (testServer) => {
    const { id, version } = await createCategory(testServer)
    return { path: { categoryId: id }, body: { expectedVersion: version } }
  },
  listAdminPromotions: async () => ({}),
  getAdminPromotion: async (testServer) => ({ path: { promotionId: (await createPromotion(testServer)).id } }),
  createAdminPromotion: async () => ({
    body: { promotion: { code: unusedName('CODE'), name: 'Ten off', type: 'percentage', percentage: 1_000 } },
  }),
  replaceAdminPromotion: async (testServer) => {
    const { id, version, promotion } = await createPromotion(testServer)
    return {
      path: { promotionId: id },
      body: { expectedVersion: version, promotion: { ...promotion, disabled: true } },
    }
  },
}
