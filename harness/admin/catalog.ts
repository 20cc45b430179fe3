import assert from 'node:assert/strict'
import type { catalogRows } from '../../src/contract/admin/catalog.ts'
import type { ProductEntry } from '../../src/contract/entries.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { House } from '../house.ts'
import type { Given } from './world.ts'

type Asks = Pick<House, 'askAdmin'>

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
  house: Asks,
  id: 'createAdminProduct' | 'createAdminCategory' | 'createAdminPromotion',
  body: object,
) {
  const answer = await house.askAdmin(id, { body: { idempotencyKey: newId('req'), ...body } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

export const createProduct = (house: Asks, members: Partial<ProductEntry> = {}) =>
  created(house, 'createAdminProduct', { product: productEntry(members) })

export const createCategory = (house: Asks, members: object = {}) =>
  created(house, 'createAdminCategory', { category: { slug: unusedName('shelf'), name: 'Shelf', ...members } })

export const createPromotion = (house: Asks, members: object = {}) =>
  created(house, 'createAdminPromotion', {
    promotion: { code: unusedName('CODE'), name: 'Ten off', type: 'percentage', percentage: 1_000, ...members },
  })

export const catalogGivens: Readonly<Record<keyof typeof catalogRows, Given>> = {
  listAdminProducts: async () => ({}),
  getAdminProduct: async (house) => ({ path: { productId: (await createProduct(house)).id } }),
  createAdminProduct: async () => ({ body: { product: productEntry() } }),
  replaceAdminProduct: async (house) => {
    const { id, version, product } = await createProduct(house)
    return { path: { productId: id }, body: { expectedVersion: version, product: { ...product, name: 'Another mug' } } }
  },
  updateAdminProducts: async (house) => ({
    body: { productIds: [(await createProduct(house)).id], change: { status: 'hidden' } },
  }),
  listAdminSkus: async () => ({}),
  listAdminStockMovements: async (house) => ({ path: { skuId: (await createProduct(house)).skus[0].id } }),
  updateAdminSkus: async (house) => ({
    body: { rows: [{ skuId: (await createProduct(house)).skus[0].id, price: 1_300, adjustBy: -2 }] },
  }),
  listAdminBrands: async () => ({}),
  listAdminCategories: async () => ({}),
  createAdminCategory: async () => ({ body: { category: { slug: unusedName('shelf'), name: 'Shelf' } } }),
  replaceAdminCategory: async (house) => {
    const { id, version, category } = await createCategory(house)
    return {
      path: { categoryId: id },
      body: { expectedVersion: version, category: { ...category, name: 'Top shelf' } },
    }
  },
  removeAdminCategory: async (house) => {
    const { id, version } = await createCategory(house)
    return { path: { categoryId: id }, body: { expectedVersion: version } }
  },
  listAdminPromotions: async () => ({}),
  getAdminPromotion: async (house) => ({ path: { promotionId: (await createPromotion(house)).id } }),
  createAdminPromotion: async () => ({
    body: { promotion: { code: unusedName('CODE'), name: 'Ten off', type: 'percentage', percentage: 1_000 } },
  }),
  replaceAdminPromotion: async (house) => {
    const { id, version, promotion } = await createPromotion(house)
    return {
      path: { promotionId: id },
      body: { expectedVersion: version, promotion: { ...promotion, disabled: true } },
    }
  },
}
