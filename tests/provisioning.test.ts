// Provisioning under bad conditions: several operators at once, a process that ends in the middle, files that break off,
// and files that are not what they should be. Whatever happens, the catalog answers what the facts say.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { csvLine, shopifyCsv } from '../harness/catalog.ts'
import { cartwright } from '../harness/commandline.ts'
import { pausesOf } from '../harness/pauses.ts'
import { type Environment, tempFolder } from '../harness/process.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine, type Given, isOnce } from '../harness/storage.ts'
import { openTestServer, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { issueAt } from '../src/contract/issues.ts'
import { remark, remarkText } from '../src/contract/remarks.ts'
import { renderProduct } from '../src/domain/catalog/answer.ts'
import type { PublishedProduct } from '../src/domain/catalog/product.ts'
import { findSeller, listPublishedProducts, type StaleProduct } from '../src/domain/catalog/store.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { type ImportReport, importProducts } from '../src/ops/imports/import.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopBytes, readShopFile } from '../src/ops/provisioning/read.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { createKey, rotateKey } from '../src/platform/access/keys.ts'
import { changeLines } from '../src/platform/audit/change.ts'
import {
  commandLimits,
  type Fragment,
  type Reader,
  type SqlValue,
  type Storage,
  type Tx,
} from '../src/platform/storage/storage.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')
const options = { now, stock: false, dryRun: false }

type Product = NonNullable<ShopFile['products']>[number]

const merchant = (name = 'Tea House', more: Partial<ShopFile['merchant']> = {}) => ({
  ...{ slug: 'tea', name, currency: 'GBP', country: 'GB' },
  ...more,
})
const categories = [
  { slug: 'black', name: 'Black' },
  { slug: 'green', name: 'Green' },
]

function teas(count: number, price: number, from = 1, category = 'black'): Product[] {
  return Array.from({ length: count }, (_, i) => ({
    slug: `tea-${from + i}`,
    name: `Tea ${from + i}`,
    categories: [category],
    publishedAt: '2026-01-01T00:00:00Z',
    skus: [{ code: `T${from + i}`, price, stock: 9 }],
  }))
}

const header = ['Handle', 'Title', 'Type', 'Option1 Name', 'Option1 Value', 'Variant SKU', 'Variant Price'] as const

function csv(...rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => csvLine(row)).join('')
}

// A product of one row, in a category.
const plainRow = (slug: string, type = 'Black', price = '1.00') => [slug, `T ${slug}`, type, '', '', slug, price]

async function* bytes(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

const importOptions = { merchantSlug: 'tea', now, stock: false, onProgress: () => {} }

function bring(storage: Storage, ...texts: readonly string[]): Promise<ImportReport> {
  return importProducts(storage, bytes(...texts), importOptions)
}

// The same storage, with something to do after each commit: to throw is to end there, as a killed process does.
function afterEachWrite(storage: Storage, then: (commits: number) => Promise<void>): Storage {
  let commits = 0
  return {
    ...storage,
    async write(work) {
      const value = await storage.write(work)
      commits += 1
      await then(commits)
      return value
    },
  }
}

// The same storage, with something to do once after a statement in which these words occur.
function afterStatement(storage: Storage, words: string, then: () => Promise<unknown>): Storage {
  let isDone = false
  return {
    ...storage,
    write: (work) =>
      storage.write((tx) => {
        const sql: Tx['sql'] = async <Row>(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]) => {
          const rows = await tx.sql<Row>(text, ...values)
          if (!isDone && text.join('').includes(words)) {
            isDone = true
            await then()
          }
          return rows
        }
        return work(
          new Proxy(tx, { get: (target, name) => (name === 'sql' ? sql : Reflect.get(target, name, target)) }),
        )
      }),
  }
}

class Killed extends Error {}

function endingAfter(storage: Storage, writes: number): Storage {
  return afterEachWrite(storage, async (commits) => {
    if (commits >= writes) throw new Killed()
  })
}

const batchSize = 200

// Listed products that answer something else than their facts say, stale ones apart.
async function wrongAnswers(db: Reader): Promise<string[]> {
  const rows = await db.sql<StaleProduct & { slug: string; listRow: string; detail: string }>`
    select merchant_id as "merchantId", mode, product_id as "productId", slug, list_row as "listRow", detail
    from listed_products where stale_at is null order by slug`
  const wrong: string[] = []
  for (const [merchantId, listed] of Map.groupBy(rows, (row) => row.merchantId)) {
    const seller = await findSeller(db, merchantId)
    const productIds = [...new Set(listed.map(({ productId }) => productId))]
    const products = new Map<string, PublishedProduct>()
    for (let at = 0; at < productIds.length; at += batchSize)
      for (const product of await listPublishedProducts(db, merchantId, productIds.slice(at, at + batchSize), now))
        products.set(product.id, product)
    for (const row of listed) {
      const product = products.get(row.productId)
      assert.ok(seller && product, `${row.slug} is listed but not published`)
      const right = renderProduct(seller, product, row.mode, new Map())
      if (right.detail !== row.detail || right.listRow !== row.listRow) wrong.push(row.slug)
    }
  }
  return wrong
}

async function countsOf(storage: Storage): Promise<Record<string, number>> {
  const rows = await storage.read(
    (db) => db.sql<{ slug: string; count: number }>`
      select slug, product_count as "count" from categories order by slug`,
  )
  return Object.fromEntries(rows.map(({ slug, count }) => [slug, count]))
}

async function staleCount(storage: Storage): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ count: number }>`select count(*) as "count" from listed_products where stale_at is not null`,
  )
  return row?.count ?? -1
}

interface SkuState {
  code: string
  position: number
  onHand: number
  retired: boolean
}

async function skusOf(storage: Storage): Promise<SkuState[]> {
  const rows = await storage.read(
    (db) => db.sql<Omit<SkuState, 'retired'> & { retiredAt: number | null }>`
      select s.code, s.position, t.on_hand as "onHand", s.retired_at as "retiredAt" from skus s
      join stock t on t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = 'live'
      order by s.product_id, s.position, s.code`,
  )
  return rows.map(({ retiredAt, ...sku }) => ({ ...sku, retired: retiredAt !== null }))
}

async function assertSound(storage: Storage): Promise<void> {
  assert.deepEqual(await storage.read(wrongAnswers), [])
  assert.deepEqual(await storage.read(findViolations), [])
}

async function openShop(given: Given, file: ShopFile = { merchant: merchant(), categories }): Promise<Storage> {
  const storage = await given.open(commandLimits)
  await applyShop(storage, file, options)
  return storage
}

eachEngine('provisioning', (given) => {
  if (given.engine === 'postgres')
    test('a shop is applied completely while a vacuum holds its lock on a table', async () => {
      const url = await given.migratedUrl()
      const storage = await given.open({ url, lockMsMax: 200, withMigrations: false })
      const tending = new pg.Client({ connectionString: url })
      await tending.connect()
      // As a vacuum does; it keeps no row from being written.
      await tending.query('begin; lock table products in share update exclusive mode')
      const promotions = [{ code: 'LAST', name: 'Last', type: 'percentage', percentage: 1_000 }] as const
      await applyShop(
        storage,
        { merchant: merchant(), categories, products: teas(3, 100), promotions: [...promotions] },
        options,
      )
      await tending.end()
      const [row] = await storage.read((db) => db.sql<{ count: number }>`select count(*) as "count" from promotions`)
      assert.equal(row?.count, 1)
    })

  if (given.engine === 'postgres')
    test('the table statistics of PostgreSQL are up to date as soon as a shop is applied', async () => {
      const storage = await given.open()
      await applyShop(storage, { merchant: merchant(), categories, products: teas(30, 100) }, options)
      const sizes = await storage.read(
        (db) => db.sql<{ name: string; rows: number }>`
          select relname as "name", cast(reltuples as bigint) as "rows" from pg_class
          where relname in ('categories', 'listed_products', 'products', 'skus', 'stock') order by relname`,
      )
      assert.deepEqual(
        sizes.map(({ name, rows }) => [name, rows]),
        [
          ['categories', 2],
          // In both modes.
          ['listed_products', 60],
          ['products', 30],
          ['skus', 30],
          ['stock', 60],
        ],
      )
    })

  test('a new shop name and low-stock threshold are served immediately, even if the process dies before the products are rendered again', async () => {
    const testServer = await openTestServer(given)
    const renamed: ShopFile = { ...bloom, merchant: { ...bloom.merchant, name: 'Blossom', lowStockAt: 2 } }
    await assert.rejects(
      applyShop(endingAfter(testServer.storage, 1), renamed, { ...options, now: testServer.clock.now }),
      Killed,
    )
    const read = async () =>
      (await testServer.ask('getApiKeyCatalogProduct', { path: { slug: 'red-roses' } })).body.data as {
        merchant: { name: string }
        skus: { availability: string }[]
      }
    assert.equal((await read()).merchant.name, 'Blossom')
    assert.deepEqual(
      (await read()).skus.map((sku) => sku.availability),
      ['in_stock', 'in_stock'],
    )
    assert.equal(await staleCount(testServer.storage), 6, 'three products in both modes')
    // The file says what is kept already, and yet the rest is caught up.
    await testServer.apply(renamed)
    assert.equal(await staleCount(testServer.storage), 0)
    assert.equal((await read()).merchant.name, 'Blossom')
    assert.deepEqual(await testServer.storage.read(wrongAnswers), [])
  })

  test('renaming the shop marks every product as stale immediately, also one that would become stale later', async () => {
    const storage = await openShop(given, { merchant: merchant(), categories, products: teas(1, 100) })
    await storage.write((tx) => tx.sql`update listed_products set stale_at = ${now + 900_000}`)
    await assert.rejects(applyShop(endingAfter(storage, 1), { merchant: merchant('Other') }, options), Killed)
    const [row] = await storage.read((db) => db.sql<{ at: number }>`select stale_at as "at" from listed_products`)
    assert.ok(row && row.at <= now)
  })

  test('a concurrent rename, price change and import leave every stored response and count correct', async (t) => {
    // More than a batch of 200.
    const [count, rounds] = isWide ? [300, 4] : [210, 2]
    const pauseMs = pausesOf(t)
    const storage = await openShop(given, { merchant: merchant(), categories, products: teas(count, 1) })
    for (let round = 1; round <= rounds; round++) {
      await Promise.all([
        applyShop(storage, { merchant: merchant(`House ${round}`) }, options),
        pause(pauseMs(30)).then(() =>
          applyShop(
            storage,
            { merchant: merchant(`House ${round}`), categories, products: teas(count, 10 + round) },
            options,
          ),
        ),
        bring(storage, csv(...Array.from({ length: 20 }, (_, i) => plainRow(`r${round}-${i}`, 'Green')))),
      ])
      assert.deepEqual(await storage.read(wrongAnswers), [], `in round ${round}`)
    }
    assert.deepEqual(await countsOf(storage), { black: count, green: 20 * rounds })
    await assertSound(storage)
  })

  test('every batch reads the name of the shop in its own transaction', async () => {
    const storage = await openShop(given)
    // The foundation, the first batch of 200, and then another operator.
    const beside = afterEachWrite(storage, async (commits) => {
      if (commits === 2) await applyShop(storage, { merchant: merchant('Renamed') }, options)
    })
    await applyShop(beside, { merchant: merchant(), categories, products: teas(210, 1) }, options)
    assert.deepEqual(await storage.read(wrongAnswers), [])
    const rows = Array.from({ length: 210 }, (_, i) => plainRow(`row-${i}`))
    const besideImport = afterEachWrite(storage, async (commits) => {
      if (commits === 1) await applyShop(storage, { merchant: merchant('Renamed again') }, options)
    })
    await bring(besideImport, csv(...rows))
    await assertSound(storage)
  })

  test('an import and an apply stop if the currency of the shop changes in between', async () => {
    const storage = await openShop(given)
    async function* whileTheCurrencyChanges() {
      yield Buffer.from(csv(plainRow('assam')))
      await applyShop(storage, { merchant: merchant('Tea House', { currency: 'JPY' }) }, options)
    }
    await assert.rejects(importProducts(storage, whileTheCurrencyChanges(), importOptions), {
      code: 'currency_mismatch',
      message: /currency.*JPY.*GBP/,
    })
    const beside = afterEachWrite(storage, async (commits) => {
      if (commits === 1) await applyShop(storage, { merchant: merchant('Tea House', { currency: 'EUR' }) }, options)
    })
    const file = { merchant: merchant('Tea House', { currency: 'JPY' }), categories, products: teas(1, 100) }
    await assert.rejects(applyShop(beside, file, options), { code: 'currency_mismatch' })
    assert.deepEqual(await skusOf(storage), [])
  })

  test('the currency cannot be changed while the shop has prices', async () => {
    const storage = await openShop(given, { merchant: merchant(), categories, products: teas(1, 100) })
    for (const dryRun of [true, false]) {
      const changed = applyShop(storage, { merchant: merchant('X', { currency: 'EUR' }) }, { ...options, dryRun })
      await assert.rejects(changed, { code: 'currency_not_changeable', message: /from GBP to EUR/ })
    }
    await assertSound(storage)
  })

  test('categories are counted after an import, and an apply without changes corrects counts that a crash left wrong', async () => {
    const storage = await openShop(given)
    await bring(storage, csv(plainRow('a', 'Black'), plainRow('b', 'Black > Assam'), plainRow('c', 'White')))
    assert.deepEqual(await countsOf(storage), { black: 2, 'black-assam': 1, green: 0, white: 1 })
    const file = { merchant: merchant(), categories, products: teas(3, 1) }
    // The foundation, the products, and no count.
    await assert.rejects(applyShop(endingAfter(storage, 2), file, options), Killed)
    await storage.write((tx) => tx.sql`update categories set product_count = 77 where slug = 'green'`)
    const findings = await storage.read(findViolations)
    assert.deepEqual(
      findings.map(({ name }) => name),
      ['category_count'],
    )
    assert.deepEqual((await applyShop(storage, file, options)).changes, [])
    assert.deepEqual(await countsOf(storage), { black: 5, 'black-assam': 1, green: 0, white: 1 })

    await assert.rejects(bring(endingAfter(storage, 1), csv(plainRow('d', 'Green'))), Killed)
    await storage.write((tx) => tx.sql`update categories set product_count = 0 where slug = 'green'`)
    const again = await bring(storage, csv(plainRow('d', 'Green')))
    assert.deepEqual([again.created, again.unchanged], [0, 1])
    assert.equal((await countsOf(storage)).green, 1)
    await assertSound(storage)
  })

  test('an apply that changes no category count leaves the catalog version, and so the cached lists, unchanged', async () => {
    const file = { merchant: merchant(), categories, products: teas(2, 1) }
    const storage = await openShop(given, file)
    const version = () => storage.read((db) => db.sql`select catalog_version from merchants`)
    const before = await version()
    await applyShop(storage, file, options)
    assert.deepEqual(await version(), before)
  })

  test('rows before a line that breaks the file are imported and counted, and the line is reported', async () => {
    const storage = await openShop(given)
    const rows = Array.from({ length: 3 }, (_, i) => plainRow(`row-${i}`))
    const report = await bring(storage, csv(...rows, plainRow('cut')), 'broken,"never closed\n')
    assert.deepEqual(report.brokenOff, { ...remark('quote_never_closed'), line: 6 })
    assert.deepEqual([report.created, report.refusedCount], [3, 0])
    assert.deepEqual(
      (await skusOf(storage)).map(({ code }) => code),
      ['row-0', 'row-1', 'row-2'],
    )
    assert.equal((await countsOf(storage)).black, 3)
    await assertSound(storage)
  })

  test('products are counted even if the storage fails in the middle of an import', async () => {
    const storage = await openShop(given)
    let commits = 0
    const failing: Storage = {
      ...afterEachWrite(storage, async () => {}),
      write: (work) => {
        commits += 1
        return commits === 2 ? Promise.reject(new Killed()) : storage.write(work)
      },
    }
    const rows = Array.from({ length: 250 }, (_, i) => plainRow(`row-${i}`))
    await assert.rejects(bring(failing, csv(...rows)), Killed)
    assert.equal((await countsOf(storage)).black, 200)
  })

  test('concurrent imports and applies create each category and product once', async () => {
    const storage = await openShop(given)
    const file = csv(...Array.from({ length: 230 }, (_, i) => plainRow(`row-${i}`, `Kind ${i % 7} > Sort ${i % 3}`)))
    const shop = { merchant: merchant(), categories, products: teas(230, 5) }
    const reports = await Promise.all([bring(storage, file), bring(storage, file), bring(storage, file)])
    assert.equal(
      reports.reduce((sum, { created }) => sum + created, 0),
      230,
    )
    const applied = await Promise.all([1, 2, 3].map(() => applyShop(storage, shop, options)))
    assert.equal(
      applied.reduce((sum, { changes }) => sum + changes.length, 0),
      460,
    )
    assert.equal((await countsOf(storage))['kind-0'], 33)
    await assertSound(storage)
  })

  test('a refused row retires no SKU of its product: those in the file come first, then the others; importing the file again changes nothing', async () => {
    const storage = await openShop(given)
    const row = (size: string, price = '1.00', title = '') => ['gown', title, 'Black', 'Size', size, `G-${size}`, price]
    const whole = [row('S', '1.00', 'Gown'), row('M'), row('L')]
    await bring(storage, csv(...whole))
    const typo = [row('S', 'x', 'Gown'), row('M', '2.00'), row('XL')]
    const first = await bring(storage, csv(...typo))
    assert.deepEqual([first.changed, first.refusedCount], [1, 1])
    assert.deepEqual(
      (await skusOf(storage)).map(({ code, position, retired }) => [code, position, retired]),
      [
        ['G-M', 0, false],
        ['G-XL', 1, false],
        ['G-S', 2, false],
        ['G-L', 3, false],
      ],
    )
    const [kept] = await storage.read((db) => db.sql<{ options: string }>`select options from products`)
    assert.deepEqual(JSON.parse(kept?.options ?? ''), [{ name: 'Size', values: ['M', 'XL', 'S', 'L'] }])
    const second = await bring(storage, csv(...typo))
    assert.deepEqual([second.changed, second.unchanged], [0, 1])
    const mended = await bring(storage, csv(...whole))
    assert.equal(mended.changed, 1)
    assert.deepEqual(
      (await skusOf(storage)).filter(({ retired }) => !retired).map(({ code }) => code),
      ['G-S', 'G-M', 'G-L'],
    )
    await assertSound(storage)
  })

  test('a SKU code that another product has is replaced by a generated one, whether in the same file or another', async () => {
    const storage = await openShop(given)
    const row = (slug: string) => [slug, `T ${slug}`, 'Black', '', '', 'SHARED', '1.00']
    await bring(storage, csv(row('first')))
    const report = await bring(storage, csv(row('second')))
    assert.deepEqual([report.created, report.refusedCount], [1, 0])
    assert.match(
      report.notes.map(remarkText).at(-1) ?? '',
      /line 2: the SKU "SHARED" belongs to the product first and was changed to/,
    )
    const again = await bring(storage, csv(row('second'), row('first')))
    assert.deepEqual([again.unchanged, again.changed, again.refusedCount], [2, 0, 0])
    const codes = (await skusOf(storage)).map(({ code }) => code.replace(/[0-9a-f]{8}$/, ''))
    assert.deepEqual(codes.toSorted(), ['SHARED', 'SHARED-'])
    await assertSound(storage)
  })

  test('a Shopify inventory file sets the stock of variants by their options, in both modes', async () => {
    const storage = await openShop(given)
    const row = (size: string, title = '') => ['gown', title, 'Black', 'Size', size, 'SHARED', '1.00']
    await bring(storage, csv(row('S', 'Gown'), row('M')))
    const header = 'Handle,Title,Option1 Name,Option1 Value,SKU,Location,On hand (current),On hand (new)\n'
    const rows = ['S,SHARED,Berlin,3,', 'S,SHARED,Paris,4,', 'M,SHARED,Berlin,5,', 'XL,,Berlin,5,']
    const text = header + rows.map((rest) => `gown,Gown,Size,${rest}\n`).join('')
    const report = await bring(storage, text)
    assert.deepEqual([report.changed, report.unchanged, report.refusedCount], [2, 0, 1])
    assert.deepEqual(report.refused, [{ line: 5, handle: 'gown / XL', reason: remark('variant_unknown') }])
    const levels = await storage.read(
      (db) => db.sql<{ mode: string; options: string; onHand: number }>`
        select t.mode, s.options, t.on_hand as "onHand" from stock t
        join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id order by t.mode, s.position`,
    )
    assert.deepEqual(
      levels.map(({ mode, options, onHand }) => [mode, JSON.parse(options)[0].value, onHand]),
      [
        ['live', 'S', 7],
        ['live', 'M', 5],
        ['test', 'S', 7],
        ['test', 'M', 5],
      ],
    )
    const again = await bring(storage, text)
    assert.deepEqual([again.changed, again.unchanged], [0, 2])
    await assertSound(storage)
  })

  test('a stock file does not overwrite the count that a sale has changed during the import', async () => {
    const storage = await openShop(given, { merchant: merchant(), categories, products: teas(1, 5) })
    const sellOne = () =>
      storage.write(async (tx) => {
        tx.send`update stock set on_hand = on_hand - 1 where mode = 'live'`
      })
    // SQLite writes one transaction at a time, so there the sale can only come before.
    if (storage.engine === 'sqlite') await sellOne()
    const text = 'SKU,On hand (current),On hand (new)\nT1,9,20\n'
    const beside = storage.engine === 'sqlite' ? storage : afterStatement(storage, 's.code in', sellOne)
    const report = await importProducts(beside, bytes(text), importOptions)
    assert.deepEqual(report.refused, [{ line: 2, handle: 'T1', reason: remark('stock_differs', { count: 8 }) }])
    const levels = await storage.read(
      (db) => db.sql<{ mode: string; onHand: number }>`select mode, on_hand as "onHand" from stock order by mode`,
    )
    assert.deepEqual(
      levels.map(({ mode, onHand }) => [mode, onHand]),
      [
        ['live', 8],
        ['test', 9],
      ],
    )
  })

  const varied = isOnce(given) ? 2_048 : 300
  test(`a product with ${varied} variants is imported`, async () => {
    const storage = await openShop(given)
    const rows = Array.from({ length: varied }, (_, i) => ['big', 'Big', 'Black', 'Number', `${i}`, `B-${i}`, '1.00'])
    const report = await bring(storage, csv(...rows))
    assert.deepEqual([report.created, report.refusedCount], [1, 0])
    const dearer = rows.map((row) => [...row.slice(0, -1), '2.00'])
    assert.equal((await bring(storage, csv(...dearer))).changed, 1)
    assert.equal((await skusOf(storage)).length, varied)
    await assertSound(storage)
  })

  test('a refused row does not affect the next product, whose missing SKUs are retired as usual', async () => {
    const storage = await openShop(given)
    const gown = (size: string, title = '') => ['gown', title, '', 'Size', size, `G-${size}`, '1.00']
    await bring(storage, csv(gown('S', 'Gown'), gown('M')))
    const report = await bring(storage, csv(['nameless', '', '', '', '', 'N', '1.00'], gown('S', 'Gown')))
    assert.equal(report.refusedCount, 1)
    assert.deepEqual(
      (await skusOf(storage)).map(({ code, retired }) => [code, retired]),
      [
        ['G-S', false],
        ['G-M', true],
      ],
    )
    // A row without a handle may be one of the product before it.
    await bring(storage, csv(gown('S', 'Gown'), gown('M')))
    await bring(storage, csv(gown('S', 'Gown'), ['', '', '', 'Size', 'M', 'G-M', '1.00']))
    assert.ok((await skusOf(storage)).every(({ retired }) => !retired))
    await assertSound(storage)
  })

  test('a SKU that its product no longer contains is retired; contained again it keeps its id and stock, unless the file sets the stock', async () => {
    const file = (skus: Product['skus']): ShopFile => ({
      merchant: merchant(),
      products: [{ slug: 'set', name: 'Set', options: [{ name: 'Of', values: ['2', '4', '6'] }], skus }],
    })
    const [two, four, six] = ['2', '4', '6'].map((of) => ({ code: `SET-${of}`, options: { Of: of }, price: 100 }))
    assert.ok(two && four && six)
    const storage = await openShop(given, file([two, { ...four, stock: 7 }, { ...six, stock: 3 }]))
    const idOf = async () =>
      (await storage.read((db) => db.sql<{ id: string }>`select id from skus where code = 'SET-4'`))[0]?.id
    const id = await idOf()
    const { changes } = await applyShop(storage, file([two, six]), options)
    assert.deepEqual(changes.flatMap(changeLines), ['- sku SET-4'])
    const [detail] = await storage.read((db) => db.sql<{ detail: string }>`select detail from listed_products`)
    assert.deepEqual(
      JSON.parse(detail?.detail ?? '').data.skus.map((sku: { code: string }) => sku.code),
      ['SET-2', 'SET-6'],
    )
    await applyShop(storage, file([two, four, six]), { ...options, stock: true })
    const four7 = { code: 'SET-4', position: 1, onHand: 7, retired: false }
    assert.deepEqual((await skusOf(storage))[1], four7)
    assert.equal(await idOf(), id)
    assert.deepEqual(
      (await skusOf(storage)).map(({ position }) => position),
      [0, 1, 2],
    )
    await applyShop(storage, file([two, six]), options)
    await applyShop(storage, file([two, { ...four, stock: 5 }, six]), { ...options, stock: true })
    assert.deepEqual((await skusOf(storage))[1], { ...four7, onHand: 5 })
    await assertSound(storage)
  })

  test('redirect hosts are normalized, and another spelling of the same host is no change', async () => {
    const storage = await given.open()
    const file = (...redirectHosts: string[]): ShopFile => ({
      merchant: merchant(),
      installations: [{ name: 'Web', mode: 'live', redirectHosts }],
    })
    const { merchantId } = await applyShop(storage, file('Bücher.example', 'SHOP.example:443'), options)
    const [web] = await storage.read((db) => listInstallations(db, merchantId))
    assert.equal(web?.redirectHosts, '["xn--bcher-kva.example","shop.example"]')
    const again = await applyShop(storage, file('xn--bcher-kva.example', 'shop.example'), options)
    assert.deepEqual(again.changes, [])
  })

  test('a new time zone in the file causes the sales report to be counted again, and a file without a time zone does not', async () => {
    const storage = await given.open()
    const apply = (timeZone?: string) =>
      applyShop(storage, { merchant: { ...merchant(), ...(timeZone && { timeZone }) } }, options)
    const recounts = () =>
      storage.read(
        async (db) => (await db.sql<{ rows: number }>`select count(*) as "rows" from sales_recounts`)[0]?.rows,
      )
    await apply('Asia/Tokyo')
    assert.equal(Number(await recounts()), 0)
    const { changes } = await apply('Europe/Berlin')
    assert.deepEqual(
      changes.map(({ what, members }) => [what, members.map(({ member, from, to }) => [member, from, to])]),
      [['merchant', [['timeZone', 'Asia/Tokyo', 'Europe/Berlin']]]],
    )
    assert.equal(Number(await recounts()), 2)
    assert.deepEqual((await apply()).changes, [])
  })

  test('categories are nested at most eight levels deep, also together with those that the file does not contain', async () => {
    const chain = (letters: string, top?: string) =>
      [...letters].map((slug, i) => {
        const parent = i > 0 ? letters[i - 1] : top
        return { slug, name: slug, ...(parent === undefined ? {} : { parent }) }
      })
    const storage = await openShop(given, { merchant: merchant(), categories: chain('abcdefg') })
    // With three above it, what is kept below `a` would reach down to ten.
    const moved = [...chain('xyz'), { slug: 'a', name: 'a', parent: 'z' }]
    await assert.rejects(applyShop(storage, { merchant: merchant(), categories: moved }, options), {
      code: 'category_too_deep',
      message: /category \w.*8 levels/,
    })
    await applyShop(
      storage,
      { merchant: merchant(), categories: [...chain('x'), { slug: 'a', name: 'a', parent: 'x' }] },
      options,
    )

    // The merchant has put the category far down, and the import would go on below it.
    await bring(storage, csv(plainRow('one', 'Top')))
    await applyShop(
      storage,
      { merchant: merchant(), categories: [...chain('klmno'), { slug: 'top', name: 'Top', parent: 'o' }] },
      options,
    )
    const report = await bring(storage, csv(plainRow('two', 'Top > A > B > C'), plainRow('three', 'Top > A > B')))
    assert.deepEqual(
      report.refused.map(({ line, handle }) => [line, handle]),
      [[2, 'two']],
    )
    assert.match(report.refused.map(({ reason }) => remarkText(reason))[0] ?? '', /category.*8 levels/)
    assert.equal(report.created, 1)
    await assertSound(storage)
  })

  test('doctor finds categories in a cycle, and stored responses with a wrong price or a wrong shop name', async () => {
    const storage = await openShop(given, {
      merchant: merchant(),
      categories: ['a', 'b', 'c', 'd'].map((slug) => ({ slug, name: slug })),
      products: teas(4, 100).map((tea) => ({ ...tea, categories: [] })),
    })
    const found = async (harm: (tx: Tx) => Promise<unknown>) => {
      await storage.write(harm)
      const findings = await storage.read(findViolations)
      return Object.fromEntries(findings.map(({ name, subjects }) => [name, subjects.length]))
    }
    const under = (tx: Tx, child: string, parent: string | null) => tx.sql`
      update categories set parent_id = (select id from categories where slug = ${parent}) where slug = ${child}`
    assert.deepEqual(
      await found(async (tx) => {
        await under(tx, 'a', 'b')
        await under(tx, 'b', 'a')
      }),
      { category_tree: 2 },
    )
    assert.deepEqual(await found((tx) => under(tx, 'a', null)), {})
    assert.deepEqual(await found((tx) => tx.sql`update skus set price = 101 where code = 'T1'`), { listed_as_sold: 1 })
    const stale = (tx: Tx) => tx.sql`update listed_products set stale_at = 1`
    const fresh = (tx: Tx) => tx.sql`update listed_products set stale_at = null`
    assert.deepEqual(await found(stale), {})
    await found(fresh)
    await storage.write((tx) => tx.sql`update skus set price = 100`)
    assert.deepEqual(await found((tx) => tx.sql`update merchants set name = ${'Tea "House"\n\\'}`), {
      listed_by_name: 4,
    })
    await storage.write((tx) => tx.sql`update merchants set name = 'Tea House'`)
    // A name that JSON must escape is found in its answers.
    await applyShop(storage, { merchant: merchant('Tea "House"\t\\ & Söhne') }, options)
    await assertSound(storage)
  })

  describe('keys', () => {
    async function withKey() {
      const storage = await openShop(given, { merchant: merchant(), installations: [{ name: 'Web', mode: 'test' }] })
      const [row] = await storage.read((db) => db.sql<{ id: string }>`select id from merchants`)
      const [installation] = await storage.read((db) => listInstallations(db, row?.id ?? ''))
      assert.ok(installation)
      const make = (expiresAt: number | null = null) =>
        storage.write((tx) => createKey(tx, testSecret, installation, { name: 'Till', scopes: [], expiresAt }, now))
      return { storage, make }
    }
    const hour = 3_600_000

    test('a rotated key cannot be rotated again, and of concurrent rotations one succeeds', async () => {
      const { storage, make } = await withKey()
      const { id } = await make()
      const rotate = () => storage.write((tx) => rotateKey(tx, testSecret, id, { overlapMs: hour }, now))
      const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()])
      const made = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      assert.equal(made.length, 1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          assert.match(String(outcome.reason), /was rotated before and replaced by key_\w+/)
      }
      const rows = await storage.read((db) => db.sql`select id from credentials where rotated_from = ${id}`)
      assert.equal(rows.length, 1)
    })

    test('the reported end of a rotated key is the end of the overlap or its own expiry, whichever is sooner', async () => {
      const { storage, make } = await withKey()
      for (const [expiresAt, overlap, end] of [
        [null, hour, now + hour],
        [now + 10, hour, now + 10],
        [now + 2 * hour, hour, now + hour],
      ] as const) {
        const { id } = await make(expiresAt)
        const rotated = await storage.write((tx) => rotateKey(tx, testSecret, id, { overlapMs: overlap }, now))
        assert.equal(rotated.oldKeyEndsAt, end)
      }
    })
  })

  describe('the commands', () => {
    async function environment(file: ShopFile): Promise<{ settings: Environment; folder: string; shop: string }> {
      const folder = await tempFolder()
      const settings = {
        CARTWRIGHT_DATABASE_URL: await given.migratedUrl(),
        CARTWRIGHT_SECRET: 'the-root-secret-of-one-provisioning-test',
      }
      const shop = join(folder, 'shop.json')
      await writeFile(shop, JSON.stringify(file))
      return { settings, folder, shop }
    }

    // Starts the command, and kills it a while after it has begun.
    async function kill(
      afterMs: number,
      args: readonly string[],
      settings: Environment,
      storage: Storage,
      hasBegun: () => Promise<boolean>,
    ): Promise<void> {
      const main = join(import.meta.dirname, '..', 'src', 'main.js')
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
        env: { PATH: process.env.PATH ?? '', ...settings },
        stdio: 'ignore',
      })
      let ended = false
      const closed = once(child, 'close').then(() => {
        ended = true
      })
      while (!ended && !(await hasBegun())) await pause(5)
      await pause(afterMs)
      child.kill('SIGKILL')
      await closed
      await isOver(storage)
    }

    // PostgreSQL may still be busy with what the process had asked for before it was killed, a commit for instance.
    async function isOver(storage: Storage): Promise<void> {
      if (storage.engine !== 'postgres') return
      const listBusy = (db: Reader) => db.sql`
        select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
      while ((await storage.read(listBusy)).length > 0) await pause(5)
    }

    const hasProducts = (storage: Storage) => async () => (await productCount(storage)) > 0
    async function productCount(storage: Storage): Promise<number> {
      const [row] = await storage.read((db) => db.sql<{ n: number }>`select count(*) as "n" from products`)
      return row?.n ?? 0
    }

    // On PostgreSQL it takes longest, so there it is part of `npm run proof -- crash-points`.
    if (isWide || given.engine === 'sqlite')
      test('after kill -9 during apply or import, the next run completes the work and doctor finds nothing wrong', async (t) => {
        const count = isWide ? 600 : 350
        const products = teas(count, 5).map((tea) => ({ ...tea, description: 'A fine tea. '.repeat(40) }))
        const file: ShopFile = { merchant: merchant(), categories, products }
        const { settings, folder, shop } = await environment(file)
        const storage = await given.open({ url: settings.CARTWRIGHT_DATABASE_URL as string })
        const pauseMs = pausesOf(t)
        await kill(pauseMs(60), ['apply', shop], settings, storage, hasProducts(storage))
        const killedAt = await skusOf(storage)
        t.diagnostic(`apply was killed after ${killedAt.length} of ${count} products`)
        const again = await cartwright(['apply', shop], settings)
        assert.equal(again.code, 0, again.err)
        assert.match(again.out, new RegExp(`, ${killedAt.length} products unchanged, 0 refused\n$`))
        assert.deepEqual(await countsOf(storage), { black: count, green: 0 })
        await assertSound(storage)

        const csvFile = join(folder, 'products.csv')
        await writeFile(csvFile, [...shopifyCsv(count)].join(''))
        const empty = await environment({ merchant: merchant() })
        await cartwright(['apply', empty.shop], empty.settings)
        const other = await given.open({ url: empty.settings.CARTWRIGHT_DATABASE_URL as string })
        await kill(pauseMs(60), ['import', csvFile], empty.settings, other, hasProducts(other))
        const kept = await productCount(other)
        t.diagnostic(`import was killed after ${kept} of ${count} products`)
        const report = JSON.parse((await cartwright(['import', csvFile, '--json'], empty.settings)).out)
        assert.deepEqual([report.created, report.unchanged], [count - kept, kept])
        await assertSound(other)
        // The name changes, and the process ends while the answers are rendered again.
        await writeFile(shop, JSON.stringify({ ...file, merchant: merchant('New Tea House') }))
        await kill(pauseMs(60), ['apply', shop], settings, storage, async () => {
          const [row] = await storage.read((db) => db.sql<{ name: string }>`select name from merchants`)
          return row?.name === 'New Tea House'
        })
        t.diagnostic(`the second apply was killed while ${await staleCount(storage)} products were stale`)
        assert.deepEqual(await storage.read(wrongAnswers), [])
        assert.equal((await cartwright(['apply', shop], settings)).code, 0)
        assert.equal(await staleCount(storage), 0)
        await assertSound(storage)
        for (const each of [settings, empty.settings]) {
          const doctor = await cartwright(['doctor'], each)
          assert.equal(doctor.code, 0, doctor.out)
        }
      })

    test('import names the line that breaks the file, and reports a folder instead of a file and an unknown merchant', async () => {
      const { settings, folder, shop } = await environment({ merchant: merchant(), categories })
      await cartwright(['apply', shop], settings)
      const file = join(folder, 'broken.csv')
      await writeFile(file, `${csv(plainRow('a'), plainRow('b'))}x,"oops,,,,,\n`)
      const broken = await cartwright(['import', file], settings)
      assert.deepEqual(
        [broken.code, broken.err],
        [
          1,
          `cartwright: ${file} line 4: the quote that opens here is never closed; the products before that line were imported\n`,
        ],
      )
      assert.match(broken.out, /^1 created, 0 changed, 0 unchanged, 0 rows refused$/m)
      const isFolder = await cartwright(['import', folder], settings)
      assert.deepEqual([isFolder.code, isFolder.out], [1, ''])
      assert.match(isFolder.err, /^cartwright: cannot read .*: EISDIR.*\n$/)
      const nobody = await cartwright(['import', file, '--merchant', 'nobody'], settings)
      assert.deepEqual([nobody.code, nobody.err], [1, 'cartwright: There is no merchant nobody.\n'])
    })

    test('keys create accepts fractional days and refuses names with invisible characters or line breaks, and keys list shows all keys', async () => {
      const { settings, shop } = await environment({
        merchant: merchant(),
        installations: [{ name: 'Web', mode: 'test' }],
      })
      await cartwright(['apply', shop], settings)
      const create = (name: string, ...more: string[]) =>
        cartwright(['keys', 'create', '--name', name, '--json', ...more], settings)
      const made = await create('Till', '--expires-in-days', '1.1')
      assert.equal(made.code, 0, made.err)
      const { id } = JSON.parse(made.out).key
      for (const name of ['a\u001b[31mred', 'two\nlines', 'c1 \u009b2J']) {
        const refused = await create(name)
        assert.deepEqual([refused.code, refused.err], [2, ''])
        const { error } = JSON.parse(refused.out)
        assert.equal(error.code, 'misuse')
        assert.match(error.message, /^--name (must be one line|must not contain control characters)/)
      }
      const rotated = await cartwright(['keys', 'rotate', id, '--overlap-hours', '2'], settings)
      assert.match(
        rotated.out,
        /^cwk_test_\w{48}\nshown only once\n {2}key id +key_\w+\n[\s\S]* {2}old key expires at +\d{4}-\S+Z\n$/,
      )
      const twice = await cartwright(['keys', 'rotate', id], settings)
      assert.equal(twice.code, 1)
      assert.match(twice.err, /^cartwright: key_\w+ was rotated before and replaced by key_\w+.*\n$/)
      const storage = await given.open({ url: settings.CARTWRIGHT_DATABASE_URL as string })
      const rows = await storage.read(
        (db) => db.sql<{ at: number }>`select expires_at as "at" from credentials where expires_at is not null`,
      )
      assert.ok(rows.length > 0 && rows.every(({ at }) => Number.isInteger(at)))
      await storage.write(async (tx) => {
        for (let i = 0; i < 103; i++) {
          await tx.sql`
            insert into credentials (id, installation_id, merchant_id, name, mode, lookup, digest, pepper_version, prefix,
              last4, scopes, created_at)
            select ${`key_${String(i).padStart(26, '0')}`}, i.id, i.merchant_id, 'Old', i.mode, ${`lookup ${i}`}, '', 1, 'cwk_', '0000', '', 1
            from installations i`
        }
      })
      const listed = await cartwright(['keys', 'list'], settings)
      assert.equal(listed.out.trimEnd().split('\n').length, 105)
      assert.equal(JSON.parse((await cartwright(['keys', 'list', '--json'], settings)).out).keys.length, 105)
    })
  })
})

describe('a shop file', () => {
  const base = { merchant: merchant(), products: [] as Product[] }
  const tea = teas(1, 100)[0] as Product
  const place = (file: object) => {
    const read = readShopFile(JSON.stringify({ ...base, ...file }), now)
    return 'problems' in read ? read.problems.map(({ path }) => path) : []
  }

  for (const [name, text, message] of [
    [
      'an alias bomb',
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...['ab', 'bc', 'cd', 'de'].map(([from, to]) => `${to}: &${to} [${`*${from},`.repeat(9)}]`),
      ].join('\n'),
      /alias/i,
    ],
    ['an unknown alias', 'merchant: *nothing', /alias.*nothing/i],
    ['an alias of itself', 'merchant: &a { slug: *a }', /./],
    ['lists that are never closed', '['.repeat(40_000), /^the file is nested too deeply$/],
    ['deeply nested lists', `merchant: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /^the file is nested too deeply$/],
    ['deeply nested members', '{a: '.repeat(20_000) + '}'.repeat(20_000), /^the file is nested too deeply$/],
    ['keys that are not strings', 'merchant: { [a, b]: 1 }', /key/i],
  ] as const) {
    test(`is refused with a message for ${name}`, () => {
      const read = readShopFile(text, now)
      assert.ok('problems' in read)
      assert.match(read.problems[0]?.message ?? '', message)
      if (message.source.includes('nested')) assert.equal(read.problems.length, 1)
    })
  }

  test('is refused if it is not UTF-8 or larger than 8 MiB', () => {
    const text = JSON.stringify({ merchant: merchant('Tee für alle') })
    assert.ok('file' in readShopBytes(Buffer.from(text), now))
    assert.deepEqual(readShopBytes(Buffer.from(text, 'latin1'), now), {
      problems: [issueAt('', 'file_not_utf8')],
    })
    const large = Buffer.alloc(8 * 1024 * 1024 + 1, ' ')
    const problems = [issueAt('', 'file_too_large', { mebibytes: 8 })]
    assert.equal(problems[0]?.message, 'the file is larger than 8 MiB: import a large catalog instead')
    assert.deepEqual(readShopBytes(large, now), { problems })
    assert.deepEqual(readShopFile('ü'.repeat(4 * 1024 * 1024 + 1), now), { problems })
  })

  for (const [url, isTaken] of [
    ['https://cdn.example.com/a.png', true],
    ['http://localhost/a.png', true],
    ['http://localhost:3000/a.png', true],
    ['http://127.0.0.1:3000/a.png', true],
    ['/media/demo/a.svg', true],
    ['http://localhost.evil.example/a.png', false],
    ['http://localhost@evil.example/a.png', false],
    ['http://localhost:3000@evil.example/a.png', false],
    ['http://127.0.0.1.evil.example/a.png', false],
    ['http://127.0.0.1', true],
    ['https://', false],
    ['https:///a.png', false],
    ['https://?a', false],
    ['https://[', false],
    ['http://example.com/a.png', false],
  ] as const) {
    test(`${isTaken ? 'may' : 'must not'} have the picture ${url}`, () => {
      const images = { products: [{ ...tea, categories: [], images: [{ url }] }] }
      assert.deepEqual(place(images), isTaken ? [] : ['/products/0/images/0/url'])
    })
  }

  test('is refused if names or codes are blank or dates are impossible', () => {
    const bad: Product = {
      ...tea,
      categories: [],
      name: ' \t',
      publishedAt: '2024-02-30T20:00:00Z',
      skus: [{ code: '\u00a0', price: 1 }],
    }
    assert.deepEqual(place({ merchant: { ...merchant('  '), timeZone: 'Mars/Olympus' }, products: [bad] }).sort(), [
      '/merchant/name',
      '/merchant/timeZone',
      '/products/0/name',
      '/products/0/publishedAt',
      '/products/0/skus/0/code',
    ])
  })

  test('is refused if an e-mail address could be read as several addresses', () => {
    for (const text of ['a,b@x.example', 'a;b@x.example', '<a@x.example>', 'a@x.example,', '"a"@x.example'])
      assert.deepEqual(
        place({ merchant: { ...merchant('Tea'), supportEmail: text, mail: { replyTo: text } } }),
        ['/merchant/supportEmail', '/merchant/mail/replyTo'],
        text,
      )
    assert.deepEqual(place({ merchant: { ...merchant('Tea'), supportEmail: 'a+b@x.example' } }), [])
  })

  test('is refused with the path of numbers that would lose digits', () => {
    const read = readShopFile(
      `merchant: { slug: tea, name: Tea, currency: GBP, country: GB, lowStockAt: 5.0 }
products:
  - slug: a
    name: A
    skus: [{ code: A, price: 1e2 }, { code: B, price: 999.0000000000000000001 }]
taxes: [{ country: GB, rate: 0.99999999999999999999 }, { country: FR, rate: 0x7d0 }]
`,
      now,
    )
    const problem = {
      code: 'number_too_precise',
      values: {},
      message: 'must not have more digits than a 64-bit floating-point number',
    }
    assert.deepEqual(read, {
      problems: [
        { path: '/products/0/skus/1/price', ...problem },
        { path: '/taxes/0/rate', ...problem },
      ],
    })
  })

  test('is refused with the paths of redirect hosts that occur twice or could never match', () => {
    const redirectHosts = [
      'good.example',
      '*.example',
      'x.example:8443',
      'https://y.example',
      'GOOD.example',
      'z.example/',
    ]
    assert.deepEqual(place({ installations: [{ name: 'Web', mode: 'live', redirectHosts }] }), [
      '/installations/0/redirectHosts/1',
      '/installations/0/redirectHosts/3',
      '/installations/0/redirectHosts/5',
      '/installations/0/redirectHosts/4',
    ])
  })

  test('cannot make a command print control characters to the terminal', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
    const file = join(folder, 'bad.yaml')
    await writeFile(file, '"\\e[31mred": 1\n"c1 \\x9b2J": 1\nmerchant: 1\n')
    const { code, out } = await cartwright(['apply', file], settings)
    assert.equal(code, 1)
    assert.match(out, /\\u001b\[31mred/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    const scopes = await cartwright(['keys', 'create', '--name', 'x', '--scopes', '\u001b[31mred'], settings)
    assert.equal(scopes.code, 2)
    assert.ok(!scopes.err.includes('\u001b') && scopes.err.includes('\\u001b[31mred'))
  })
})
