// The pictures of the demo shop: the SVG files of one folder.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Asset, answerAsset, makeAsset } from '../../platform/html/asset.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { refuse } from '../../platform/kit/refuse.ts'

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*\.svg$/

export function mediaPage(folder: string): HtmlPage {
  // The folder is released with the code and does not change while the server runs. A name must be in the listing before it becomes part
  // of a path, so no path leaves the folder.
  const pictures = new Map<string, Asset | undefined>(
    readdirSync(folder)
      .filter((name) => namePattern.test(name))
      .map((name) => [name, undefined]),
  )
  return {
    path: '/media/demo/:file',
    name: 'media',
    isOfShop: () => true,
    async answer(request) {
      const name = request.path.file ?? ''
      if (!pictures.has(name)) throw refuse('route_not_found')
      const picture = pictures.get(name) ?? makeAsset(readFileSync(join(folder, name)), pictureHeaders)
      pictures.set(name, picture)
      return answerAsset(picture, request)
    },
  }
}

// An SVG that is opened directly is a document. Its policy allows styles and nothing else.
const pictureHeaders: Readonly<Record<string, string>> = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cache-control': 'public, max-age=86400, stale-while-revalidate=604800',
  // Shops on other origins may embed these pictures.
  'cross-origin-resource-policy': 'cross-origin',
}
