import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { codingFor, createCompress } from './compress.ts'
import type { Outgoing } from './message.ts'

const long = 'a line of text\n'.repeat(200)
const html = { 'content-type': 'text/html; charset=utf-8' }

function answer(body: string | Buffer, headers: Record<string, string> = html): Outgoing {
  return { status: 200, body, headers, compress: 'fast' }
}

describe('compressed responses', () => {
  test('use the best encoding that the client accepts', () => {
    const rows: [accepted: string | undefined, coding: string | undefined][] = [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate, zstd', 'zstd'],
      ['gzip, deflate', 'gzip'],
      ['X-GZIP', 'gzip'],
      ['br;q=0.5, gzip', 'gzip'],
      ['gzip;q=0.0, br', 'br'],
      ['br;q=0, *', 'zstd'],
      ['*', 'br'],
      ['identity, *;q=0', undefined],
      ['gzip;q=0', undefined],
      ['gzip;q=much', undefined],
      ['deflate', undefined],
      ['', undefined],
      [undefined, undefined],
    ]
    for (const [accepted, coding] of rows) assert.equal(codingFor(accepted), coding, accepted)
  })

  test('are decompressed to the original with every encoding and effort, and have a weak ETag', async () => {
    const compress = createCompress()
    const readers = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
    for (const [coding, read] of Object.entries(readers))
      for (const effort of ['once', 'fast', 'well'] as const) {
        const sent = await compress(
          { ...answer(long, { ...html, etag: '"x"', vary: 'accept-language' }), compress: effort },
          coding,
        )
        assert.equal(read(sent.body as Buffer).toString(), long)
        const { 'content-encoding': said, vary, etag } = sent.headers
        assert.deepEqual([said, vary, etag], [coding, 'accept-language, accept-encoding', 'W/"x"'])
      }
  })

  test('are not used for short, very large, binary or failed responses, or if the response does not ask for compression', async () => {
    const compress = createCompress()
    const codingOf = async (outgoing: Outgoing) => (await compress(outgoing, 'br')).headers['content-encoding']
    assert.equal(await codingOf(answer('short')), undefined)
    assert.equal(await codingOf(answer(Buffer.alloc(5_000_000, 97))), undefined)
    assert.equal(await codingOf(answer(long, { 'content-type': 'image/png' })), undefined)
    assert.equal(await codingOf({ ...answer(long), status: 404 }), undefined)
    assert.equal(await codingOf({ status: 200, body: long, headers: html }), undefined)
    assert.equal((await compress(answer('short'), 'br')).headers.vary, 'accept-encoding')
    assert.equal((await compress({ status: 200, body: long, headers: html }, 'br')).headers.vary, undefined)
  })

  test('are not used for all of many concurrent responses, and no response is lost', async () => {
    const compress = createCompress()
    const sent = await Promise.all(Array.from({ length: 40 }, (_, at) => compress(answer(`${at} ${long}`), 'gzip')))
    const plain = sent.filter(({ headers }) => headers['content-encoding'] === undefined)
    assert.equal(plain.length, 8)
    const texts = sent.map(({ body }) => (typeof body === 'string' ? body : gunzipSync(body).toString()))
    assert.deepEqual(
      texts,
      Array.from({ length: 40 }, (_, at) => `${at} ${long}`),
    )
    // The compressed body is cached, so the same buffer is sent again.
    assert.equal((await compress(answer(`0 ${long}`), 'gzip')).body, sent[0]?.body)
  })
  test('are cached unless the response is sent only once', async () => {
    const compress = createCompress()
    const sent = async (effort: 'once' | 'fast') => (await compress({ ...answer(long), compress: effort }, 'gzip')).body
    assert.notEqual(await sent('once'), await sent('once'))
    assert.equal(await sent('fast'), await sent('fast'))
  })
})
