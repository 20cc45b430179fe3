import { getSite, shop } from '../lib/shop'
import { Cards } from './components/cards'

export default async function Home() {
  const [{ merchant }, { data: products }] = await Promise.all([getSite(), shop.catalog.products()])
  return (
    <>
      <h1>{merchant.name}</h1>
      <Cards products={products} />
    </>
  )
}
