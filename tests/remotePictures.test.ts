// Pictures of imported products that are on another server: brought over, retried, given up, and never asked for where that is forbidden.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { pngOf } from '../harness/admin/pictures.ts'
import { confirmTransfer, runTransfers, sendFile, transferWith } from '../harness/admin/transfers.ts'
import { poison } from '../harness/poison.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { copyRemotePictures } from '../src/domain/catalog/remotepictures.ts'
import type { Copier } from '../src/domain/images/copier.ts'
import { createReadPicture, type ReadPicture } from '../src/domain/images/remote.ts'
import { guardedGet } from '../src/domain/webhooks/get.ts'
import { RowsFailed } from '../src/platform/jobs/rows.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const answers = new Map<string, Answer>()
const asked: string[] = []
const remote = createServer((request, response) => {
  const path = request.url ?? ''
  asked.push(path)
  const answer = answers.get(path)
  if (answer) answer(request, response)
  else response.writeHead(404).end()
})
let origin = ''
before(async () => {
  await new Promise<void>((done) => remote.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`
})
after(() => {
  remote.closeAllConnections()
  remote.close()
})

const shows = (bytes: Buffer): Answer => {
  return (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes)
}
const leadsTo = (location: string): Answer => {
  return (_, response) => response.writeHead(302, { location }).end()
}

eachEngine('pictures of imports', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given)
  })

  // The name of the old shop leads to the server of this test.
  const old = 'https://old-shop.example'
  const read: ReadPicture = (address) => createReadPicture(true)(address.replace(old, origin))
  const none: Copier = { isAvailable: async () => false, copiesOf: async () => 'unreadable', close() {} }
  const bring = (by = read, copier = none) => {
    const { storage, app, clock } = testServer
    return copyRemotePictures({ storage, files: app.imageFiles, copier, read: by }, clock.now, 50)
  }
  const bringFile = async (rows: readonly string[]) => {
    const text = ['Handle,Title,Variant SKU,Variant Price,Image Src,Variant Image', ...rows].join('\n')
    const id = await sendFile(testServer, 'products', `${text}\n`)
    await runTransfers(testServer)
    const plan = await transferWith(testServer, id)
    if (plan.state === 'ready' && plan.created + plan.changed > 0) {
      assert.equal((await confirmTransfer(testServer, id)).status, 200)
      await runTransfers(testServer)
    }
    return plan
  }
  const picturesOf = async (slug: string) => {
    const { data } = (await testServer.askAdmin('listAdminProducts', { query: `?q=${slug}` })).body
    const found = data.find((product: { slug: string }) => product.slug === slug)
    const { images, skus } = (await testServer.askAdmin('getAdminProduct', { path: { productId: found.id } })).body.data
      .product
    return [...images, ...skus.map(({ image }: { image: string | null }) => ({ url: image }))].map(({ url }) => url)
  }
  const progress = async () => (await testServer.askAdmin('getAdminRemotePictures')).body.data

  test('are downloaded once for all products that use them, and recognized by the next import', async () => {
    const [front, back] = [pngOf(), pngOf()]
    answers.set('/front.png', shows(front))
    answers.set('/back.png', leadsTo('/moved/back.png'))
    answers.set('/moved/back.png', shows(back))
    const file = [
      `old-bowl,Bowl,OB-1,12.00,${old}/front.png,${old}/back.png`,
      `old-bowl,,,,${old}/back.png,`,
      `old-plate,Plate,OP-1,9.00,${old}/front.png,`,
    ]
    await bringFile(file)
    assert.deepEqual(await picturesOf('old-plate'), [`${old}/front.png`, null])
    assert.equal((await progress()).waiting, 3)
    asked.length = 0
    while ((await bring()) > 0);
    const [first, second, ofSku] = await picturesOf('old-bowl')
    assert.match(first, /^\/media\/mer_\w+\/[0-9a-f]{32}-1\.png$/)
    assert.deepEqual([second === first, ofSku], [false, second])
    assert.deepEqual(await picturesOf('old-plate'), [first, null])
    const shown = await fetch(`${testServer.origin}${second}`)
    assert.deepEqual(Buffer.from(await shown.arrayBuffer()).subarray(0, 8), back.subarray(0, 8))
    assert.deepEqual(await progress(), { broughtOver: 3, waiting: 0, givenUp: 0, problems: [] })

    const again = await bringFile(file)
    assert.deepEqual([again.created, again.changed, again.unchanged], [0, 0, 2])
    assert.equal(await bring(), 0)
    const { data } = (await testServer.askAdmin('listAdminChanges', { query: '?operation=bring_pictures' })).body
    const said = data.map((entry: { actor: { kind: string } }) => [
      entry.actor.kind,
      /old-(?:bowl|plate)/.test(JSON.stringify(entry)),
    ])
    assert.deepEqual(said, Array(2).fill(['loop', true]))
  })

  test('are not downloaded while an import of the merchant is written', async () => {
    answers.set('/early.png', shows(pngOf()))
    await bringFile([`early-bowl,Bowl,EB-1,12.00,${old}/early.png,`])
    const id = await sendFile(
      testServer,
      'products',
      'Handle,Title,Variant SKU,Variant Price\nlate-bowl,Bowl,LB-1,12.00\n',
    )
    await runTransfers(testServer)
    await confirmTransfer(testServer, id)
    assert.equal((await transferWith(testServer, id)).state, 'writing')
    assert.deepEqual([await bring(), (await progress()).waiting], [0, 1])
    await runTransfers(testServer)
    assert.deepEqual([await bring(), (await progress()).waiting], [1, 0])
  })

  test('that cannot be downloaded keep their address, and are retried or abandoned with the reason', async () => {
    answers.set('/late.png', (_, response) => response.writeHead(503).end())
    answers.set('/text.png', shows(Buffer.from('<!doctype html><title>Please sign in</title>')))
    const kept = pngOf()
    answers.set('/kept.png', shows(kept))
    await bringFile([
      `sad-bowl,Bowl,SB-1,12.00,${old}/late.png,`,
      `sad-bowl,,,,${old}/text.png,`,
      `sad-bowl,,,,${old}/gone.png,`,
      `sad-bowl,,,,${old}/kept.png,`,
    ])
    while ((await bring()) > 0);
    const [late, text, gone, here] = await picturesOf('sad-bowl')
    assert.deepEqual([late, text, gone], [`${old}/late.png`, `${old}/text.png`, `${old}/gone.png`])
    assert.match(here, /^\/media\//)
    assert.equal(await bring(), 0, 'not before a minute')
    const now = testServer.clock.now
    for (const waitMs of [60_000, 600_000, 3_600_000, 21_600_000]) {
      testServer.clock.now += waitMs
      assert.equal(await bring(), 1)
      assert.equal(await bring(), 0)
    }
    testServer.clock.now = now
    const { waiting, givenUp, problems } = await progress()
    assert.deepEqual([waiting, givenUp], [0, 3])
    assert.deepEqual(
      problems
        .map(({ url, problem }: { url: string; problem: string }) => `${url.slice(old.length)} ${problem}`)
        .sort(),
      ['/gone.png missing', '/late.png unreachable', '/text.png not_a_picture'],
    )
  })

  test('that cannot be downloaded at first are downloaded later and added to their product', async () => {
    let isDown = true
    answers.set('/slow.png', (request, response) =>
      isDown ? response.writeHead(500).end() : shows(pngOf())(request, response),
    )
    await bringFile([`slow-bowl,Bowl,SLB-1,12.00,${old}/slow.png,`])
    await bring()
    isDown = false
    testServer.clock.now += 61_000
    await bring()
    assert.match((await picturesOf('slow-bowl'))[0], /^\/media\//)
  })

  test('that are too large are reduced if pictures can be decoded, and abandoned otherwise', async () => {
    answers.set('/large.png', shows(pngOf(5_000, 5_000)))
    await bringFile([`large-bowl,Bowl,LB-1,12.00,${old}/large.png,`])
    const small = await webp()
    const able: Copier = {
      isAvailable: async () => true,
      copiesOf: async () => ({ copies: [{ kind: 'webp', width: 1, bytes: small }], color: null }),
      close() {},
    }
    await bring(read, able)
    assert.match((await picturesOf('large-bowl'))[0], /-1\.webp$/)
    answers.set('/larger.png', shows(pngOf(5_000, 5_000)))
    await bringFile([`larger-bowl,Bowl,LB-2,12.00,${old}/larger.png,`])
    await bring()
    assert.ok((await progress()).problems.some(({ problem }: { problem: string }) => problem === 'too_large'))
  })

  test('whose row cannot be written are deferred, and the others are downloaded', async () => {
    answers.set('/bad.png', shows(pngOf()))
    answers.set('/good.png', shows(pngOf()))
    await bringFile([`bad-bowl,Bowl,BB-1,12.00,${old}/bad.png,`, `good-bowl,Bowl,GB-1,12.00,${old}/good.png,`])
    const cure = await poison(testServer.storage, 'remote_pictures', `old.address = '${old}/bad.png'`)
    await assert.rejects(bring(), RowsFailed)
    assert.match((await picturesOf('good-bowl'))[0], /^\/media\//)
    assert.equal(await bring(), 0, 'it is deferred')
    await cure()
    testServer.clock.now += 3_600_000
    while ((await bring()) > 0);
    assert.match((await picturesOf('bad-bowl'))[0], /^\/media\//)
  })
})

async function webp(): Promise<Buffer> {
  // One pixel, lossless.
  return Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')
}

test('pictures at addresses of this machine and its networks are not requested, by name, by number or after a redirect', async () => {
  answers.set('/there.png', shows(pngOf()))
  answers.set('/to-metadata', leadsTo('http://169.254.169.254/latest/meta-data/'))
  answers.set('/to-file', leadsTo('file:///etc/passwd'))
  answers.set('/in-circles', leadsTo('/in-circles'))
  const { port } = new URL(origin)
  asked.length = 0
  const strict = createReadPicture(false)
  for (const address of [
    `http://127.0.0.1:${port}/there.png`,
    `https://127.0.0.1:${port}/there.png`,
    `https://localhost:${port}/there.png`,
    `https://[::1]:${port}/there.png`,
    `https://[::ffff:127.0.0.1]:${port}/there.png`,
    `https://2130706433:${port}/there.png`,
    'https://10.0.0.1/there.png',
    'https://169.254.169.254/latest/meta-data/',
    'https://metadata.internal/there.png',
    'https://user:password@example.com/there.png',
    'https://example.com:6379/there.png',
  ])
    assert.equal(await strict(address), 'forbidden', address)
  assert.deepEqual(asked, [])
  const lenient = createReadPicture(true)
  assert.equal(await lenient(`${origin}/to-metadata`), 'forbidden')
  assert.equal(await lenient(`${origin}/to-file`), 'forbidden')
  assert.equal(await lenient(`${origin}/in-circles`), 'missing')
  assert.equal(asked.filter((path) => path === '/in-circles').length, 4, 'three redirects')
  assert.equal(typeof (await lenient(`${origin}/there.png`)), 'object')
})

test('slow or endless downloads take limited time and memory', async () => {
  const bounds = { allowPrivate: true, accept: 'image/*', bytesMax: 100_000, msMax: 300 }
  answers.set('/silent', () => {})
  answers.set('/drip', (_, response) => {
    response.writeHead(200)
    const drops = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(drops))
  })
  answers.set('/endless', (_, response) => {
    response.writeHead(200)
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  })
  answers.set('/cut', (_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('begin', () => response.destroy())
  })
  assert.equal(await guardedGet(`${origin}/silent`, bounds), 'too_slow')
  assert.equal(await guardedGet(`${origin}/drip`, bounds), 'too_slow')
  assert.equal(await guardedGet(`${origin}/endless`, { ...bounds, msMax: 20_000 }), 'too_large')
  assert.equal(await guardedGet(`${origin}/cut`, { ...bounds, msMax: 20_000 }), 'unreachable')
})
