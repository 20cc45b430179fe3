// Redirects links to checkouts and orders of a merchant that moved to another cell.

import { findMovedOrigin } from '../../platform/access/moved.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { redirectCheckout } from './frame.ts'

export function followMoves(storage: Storage, pages: readonly HtmlPage[]): HtmlPage[] {
  return pages.map((page) => ({
    ...page,
    async answer(request) {
      const answer = await page.answer(request)
      const { secret } = request.path
      if (answer.status !== 404 || secret === undefined || !isPageSecret(secret)) return answer
      const kind = page.path.startsWith('/o/') ? 'order' : 'checkout'
      const origin = await storage.read((db) => findMovedOrigin(db, kind, pageSecretHash(secret)))
      if (origin === undefined) return answer
      // A post is not repeated at the new URL: the page there shows the current state.
      const path = request.raw.method === 'POST' ? `/${kind === 'order' ? 'o' : 'c'}/${secret}` : request.raw.url
      return redirectCheckout(`${origin}${path}`)
    },
  }))
}
