import type { Product, Sku } from '@cartwright/client'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { findProduct, foundOrNull, shop } from '../../../lib/shop'
import { money, sentenceFor, stockWords } from '../../../lib/words'
import { addItem } from '../../cart/actions'
import { Cards } from '../../components/cards'
import { Once } from '../../components/once'
import { Picture } from '../../components/picture'

interface Props {
  params: Promise<{ slug: string }>
  searchParams: Promise<{ sku?: string; say?: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params
  const product = (await findProduct(slug)) ?? notFound()
  const images = product.imageUrl === null ? [] : [product.imageUrl]
  return {
    title: product.name,
    description: product.summary,
    alternates: { canonical: `/products/${slug}` },
    openGraph: { title: product.name, description: product.summary, images },
  }
}

export default async function ProductPage({ params, searchParams }: Props) {
  const { slug } = await params
  const { sku: code, say } = await searchParams
  const [product, alike] = await Promise.all([findProduct(slug), foundOrNull(shop.catalog.related(slug, { limit: 4 }))])
  if (!product) notFound()
  const chosen = chosenSku(product.skus, code)
  if (!chosen) notFound()
  const isSoldOut = chosen.availability === 'out_of_stock'
  const said = sentenceFor(say)
  return (
    <>
      <article className="product">
        <Picture src={chosen.imageUrl ?? product.imageUrl} alt={product.imageAlt ?? product.name} isFirst />
        <div>
          <h1>{product.name}</h1>
          <p className="lead">{product.summary}</p>
          {said !== null && (
            <p className="notice" role="status">
              {said}
            </p>
          )}
          <p className="price">{money(chosen.price.amount, chosen.price.currency)}</p>
          <Choices product={product} chosen={chosen} />
          <p className="stock">{stockWords[chosen.availability]}</p>
          <form action={addItem} className="add">
            <Once />
            <input type="hidden" name="product" value={slug} />
            <input type="hidden" name="code" value={chosen.code} />
            <input type="hidden" name="sku" value={chosen.id} />
            <label>
              Quantity
              <input type="number" name="quantity" defaultValue={1} min={1} max={999} required />
            </label>
            <button disabled={isSoldOut}>{isSoldOut ? 'Sold out' : 'Add to cart'}</button>
          </form>
          <Description product={product} />
        </div>
      </article>
      {alike !== null && alike.length > 0 && (
        <section>
          <h2>You may also like</h2>
          <Cards products={alike} />
        </section>
      )}
    </>
  )
}

function chosenSku(skus: readonly Sku[], code: string | undefined): Sku | undefined {
  const named = skus.find((sku) => sku.code === code)
  return named ?? skus.find(({ availability }) => availability !== 'out_of_stock') ?? skus[0]
}

// Links to the SKU that differs in this value only, or else to the first that has it.
function Choices({ product: { slug, options, skus }, chosen }: { product: Product; chosen: Sku }) {
  const valueIn = (sku: Sku, name: string) => sku.options.find((option) => option.name === name)?.value
  return options.map(({ name, values }) => (
    <fieldset key={name} className="choice">
      <legend>{name}</legend>
      <ul className="chips">
        {values.map((value) => {
          const having = skus.filter((sku) => valueIn(sku, name) === value)
          const others = options.filter((option) => option.name !== name)
          const nearest = having.find((sku) =>
            others.every((option) => valueIn(sku, option.name) === valueIn(chosen, option.name)),
          )
          const sku = nearest ?? having[0]
          const isChosen = valueIn(chosen, name) === value
          return (
            sku && (
              <li key={value}>
                <Link
                  href={`/products/${slug}?sku=${encodeURIComponent(sku.code)}`}
                  scroll={false}
                  aria-current={isChosen ? 'true' : undefined}
                >
                  {value}
                </Link>
              </li>
            )
          )
        })}
      </ul>
    </fieldset>
  ))
}

// The server has made the formatted one safe.
function Description({ product: { description, descriptionHtml } }: { product: Product }) {
  if (descriptionHtml === undefined) return <p className="description">{description}</p>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server has made it safe.
  return <div className="description" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
}
