// What is rendered once and given to many: a body with its ETag, plain or compressed, answered whole or by a 304.

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { hasCurrent } from '../http/conditional.ts'
import type { HtmlPage, PageAnswer } from '../http/pages.ts'

export interface Asset {
  body: Buffer
  // Made at the first request that asks for it. Nothing in it holds a secret, so compressing it tells nothing.
  zipped?: Buffer
  // Stands in the address of an asset, so that the asset may be cached for good.
  hash: string
  headers: Readonly<Record<string, string>>
}

export function makeAsset(content: string | Buffer, headers: Readonly<Record<string, string>>): Asset {
  const body = Buffer.from(content)
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return { body, hash, headers: { 'cache-control': 'no-cache', vary: 'accept-encoding', ...headers } }
}

// Below this size a packet holds the plain body as well.
const zipBytesMin = 1_200

export function answerAsset(asset: Asset, { raw }: Parameters<HtmlPage['answer']>[0]): PageAnswer {
  const isZipped = asset.body.length >= zipBytesMin && accepts(raw.headers['accept-encoding'])
  const etag = isZipped ? `"${asset.hash}-gzip"` : `"${asset.hash}"`
  const headers = {
    ...asset.headers,
    etag,
    // The hash in the address is of this very content: whoever has it need never ask again.
    ...(queryOf(raw.url) === `v=${asset.hash}` && { 'cache-control': 'public, max-age=31536000, immutable' }),
  }
  if (hasCurrent(raw, `"${asset.hash}"`, `"${asset.hash}-gzip"`)) return { status: 304, body: '', headers }
  if (!isZipped) return { status: 200, body: asset.body, headers }
  asset.zipped ??= gzipSync(asset.body, { level: 9 })
  return { status: 200, body: asset.zipped, headers: { ...headers, 'content-encoding': 'gzip' } }
}

// `gzip` or `*`, unless its weight is nought.
function accepts(acceptEncoding: string | string[] | undefined): boolean {
  const codings = String(acceptEncoding ?? '').split(',')
  return codings.some((coding) => /^\s*(?:x-)?(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding))
}

function queryOf(url = ''): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}
