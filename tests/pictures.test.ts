// Uploading pictures: from the API to the shop, on both engines.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { pngOf } from '../harness/admin/pictures.ts'
import { openBucket } from '../harness/bucket.ts'
import { poison } from '../harness/poison.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { type Copier, createCopier } from '../src/domain/images/copier.ts'
import { copyPictures } from '../src/domain/images/copying.ts'
import { readImage } from '../src/domain/images/format.ts'
import { storeImages } from '../src/domain/images/storing.ts'
import { RowsFailed } from '../src/platform/jobs/rows.ts'
import { newId } from '../src/platform/kit/ids.ts'

const copier = createCopier()
const isThere = await copier.isAvailable()
after(() => copier.close())

const fixture = (name: string) => readFile(new URL(`fixtures/pictures/${name}`, import.meta.url))

eachEngine('uploaded pictures', (given) => {
  let testServer: TestServer
  let key: string
  before(async () => {
    testServer = await openTestServer(given)
    key = (await testServer.newKey(['admin:catalog'])).key
  })

  const upload = (content: Buffer | string, members: object = {}, credential = key) =>
    testServer.fetch('/api/v1/admin/pictures', {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: newId('req'), content: content.toString('base64'), ...members }),
    })
  const shown = async (url: string) => {
    const answer = await fetch(`${testServer.origin}${url}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const store = () => storeImages(testServer.storage, testServer.app.imageFiles, testServer.clock.now, 100)
  const waiting = async () =>
    (await testServer.storage.read((db) => db.sql`select hash from pictures where content is not null`)).length

  test('a photograph is shown immediately, without its GPS position, and is identical after it was moved to storage', async () => {
    const { data } = (await upload(await fixture('camera.jpg'))).body
    assert.deepEqual([data.width, data.height, data.sizes.length], [30, 20, 1])
    const early = await shown(data.url)
    assert.equal(early.status, 200)
    assert.ok(!early.bytes.includes('GPS') && early.bytes.includes('Exif'))
    await store()
    assert.equal(await waiting(), 0)
    assert.ok((await shown(data.url)).bytes.equals(early.bytes))
  })

  test('the same file uploaded again gives the same picture', async () => {
    const file = await fixture('lossless.webp')
    const [first, second] = await Promise.all([upload(file), upload(file)])
    assert.deepEqual(first.body, second.body)
  })

  test('the sizes of a picture are listed from the smallest, and the smallest that is wide enough is served', async () => {
    const large = (await upload(pngOf(1_600, 1_200))).body.data
    const { pictureId } = large
    const small = (await upload(pngOf(160, 120), { pictureId })).body.data
    assert.equal(small.pictureId, pictureId)
    assert.deepEqual(
      small.sizes.map(({ width }: { width: number }) => width),
      [160, 1_600],
    )
    for (const [width, size] of [
      [96, small.sizes[0]],
      [161, small.sizes[1]],
      [4_000, small.sizes[1]],
    ] as const) {
      const asked = await shown(`${large.url}?width=${width}`)
      assert.ok(asked.status === 200 && asked.bytes.equals((await shown(size.url)).bytes), String(width))
    }
    assert.ok((await shown(`${large.url}?width=0x1`)).bytes.equals((await shown(large.url)).bytes))
    for (let width = 1; width <= 6; width += 1) assert.equal((await upload(pngOf(width), { pictureId })).status, 200)
    assert.equal((await upload(pngOf(900), { pictureId })).body.error.code, 'picture_limit')
  })

  test('a picture of another merchant gets the same error as an unknown one', async () => {
    const { pictureId } = (await upload(pngOf())).body.data
    const foreign = await upload(pngOf(), { pictureId }, testServer.keys.rivalAdmin)
    const unknown = await upload(pngOf(), { pictureId: newId('pic') }, testServer.keys.rivalAdmin)
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'picture_not_found'])
    assert.equal(unknown.body.error.message, foreign.body.error.message)
  })

  test('an unusable picture is refused with the reason', async () => {
    const reason = async (content: Buffer) => {
      const { status, body } = await upload(content)
      assert.equal(status, 400)
      return body.error.issues.map(({ path, message }: { path: string; message: string }) => ({ path, message }))
    }
    const at = (message: string) => [{ path: '/content', message }]
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    assert.deepEqual(await reason(svg), at('must be a WebP, JPEG, PNG or AVIF file'))
    assert.deepEqual(await reason(pngOf(5_000)), at('must be at most 4096 pixels wide and 4096 pixels high'))
    assert.deepEqual(await reason(pngOf().subarray(0, -3)), at('must be a complete picture file'))
    assert.deepEqual(
      await reason(await fixture('camera.avif')),
      at('must not contain camera metadata, which cannot be removed from an AVIF file'),
    )
    const heavy = Buffer.concat([pngOf(), Buffer.alloc(1_048_577)])
    assert.equal((await upload(heavy)).status, 400)
  })

  test('copies are created and served in the requested format; until they exist the original is served', async (context) => {
    if (!isThere) return context.skip('sharp is not installed')
    const { data } = (await upload(await fixture('located.jpg'))).body
    const asked = `${data.url}?width=16&as=avif`
    const early = await fetch(`${testServer.origin}${asked}`)
    assert.deepEqual(
      [early.headers.get('content-type'), early.headers.get('cache-control')],
      ['image/jpeg', 'public, max-age=300, stale-while-revalidate=86400'],
    )
    assert.ok((await copyAll(copier)) > 0)
    assert.equal(await copyAll(copier), 0, 'once')
    for (const as of ['avif', 'webp']) {
      const answer = await fetch(`${testServer.origin}${data.url}?width=9&as=${as}`)
      assert.equal(answer.headers.get('content-type'), `image/${as}`)
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      const read = readImage(Buffer.from(await answer.arrayBuffer()))
      assert.ok(typeof read !== 'string')
      assert.deepEqual([read.kind, read.width, read.height], [as, 16, 24])
    }
    assert.equal((await fetch(`${testServer.origin}${data.url}`)).headers.get('content-type'), 'image/jpeg')
  })

  const copyAll = (by: Copier) =>
    copyPictures(
      { storage: testServer.storage, files: testServer.app.imageFiles, copier: by },
      testServer.clock.now,
      100,
    )
  const endOf = async (url: string) => {
    const hash = url.split('/').at(-1)?.slice(0, 32)
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ problem: string | null; isOver: boolean }>`
        select copy_problem as "problem", copied_at is not null as "isOver" from pictures where hash = ${hash ?? ''}`,
    )
    return { problem: row?.problem, isOver: Boolean(row?.isOver) }
  }
  const failing = (problem: 'too_slow' | 'unreadable'): Copier => ({
    isAvailable: async () => true,
    copiesOf: async () => problem,
    close() {},
  })

  test('a picture whose copies take too long is abandoned after three tries, and a broken one immediately', async () => {
    const { url } = (await upload(pngOf())).body.data
    for (const isOver of [false, false, true]) {
      await copyAll(failing('too_slow'))
      assert.deepEqual(await endOf(url), { problem: 'too_slow', isOver })
      assert.equal(await copyAll(failing('too_slow')), 0, 'not before a minute')
      testServer.clock.now += 61_000
    }
    const broken = (await upload(pngOf())).body.data.url
    await copyAll(failing('unreadable'))
    assert.deepEqual(await endOf(broken), { problem: 'unreadable', isOver: true })
    assert.equal((await shown(`${broken}?width=160&as=webp`)).status, 200)
  })

  test('a row that cannot be written is deferred, and the other pictures are processed', async () => {
    const [bad, good] = [(await upload(pngOf())).body.data.url, (await upload(pngOf())).body.data.url]
    const cure = await poison(testServer.storage, 'pictures', `old.hash = '${bad.split('/').at(-1).slice(0, 32)}'`)
    await assert.rejects(copyAll(failing('unreadable')), RowsFailed)
    assert.deepEqual(await endOf(good), { problem: 'unreadable', isOver: true })
    assert.equal(await copyAll(failing('unreadable')), 0, 'it is deferred')
    await cure()
    testServer.clock.now += 120_000
    assert.equal(await copyAll(failing('unreadable')), 1)
    assert.deepEqual(await endOf(bad), { problem: 'unreadable', isOver: true })
  })

  test('without the image library pictures stay queued and are served unchanged', async () => {
    const { url } = (await upload(pngOf())).body.data
    const none = { ...failing('unreadable'), isAvailable: async () => false }
    assert.equal(await copyAll(none), 0)
    assert.deepEqual(await endOf(url), { problem: null, isOver: false })
    assert.equal((await shown(`${url}?width=160&as=avif`)).status, 200)
    await copyAll(failing('unreadable'))
  })

  test('while the bucket fails, an uploaded picture is served, and it is moved to the bucket later', async () => {
    const clock = { now: testServer.clock.now }
    const bucket = await openBucket(() => clock.now)
    try {
      const media = { ...bucket, kind: 'bucket' } as const
      const second = await openTestServer(given, { media })
      const credential = (await second.newKey(['admin:catalog'])).key
      const answer = await second.fetch('/api/v1/admin/pictures', {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body: JSON.stringify({ idempotencyKey: 'k', content: pngOf().toString('base64') }),
      })
      const { url } = answer.body.data
      const round = () => storeImages(second.storage, second.app.imageFiles, second.clock.now, 100)
      bucket.failing = 503
      await assert.rejects(round(), RowsFailed)
      assert.equal((await second.fetch(url)).status, 200)
      bucket.failing = null
      assert.equal((await second.fetch(url)).status, 200)
      second.clock.now += 3_600_000
      clock.now = second.clock.now
      assert.deepEqual([await round(), await round()], [1, 0])
      assert.deepEqual([...bucket.files.keys()], [`/shop-media${url.slice('/media'.length)}`])
      assert.equal((await second.fetch(url)).status, 200)
    } finally {
      bucket.close()
    }
  })
})
