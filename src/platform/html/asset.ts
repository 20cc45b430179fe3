// What is rendered once and served to many: a body with its ETag, plain or compressed, answered whole or by a 304.

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { hasCurrent } from '../http/conditional.ts'
import type { HtmlPage, PageAnswer } from '../http/pages.ts'

export interface Asset {
  body: Buffer
  // Made at the first request that accepts it. Assets hold no secret, so compressing them leaks nothing.
  zipped?: Buffer
  // In the address of an asset, so it can be cached for ever.
  hash: string
  headers: Readonly<Record<string, string>>
}

export function makeAsset(content: string | Buffer, headers: Readonly<Record<string, string>>): Asset {
  const body = Buffer.from(content)
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return { body, hash, headers: { 'cache-control': 'no-cache', vary: 'accept-encoding', ...headers } }
}

// Below this size even the plain body fits into one packet.
const zipBytesMin = 1_200

export function answerAsset(asset: Asset, { raw }: Parameters<HtmlPage['answer']>[0]): PageAnswer {
  const isZipped = asset.body.length >= zipBytesMin && accepts(raw.headers['accept-encoding'])
  const etag = isZipped ? `"${asset.hash}-gzip"` : `"${asset.hash}"`
  const headers = {
    ...asset.headers,
    etag,
    // The address has the hash of this content, so it never changes.
    ...(queryOf(raw.url) === `v=${asset.hash}` && { 'cache-control': 'public, max-age=31536000, immutable' }),
  }
  if (hasCurrent(raw, `"${asset.hash}"`, `"${asset.hash}-gzip"`)) return { status: 304, body: '', headers }
  if (!isZipped) return { status: 200, body: asset.body, headers }
  asset.zipped ??= gzipSync(asset.body, { level: 9 })
  return { status: 200, body: asset.zipped, headers: { ...headers, 'content-encoding': 'gzip' } }
}

// `gzip` or `*`, unless its weight is 0.
function accepts(acceptEncoding: string | string[] | undefined): boolean {
  const codings = String(acceptEncoding ?? '').split(',')
  return codings.some((coding) => /^\s*(?:x-)?(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding))
}

function queryOf(url = ''): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}
