import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { shop } from '../../lib/shop'
import { Cards } from '../components/cards'

export const metadata: Metadata = { title: 'Search', robots: { index: false } }

export default async function SearchPage({ searchParams }: { searchParams: Promise<{ q?: string | string[] }> }) {
  const q = [(await searchParams).q ?? ''].flat()[0]?.trim().slice(0, 200) ?? ''
  if (q === '') redirect('/')
  const { data: products, meta } = await shop.catalog.search({ q, limit: 48 })
  return (
    <>
      <h1>Results for “{q}”</h1>
      {meta.correctedTo !== null && (
        <p className="notice">
          Nothing has “{q}”. These are the results for “{meta.correctedTo}”.
        </p>
      )}
      {products.length === 0 && <p className="lead">There is nothing here that fits. Try fewer or other words.</p>}
      <Cards products={products} />
    </>
  )
}
