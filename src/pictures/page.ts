// Pictures as the shop shows them, under addresses whose content never changes.

import type { HtmlPage } from '../http/pages.ts'
import { refuse } from '../kit/refuse.ts'
import type { PictureFiles } from './files.ts'
import { type PictureKind, pictureMedia } from './format.ts'

const endings: Readonly<Record<PictureKind, string>> = { webp: 'webp', jpeg: 'jpg', png: 'png', avif: 'avif' }
const kindOfEnding = new Map(Object.entries(endings).map(([kind, ending]) => [ending, kind as PictureKind]))

export interface PictureName {
  merchantId: string
  hash: string
  width: number
  kind: PictureKind
}

// Of the file, and behind `/media/` its address.
export function pictureName({ merchantId, hash, width, kind }: PictureName): string {
  return `${merchantId}/${hash}-${width}.${endings[kind]}`
}

const merchantPattern = /^mer_[0-9a-z]{1,40}$/
const filePattern = /^[0-9a-f]{32}-[0-9]{1,4}\.([a-z]{3,4})$/

export function picturePage(files: PictureFiles): HtmlPage {
  return {
    path: '/media/:merchant/:file',
    name: 'picture',
    async answer({ path: { merchant = '', file = '' } }) {
      const kind = kindOfEnding.get(filePattern.exec(file)?.[1] ?? '')
      // Nothing that is not a name of ours becomes part of a path.
      const bytes = kind && merchantPattern.test(merchant) ? await files.get(`${merchant}/${file}`) : null
      if (!kind || !bytes) throw refuse('route_not_found')
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
