// The pictures of the demo shop: SVG files of one folder, and nothing else of it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HtmlPage } from '../http/pages.ts'
import { refuse } from '../kit/refuse.ts'
import { type Asset, answerAsset, makeAsset } from '../pages/asset.ts'

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*\.svg$/

export function mediaPage(folder: string): HtmlPage {
  // The folder ships with the code and does not change while the server runs. A name is looked up in its listing, never
  // joined to a path unseen, so there is no way out of it.
  const kept = new Map<string, Asset | undefined>(
    readdirSync(folder)
      .filter((name) => namePattern.test(name))
      .map((name) => [name, undefined]),
  )
  return {
    path: '/media/demo/:file',
    name: 'media',
    async answer(request) {
      const name = request.path.file ?? ''
      if (!kept.has(name)) throw refuse('route_not_found')
      const picture = kept.get(name) ?? makeAsset(readFileSync(join(folder, name)), pictureHeaders)
      kept.set(name, picture)
      return answerAsset(picture, request)
    },
  }
}

// An SVG that is opened by itself is a document: it may style itself and do nothing else.
const pictureHeaders: Readonly<Record<string, string>> = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=86400, stale-while-revalidate=604800',
  // Shops on other origins show these pictures.
  'cross-origin-resource-policy': 'cross-origin',
}
