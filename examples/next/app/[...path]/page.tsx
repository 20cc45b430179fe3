import { notFound, permanentRedirect } from 'next/navigation'
import { shop } from '../../lib/shop'

// What no other page answers: an old path leads on, and a page that the merchant wrote is shown.
export default async function OtherPage({ params }: { params: Promise<{ path: string[] }> }) {
  const { path } = await params
  const { data: found } = await shop.site.resolve({ path: `/${path.join('/')}` })
  if (found.kind === 'moved' && found.path?.startsWith('/')) permanentRedirect(found.path)
  if (found.kind !== 'page') notFound()
  const { data: page } = await shop.site.page(path.at(-1) ?? '')
  return (
    <article>
      <h1>{page.title}</h1>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server has made it safe. */}
      <div className="description" dangerouslySetInnerHTML={{ __html: page.bodyHtml }} />
    </article>
  )
}
