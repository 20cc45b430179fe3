// Files of other systems that come again after something changed in them, on both engines.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine, type Given } from '../harness/storage.ts'
import { remarkText } from '../src/contract/remarks.ts'
import { type ImportOptions, importProducts } from '../src/ops/imports/import.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { commandLimits, type Storage } from '../src/platform/storage/storage.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')

async function openShop(given: Given): Promise<Storage> {
  const storage = await given.open(commandLimits)
  const merchant = { slug: 'tea', name: 'Tea House', currency: 'GBP', country: 'GB' }
  await applyShop(storage, { merchant }, { now, stock: false, dryRun: false })
  return storage
}

async function bring(storage: Storage, lines: readonly string[], options: Partial<ImportOptions> = {}) {
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
  const report = await importProducts(storage, bytes(), {
    ...{ merchantSlug: 'tea', now, stock: false, onProgress: () => {} },
    ...options,
  })
  const { created, changed, unchanged, refused, notes, brokenOff } = report
  return { counts: [created, changed, unchanged, refused.length], refused, notes: notes.map(remarkText), brokenOff }
}

// Slug, name, and the codes and stock of what is sold.
async function productsOf(storage: Storage): Promise<string[]> {
  const rows = await storage.read(
    (db) => db.sql<{ slug: string; name: string; code: string; onHand: number }>`
      select p.slug, p.name, s.code, t.on_hand as "onHand"
      from products p join skus s on s.merchant_id = p.merchant_id and s.product_id = p.id
      join stock t on t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = 'live'
      where s.retired_at is null order by p.slug, s.position`,
  )
  return rows.map(({ slug, name, code, onHand }) => `${slug} | ${name} | ${code} | ${onHand}`)
}

eachEngine('files of other systems', (given) => {
  const woo =
    'ID,Type,SKU,Name,Published,Visibility in catalog,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)'

  test('a product that was renamed in WooCommerce is found by its id, together with its SKUs', async () => {
    const storage = await openShop(given)
    const file = (shirt: string, cap: string) => [
      woo,
      `47,simple,woo-tshirt,${shirt},1,visible,18,,,`,
      `48,variable,,${cap},1,visible,,,Size,"S, M"`,
      `49,variation,,${cap} - S,1,visible,9,id:48,Size,S`,
      `50,variation,,${cap} - M,1,visible,9,id:48,Size,M`,
    ]
    assert.deepEqual((await bring(storage, file('T-Shirt', 'Cap'))).counts, [2, 0, 0, 0])
    const renamed = await bring(storage, file('Classic T-Shirt', 'Hat'))
    assert.deepEqual(renamed.counts, [0, 2, 0, 0])
    assert.ok(renamed.notes.some((note) => note.endsWith('was recognized by its id as "cap-48"')))
    assert.deepEqual(await productsOf(storage), [
      'cap-48 | Hat | cap-48-s | 0',
      'cap-48 | Hat | cap-48-m | 0',
      't-shirt-47 | Classic T-Shirt | woo-tshirt | 0',
    ])
    assert.deepEqual((await bring(storage, file('Classic T-Shirt', 'Hat'))).counts, [0, 0, 2, 0])
  })

  test('a product whose slug contains the same number is not matched, unless it has the same SKU code', async () => {
    const storage = await openShop(given)
    await bring(storage, ['Handle,Title,Variant SKU,Variant Price', 'gate-47,Gate,,3', 'door-48,Door,D,3'])
    const report = await bring(storage, [woo, '47,simple,,Cap,1,visible,18,,,', '48,simple,D,Hat,1,visible,18,,,'])
    // The code says that it is the same, as it was imported before products had marks.
    assert.deepEqual(report.counts, [1, 1, 0, 0])
    assert.deepEqual(await productsOf(storage), [
      'cap-47 | Cap | cap-47 | 0',
      'door-48 | Hat | D | 0',
      'gate-47 | Gate | gate-47 | 0',
    ])
  })

  test('a Shopify file without prices changes existing products, and of these only what it contains', async () => {
    const storage = await openShop(given)
    const whole =
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty,Variant Barcode,Type'
    await bring(storage, [
      whole,
      'mug,Mug,Size,S,M-S,3,5,111,Cups',
      'mug,,Size,M,M-M,4,6,222,',
      'mug,,Size,L,M-L,5,7,333,',
    ])
    const changes = [
      'Handle,Title,Variant SKU,Variant Inventory Qty,Variant Barcode',
      "mug,Big mug,M-M,9,'0444",
      'mug,,M-L,8,333',
      'mug,,M-XL,1,',
      'cup,Cup,C,1,',
    ]
    const report = await bring(storage, changes)
    assert.deepEqual(report.counts, [0, 1, 0, 2])
    assert.deepEqual(report.refused.map(({ line, reason }) => `${line} ${remarkText(reason)}`).toSorted(), [
      '2 the SKU "M-XL" does not exist yet and cannot be created, because the file has no prices',
      '5 the product does not exist yet and cannot be created, because the file has no prices; the product is left out',
    ])
    const rows = await storage.read(
      (db) => db.sql<{ code: string; price: number; barcode: string }>`
        select code, price, barcode from skus where retired_at is null order by position`,
    )
    assert.deepEqual(
      rows.map(({ code, price, barcode }) => [code, price, barcode]),
      [
        ['M-S', 300, '111'],
        ['M-M', 400, '0444'],
        ['M-L', 500, '333'],
      ],
    )
    assert.deepEqual((await bring(storage, changes)).counts, [0, 0, 1, 2])
    // Only where it is asked for.
    assert.deepEqual((await bring(storage, changes, { stock: true })).counts, [0, 1, 0, 2])
    assert.deepEqual(await productsOf(storage), [
      'mug | Big mug | M-S | 5',
      'mug | Big mug | M-M | 9',
      'mug | Big mug | M-L | 8',
    ])
  })

  test('a SKU that was imported with Shopify’s leading apostrophe keeps its code and its stock', async () => {
    const storage = await openShop(given)
    const product = { slug: 'mug', name: 'Mug', skus: [{ code: "'00169", price: 100, stock: 5 }] }
    const merchant = { slug: 'tea', name: 'Tea House', currency: 'GBP', country: 'GB' }
    await applyShop(storage, { merchant, products: [product] }, { now, stock: false, dryRun: false })
    await bring(storage, [
      'Handle,Title,Variant SKU,Variant Price,Variant Inventory Qty',
      "mug,Mug,'00169,1,9",
      "cup,Cup,'00170,1,9",
    ])
    assert.deepEqual(await productsOf(storage), ['cup | Cup | 00170 | 9', "mug | Mug | '00169 | 5"])
  })
})
