import { notFound } from 'next/navigation'
import { foundOrNull, shop } from '../../lib/shop'

// A page that the merchant wrote.
export default async function WrittenPage({ params }: { params: Promise<{ slug: string }> }) {
  const page = await foundOrNull(shop.site.page((await params).slug))
  if (!page) notFound()
  return (
    <article>
      <h1>{page.title}</h1>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server has made it safe. */}
      <div className="description" dangerouslySetInnerHTML={{ __html: page.bodyHtml }} />
    </article>
  )
}
