import type { ProductSummary } from '@cartwright/client'
import Link from 'next/link'
import { priceOf, stockWords } from '../../lib/words'
import { Picture } from './picture'

export function Cards({ products }: { products: readonly ProductSummary[] }) {
  return (
    <ul className="cards">
      {products.map((product) => (
        <li key={product.id}>
          <Link className="card" href={`/products/${product.slug}`}>
            <Picture src={product.imageUrl} alt="" />
            <span className="card-name">{product.name}</span>
            <span className="card-price">{priceOf(product)}</span>
            {product.availability !== 'in_stock' && <span className="badge">{stockWords[product.availability]}</span>}
          </Link>
        </li>
      ))}
    </ul>
  )
}
