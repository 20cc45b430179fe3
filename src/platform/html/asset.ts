// Content that is rendered once and served often, such as style sheets: a body with its ETag, answered completely or with a 304.

import { createHash } from 'node:crypto'
import { matchesIfNoneMatch } from '../http/conditional.ts'
import type { HtmlPage, PageAnswer } from '../http/pages.ts'

export interface Asset {
  body: Buffer
  // Part of the asset's URL, so the asset can be cached forever.
  hash: string
  headers: Readonly<Record<string, string>>
}

export function makeAsset(content: string | Buffer, headers: Readonly<Record<string, string>>): Asset {
  const body = Buffer.from(content)
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return { body, hash, headers: { 'cache-control': 'no-cache', ...headers } }
}

export function answerAsset(asset: Asset, { raw }: Parameters<HtmlPage['answer']>[0]): PageAnswer {
  const etag = `"${asset.hash}"`
  const headers = {
    ...asset.headers,
    etag,
    // The URL contains the hash of this content, so its content never changes.
    ...(queryOf(raw.url) === `v=${asset.hash}` && { 'cache-control': 'public, max-age=31536000, immutable' }),
  }
  // Assets contain no secret, so compressing them leaks nothing.
  if (matchesIfNoneMatch(raw, etag)) return { status: 304, body: '', headers, compress: 'well' }
  return { status: 200, body: asset.body, headers, compress: 'well' }
}

function queryOf(url = ''): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}
