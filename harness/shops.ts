// Two small shops for tests: the caller's, and another whose data must stay invisible.

import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

export const bloom: ShopFile = {
  merchant: { slug: 'bloom', name: 'Bloom', currency: 'EUR', country: 'DE', lowStockAt: 5 },
  categories: [
    { slug: 'bouquets', name: 'Bouquets', position: 1 },
    { slug: 'roses', name: 'Roses', parent: 'bouquets', position: 2 },
    { slug: 'vases', name: 'Vases', position: 3 },
  ],
  products: [
    {
      slug: 'red-roses',
      name: 'Red roses',
      summary: 'A dozen or two.',
      description: 'Cut in the morning.\n\nLast a week.',
      categories: ['roses'],
      tags: ['gift'],
      images: [{ url: '/media/demo/red-roses.svg', alt: 'Red roses', width: 1200, height: 1200 }],
      options: [{ name: 'Stems', values: ['12', '24'] }],
      metadata: { supplier: 'north' },
      publishedAt: '2026-03-01T00:00:00.000Z',
      skus: [
        { code: 'ROSE-12', options: { Stems: '12' }, price: 3500, stock: 40, maxPerOrder: 10, weightGrams: 900 },
        { code: 'ROSE-24', options: { Stems: '24' }, price: 5900, compareAtPrice: 6500, stock: 3, weightGrams: 1700 },
      ],
    },
    {
      slug: 'glass-vase',
      name: 'Glass vase',
      categories: ['vases'],
      publishedAt: '2026-02-01T00:00:00.000Z',
      skus: [{ code: 'VASE-1', price: 1999, stock: 0 }],
    },
    {
      slug: 'peonies',
      name: 'Peonies',
      categories: ['bouquets'],
      publishedAt: '2026-01-01T00:00:00.000Z',
      skus: [{ code: 'PEONY', price: 2900, stock: 0, backorder: true }],
    },
    {
      slug: 'secret-tulips',
      name: 'Secret tulips',
      published: false,
      skus: [{ code: 'TULIP', price: 1500, stock: 9 }],
    },
  ],
  taxes: [{ country: 'DE', rate: 1900 }],
  shipping: [{ zone: 'home', countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490 }] }],
  installations: [{ name: 'Storefront', mode: 'test', redirectHosts: ['localhost'] }],
}

export const rival: ShopFile = {
  merchant: { slug: 'rival', name: 'Rival', currency: 'JPY', country: 'JP' },
  products: [
    {
      slug: 'rival-only',
      name: 'Only here',
      publishedAt: '2026-01-01T00:00:00.000Z',
      skus: [{ code: 'ROSE-12', price: 4000, stock: 5 }],
    },
  ],
  installations: [{ name: 'Storefront', mode: 'test' }],
}
