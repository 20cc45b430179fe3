// Pictures on their way from the place where they are stored to a browser: a folder or a bucket, one behaviour.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Bucket, openBucket } from '../harness/bucket.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { type ImageFiles, openImageFiles } from '../src/domain/images/files.ts'
import { imageName } from '../src/domain/images/name.ts'
import type { MediaTarget } from '../src/platform/kit/mediaurl.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')
const clock = () => now

for (const kind of ['folder', 'bucket'] as const)
  describe(`pictures in a ${kind}`, () => {
    const given = givenEngine('sqlite')
    let folder: string
    let bucket: Bucket
    let files: ImageFiles
    let testServer: TestServer
    let name: string
    const bytes = Buffer.from([0, 1, 2, 255])
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
      bucket = await openBucket(clock)
      const { bucket: named, origin, region, accessKey, secretKey } = bucket
      const media: MediaTarget =
        kind === 'folder'
          ? { kind, folder: join(folder, 'media') }
          : { kind, bucket: named, origin, region, accessKey, secretKey }
      files = openImageFiles(media, clock)
      testServer = await openTestServer(given, { media, now })
      name = imageName({ merchantId: testServer.merchantId, hash: 'a'.repeat(32), width: 640, kind: 'webp' })
    })
    after(async () => {
      bucket.close()
      await rm(folder, { recursive: true })
    })

    test('a picture that the database lists is served and can be cached forever; a file that it does not list gets 404', async () => {
      await files.put(name, bytes, 'image/webp')
      await files.put(name, bytes, 'image/webp')
      assert.equal((await testServer.fetch(`/media/${name}`)).status, 404, 'a file alone is not a picture')
      await testServer.storage.write(
        (tx) => tx.sql`
          insert into pictures (merchant_id, hash, picture_id, kind, width, height, bytes, created_at)
          values (${testServer.merchantId}, ${'a'.repeat(32)}, 'pic_1', 'webp', 640, 480, 4, ${now})`,
      )
      const answer = await fetch(`${testServer.origin}/media/${name}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes)
      const header = (header: string) => answer.headers.get(header)
      assert.deepEqual(
        ['content-type', 'cache-control', 'x-content-type-options', 'cross-origin-resource-policy'].map(header),
        ['image/webp', 'public, max-age=31536000, immutable', 'nosniff', 'cross-origin'],
      )
      assert.match(header('content-security-policy') ?? '', /default-src 'none'/)
    })

    test('404 for a picture that was not stored, and for an invalid name', async () => {
      const hash = 'a'.repeat(32)
      for (const path of [
        `${testServer.merchantId}/${'b'.repeat(32)}-640.webp`,
        `${testServer.merchantId}/${hash}-640.svg`,
        `${testServer.merchantId}/${hash}-640.webp.x`,
        `${testServer.merchantId}/..%2F..%2Fpackage.json`,
        `..%2Fsrc/${hash}-640.webp`,
        `mer_/${hash}-640.webp`,
        `${testServer.merchantId}%2F${hash}/${hash}-640.webp`,
      ])
        assert.equal((await testServer.fetch(`/media/${path}`)).status, 404, path)
    })

    test('the pictures of the demo shop keep their addresses', async () => {
      assert.equal((await testServer.fetch('/media/demo/linen-tea-towel.svg')).status, 200)
    })
  })

describe('a folder of pictures', () => {
  test('contains only complete files, however many are written concurrently', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
    try {
      const files = openImageFiles({ kind: 'folder', folder }, clock)
      const large = Buffer.alloc(300_000, 7)
      await Promise.all(Array.from({ length: 8 }, () => files.put('mer_1/a.webp', large, 'image/webp')))
      assert.deepEqual(await readdir(join(folder, 'mer_1')), ['a.webp'])
      assert.ok((await readFile(join(folder, 'mer_1/a.webp'))).equals(large))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('a bucket that responds wrongly', () => {
  test('causes an error with a code for each kind of failure, and no error contains the secret', async () => {
    const bucket = await openBucket(clock)
    try {
      const code = (work: Promise<unknown>) =>
        work.then(
          () => 'no error',
          (error: Error & { code?: string }) => {
            assert.ok(!String(error).includes(bucket.secretKey))
            return error.code
          },
        )
      const wrong = openImageFiles({ ...bucket, kind: 'bucket', secretKey: 'another' }, clock)
      assert.equal(await code(wrong.put('mer_1/a.webp', Buffer.from('a'), 'image/webp')), 'BUCKET_KEY_REFUSED')
      assert.equal(await code(wrong.get('mer_1/a.webp')), 'BUCKET_KEY_REFUSED')
      const right = openImageFiles({ ...bucket, kind: 'bucket' }, clock)
      bucket.failing = 500
      assert.equal(await code(right.put('mer_1/a.webp', Buffer.from('a'), 'image/webp')), 'BUCKET_FAILED')
      assert.equal(bucket.files.size, 0)
      bucket.failing = null
      bucket.files.set('/shop-media/mer_1/large.webp', { bytes: Buffer.alloc(2_000_001), media: 'image/webp' })
      assert.equal(await code(right.get('mer_1/large.webp')), 'BUCKET_FILE_TOO_LARGE')
      bucket.hasLengths = false
      assert.equal(await code(right.get('mer_1/large.webp')), 'BUCKET_FILE_TOO_LARGE')
      bucket.files.set('/shop-media/mer_1/small.webp', { bytes: Buffer.from('abc'), media: 'image/webp' })
      assert.deepEqual(await right.get('mer_1/small.webp'), Buffer.from('abc'))
    } finally {
      bucket.close()
    }
  })
})
