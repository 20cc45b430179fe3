// A shop leaves Shopify: its whole export comes in, nothing of it is lost, its pictures are brought over, and its old addresses lead to what
// they showed.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { pngOf } from '../harness/admin/pictures.ts'
import { confirmTransfer, runTransfers, sendFile, transferWith } from '../harness/admin/transfers.ts'
import { type ExportedProduct, shopifyCdn, shopifyExport } from '../harness/shopifyExport.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { seeded } from '../proof/random.ts'
import type { AdminProduct } from '../src/contract/admin/catalog.ts'
import { copyRemotePictures } from '../src/domain/catalog/remotepictures.ts'
import type { Copier } from '../src/domain/images/copier.ts'
import { createReadPicture } from '../src/domain/images/remote.ts'

const count = isWide ? 400 : 40
const { seed, random } = seeded()
const shop = shopifyExport(count, random)

anyEngine(`an export of Shopify, seed ${seed}`, (given) => {
  let testServer: TestServer
  let cdn = ''
  // Each picture is down the first time that it is asked for, if its width is odd.
  const askedFor = new Set<string>()
  const server = createServer((request, response) => {
    const path = decodeURI(request.url ?? '')
    const width = shop.widths.get(path)
    const isDown = width !== undefined && width % 2 === 1 && !askedFor.has(path)
    askedFor.add(path)
    if (width === undefined || isDown) response.writeHead(isDown ? 503 : 404).end()
    else response.writeHead(200, { 'content-type': 'image/png' }).end(pngOf(width, 100))
  })
  const products = new Map<string, AdminProduct>()

  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    cdn = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    testServer = await openTestServer(given, { withShops: true })
  })
  after(() => server.close())

  async function bringFile(): Promise<string> {
    const id = await sendFile(testServer, 'products', shop.text)
    await runTransfers(testServer)
    return id
  }

  // As the dashboard reads them, by the name that the file gives them.
  async function readProducts(): Promise<void> {
    let query = ''
    const byTitle = new Map(shop.products.map((product) => [product.title, product]))
    do {
      const { data, meta } = (await testServer.askAdmin('listAdminProducts', { query })).body
      for (const { id, name } of data) {
        const { data: product } = (await testServer.askAdmin('getAdminProduct', { path: { productId: id } })).body
        if (byTitle.has(name)) products.set(name, product)
      }
      query = meta.next === null ? '' : new URL(meta.next, 'http://x').search
    } while (query !== '')
  }

  test('is imported without losing a product, variant, price, stock, code, barcode, option or picture', async () => {
    const id = await bringFile()
    const plan = await transferWith(testServer, id)
    assert.deepEqual([plan.created, plan.refused], [count, 0])
    assert.equal((await confirmTransfer(testServer, id)).status, 200)
    await runTransfers(testServer)
    await readProducts()
    for (const wanted of shop.products) {
      const found = products.get(wanted.title)
      assert.ok(found, wanted.title)
      assert.deepEqual(factsOf(found), wantedOf(wanted), wanted.title)
    }
    const again = await transferWith(testServer, await bringFile())
    assert.deepEqual([again.created, again.changed, again.unchanged], [0, 0, count])
  })

  test('has its pictures downloaded in their order, also from a server that fails at first', async () => {
    const { storage, app, clock } = testServer
    const copier: Copier = { isAvailable: async () => false, copiesOf: async () => 'unreadable', close() {} }
    const read = (address: string) => createReadPicture(true)(address.replace(shopifyCdn, cdn))
    const bring = () => copyRemotePictures({ storage, files: app.imageFiles, copier, read }, clock.now, 50)
    while ((await bring()) > 0);
    clock.now += 61_000
    while ((await bring()) > 0);
    const { waiting, givenUp, problems } = (await testServer.askAdmin('getAdminRemotePictures')).body.data
    assert.deepEqual([waiting, givenUp], [0, 0], JSON.stringify(problems))
    await readProducts()
    for (const wanted of shop.products) {
      const { images = [], skus } = products.get(wanted.title)?.product ?? { skus: [] }
      const widths = await Promise.all(images.map(({ url }) => widthOf(url)))
      assert.deepEqual(
        widths,
        wanted.pictures.map((path) => shop.widths.get(path)),
        wanted.title,
      )
      for (const [at, { picture }] of wanted.variants.entries())
        if (picture !== null) assert.equal(await widthOf(skus[at]?.image ?? ''), shop.widths.get(picture), wanted.title)
    }
  })

  test('has its old addresses redirected to the same products', async () => {
    const open = (await testServer.askAdmin('getAdminSite')).body.data.version
    await testServer.askAdmin('openAdminSite', { body: { idempotencyKey: 'open', expectedVersion: open } })
    const base = '/test/shops/bloom'
    for (const { handle, title, isPublished } of shop.products) {
      if (!isPublished) continue
      const target = `${base}/products/${products.get(title)?.product.slug}`
      for (const path of [`/products/${handle}`, `/collections/all/products/${handle}`]) {
        const asked = await testServer.fetch(base + encodeURI(path), { redirect: 'manual' })
        const isThere = base + path === target
        assert.deepEqual([asked.status, asked.headers.get('location')], isThere ? [200, null] : [301, target], path)
      }
      assert.equal((await testServer.fetch(target)).status, 200, target)
    }
  })

  async function widthOf(url: string): Promise<number> {
    assert.match(url, /^\/media\//)
    const bytes = Buffer.from(await (await fetch(testServer.origin + url)).arrayBuffer())
    return bytes.readUInt32BE(16)
  }
})

function wantedOf({ vendor, isPublished, tags, pictures, variants }: ExportedProduct) {
  return {
    brand: vendor,
    isPublished,
    tags: tags.toSorted(),
    hasText: true,
    pictures: pictures.length,
    variants: variants.map(({ options, priceMinor, compareAtMinor, stock, grams, barcode, picture }) => ({
      ...{ options, price: priceMinor, compareAt: compareAtMinor, grams, barcode: barcode || null },
      ...{ stock: stock ?? 0, isCounted: stock !== null, hasPicture: picture !== null },
    })),
    codes: variants.map(({ sku }) => sku).filter(Boolean),
  }
}

function factsOf({ product, skus }: AdminProduct): ReturnType<typeof wantedOf> {
  const { brand = null, published = true, tags = [], images = [], options = [], descriptionHtml, description } = product
  const given = new Set(shop.products.flatMap(({ variants }) => variants.map(({ sku }) => sku)))
  return {
    brand: brand ?? '',
    isPublished: published,
    tags: tags.toSorted(),
    hasText: /mark\d+x|plain and short/.test(`${descriptionHtml ?? ''}${description ?? ''}`),
    pictures: images.length,
    variants: product.skus.map((sku, at) => ({
      options: options.map(({ name }) => sku.options?.[name] ?? ''),
      price: sku.price,
      compareAt: sku.compareAtPrice ?? null,
      grams: sku.weightGrams ?? 0,
      barcode: sku.barcode ?? null,
      stock: skus[at]?.onHand ?? -1,
      isCounted: sku.counted ?? true,
      hasPicture: sku.image != null,
    })),
    codes: product.skus.map(({ code }) => code).filter((code) => given.has(code)),
  }
}
