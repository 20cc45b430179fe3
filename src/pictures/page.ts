// Pictures as the shop shows them, under addresses whose content never changes.

import type { HtmlPage } from '../http/pages.ts'
import { refuse } from '../kit/refuse.ts'
import type { Storage } from '../storage/storage.ts'
import type { PictureFiles } from './files.ts'
import { pictureMedia } from './format.ts'
import { kindOfEnding } from './name.ts'
import { findContent } from './store.ts'

const merchantPattern = /^mer_[0-9a-z]{1,40}$/
const filePattern = /^([0-9a-f]{32})-[0-9]{1,4}\.([a-z]{3,4})$/

export function picturePage(storage: Storage, files: PictureFiles): HtmlPage {
  return {
    path: '/media/:merchant/:file',
    name: 'picture',
    async answer({ path: { merchant = '', file = '' } }) {
      const [, hash = '', ending = ''] = filePattern.exec(file) ?? []
      const kind = kindOfEnding.get(ending)
      // Nothing that is not a name of ours becomes part of a path.
      if (!kind || !merchantPattern.test(merchant)) throw refuse('route_not_found')
      const found = await storage.read((db) => findContent(db, merchant, hash))
      const bytes = found && (found.content ?? (await files.get(`${merchant}/${file}`)))
      if (!bytes) throw refuse('route_not_found')
      return { status: 200, body: bytes, headers: { ...headers, 'content-type': pictureMedia[kind] } }
    },
  }
}

const headers: Readonly<Record<string, string>> = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  // Shops on other origins show these pictures.
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}
