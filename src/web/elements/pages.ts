// The script at /elements.js, which shows products of a shop on pages of other sites. The page sets its API key in the script's attribute
// `data-key`.

import { serveScript } from '../../platform/html/files.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'

export function elementsPage(): HtmlPage {
  const file = new URL('browser/elements.ts', import.meta.url)
  const { page } = serveScript({ path: '/elements.js', name: 'elements', file })
  return {
    ...page,
    async answer(request) {
      const answer = await page.answer(request)
      return { ...answer, headers: { ...answer.headers, ...forOtherSites } }
    },
  }
}

// Pages link to the script without a hash, so it is cached for an hour only.
const forOtherSites = {
  'cache-control': 'public, max-age=3600',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}
