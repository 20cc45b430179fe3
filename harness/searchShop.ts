// A shop whose texts a search has to cope with: accents, several scripts, codes, options, a tree of categories.

import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { bloom } from './shops.ts'

type Product = NonNullable<ShopFile['products']>[number]

function product(slug: string, name: string, more: Partial<Product> = {}): Product {
  return { slug, name, skus: [{ code: slug.toUpperCase(), price: 1000, stock: 5 }], ...more }
}

export const pottery: ShopFile = {
  ...bloom,
  merchant: { slug: 'pottery', name: 'Pottery', currency: 'EUR', country: 'GB' },
  categories: [
    { slug: 'kitchen', name: 'Kitchen', position: 1 },
    { slug: 'cups', name: 'Drinkware', parent: 'kitchen', position: 2 },
    { slug: 'garden', name: 'Garden', position: 3 },
  ],
  products: [
    product('stone-mug', 'Speckled stoneware mug', {
      categories: ['cups'],
      tags: ['Gift'],
      description: 'Thrown by hand.',
      options: [
        { name: 'Colour', values: ['Plum', 'Oat'] },
        { name: 'Size', values: ['Small', 'Large'] },
      ],
      publishedAt: '2026-01-05T00:00:00.000Z',
      skus: [
        { code: 'MUG-STO-250', options: { Colour: 'Plum', Size: 'Small' }, price: 1800, stock: 4 },
        { code: 'MUG-STO-400', options: { Colour: 'Oat', Size: 'Large' }, price: 2400, stock: 0 },
      ],
    }),
    product('creme-bowl', 'Crème bowl', {
      categories: ['kitchen'],
      tags: ['gift', 'sale'],
      options: [{ name: 'Colour', values: ['Plum'] }],
      publishedAt: '2026-01-04T00:00:00.000Z',
      skus: [{ code: 'BOWL-1', options: { Colour: 'Plum' }, price: 3200, stock: 0 }],
    }),
    product('pitcher', 'Tall pitcher', {
      categories: ['cups'],
      description: 'Holds a litre. Looks well beside a stoneware mug.',
      publishedAt: '2026-01-03T00:00:00.000Z',
      skus: [{ code: 'PIT-1', price: 4500, stock: 9 }],
    }),
    product('berry-dish', 'Dish for berries', {
      categories: ['garden'],
      publishedAt: '2026-01-02T00:00:00.000Z',
      skus: [{ code: 'DISH-9', price: 900, stock: 2, barcode: '4006381333931' }],
    }),
    product('persian-cup', 'فنجان قهوه', { publishedAt: '2025-01-06T00:00:00.000Z' }),
    product('hebrew-jug', 'כַּד חרס', { publishedAt: '2025-01-05T00:00:00.000Z' }),
    product('chinese-teapot', '紫砂茶壶', { publishedAt: '2025-01-04T00:00:00.000Z' }),
    product('japanese-cup', '湯呑みカップ', { publishedAt: '2025-01-03T00:00:00.000Z' }),
    product('surprise', 'Surprise 🎁 box', { publishedAt: '2025-01-02T00:00:00.000Z' }),
    product('strasse', 'Straße print', { publishedAt: '2025-01-01T00:00:00.000Z' }),
  ],
}

// Three brands, one of them in two spellings. No text repeats them.
export const slopes: ShopFile = {
  ...pottery,
  products: [
    product('custom', 'Custom snowboard', { brand: 'Burton', categories: ['garden'] }),
    product('parka', 'Parka jacket', { brand: 'Burton', categories: ['kitchen'] }),
    product('shell', 'Shell jacket', { brand: 'BURTON', categories: ['kitchen'] }),
    product('fleece', 'Fleece jacket', { brand: 'Über Wool, Ltd.', categories: ['kitchen'] }),
    product('smock', 'Burnt orange smock', { categories: ['kitchen'] }),
    product('stand', 'Shelf with a jacket', { categories: ['garden'] }),
    product('about', 'Book about boards', { brand: 'Hill Press', description: 'The story of Burton.' }),
  ],
}

// One product for each place in which the word can stand, from the last in weight to the first in time.
export const weighted: ShopFile = {
  ...pottery,
  categories: [...(pottery.categories ?? []), { slug: 'lamps', name: 'Marble', position: 9 }],
  products: [
    product('in-description', 'A', { description: 'Of marble.', publishedAt: '2026-02-06T00:00:00.000Z' }),
    product('in-code', 'B', {
      publishedAt: '2026-02-05T00:00:00.000Z',
      skus: [{ code: 'X-MARBLE-1', price: 1, stock: 1 }],
    }),
    product('in-option', 'C', {
      options: [{ name: 'Stone', values: ['Marble'] }],
      publishedAt: '2026-02-04T00:00:00.000Z',
      skus: [{ code: 'C-1', options: { Stone: 'Marble' }, price: 1, stock: 1 }],
    }),
    product('in-category', 'D', { categories: ['lamps'], publishedAt: '2026-02-03T00:00:00.000Z' }),
    product('in-tag', 'E', { tags: ['marble'], publishedAt: '2026-02-02T00:00:00.000Z' }),
    product('in-brand', 'F', { brand: 'Marble & Son', publishedAt: '2026-02-01T12:00:00.000Z' }),
    product('in-name', 'Marble lamp', { publishedAt: '2026-02-01T00:00:00.000Z' }),
    product('stand', 'Stand for X-MARBLE-1', { publishedAt: '2026-01-01T00:00:00.000Z' }),
  ],
}
