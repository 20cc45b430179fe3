import { productSample as openProduct } from '../../open/samples.ts'
import { sampleId } from '../../sampleid.ts'
import type {
  AdminCategory,
  AdminProduct,
  AdminProductSummary,
  AdminPromotion,
  AdminSku,
  catalogOperationRows,
} from '../catalog.ts'
import type { AdminSubjectChange } from '../changes.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '5f0c1c52-2f0f-4f6b-8d0e-6f7f7a1b9c33'
const updatedAt = '2026-03-02T09:20:31.250Z'
const stock = { onHand: 40, held: 2 }

const entry: AdminProduct['product'] = {
  slug: openProduct.slug,
  name: openProduct.name,
  brand: 'Rosenhof',
  summary: openProduct.summary,
  categories: ['bouquets'],
  tags: ['gift'],
  images: [{ url: '/media/red-roses.jpg', alt: 'A bouquet of red roses', width: 1200, height: 900 }],
  options: [{ name: 'Size', values: ['12'] }],
  skus: [{ code: 'ROSE-12', options: { Size: '12' }, price: 3500, compareAtPrice: null, weightGrams: 900 }],
}

const product: AdminProduct = {
  id: sampleId('product'),
  version: 4,
  status: 'published',
  product: entry,
  skus: [{ id: sampleId('sku'), code: 'ROSE-12', priorPrice: null, ...stock }],
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt,
  archivedAt: null,
}

const summary: AdminProductSummary = {
  id: product.id,
  slug: entry.slug,
  name: entry.name,
  brand: 'Rosenhof',
  status: 'published',
  picture: '/media/red-roses.jpg',
  categories: ['bouquets'],
  tags: ['gift'],
  priceMin: 3500,
  priceMax: 3500,
  skuCount: 1,
  ...stock,
  version: 4,
  updatedAt,
}

const sku: AdminSku = {
  id: sampleId('sku'),
  productId: product.id,
  productName: entry.name,
  code: 'ROSE-12',
  name: '12',
  price: 3500,
  compareAtPrice: null,
  priorPrice: null,
  picture: '/media/red-roses.jpg',
  ...stock,
  available: 38,
}

const priceChange: AdminSubjectChange = {
  kind: 'change',
  subject: { type: 'sku', id: sampleId('sku'), name: 'ROSE-12' },
  members: [{ member: 'price', from: 3500, to: 3675 }],
}

const done = { outcome: 'done' as const, code: null, message: null, changes: [priceChange] }

const category: AdminCategory = {
  id: sampleId('category'),
  version: 2,
  category: { slug: 'bouquets', name: 'Bouquets', description: '', parent: null, position: 1, image: null },
  parentId: null,
  path: ['bouquets'],
  productCount: 12,
  updatedAt,
}

const promotion: AdminPromotion = {
  id: sampleId('promotion'),
  version: 1,
  status: 'active',
  used: 17,
  promotion: {
    code: 'WELCOME10',
    name: 'Welcome',
    type: 'percentage',
    percentage: 1_000,
    usageLimit: 50,
    disabled: false,
  },
}

const meta = { count: 1, next: null }
const productPath = { productId: product.id }
const categoryPath = { categoryId: category.id }
const promotionPath = { promotionId: promotion.id }

export const catalogExamples: AdminExamples<typeof catalogOperationRows> = {
  listAdminProducts: { path: {}, query: { stock: 'low' }, body: undefined, reply: { data: [summary], meta } },
  getAdminProduct: { path: productPath, body: undefined, reply: { data: product } },
  createAdminProduct: {
    path: {},
    body: { idempotencyKey, product: entry },
    reply: { data: { ...product, version: 1 }, changes: [] },
  },
  replaceAdminProduct: {
    path: productPath,
    body: { idempotencyKey, expectedVersion: 3, product: entry },
    reply: { data: product, changes: [priceChange] },
  },
  updateAdminProducts: {
    path: {},
    body: { idempotencyKey, productIds: [product.id], change: { pricePercentage: 500 }, dryRun: true },
    reply: { data: [{ id: product.id, ...done }], meta: { done: 1, unchanged: 0, refused: 0, dryRun: true } },
  },
  listAdminSkus: { path: {}, query: { stock: 'low', sort: 'stock' }, body: undefined, reply: { data: [sku], meta } },
  listAdminStockMovements: {
    path: { skuId: sku.id },
    body: undefined,
    reply: {
      data: [
        {
          id: 'mov_01k5x8t0fme4p9w2r7s3h6v101',
          kind: 'set',
          delta: 12,
          reason: 'Delivery',
          orderId: null,
          actor: { kind: 'key', id: sampleId('credential') },
          at: updatedAt,
        },
      ],
      meta,
    },
  },
  updateAdminSkus: {
    path: {},
    body: {
      idempotencyKey,
      rows: [{ skuId: sku.id, price: 3675, onHand: 52, expectedOnHand: 40, reason: 'Delivery' }],
    },
    reply: { data: [{ id: sku.id, ...done }], meta: { done: 1, unchanged: 0, refused: 0, dryRun: false } },
  },
  listAdminBrands: { path: {}, body: undefined, reply: { data: [{ name: 'Rosenhof', products: 12 }], meta } },
  listAdminCategories: { path: {}, body: undefined, reply: { data: [category], meta } },
  createAdminCategory: {
    path: {},
    body: { idempotencyKey, category: { slug: 'bouquets', name: 'Bouquets' } },
    reply: { data: { ...category, version: 1, productCount: 0 } },
  },
  replaceAdminCategory: {
    path: categoryPath,
    body: { idempotencyKey, expectedVersion: 1, category: { slug: 'bouquets', name: 'Bouquets', position: 1 } },
    reply: { data: category },
  },
  removeAdminCategory: {
    path: categoryPath,
    body: { idempotencyKey, expectedVersion: 2 },
    reply: { data: { id: category.id, removed: true } },
  },
  listAdminPromotions: { path: {}, query: { status: 'active' }, body: undefined, reply: { data: [promotion], meta } },
  getAdminPromotion: { path: promotionPath, body: undefined, reply: { data: promotion } },
  createAdminPromotion: {
    path: {},
    body: { idempotencyKey, promotion: promotion.promotion },
    reply: { data: { ...promotion, used: 0 } },
  },
  replaceAdminPromotion: {
    path: promotionPath,
    body: { idempotencyKey, expectedVersion: 1, promotion: { ...promotion.promotion, disabled: true } },
    reply: { data: { ...promotion, version: 2, status: 'disabled' } },
  },
}
