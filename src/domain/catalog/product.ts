// A product in normal form: every member is present. A change compares two products in this form, and the responses are rendered from it.

import type { Mode, SoldOutRule, TextLanguage, WithdrawalExemption } from '../../contract/words.ts'
import type { SkuMeasure } from '../../platform/kit/unitprice.ts'

export interface ProductRecord {
  slug: string
  name: string
  brand: string | null
  // The slug of the product's maker.
  maker: string | null
  warnings: readonly WarningRecord[]
  withdrawalExempt: WithdrawalExemption | null
  // Digital content that is supplied immediately.
  digital: boolean
  // The producer's guarantee of durability.
  guarantee: { years: number; url: string | null } | null
  summary: string
  // Title and description for search engines. Null: the name and the summary are used.
  seoTitle: string | null
  seoDescription: string | null
  description: string
  // Sanitized (`safehtml.ts`); null if there is only the plain text.
  descriptionHtml: string | null
  categories: readonly string[]
  tags: readonly string[]
  images: readonly ImageRecord[]
  options: readonly { name: string; values: readonly string[] }[]
  metadata: Readonly<Record<string, string>>
  publishedAt: number | null
  skus: readonly SkuRecord[]
}

export interface WarningRecord {
  language: TextLanguage | null
  text: string
}

export interface ImageRecord {
  url: string
  alt: string
  width: number | null
  height: number | null
}

export interface SkuRecord {
  code: string
  name: string
  options: readonly { name: string; value: string }[]
  price: number
  compareAtPrice: number | null
  whenSoldOut: SoldOutRule
  maxPerOrder: number
  delivery: 'shipped' | 'digital'
  weightGrams: number | null
  measure: SkuMeasure | null
  taxClass: string
  image: string | null
  barcode: string | null
}

// A stored product: the record with ids and instants.
export interface ProductRow extends ProductRecord {
  id: string
  createdAt: number
  updatedAt: number
  // When the product was taken off sale for good. An archived product is not published.
  archivedAt: number | null
  // Incremented by every change.
  version: number
  skus: readonly SkuRow[]
}

export interface SkuRow extends SkuRecord {
  id: string
  // The lowest price of the 30 days before the announced reduction; null: no prior price may be shown.
  priorPrice: number | null
  stock: Readonly<Record<Mode, StockLevel>>
}

export interface StockLevel {
  onHand: number
  // Units that are held.
  held: number
}

// A product that shoppers can see.
export type PublishedProduct = ProductRow & { publishedAt: number }

export interface SellerFacts {
  id: string
  slug: string
  name: string
  currency: string
  lowStockAt: number
}
