// The script at /elements.js that shows products of a shop on pages of other sites. Such a page sets its key in `data-key` of the script.

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

// Pages refer to the script without its hash, so changes reach them within the hour.
const forOtherSites = {
  'cache-control': 'public, max-age=3600',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}
