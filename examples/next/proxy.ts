// Asks the shop what is at a path before a page is rendered: an old path leads on, and what is nowhere gets `not-found.tsx` with 404. In a
// page, `notFound()` would be drawn by the browser only, so without script the page would be empty.

import { type NextRequest, NextResponse } from 'next/server'
import { shop } from './lib/shop'

// Not home, cart, search and the page after the checkout, which are always there, and not what no page matches.
export const config = { matcher: '/((?!_next/|cart$|search$|thanks$|nothing/here$|$).*)' }

const nowhere = '/nothing/here'

export async function proxy({ nextUrl }: NextRequest): Promise<NextResponse> {
  const { data: found } = await shop.site.resolve({ path: nextUrl.pathname })
  if (found.kind === 'moved' && found.path?.startsWith('/')) {
    const target = new URL(nextUrl.origin + found.path)
    if (target.search === '') target.search = nextUrl.search
    return NextResponse.redirect(target, 308)
  }
  const isThere = found.kind === 'product' || found.kind === 'category' || found.kind === 'page'
  return isThere ? NextResponse.next() : NextResponse.rewrite(new URL(nowhere, nextUrl))
}
