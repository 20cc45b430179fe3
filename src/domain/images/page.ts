// Pictures as the shop shows them. The content of an address without a query never changes; with a query, a better size may be sent later.

import type { HtmlPage, PageAnswer } from '../../platform/http/pages.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { CopyKind } from './copier.ts'
import type { ImageFiles } from './files.ts'
import { type ImageKind, imageMedia } from './format.ts'
import { copyName, imageKindByEnding, imageName } from './name.ts'
import { findContent, findCopy, findSize } from './store.ts'

const merchantPattern = /^mer_[0-9a-z]{1,40}$/
const filePattern = /^([0-9a-f]{32})-[0-9]{1,4}\.([a-z]{3,4})$/

// Reads a picture by its path, for use outside of a page. Returns undefined if the picture does not exist.
export async function readPictureFile(
  storage: Storage,
  files: ImageFiles,
  path: string,
): Promise<{ media: string; bytes: Buffer } | undefined> {
  const [, , merchant = '', file = ''] = path.split('/')
  const [, hash = '', ending = ''] = filePattern.exec(file) ?? []
  const kind = imageKindByEnding.get(ending)
  if (!kind || !merchantPattern.test(merchant)) return undefined
  const found = await storage.read((db) => findContent(db, merchant, hash))
  const bytes = found && (found.content ?? (await files.get(`${merchant}/${file}`)))
  return bytes ? { media: imageMedia[kind], bytes } : undefined
}

export function imagePage(storage: Storage, files: ImageFiles): HtmlPage {
  return {
    path: '/media/:merchant/:file',
    name: 'picture',
    isOfShop: ({ path: { merchant } }, merchantId) => merchant === merchantId,
    async answer({ path: { merchant = '', file = '' }, raw }) {
      const [, hash = '', ending = ''] = filePattern.exec(file) ?? []
      const kind = imageKindByEnding.get(ending)
      // Only well-formed names become part of a path.
      if (!kind || !merchantPattern.test(merchant)) throw refuse('route_not_found')
      const { wanted, as } = askedIn(raw.url)
      if (wanted !== undefined && as !== undefined) {
        const copy = await storage.read((db) => findCopy(db, { merchantId: merchant, hash, kind: as, width: wanted }))
        const bytes = copy && (await files.get(copyName(copy)))
        if (copy && bytes) return show(copy.kind, bytes, headers)
      }
      // A copy in the requested format may be made soon.
      const sent = as === undefined ? sizeHeaders : soonHeaders
      if (wanted !== undefined) {
        const size = await storage.read((db) => findSize(db, { merchantId: merchant, hash, width: wanted }))
        if (size) return show(size.kind, size.content ?? (await files.get(imageName(size))), sent)
      }
      const found = await storage.read((db) => findContent(db, merchant, hash))
      const bytes = found && (found.content ?? (await files.get(`${merchant}/${file}`)))
      return show(kind, bytes, as === undefined ? headers : soonHeaders)
    },
  }
}

function show(kind: ImageKind, body: Buffer | null | undefined, sent: Readonly<Record<string, string>>): PageAnswer {
  if (!body) throw refuse('route_not_found')
  return { status: 200, body, headers: { ...sent, 'content-type': imageMedia[kind] } }
}

// `?width=160`: the smallest size of the picture that is at least this wide, if there is one; `&as=avif`: the copy in this format that
// fits the width best, if there is one.
function askedIn(url = ''): { wanted?: number; as?: CopyKind } {
  const query = new URLSearchParams(url.split('?')[1])
  const [width, as] = [query.get('width') ?? '', query.get('as')]
  return {
    ...(/^[1-9]\d{0,3}$/.test(width) && { wanted: Number(width) }),
    ...((as === 'avif' || as === 'webp') && { as }),
  }
}

const headers: Readonly<Record<string, string>> = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  // Shops on other origins show these pictures.
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

// A better size may be uploaded later.
const sizeHeaders = { ...headers, 'cache-control': 'public, max-age=86400' }
const soonHeaders = { ...headers, 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' }
