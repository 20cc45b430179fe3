import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { listCategories, shop } from '../../../lib/shop'
import { Cards } from '../../components/cards'

interface Props {
  params: Promise<{ slug: string }>
}

async function find(slug: string) {
  return (await listCategories()).find((category) => category.slug === slug) ?? notFound()
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name, description } = await find((await params).slug)
  return { title: name, description, alternates: { canonical: `/categories/${(await params).slug}` } }
}

export default async function CategoryPage({ params }: Props) {
  const category = await find((await params).slug)
  const [all, { data: products }] = await Promise.all([
    listCategories(),
    shop.catalog.search({ category: category.slug, limit: 48 }),
  ])
  return (
    <>
      <h1>{category.name}</h1>
      <p className="lead">{category.description}</p>
      <ul className="chips">
        {all
          .filter(({ parentId }) => parentId === category.id)
          .map(({ slug, name }) => (
            <li key={slug}>
              <Link href={`/categories/${slug}`}>{name}</Link>
            </li>
          ))}
      </ul>
      <Cards products={products} />
    </>
  )
}
