import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { answerAsset, makeAsset } from './asset.ts'

// The members of a request that assets use.
function ask(headers: Record<string, string> = {}, url = '/site/style.css') {
  return {
    raw: { headers, url } as unknown as IncomingMessage,
    path: {},
    address: '127.0.0.1',
    receive: <Body>(read: () => Promise<Body>) => read(),
  }
}

const long = 'a line of text\n'.repeat(200)

describe('responses with assets', () => {
  test('200 has the whole body with its type and ETag', () => {
    const asset = makeAsset(long, { 'content-type': 'text/css' })
    const { status, body, headers } = answerAsset(asset, ask())
    assert.deepEqual(
      [status, String(body), headers['content-type'], headers.etag],
      [200, long, 'text/css', `"${asset.hash}"`],
    )
    assert.equal(headers['cache-control'], 'no-cache')
  })

  test('304 for every form of the right ETag, and for no other', () => {
    const asset = makeAsset(long, { 'content-type': 'text/css' })
    const status = (tag: string) => answerAsset(asset, ask({ 'if-none-match': tag })).status
    assert.equal(status(`"${asset.hash}"`), 304)
    assert.equal(status(`W/"${asset.hash}"`), 304)
    assert.equal(status(`"other", W/"${asset.hash}"`), 304)
    assert.equal(status('*'), 304)
    assert.equal(status(asset.hash), 200)
    assert.equal(status('"other"'), 200)
    assert.equal(answerAsset(asset, ask({ 'if-none-match': '*' })).body, '')
  })

  test('only a URL with the hash of the content is cached permanently', () => {
    const asset = makeAsset(long, {})
    const cache = (query: string) => answerAsset(asset, ask({}, `/site/style.css${query}`)).headers['cache-control']
    assert.match(cache(`?v=${asset.hash}`) ?? '', /immutable/)
    assert.equal(cache('?v=older'), 'no-cache')
    assert.equal(cache(''), 'no-cache')
  })
})
