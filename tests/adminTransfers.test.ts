// Imports and exports of files by the admin surface.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, beforeEach, test } from 'node:test'
import { createCategory, createProduct, unusedName } from '../harness/admin/catalog.ts'
import { draftOf } from '../harness/admin/drafts.ts'
import { requestedReturn } from '../harness/admin/returns.ts'
import {
  beginTransfer,
  clearTransfers,
  confirmTransfer,
  exportFile,
  runTransfers,
  sendFile,
  transferWith,
} from '../harness/admin/transfers.ts'
import { nodeFlags } from '../harness/flags.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertAdminError, type TestServer } from '../harness/testServer.ts'
import type { AdminFileColumn } from '../src/contract/admin/transfers.ts'
import type { Issue } from '../src/contract/issues.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { sellStock } from '../src/domain/inventory/sales.ts'
import { planImport } from '../src/ops/imports/plan.ts'
import { deleteOldImports } from '../src/ops/imports/retention.ts'
import { type DueImport, listDue } from '../src/ops/imports/store.ts'
import { newId } from '../src/platform/kit/ids.ts'

const header = 'Handle,Title,Type,Variant SKU,Variant Price,Variant Inventory Qty\n'

eachEngine('imports and exports', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    testServer = await openOrderTestServer(given)
  })
  beforeEach(() => clearTransfers(testServer))

  async function planned(kind: 'products' | 'stock', text: string, pieces = 1) {
    const id = await sendFile(testServer, kind, text, pieces)
    await runTransfers(testServer)
    return transferWith(testServer, id)
  }

  async function written(id: string) {
    const answer = await confirmTransfer(testServer, id)
    assert.equal(answer.status, 200, answer.text)
    await runTransfers(testServer)
    return transferWith(testServer, id)
  }

  const product = async (productId: string) =>
    (await testServer.askAdmin('getAdminProduct', { path: { productId } })).body.data
  const bySlug = async (slug: string) =>
    testServer.storage.read(
      (db) => db.sql<{ id: string; name: string }>`
        select id, name from products where merchant_id = ${testServer.merchantId} and slug = ${slug}`,
    )
  const entries = (requestId: string) =>
    testServer.storage.read(
      (db) => db.sql<{ actor: string; changes: string }>`
        select actor_kind as "actor", changes from audit_entries
        where merchant_id = ${testServer.merchantId} and request_id = ${requestId} order by id`,
    )

  test('columns of an unknown file format can be assigned until the import is confirmed, and the assignment is remembered for files with the same columns', async () => {
    const assign = (transferId: string, columns: Readonly<Record<string, string>>) =>
      testServer.askAdmin('assignAdminTransferColumns', {
        path: { transferId },
        body: {
          idempotencyKey: newId('req'),
          columns: Object.entries(columns).map(([column, as]) => ({ column, as })),
        },
      })
    const [code, name] = [unusedName('ASG'), unusedName('assigned')]
    const file = (price: string) => `Article;Article no.;Price;Was\n${name};${code};${price};9,00\n`
    const asked = await planned('products', file('7,50'))
    assert.equal(asked.state, 'columns')
    assert.deepEqual(
      asked.columns.map((column: AdminFileColumn) => [column.name, column.samples, column.as]),
      [
        ['Article', [name], null],
        ['Article no.', [code], null],
        ['Price', ['7,50'], 'price'],
        ['Was', ['9,00'], null],
      ],
    )
    assertAdminError(await confirmTransfer(testServer, asked.id), 'transfer_not_ready')
    const lacking = await assign(asked.id, { Article: 'title', 'Article no.': 'sku', Colour: 'option' })
    assert.deepEqual(
      lacking.body.error.issues.map((one: Issue) => `${one.path} ${one.code}`),
      ['/columns/2/column unknown_column', '/columns meaning_missing'],
    )
    const wrongly = { Article: 'title', 'Article no.': 'sku', Was: 'price' }
    const rightly = { Article: 'title', 'Article no.': 'sku', Price: 'price', Was: 'compareAtPrice' }
    assert.equal((await assign(asked.id, wrongly)).body.data.state, 'planning')
    await runTransfers(testServer)
    assert.deepEqual((await transferWith(testServer, asked.id)).created, 1)
    assert.equal((await assign(asked.id, rightly)).status, 200)
    await runTransfers(testServer)
    assert.equal((await written(asked.id)).state, 'done')
    const skus = () =>
      testServer.storage.read(
        (db) => db.sql<{ price: number }>`
          select price from skus where merchant_id = ${testServer.merchantId} and code = ${code}`,
      )
    assert.deepEqual(
      (await skus()).map(({ price }) => Number(price)),
      [750],
    )
    const [pieces] = await testServer.storage.read(
      (db) =>
        db.sql<{ count: number }>`select count(*) as "count" from transfer_pieces where transfer_id = ${asked.id}`,
    )
    assert.equal(Number(pieces?.count), 0, 'the text is deleted once it is written')
    assertAdminError(await assign(asked.id, rightly), 'transfer_not_ready')
    const next = await planned('products', file('8,00'))
    assert.deepEqual([next.state, next.changed], ['ready', 1])
    assert.deepEqual(
      next.notes.map((note: Issue) => note.code),
      ['columns_assigned_before', 'no_quantities'],
    )
    assert.deepEqual(
      next.columns.map(({ as }: AdminFileColumn) => as),
      ['title', 'sku', 'price', 'compareAtPrice'],
    )
  })

  test('a product that was renamed in WooCommerce keeps its slug and the metadata that was added here', async () => {
    const file = (name: string) =>
      `ID,Typ,Artikelnummer,Name,Veröffentlicht,"Sichtbarkeit im Katalog","Regulärer Preis"\n470,simple,woo-470,${name},1,visible,18\n`
    const first = await planned('products', file('Tasse'))
    await written(first.id)
    const [found] = await bySlug('tasse-470')
    const { product: entry, version } = await product(found?.id ?? '')
    assert.deepEqual(entry.metadata, { woocommerceId: '470' })
    const marked = { ...entry, metadata: { ...entry.metadata, shelf: '4' } }
    const replaced = await testServer.askAdmin('replaceAdminProduct', {
      path: { productId: found?.id ?? '' },
      body: { idempotencyKey: newId('req'), expectedVersion: version, product: marked },
    })
    assert.equal(replaced.status, 200, replaced.text)
    const plan = await planned('products', file('Becher'))
    assert.deepEqual([plan.created, plan.changed], [0, 1])
    await written(plan.id)
    const { product: after } = await product(found?.id ?? '')
    assert.deepEqual(
      [after.slug, after.name, after.metadata],
      ['tasse-470', 'Becher', { shelf: '4', woocommerceId: '470' }],
    )
  })

  test('importing an export of products changes nothing, whatever the products contain', async () => {
    const { category: outer } = await createCategory(testServer, { name: 'In & > out' })
    const { category: inner } = await createCategory(testServer, { parent: outer.slug })
    await createProduct(testServer, {
      name: '=HYPERLINK("http://evil","x")',
      summary: 'A summary of its own.',
      description: 'One  line\n\n\nand <b>another</b> & more\nhere\t.',
      categories: [inner.slug, outer.slug],
      tags: ['＋a, b', '@c'],
      images: [
        { url: '/media/x.webp', alt: 'A "cup"' },
        { url: 'https://pictures.example/b.jpg', alt: '', width: 3, height: 4 },
        { url: 'https://pictures.example/c.jpg' },
      ],
      brand: '=Wren,  "small"',
      metadata: { vendor: 'Finch', shelf: '4' },
      options: [
        { name: 'Size', values: ['S', ' S'] },
        { name: '-Colour', values: ['+plum', "'=grey"] },
      ],
      skus: [
        { code: '-A  1', price: 1, options: { Size: 'S', '-Colour': '+plum' }, stock: 3, backorder: true },
        {
          code: "'=2",
          name: 'Own name',
          price: 1_200,
          compareAtPrice: 1_300,
          options: { Size: ' S', '-Colour': "'=grey" },
          requiresShipping: false,
          weightGrams: 250,
          maxPerOrder: 3,
          taxClass: 'reduced',
          image: '/media/y.webp',
        },
      ],
    })
    await createProduct(testServer, { published: false, description: '' })
    await createProduct(testServer, { descriptionHtml: '<h2>Care</h2><ul><li>Wash <b>cold</b>' })
    await createProduct(testServer, { description: 'Another text.', descriptionHtml: '<p>No more than a text.</p>' })
    const archived = await createProduct(testServer)
    await testServer.askAdmin('updateAdminProducts', {
      body: { idempotencyKey: newId('req'), productIds: [archived.id], change: { status: 'archived' } },
    })
    const text = await exportFile(testServer, 'of=products')
    assert.match(text, /"'=HYPERLINK\(""http/)
    const plan = await planned('products', text, 3)
    assert.deepEqual([plan.state, plan.changes, plan.refusedRows], ['ready', [], []])
    assert.deepEqual([plan.created, plan.changed, plan.refused, plan.notes], [0, 0, 0, []])
    assert.ok(plan.unchanged >= 3)
    assert.equal((await written(plan.id)).state, 'done')
  })

  test('a Google feed contains the published products with links made from the given template', async () => {
    const images = [{ url: 'https://pictures.example/a.jpg' }]
    const shown = await createProduct(testServer, { description: 'Blue & round.', images })
    const bare = await createProduct(testServer)
    const hidden = await createProduct(testServer, { published: false })
    const link = encodeURIComponent('https://shop.example/p/{slug}')
    const text = await exportFile(testServer, `of=google&link=${link}`)
    assert.match(text, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<rss version="2\.0" xmlns:g=/)
    assert.ok(text.endsWith('</channel>\n</rss>\n'))
    assert.ok(text.includes(`<link>https://shop.example/p/${shown.product.slug}</link>`))
    assert.ok(text.includes('Blue &amp; round.'))
    assert.ok(!text.includes(hidden.product.slug))
    // What Merchant Center would refuse is named, and no item.
    assert.ok(!text.includes(`/p/${bare.product.slug}<`))
    assert.match(text, /^<!-- left out of the feed: .+, no picture -->$/m)
    for (const query of ['?of=google', '?of=google&link=javascript:x', '?of=google&link=https://shop.example/']) {
      const answer = await testServer.askAdmin('listAdminExport', { query })
      assert.deepEqual([answer.status, answer.body.error.issues[0].path], [400, '/query/link'], query)
    }
  })

  test('a product file without prices changes existing products only', async () => {
    const { id, product: entry } = await createProduct(testServer)
    const [sku] = entry.skus
    const text = `Handle,Title,Variant SKU,Variant Barcode\n${entry.slug},Renamed,${sku.code},'0012\nno-such-thing,New,N,\n`
    const plan = await planned('products', text)
    assert.deepEqual([plan.created, plan.changed, plan.refused], [0, 1, 1])
    assert.match(plan.refusedRows[0].reason, /^the product does not exist yet/)
    await written(plan.id)
    const { product: after } = await product(id)
    assert.deepEqual(after, { ...entry, name: 'Renamed', skus: [{ ...sku, barcode: '0012' }] })
  })

  test('editing one cell of an exported file changes one member', async () => {
    const { id, product: entry } = await createProduct(testServer, {
      summary: 'Mine.',
      description: 'Long text.',
      metadata: { shelf: '4' },
      tags: ['x, y'],
    })
    const [code] = entry.skus.map((sku: { code: string }) => sku.code)
    const text = (await exportFile(testServer, 'of=products'))
      .split('\n')
      .map((line) => (line.includes(`,${code},`) ? line.replace(',12.00,', ',13.50,') : line))
      .join('\n')
    const plan = await planned('products', text)
    const members = [{ member: 'price', from: 1_200, to: 1_350 }]
    assert.deepEqual(
      plan.changes.map(({ line: _, ...change }: { line: number }) => change),
      [{ kind: 'change', type: 'sku', name: code, members }],
    )
    assert.deepEqual([plan.changed, plan.changesCount], [1, 1])
    assert.equal((await product(id)).product.skus[0].price, 1_200, 'nothing before the confirmation')
    assert.equal((await written(plan.id)).written, 1)
    const after = await product(id)
    assert.deepEqual(after.product, { ...entry, skus: [{ ...entry.skus[0], price: 1_350 }] })
  })

  test('editing the HTML column changes both forms of the description', async () => {
    const { id } = await createProduct(testServer, { descriptionHtml: '<p>Wash <b>cold</b>.</p>' })
    const text = (await exportFile(testServer, 'of=products')).replace(
      '<p>Wash <b>cold</b>.</p>',
      '<p>Wash <i>warm</i>.</p>',
    )
    const plan = await planned('products', text)
    assert.deepEqual(
      plan.changes.flatMap(({ members }: { members: object[] }) => members),
      [
        { member: 'description', from: 'Wash cold.', to: 'Wash warm.' },
        { member: 'descriptionHtml', from: '<p>Wash <b>cold</b>.</p>', to: '<p>Wash <i>warm</i>.</p>' },
      ],
    )
    await written(plan.id)
    assert.equal((await product(id)).product.descriptionHtml, '<p>Wash <i>warm</i>.</p>')
  })

  test('a SKU whose code belongs to another product gets a generated code, and importing the same file again changes nothing', async () => {
    const [mug, cup] = [unusedName('mug'), unusedName('cup')]
    const row = (slug: string, title = slug) => `${slug},${title},Shelf,${mug},12.50,4\n`
    await written((await planned('products', header + row(mug) + row(cup))).id)
    const [shown] = await bySlug(cup)
    const { code } = (await product(shown?.id ?? '')).product.skus[0]
    assert.match(code, new RegExp(`^${mug}-[0-9a-f]{8}$`))
    // Alone in its file, it is the same SKU.
    const alone = await planned('products', header + row(cup))
    assert.deepEqual([alone.created, alone.changed, alone.unchanged, alone.refused], [0, 0, 1, 0])
    const renamed = await planned('products', header + row(cup, 'Renamed'))
    assert.deepEqual([renamed.changed, renamed.notes.length], [1, 1])
    assert.match(
      renamed.notes[0].message,
      new RegExp(`the SKU "${mug}" belongs to the product ${mug} and was changed to "${code}"`),
    )
  })

  test('a WooCommerce file is planned and written like a Shopify file', async () => {
    const name = unusedName('Cap')
    const columns =
      'ID,Type,SKU,Name,Published,In stock?,Stock,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)\n'
    const parent = `7,variable,,${name},1,1,,,,Size,"S, M"\n`
    const variations = ['S', 'M'].map(
      (size, i) => `${8 + i},variation,${name}-${size},,1,1,${i},12.50,id:7,Size,${size}\n`,
    )
    const text = columns + parent + variations.join('')
    await written((await planned('products', text)).id)
    const [shown] = await bySlug(`${name.toLowerCase()}-7`)
    const { skus } = (await product(shown?.id ?? '')).product
    assert.deepEqual(
      skus.map(({ code, price }: { code: string; price: number }) => [code, price]),
      [
        [`${name}-S`, 1_250],
        [`${name}-M`, 1_250],
      ],
    )
    const again = await planned('products', text)
    assert.deepEqual([again.created, again.changed, again.unchanged, again.refused], [0, 0, 1, 0])
  })

  test('a Google feed in XML is planned and written; one with a document type declaration is refused', async () => {
    const code = unusedName('FEED')
    const item = `<item><g:id>${code}</g:id><title>Café cup</title><g:price>4.50 EUR</g:price><g:availability>in_stock</g:availability></item>`
    const feed = `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${item}</channel></rss>`
    const plan = await planned('products', `<?xml version="1.0" encoding="ISO-8859-1"?>${feed}`, 3)
    assert.deepEqual([plan.state, plan.created, plan.refused], ['ready', 1, 0])
    await written(plan.id)
    const { data } = (await testServer.askAdmin('listAdminProducts', { query: `?q=${code.toLowerCase()}` })).body
    assert.deepEqual([data[0].name, data[0].priceMin], ['Café cup', 450])
    const bad = await planned('products', `<!DOCTYPE x [<!ENTITY a "ha">]>${feed}`)
    const problem = {
      line: 1,
      code: 'document_type',
      values: {},
      message: 'the file contains a document type declaration (DOCTYPE), which is not supported',
    }
    assert.deepEqual([bad.state, bad.problem], ['failed', problem])
  })

  test('invalid rows are reported with line and reason, and the other rows are written once', async () => {
    const slugs = Array.from({ length: 60 }, () => unusedName('row'))
    const rows = slugs.map((slug, index) => {
      const price = index === 20 ? '12,50' : '12.50'
      const title = index === 40 ? '' : `Row ${index}`
      return `${slug},${title},Shelf ${slugs[0]},${slug},"${index === 50 ? '' : price}",4\n`
    })
    const plan = await planned('products', header + rows.join(''), 2)
    const leftOut = '; the product is left out'
    const row = { values: {}, moreRows: 0, leavesOut: true }
    assert.deepEqual(plan.refusedRows, [
      {
        ...{
          line: 22,
          name: slugs[20],
          code: 'price_has_comma',
          values: { value: '12,50' },
          moreRows: 0,
          leavesOut: true,
        },
        reason: `the price "12,50" has a comma: write it like 1299.00${leftOut}`,
      },
      { ...row, line: 42, name: slugs[40], code: 'title_missing', reason: `the title is missing${leftOut}` },
      { ...row, line: 52, name: slugs[50], code: 'price_missing', reason: `the price is missing${leftOut}` },
    ])
    assert.equal(plan.refused, 3)
    assert.deepEqual([plan.created, plan.changed, plan.unchanged, plan.state], [57, 0, 0, 'ready'])
    assert.deepEqual(plan.changes[0], {
      line: 2,
      kind: 'create',
      type: 'category',
      name: `shelf-${slugs[0]}`,
      members: [],
    })
    assert.deepEqual(await bySlug(slugs[0] as string), [])

    const confirmed = await confirmTransfer(testServer, plan.id)
    const again = await confirmTransfer(testServer, plan.id)
    assertAdminError(again, 'transfer_not_ready')
    assert.deepEqual(again.body.error.current, { state: 'writing' })
    await runTransfers(testServer)
    const done = await transferWith(testServer, plan.id)
    assert.deepEqual([done.state, done.written, done.refused], ['done', 57, plan.refused])
    assertAdminError(await confirmTransfer(testServer, plan.id), 'transfer_not_ready')

    const [shown] = await bySlug(slugs[0] as string)
    assert.equal(shown?.name, 'Row 0')
    const { data } = (await testServer.ask('listApiKeyCatalogCategories')).body
    assert.equal(data.find(({ slug }: { slug: string }) => slug === `shelf-${slugs[0]}`).productCount, 57)
    const written = await entries(confirmed.headers.get('x-request-id') ?? '')
    const changes = written.flatMap(
      (entry) => JSON.parse(entry.changes) as { kind: string; what: string; id: string }[],
    )
    assert.deepEqual([...new Set(written.map(({ actor }) => actor))], ['key'])
    assert.equal(changes.filter(({ what, kind }) => what === 'product' && kind === 'create').length, 57)
    assert.ok(written.length >= (given.engine === 'sqlite' ? 6 : 2), 'a batch is small')
    const events = await testServer.storage.read(
      (db) => db.sql`select id from events where type = 'product.created' and subject_id = ${shown?.id ?? ''}`,
    )
    assert.ok(events.length > 0)
    assert.deepEqual(await testServer.storage.read(findViolations), [])
    const left = await testServer.storage.read(
      (db) => db.sql`
        select transfer_id from transfer_items where merchant_id = ${testServer.merchantId}
        union all select transfer_id from transfer_pieces where merchant_id = ${testServer.merchantId}`,
    )
    assert.deepEqual(left, [])
  })

  test('a product that was changed since the plan was made is refused, and the others are written', async () => {
    const [one, other] = [await createProduct(testServer), await createProduct(testServer)]
    const rows = [one, other].map(({ product: { slug, skus } }) => `${slug},Renamed,,${skus[0].code},12.00,\n`)
    const plan = await planned('products', header + rows.join(''))
    assert.equal(plan.changed, 2)
    const change = { ...one.product, name: 'By hand' }
    const path = { productId: one.id }
    await testServer.askAdmin('replaceAdminProduct', {
      path,
      body: { idempotencyKey: newId('req'), expectedVersion: one.version, product: change },
    })
    const done = await written(plan.id)
    assert.deepEqual(done.refusedRows, [
      {
        ...{ line: 2, name: one.product.slug, reason: 'the product was changed after the import was planned' },
        ...{ code: 'product_changed', values: {}, moreRows: 0, leavesOut: false },
      },
    ])
    assert.deepEqual([done.written, done.refused], [1, 1])
    assert.equal((await product(one.id)).product.name, 'By hand')
    assert.equal((await product(other.id)).product.name, 'Renamed')
  })

  test('a stock file sets a count only while the stock is what the file says, so no sale is undone', async () => {
    const [one, other, sold] = [
      await createProduct(testServer),
      await createProduct(testServer),
      await createProduct(testServer),
    ]
    const codeOf = (made: typeof one) => made.product.skus[0].code
    const file = await exportFile(testServer, 'of=stock')
    const same = await planned('stock', file)
    assert.deepEqual([same.state, same.changed, same.refused], ['ready', 0, 0])
    assert.match(file, new RegExp(`,${codeOf(one)},0,7,7,\n`))

    const text = `SKU,On hand (current),On hand (new)\n${codeOf(one)},7,9\n${codeOf(other)},8,9\n${codeOf(sold)},,1\nNONE,,1\n`
    const plan = await planned('stock', text)
    const row = { moreRows: 0, leavesOut: false }
    const differs = { ...row, code: 'stock_differs' }
    assert.deepEqual(plan.refusedRows, [
      { ...differs, line: 3, name: codeOf(other), values: { count: 7 }, reason: 'the stock has changed and is 7 now' },
      {
        ...{ ...row, line: 5, name: 'NONE', code: 'sku_unknown', values: {} },
        reason: 'the shop has no SKU with this code',
      },
    ])
    const seller = { merchantId: testServer.merchantId, mode: 'test' } as const
    await testServer.storage.write((tx) =>
      sellStock(tx, seller, newId('ord'), [{ skuId: sold.skus[0].id, quantity: 2 }], {
        now: testServer.clock.now,
        cause: null,
        soldTo: newId('ord'),
      }),
    )
    const done = await written(plan.id)
    assert.deepEqual(done.refusedRows[2], {
      ...{
        ...differs,
        line: 4,
        name: codeOf(sold),
        values: { count: 5 },
        reason: 'the stock has changed and is 5 now',
      },
    })
    assert.deepEqual([done.written, done.refused], [1, 3])
    const levels = await Promise.all([one, other, sold].map(async ({ id }) => (await product(id)).skus[0].onHand))
    assert.deepEqual(levels, [9, 7, 5])
  })

  test('an import of an unreadable file fails with the reason and cannot be confirmed', async () => {
    const plan = await planned('products', `${header}x,"open,a,b,1.00,1\n`)
    assert.equal(plan.state, 'failed')
    assert.deepEqual(plan.problem, {
      ...{ line: 2, code: 'quote_never_closed', values: {} },
      message: 'the quote that opens here is never closed',
    })
    const { data: listed } = (await testServer.askAdmin('listAdminTransfers')).body
    assert.deepEqual(listed.find(({ id }: { id: string }) => id === plan.id).problem, plan.problem)
    assertAdminError(await confirmTransfer(testServer, plan.id), 'transfer_not_ready')
    const empty = await planned('products', '\n')
    const first = { line: 1, name: '', values: {}, moreRows: 0, leavesOut: false }
    assert.deepEqual(empty.refusedRows, [{ ...first, code: 'file_empty', reason: 'the file is empty' }])
    const stock = await planned('stock', 'Code,Count\nx,1\n')
    assert.deepEqual(stock.refusedRows, [
      {
        ...{ ...first, code: 'stock_columns_missing' },
        reason: 'the first row must name the columns "SKU" and "On hand (new)"',
      },
    ])
  })

  test('messages that an earlier release stored are shown unchanged', async () => {
    const { id } = await planned('products', `${header}x,"open,a,b,1.00,1\n`)
    const [problem, note] = ['line 2: the quote that opens here is never closed', 'line 3: something else']
    const rows = [{ line: 4, name: 'mug', reason: 'the title is missing; the product is left out' }]
    await testServer.storage.write(
      (tx) => tx.sql`
      update transfers set problem = ${problem}, notes = ${JSON.stringify([note])}, refusals = ${JSON.stringify(rows)}
      where merchant_id = ${testServer.merchantId} and id = ${id} returning id`,
    )
    const shown = await transferWith(testServer, id)
    const earlier = (sentence: string) => ({ line: null, code: 'earlier', values: { sentence }, message: sentence })
    assert.deepEqual([shown.problem, shown.notes], [earlier(problem), [earlier(note)]])
    assert.deepEqual(
      shown.refusedRows,
      rows.map((row) => ({ ...row, code: 'earlier', values: { sentence: row.reason }, moreRows: 0, leavesOut: false })),
    )
  })

  test('pieces of a file may arrive in any order and repeatedly until all are received; at most five imports may wait for pieces', async () => {
    const { id } = await beginTransfer(testServer, 'products', 2)
    const slug = unusedName('piece')
    const append = (piece: string, text: string) =>
      testServer.askAdmin('appendAdminTransfer', {
        path: { transferId: id, piece },
        body: { idempotencyKey: newId('req'), text },
      })
    assert.equal((await append('2', 'to be replaced')).body.data.received, 1)
    assert.equal((await append('2', `${slug},Split é,,${slug},1.00,1\n`)).body.data.received, 1)
    for (const piece of ['0', '3', '01', '-1', '1.0', '1e0', '100', '1000'])
      assertAdminError(await append(piece, 'x'), 'transfer_not_found')
    assertAdminError(await append('1', 'é'.repeat(140_000)), 'invalid_request')
    assert.equal((await append('1', header)).body.data.state, 'planning')
    assertAdminError(await append('1', header), 'transfer_not_receiving')
    await runTransfers(testServer)
    assert.equal((await transferWith(testServer, id)).created, 1)

    for (let waiting = 1; waiting < 5; waiting += 1) await beginTransfer(testServer, 'stock', 1)
    const body = { idempotencyKey: newId('req'), kind: 'stock', name: 'x', pieces: 1 }
    assertAdminError(await testServer.askAdmin('createAdminTransfer', { body }), 'transfer_limit')
    const discard = { path: { transferId: id }, body: { idempotencyKey: newId('req') } }
    assert.deepEqual((await testServer.askAdmin('discardAdminTransfer', discard)).body.data, { id, removed: true })
    assertAdminError(await testServer.askAdmin('getAdminTransfer', { path: { transferId: id } }), 'transfer_not_found')
    await beginTransfer(testServer, 'stock', 1)
  })

  test('the import of a process that died is taken over once its lease has expired', async () => {
    const rows = Array.from({ length: 45 }, () => unusedName('again')).map((slug) => `${slug},A,,${slug},1.00,1\n`)
    const id = await sendFile(testServer, 'products', header + rows.join(''))
    await testServer.storage.write(async (tx) => {
      await tx.sql`update transfers set run = 'req_dead', run_until = ${testServer.clock.now + 1_000} where id = ${id}`
      await tx.sql`
        insert into transfer_items (merchant_id, transfer_id, position, line, name, item)
        values (${testServer.merchantId}, ${id}, 1, 1, 'x', '{}')`
    })
    await runTransfers(testServer)
    assert.equal((await transferWith(testServer, id)).state, 'planning', 'the other one may be alive')
    testServer.clock.now += 1_000
    await runTransfers(testServer)
    const plan = await transferWith(testServer, id)
    assert.deepEqual([plan.state, plan.created], ['ready', 45])
    assert.equal((await written(id)).written, 45)
  })

  test('a process that loses its lease before it saves the plan leaves the pieces of the file to the other node', async () => {
    const id = await sendFile(
      testServer,
      'products',
      `${header}${unusedName('late')},A,,${unusedName('LATE')},1.00,1\n`,
    )
    const [due] = await testServer.storage.read((db) => listDue(db, testServer.clock.now, 1))
    assert.equal(due?.id, id)
    // The other one claims it once all rows were read, before the plan is saved.
    let writes = 0
    const storage: TestServer['storage'] = Object.assign(Object.create(testServer.storage), {
      async write(work: Parameters<TestServer['storage']['write']>[0]) {
        writes += 1
        if (writes === 4)
          await testServer.storage.write((tx) => tx.sql`update transfers set run = 'req_other' where id = ${id}`)
        return testServer.storage.write(work)
      },
    })
    const tools = { storage, origin: () => testServer.origin, clock: () => testServer.clock.now }
    assert.equal(await planImport(tools, due as DueImport, () => false), false)
    assert.equal(writes, 4, 'claimed, cleared, one batch, the plan that was refused')
    testServer.clock.now += 60_000
    await runTransfers(testServer)
    const plan = await transferWith(testServer, id)
    assert.deepEqual([plan.state, plan.created], ['ready', 1])
  })

  test('concurrent confirmations write an import once; if it is discarded at the same time, it is written once or not at all', async () => {
    const slug = unusedName('raced')
    for (const isDiscarded of [false, true]) {
      const { id } = await planned('products', `${header}${slug}-${isDiscarded},A,,${unusedName('RACED')},1.00,1\n`)
      const discard = { path: { transferId: id }, body: { idempotencyKey: newId('req') } }
      const answers = await Promise.all([
        confirmTransfer(testServer, id),
        confirmTransfer(testServer, id),
        ...(isDiscarded ? [testServer.askAdmin('discardAdminTransfer', discard)] : []),
      ])
      const confirmed = answers.slice(0, 2).filter(({ status }) => status === 200).length
      assert.ok(confirmed === 1 || (isDiscarded && confirmed === 0), answers.map(({ text }) => text).join('\n'))
      assert.ok(answers.every(({ status }) => [200, 404, 409].includes(status)))
      await runTransfers(testServer)
      const isDone =
        (await testServer.askAdmin('getAdminTransfer', { path: { transferId: id } })).body.data?.state === 'done'
      assert.deepEqual([(await bySlug(`${slug}-${isDiscarded}`)).length, isDone], [confirmed, confirmed === 1])
    }
  })

  test('an import that created a product and its category is undone and redone, and a dry run of each reports the same changes', async () => {
    const [slug, other] = [unusedName('fresh'), unusedName('moved')]
    const { category } = await createCategory(testServer)
    const { product: moved } = await createProduct(testServer, { slug: other, categories: [category.slug] })
    const [sku] = moved.skus
    const price = (sku.price / 100).toFixed(2)
    const rows = `${slug},Fresh,Outer > Inner,${slug},3.00,\n${other},${moved.name},Outer,${sku.code},${price},\n`
    const { id } = await planned('products', header + rows)
    assert.equal((await written(id)).written, 2)
    const inCategory = async () => {
      const { data } = (await testServer.askAdmin('listAdminCategories')).body
      return data
        .flatMap(({ category: { slug }, productCount }: { category: { slug: string }; productCount: number }) =>
          slug.startsWith('outer') ? [[slug, productCount]] : [],
        )
        .sort()
    }
    const state = async (of: string) => {
      const [row] = await bySlug(of)
      const { status, product: entry } = await product(row?.id ?? '')
      return [status, entry.categories]
    }
    const made = [await inCategory(), await state(slug), await state(other)]
    assert.deepEqual(made, [
      [
        ['outer', 2],
        ['outer-inner', 1],
      ],
      ['published', ['outer-inner']],
      ['published', ['outer']],
    ])
    const undo = (changeId: string, dryRun: boolean) =>
      testServer.askAdmin('undoAdminChange', { path: { changeId }, body: { idempotencyKey: newId('req'), dryRun } })
    const last = async () => (await testServer.askAdmin('listAdminChanges')).body.data[0].id
    for (const expected of [[[], ['archived', []], ['published', [category.slug]]], made]) {
      const changeId = await last()
      const dry = await undo(changeId, true)
      const real = await undo(changeId, false)
      assert.equal(real.status, 200, real.text)
      assert.deepEqual([dry.status, dry.body.data.changes.length], [200, real.body.data.changes.length])
      assert.deepEqual([await inCategory(), await state(slug), await state(other)], expected)
    }
    // One that was put into it since keeps it.
    await createProduct(testServer, { categories: ['outer'] })
    const changes = (await testServer.askAdmin('listAdminChanges', { query: '?operation=undoAdminChange' })).body.data
    for (const dryRun of [true, false]) assertAdminError(await undo(changes[0].id, dryRun), 'change_overtaken')
    assert.deepEqual(await testServer.storage.read((db) => findViolations(db)), [])
  })

  test('a product with an invalid row is left out if a SKU that the file does not list would lack one of its options', async () => {
    const slug = unusedName('plain')
    const { product: entry } = await createProduct(testServer, {
      slug,
      options: [],
      skus: [{ code: unusedName('P'), price: 100 }],
    })
    const head = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n'
    const rows = `${slug},${entry.name},Size,S,${unusedName('S')},1.00\n${slug},,,M,${unusedName('M')},not a price\n`
    const plan = await planned('products', head + rows)
    assert.deepEqual(
      [plan.created, plan.changed, plan.refusedRows.map(({ line }: { line: number }) => line)],
      [0, 0, [3, 2]],
    )
    assert.match(
      plan.refusedRows[1].reason,
      /keeps SKUs that the file does not list, and .* has no value for the option Size/,
    )
    await written(plan.id)
    const again = await planned('products', await exportFile(testServer, 'of=products'))
    assert.deepEqual([again.created, again.changed, again.refusedRows], [0, 0, []])
  })

  async function dieAfter(statements: number): Promise<void> {
    const script = join(import.meta.dirname, '..', 'harness', 'transferCrasher.ts')
    const given = [testServer.url, String(testServer.clock.now), String(statements)]
    const child = spawn(process.execPath, [...nodeFlags, script, ...given], { stdio: ['ignore', 'ignore', 'inherit'] })
    const [, signal] = (await once(child, 'close')) as [number | null, string | null]
    assert.equal(signal, 'SIGKILL')
  }

  test('after kill -9 during planning or writing, each batch is written with its audit entry or not at all, and the next run writes the rest', async () => {
    const slugs = Array.from({ length: 50 }, () => unusedName('killed'))
    const rows = slugs.map((slug) => `${slug},Killed,Killed,${slug},1.00,1\n`)
    const id = await sendFile(testServer, 'products', header + rows.join(''))
    await dieAfter(6)
    assert.equal((await transferWith(testServer, id)).state, 'planning')
    testServer.clock.now += 60_000
    await runTransfers(testServer)
    assert.equal((await transferWith(testServer, id)).created, 50)
    const confirmed = await confirmTransfer(testServer, id)
    const names = () =>
      testServer.storage.read(
        (db) => db.sql<{ slug: string }>`
          select slug from products where merchant_id = ${testServer.merchantId} and slug like 'killed-%' order by id`,
      )
    const soFar: number[] = []
    // Somewhere in the first batch, in the second, and right before a commit.
    for (const statements of [10, 40, 26]) {
      await dieAfter(statements)
      const { state, written } = await transferWith(testServer, id)
      const changes = (await entries(confirmed.headers.get('x-request-id') ?? '')).flatMap(
        (entry) => JSON.parse(entry.changes) as { kind: string; what: string; name: string }[],
      )
      const made = changes.filter(({ what, kind }) => what === 'product' && kind === 'create').map(({ name }) => name)
      assert.equal(state, 'writing')
      assert.equal(made.length, written)
      assert.deepEqual((await names()).map(({ slug }) => slug).toSorted(), made.toSorted())
      soFar.push(written)
    }
    assert.equal(soFar[0], 0)
    assert.ok((soFar.at(-1) ?? 0) >= 10, 'a batch that was committed stays')
    await runTransfers(testServer)
    const done = await transferWith(testServer, id)
    assert.deepEqual([done.state, done.written, done.refused], ['done', 50, 0])
    assert.equal((await names()).length, 50)
    assert.deepEqual(await testServer.storage.read(findViolations), [])
  })

  test('a file whose planning was interrupted three times is not read again, and its import fails with that reason', async () => {
    const rows = Array.from({ length: 50 }, () => unusedName('fatal')).map((slug) => `${slug},Fatal,,${slug},1.00,1\n`)
    const id = await sendFile(testServer, 'products', header + rows.join(''))
    const tools = { storage: testServer.storage, origin: () => testServer.origin, clock: () => testServer.clock.now }
    // A shutdown that waits for it is no such end.
    for (let times = 0; times < 4; times += 1) {
      const [due] = await testServer.storage.read((db) => listDue(db, testServer.clock.now, 1))
      assert.equal(await planImport(tools, due as DueImport, () => true), false)
    }
    for (let times = 0; times < 3; times += 1) {
      assert.equal((await transferWith(testServer, id)).state, 'planning')
      await dieAfter(6)
      testServer.clock.now += 60_000
    }
    await runTransfers(testServer)
    const { state, problem, created } = await transferWith(testServer, id)
    assert.deepEqual([state, created], ['failed', 0])
    assert.deepEqual([problem.code, problem.values, problem.line], ['reading_broken_off', { count: 3 }, null])
    assert.match(problem.message, /^reading the file was interrupted 3 times: split the file/)
    const left = await testServer.storage.read(
      (db) => db.sql`
        select 'item' from transfer_items where transfer_id = ${id}
        union all select 'piece' from transfer_pieces where transfer_id = ${id}`,
    )
    assert.deepEqual(left, [])
  })

  test('an import keeps its lease while it reads many pieces before it plans anything', async () => {
    const id = await sendFile(testServer, 'products', `${header}${'\n'.repeat(4_000)}`, 40)
    const [due] = await testServer.storage.read((db) => listDue(db, testServer.clock.now, 1))
    let reads = 0
    const storage: TestServer['storage'] = Object.assign(Object.create(testServer.storage), {
      // Each piece takes a second, and another node looks for work meanwhile.
      async read(work: Parameters<TestServer['storage']['read']>[0]) {
        reads += 1
        testServer.clock.now += 1_000
        const value = await testServer.storage.read(work)
        assert.deepEqual(await testServer.storage.read((db) => listDue(db, testServer.clock.now, 1)), [])
        return value
      },
    })
    const tools = { storage, origin: () => testServer.origin, clock: () => testServer.clock.now }
    assert.equal(await planImport(tools, due as DueImport, () => false), true)
    assert.ok(reads > 40)
    assert.equal((await transferWith(testServer, id)).state, 'ready')
  })

  test('orders are exported without their customers, or with customers and an audit entry of the read', async () => {
    const { orderId } = await testServer.orders.place()
    const customer = (await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })).body.data
    const order = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    const plain = await exportFile(testServer, 'of=orders')
    const first = plain.split('\n').find((line) => line.includes(orderId)) ?? ''
    assert.ok(first.startsWith(`${order.number},${order.paymentStatus},`), first)
    const sealed = [customer.email, customer.name, customer.address.line1, customer.address.postalCode].filter(Boolean)
    assert.ok(sealed.length >= 3)
    for (const secret of sealed) assert.ok(!plain.includes(secret), secret)
    const answer = await testServer.askAdmin('listAdminCustomerExport', { query: `?from=${order.placedAt}` })
    for (const shown of sealed) assert.ok(answer.body.data.text.includes(shown), shown)
    const [entry] = await entries(answer.headers.get('x-request-id') ?? '')
    const looks = JSON.parse(entry?.changes ?? '[]') as { kind: string; id: string; members: unknown[] }[]
    assert.ok(looks.some(({ kind, id, members }) => kind === 'look' && id === orderId && members.length === 0))
    for (const secret of sealed) assert.ok(!(entry?.changes ?? '').includes(secret))
    assert.match(await exportFile(testServer, 'of=promotions'), /^Code,Name,Type,Value,.*\n\w/)
  })

  test('returns and drafts are exported with their items and amounts, without names', async () => {
    const ask = async (id: 'approveAdminReturn' | 'receiveAdminReturn' | 'refundAdminReturn', returnId: string) =>
      (await testServer.askAdmin(id, { path: { returnId }, body: { idempotencyKey: newId('req') } })).body.data
    const { returnId } = await requestedReturn(testServer)
    await ask('approveAdminReturn', returnId)
    await ask('receiveAdminReturn', returnId)
    const { amount } = await ask('refundAdminReturn', returnId)
    const { number, orderNumber, requestedAt } = (await testServer.askAdmin('getAdminReturn', { path: { returnId } }))
      .body.data
    const { returnId: openId } = await requestedReturn(testServer)
    const text = await exportFile(testServer, 'of=returns')
    assert.match(text, /^Return,Order,Status,Reason,Wish,Opened by,Requested at,/)
    const row = text.split(/\r?\n/).find((line) => line.endsWith(returnId)) ?? ''
    const facts = [number, orderNumber, 'received', 'damaged', 'refund', 'shopper', requestedAt]
    assert.ok(row.startsWith(facts.join(',')), row)
    assert.ok(row.includes(`,EUR,${(amount / 100).toFixed(2)},,1,1,1,`), row)
    const open = await exportFile(testServer, `of=returns&open=true&from=${requestedAt}`)
    assert.ok(open.includes(openId))
    assert.ok(!(await exportFile(testServer, 'of=returns&open=false')).includes(openId))
    assert.ok(!(await exportFile(testServer, `of=returns&to=${requestedAt}`)).includes(returnId))

    const { draft } = await draftOf(testServer, {
      customer: { email: 'grace@example.com', name: 'Grace' },
      note: 'Grace',
    })
    const drafts = await exportFile(testServer, 'of=drafts')
    const total = (draft.totals.total / 100).toFixed(2)
    assert.match(drafts, /^Id,Status,Created at,Expires at,Currency,Total,/)
    assert.ok(drafts.includes(`${draft.id},open,${draft.createdAt},${draft.expiresAt},EUR,${total},,,0,`), drafts)
    assert.doesNotMatch(drafts + text, /Grace|@|\*/)
  })

  test('beyond the largest number of stored imports, the oldest is deleted', async () => {
    const id = await sendFile(testServer, 'products', header)
    await runTransfers(testServer)
    await written(id)
    await testServer.storage.write(
      (tx) => tx.sql`
      insert into transfers (merchant_id, id, mode, kind, name, state, pieces, received, created, changed, unchanged, refused,
        changes_count, changes, refusals, notes, position, written, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 200)
      select merchant_id, id || n, mode, kind, name, state, pieces, received, created, changed, unchanged, refused,
        changes_count, changes, refusals, notes, position, written, created_at, updated_at
      from transfers, numbers where id = ${id}`,
    )
    await beginTransfer(testServer, 'stock', 1)
    assertAdminError(await testServer.askAdmin('getAdminTransfer', { path: { transferId: id } }), 'transfer_not_found')
    await testServer.storage.write((tx) => tx.sql`delete from transfers where merchant_id = ${testServer.merchantId}`)
  })

  test('imports are deleted a week after their last change', async () => {
    const id = await sendFile(testServer, 'products', header)
    await runTransfers(testServer)
    const endedBy = testServer.clock.now
    await deleteOldImports(testServer.storage, { endedBy: endedBy - 1, now: testServer.clock.now })
    assert.equal((await transferWith(testServer, id)).id, id)
    await deleteOldImports(testServer.storage, { endedBy, now: testServer.clock.now })
    assertAdminError(await testServer.askAdmin('getAdminTransfer', { path: { transferId: id } }), 'transfer_not_found')
  })
})
