// Invoices and credit notes: one for each payment and refund, numbered without gap or double, whatever happens meanwhile.

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { berlin } from '../harness/carts.ts'
import { cartwright } from '../harness/commandline.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { tempFolder } from '../harness/process.ts'
import { RefundReference } from '../harness/refundReference.ts'
import { eachEngine } from '../harness/storage.ts'
import { settingsOf, type TestServer, testSecret } from '../harness/testServer.ts'
import { readZip } from '../harness/zip.ts'
import { pick, seeded } from '../proof/random.ts'
import type { AdminDocument } from '../src/contract/admin/documents.ts'
import type { AdminOrderRefund } from '../src/contract/admin/orders.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { decryptBuyer } from '../src/domain/documents/content.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { type DocumentRow, listCauses, listDocumentsOfOrder } from '../src/domain/documents/store.ts'
import { lockOrderFacts } from '../src/domain/orders/change.ts'
import { recordOrderPaid, refundOrder } from '../src/domain/orders/operator.ts'
import { announceRefundEnded } from '../src/domain/orders/refunds.ts'
import { lowerRefunded } from '../src/domain/orders/store.ts'
import { countSales } from '../src/domain/reports/count.ts'
import { newId } from '../src/platform/kit/ids.ts'

// Another history: SEED=1 npm test.
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

// Of two rates.
const items = { BOOK: 1, CARD: 3 }

eachEngine('invoices and credit notes', (given) => {
  let testServer: TestServer
  let orders: Orders
  before(async () => {
    const opened = await openOrderTestServer(given)
    testServer = opened
    orders = opened.orders
  })

  const issue = (limit = 100) => issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit })
  const of = (orderId: string): Promise<DocumentRow[]> =>
    testServer.storage.read((db) => listDocumentsOfOrder(db, testServer.merchantId, orderId))
  const all = () =>
    testServer.storage.read(
      (db) => db.sql<{ kind: string; number: string; total: number }>`
        select kind, number, total from documents where merchant_id = ${testServer.merchantId} order by kind, number`,
    )
  const context = () => ({ now: testServer.clock.now, cause: null })
  const keyOf = (orderId: string) => ({ installationId: testServer.installationId, orderId })
  async function refund(orderId: string, amount: number | null, isByHand = false): Promise<string> {
    const input = { amount, reason: null, isByHand }
    const { refund: made } = await testServer.storage.write((tx) => refundOrder(tx, keyOf(orderId), input, context()))
    await orders.pay()
    return made.id
  }

  // However they were made: 1, 2, 3 and so on.
  async function assertNumbers(): Promise<void> {
    for (const [kind, head] of [
      ['invoice', 'T-2026-'],
      ['credit_note', 'T-C2026-'],
    ] as const) {
      const numbers = (await all()).filter((document) => document.kind === kind).map(({ number }) => number)
      assert.deepEqual(
        numbers,
        numbers.map((_, i) => `${head}${String(i + 1).padStart(6, '0')}`),
      )
    }
  }

  test('a paid order gets one invoice with its lines, and its buyer is stored encrypted', async () => {
    const { orderId, number, quote } = await orders.place({ items })
    assert.deepEqual(await of(orderId), [])
    assert.equal(await issue(), 1)
    assert.equal(await issue(), 0)
    const [invoice, ...others] = await of(orderId)
    assert.ok(invoice)
    assert.deepEqual(others, [])
    const { totals } = quote
    assert.deepEqual(
      [invoice.kind, invoice.number, invoice.total, invoice.tax, invoice.net, invoice.country, invoice.currency],
      ['invoice', 'T-2026-000001', totals.total, totals.tax, totals.total - totals.tax, 'DE', 'EUR'],
    )
    const { content } = invoice
    assert.equal(content.order.number, number)
    // Shipping has a line for each rate of the goods.
    assert.deepEqual(
      content.lines.slice(2).map(({ skuId, rateBps, total, tax }) => ({ skuId, rateBps, amount: total, tax })),
      quote.shippingTaxes?.map((share) => ({ skuId: '', ...share })),
    )
    assert.deepEqual(
      content.lines.slice(0, 2).map((line) => [line.skuId, line.quantity, line.unitPrice, line.discount, line.total]),
      quote.lines.map((line) => [line.skuId, line.quantity, line.unitPrice, line.discount, line.total]),
    )
    assert.deepEqual(
      content.payments.map(({ amount, card }) => [amount, card?.last4]),
      [[totals.total, '4242']],
    )
    const buyer = decryptBuyer(testSecret, invoice)
    assert.deepEqual([buyer?.name, buyer?.address?.city, buyer?.vatId], [berlin.name, 'Berlin', null])
    const [stored] = await testServer.storage.read(
      (db) => db.sql<{ text: string }>`
      select content || coalesce(buyer_sealed, '') as "text" from documents where id = ${invoice.id}`,
    )
    assert.doesNotMatch(stored?.text ?? '', /Lovelace|Unter den Linden|Berlin/)
  })

  test('an unpaid order has no invoice until it is paid', async () => {
    const { orderId } = await orders.place({ items, isManual: true })
    assert.equal(await issue(), 0)
    await testServer.storage.write((tx) => recordOrderPaid(tx, keyOf(orderId), context()))
    assert.equal(await issue(), 1)
    assert.equal((await of(orderId)).length, 1)
    // Nothing was due: the order is paid, and its invoice says so.
    const free = await orders.place({ items, code: 'GIFT', isSent: false })
    await issue()
    assert.deepEqual(
      (await of(free.orderId)).map(({ total }) => total),
      [0],
    )
  })

  test('each refund gets a credit note with its tax, and the credit notes of a full refund add up to the invoice', async () => {
    const { orderId, quote } = await orders.place({ items })
    await refund(orderId, 500)
    await refund(orderId, null)
    assert.equal(await issue(), 3)
    const [invoice, ...notes] = await of(orderId)
    assert.deepEqual(
      notes.map(({ kind, total }) => [kind, total]),
      [
        ['credit_note', 500],
        ['credit_note', quote.totals.total - 500],
      ],
    )
    const sum = (of: (row: DocumentRow) => number) => notes.reduce((whole, row) => whole + of(row), 0)
    assert.deepEqual([sum(({ net }) => net), sum(({ tax }) => tax)], [invoice?.net, invoice?.tax])
    for (const note of notes) assert.equal(note.content.corrects?.number, invoice?.number)
    await assertNumbers()
  })

  test('a refund that fails after it had succeeded gets an invoice that reverses its credit note', async () => {
    const { storage } = testServer
    const { orderId } = await orders.place({ items, isManual: true })
    await storage.write((tx) => recordOrderPaid(tx, keyOf(orderId), context()))
    const refundId = await refund(orderId, 700, true)
    await issue()
    await storage.write(async (tx) => {
      const facts = await lockOrderFacts(tx, keyOf(orderId))
      assert.ok(facts)
      const refunded = await lowerRefunded(tx, keyOf(orderId), 700)
      await tx.sql`update refunds set status = 'failed' where id = ${refundId}`
      const refunds = facts.refunds.map((one) => (one.id === refundId ? { ...one, status: 'failed' as const } : one))
      const order = { ...facts.order, refunded: refunded ?? 0 }
      announceRefundEnded(tx, { ...facts, order, refunds }, { refundId, outcome: 'failed' }, testServer.clock.now)
    })
    assert.equal(await issue(), 1)
    await refund(orderId, 700, true)
    await issue()
    const made = await of(orderId)
    assert.deepEqual(
      made.map(({ kind, cause, total }) => [kind, cause, total]),
      [
        ['invoice', 'order_paid', made[0]?.total],
        ['credit_note', 'refund_paid', 700],
        ['invoice', 'refund_failed', 700],
        ['credit_note', 'refund_paid', 700],
      ],
    )
    assert.equal(made[2]?.content.corrects?.id, made[1]?.id)
    assert.deepEqual([made[3]?.net, made[3]?.tax], [made[1]?.net, made[1]?.tax])
    await assertNumbers()
  })

  test('concurrent and failing rounds leave neither gaps nor duplicates in the numbers', async () => {
    const quote = await orders.quote({ items })
    const placed = await Promise.all(Array.from({ length: 24 }, () => orders.place({ quote })))
    // The work of a round is undone when its process dies before the commit.
    const [oldest] = await testServer.storage.read((db) => listCauses(db, testServer.clock.now, 1))
    assert.ok(oldest)
    const dying = testServer.storage.write(async (tx) => {
      await tx.sql`insert into document_numbers (merchant_id, mode, kind, period, last)
        values (${oldest.merchantId}, 'test', 'invoice', '2026', 1) on conflict (merchant_id, mode, kind, period)
        do update set last = document_numbers.last + 1`
      await tx.sql`delete from document_causes where merchant_id = ${oldest.merchantId} and cause_id = ${oldest.causeId}`
      throw new Error('killed')
    })
    await assert.rejects(dying, /killed/)
    const counts = await Promise.all(Array.from({ length: 4 }, () => issue(10)))
    assert.ok(counts.every((count) => count <= 24))
    while ((await issue()) > 0);
    for (const { orderId } of placed) assert.equal((await of(orderId)).length, 1)
    await Promise.all(placed.map(({ orderId }) => refund(orderId, 100)))
    await Promise.all(Array.from({ length: 4 }, () => issue()))
    for (const { orderId } of placed)
      assert.deepEqual(
        (await of(orderId)).map(({ kind }) => kind),
        ['invoice', 'credit_note'],
      )
    await assertNumbers()
    const [left] = await testServer.storage.read(
      (db) => db.sql<{ rows: number }>`
      select count(*) as "rows" from document_causes`,
    )
    assert.equal(Number(left?.rows), 0)
  })

  test('an invoice stays unchanged when its shopper is erased', async () => {
    const { storage, merchantId, installationId } = testServer
    const { orderId } = await orders.place({ items })
    await issue()
    const [before] = await of(orderId)
    const shopper = { merchantId, installationIds: [installationId], email: 'ada@example.com' }
    await forgetShopper(storage, testSecret, shopper, { isDryRun: false, includesUnsent: true })
    assert.deepEqual(await of(orderId), [before])
  })

  test('the shopper can read an invoice below the address of its order, and not below that of another order', async () => {
    const { orderId, statusSecret } = await orders.place({ items })
    const other = await orders.place({ items })
    const page = (path: string) => testServer.fetch(path, { headers: { 'accept-language': 'de' } })
    assert.match((await page(`/o/${statusSecret}`)).text, new RegExp(`/o/${statusSecret}/receipt`))
    await refund(orderId, 500)
    await issue()
    const [invoice, note] = await of(orderId)
    assert.match(
      (await page(`/o/${statusSecret}/receipt`)).text,
      new RegExp(`href="/o/${statusSecret}/documents/${invoice?.id}">[^<]+ ${invoice?.number}<`),
    )
    const linked = (await page(`/o/${statusSecret}`)).text
    for (const document of [invoice, note])
      assert.match(linked, new RegExp(`/o/${statusSecret}/documents/${document?.id}">[^<]+ ${document?.number}<`))
    const shown = await page(`/o/${statusSecret}/documents/${invoice?.id}`)
    assert.equal(shown.status, 200)
    assert.match(shown.headers.get('cache-control') ?? '', /no-store/)
    for (const expected of [invoice?.number ?? '', 'Ada Lovelace', 'Unter den Linden', 'Book of flowers', '7', '19'])
      assert.ok(shown.text.includes(expected), expected)
    assert.match(
      (await page(`/o/${statusSecret}/documents/${note?.id}`)).text,
      new RegExp(`Credit note ${note?.number}`),
    )
    const pdfPath = `/o/${statusSecret}/documents/${invoice?.id}/pdf`
    assert.ok(shown.text.includes(`href="${pdfPath}"`))
    const pdf = await page(pdfPath)
    assert.deepEqual(
      [pdf.status, pdf.headers.get('content-type'), pdf.headers.get('content-disposition'), pdf.text.slice(0, 8)],
      [200, 'application/pdf', `attachment; filename="${invoice?.number}.pdf"`, '%PDF-1.7'],
    )
    // The seller of this shop has no number, so there is no e-invoice.
    assert.equal((await page(`/o/${statusSecret}/documents/${invoice?.id}/ubl`)).status, 404)
    for (const wrong of [
      `/o/${other.statusSecret}/documents/${invoice?.id}`,
      `/o/${other.statusSecret}/documents/${invoice?.id}/pdf`,
      `${pdfPath.slice(0, -3)}exe`,
      `/o/x/documents/${invoice?.id}`,
      `/o/${statusSecret}/documents/x`,
    ])
      assert.equal((await page(wrong)).status, 404)
  })

  test('the admin surface lists invoices without the buyer, and shows the buyer of one', async () => {
    const { orderId } = await orders.place({ items })
    await issue()
    const { body } = await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })
    const [summary] = body.data
    assert.equal(body.data.length, 1)
    assert.equal('buyer' in summary, false)
    const one = await testServer.askAdmin('getAdminDocument', { path: { documentId: summary.id } })
    assert.deepEqual([one.body.data.number, one.body.data.buyer.name], [summary.number, 'Ada Lovelace'])
    const byNumber = await testServer.askAdmin('listAdminDocuments', {
      query: `?kind=credit_note&number=${summary.number}`,
    })
    assert.deepEqual(byNumber.body.data, [])
  })

  test('the tax report by rate equals the sums of a random history of orders and refunds', async () => {
    testServer.clock.now += 3 * 86_400_000
    const { random } = seeded(seed)
    const counted = new Map<number, { net: number; tax: number; total: number }>()
    let refundedTax = 0
    const count = (rate: number, total: number, tax: number) => {
      const { net: n, tax: t, total: g } = counted.get(rate) ?? { net: 0, tax: 0, total: 0 }
      counted.set(rate, { net: n + total - tax, tax: t + tax, total: g + total })
    }
    for (let at = 0; at < 8; at += 1) {
      const items = pick<Record<string, number>>(random, [
        { BOOK: 1, CARD: 2 },
        { BOOK: 2 },
        { CARD: 5, BOOK: 1 },
        { CARD: 2 },
      ])
      const { orderId, quote } = await orders.place({ items, ...(random() < 0.4 && { code: 'WELCOME10' }) })
      const { lines: sold, shippingTaxes, shippingTaxRateBps, shippingTax, totals } = quote
      const shipped = totals.total - sold.reduce((sum, { total }) => sum + total, 0)
      const parts = [
        ...sold.map(({ skuId, total, tax, taxRateBps }) => ({ skuId, total, tax, rate: taxRateBps ?? 0 })),
        ...(shippingTaxes ?? [{ amount: shipped, tax: shippingTax, rateBps: shippingTaxRateBps ?? 0 }]).map(
          ({ amount: total, tax, rateBps: rate }) => ({ skuId: '', total, tax, rate }),
        ),
      ]
      for (const { rate, total, tax } of parts) count(rate, total, tax)
      await issue()
      const reference = new RefundReference(parts)
      const first = sold[0] ?? assert.fail()
      const asked = [
        ...(random() < 0.6 ? [{ items: [{ skuId: first.skuId, quantity: 1 }] }] : []),
        ...(random() < 0.6 ? [{ amount: 1 + Math.floor(random() * 60) }] : []),
        ...(random() < 0.6 ? [{ shipping: true }] : []),
      ]
      for (const body of asked) {
        const made = await testServer.askAdmin('refundAdminOrder', {
          path: { orderId },
          body: { idempotencyKey: newId('req'), ...body },
        })
        assert.equal(made.status, 200, made.text)
        await orders.pay()
        // Days that are counted before a credit note is made are counted again with it.
        await countSales(testServer.storage, testServer.clock.now, 500)
        await issue()
        const { amount } = made.body.data
        const skuId = 'items' in body ? first.skuId : 'shipping' in body ? '' : null
        const credited = reference.refund({ amount, lines: skuId === null ? [] : [{ skuId, amount }] })
        for (const { position, total, tax } of credited) count(parts[position]?.rate ?? 0, -total, -tax)
        const refundTax = credited.reduce((sum, { tax }) => sum + tax, 0)
        refundedTax += refundTax
        const seen = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data.refunds.at(-1)
        assert.deepEqual([seen.amount, seen.tax], [amount, refundTax], `SEED=${seed}`)
        assert.deepEqual([seen.items, seen.shipping], ['items' in body ? body.items : [], 'shipping' in body])
        assert.deepEqual(
          seen.lines.map((line: AdminOrderRefund['lines'][number]) => [
            line.skuId ?? '',
            line.rate,
            line.tax,
            line.total,
          ]),
          credited.map(({ position, tax, total }) => [parts[position]?.skuId, parts[position]?.rate, tax, total]),
        )
      }
    }
    await countSales(testServer.storage, testServer.clock.now, 500)
    const sales = await testServer.askAdmin('getAdminSalesReport', { query: '' })
    // Of this test's orders; those of the tests before were placed on other days.
    const today = sales.body.data.rows.at(-1)
    assert.equal(today.refundedTax, refundedTax, `SEED=${seed}`)
    assert.ok(refundedTax > 0)
    const day = new Date(testServer.clock.now).toISOString().slice(0, 10)
    const { body } = await testServer.askAdmin('getAdminTaxReport', { query: `?from=${day}&to=${day}` })
    const byRate = [...counted].sort(([one], [other]) => other - one).map(([rate, sums]) => ({ rate, ...sums }))
    const shown = body.data.rows.map(({ rate, net, tax, total }: Record<string, number>) => ({ rate, net, tax, total }))
    assert.deepEqual(shown, byRate, `SEED=${seed}`)
    assert.ok(byRate.length > 1)
  })

  test('the tax report has the sum of invoices minus credit notes, by country and rate', async () => {
    const { body } = await testServer.askAdmin('getAdminTaxReport', { query: '?from=2026-01-01&to=2026-12-31' })
    const { rows, sum } = body.data
    const made = await testServer.storage.read(
      (db) => db.sql<DocumentRow>`
        select kind, net, tax, total from documents where merchant_id = ${testServer.merchantId} and day like '2026-%'`,
    )
    const expected = (of: (row: DocumentRow) => number) =>
      made.reduce((whole, row) => whole + (row.kind === 'invoice' ? of(row) : -of(row)), 0)
    assert.deepEqual(sum, {
      net: expected(({ net }) => net),
      tax: expected(({ tax }) => tax),
      total: expected(({ total }) => total),
    })
    assert.deepEqual(
      rows.map(({ country, rate }: { country: string; rate: number }) => [country, rate]),
      [
        ['DE', 1900],
        ['DE', 700],
      ],
    )
    for (const { rate, net, tax } of rows) assert.ok(Math.abs(tax - (net * rate) / 10_000) < made.length)
    const ledger = await testServer.askAdmin('listAdminLedger', { query: '?from=2026-01-01&to=2026-12-31' })
    const lines = String(ledger.body.data.text).split('\r\n').slice(1, -1)
    const column = (at: number) =>
      lines.reduce((whole, line) => whole + Math.round(Number(line.split(',')[at]) * 100), 0)
    assert.equal(ledger.body.meta.next, null)
    assert.deepEqual({ net: column(9), tax: column(10), total: column(11) }, sum)
    const datev = await testServer.askAdmin('listAdminLedger', { query: '?from=2026-01-01&to=2026-12-31&format=datev' })
    const posted = String(datev.body.data.text)
      .split('\r\n')
      .slice(2, -1)
      .map((line) => line.split(';'))
    const balance = posted.reduce((whole, [amount = '', side]) => {
      const minor = Number(amount.replace(',', ''))
      return side === '"S"' ? whole + minor : whole - minor
    }, 0)
    assert.equal(balance, sum.total)
    // Its postings have no year, so those of two would be booked in one.
    const years = await testServer.askAdmin('listAdminLedger', { query: '?from=2025-12-31&to=2026-01-31&format=datev' })
    const [{ code, message }] = years.body.error.issues
    assert.deepEqual(
      [years.status, code, message],
      [400, 'too_many_days', 'must be at most 30 days before the last day'],
    )
    const wrong = await testServer.askAdmin('getAdminTaxReport', { query: '?from=2026-02-30' })
    assert.equal(wrong.status, 400)
  })

  test('the documents of a period are exported ten at a time, and each read is audited', async () => {
    const days = { from: '2026-01-01', to: '2026-12-31' }
    const query = `?${new URLSearchParams(days)}`
    const exported: AdminDocument[] = []
    for (let next = query; next !== ''; ) {
      const { status, body } = await testServer.askAdmin('listAdminDocumentExport', { query: next })
      assert.equal(status, 200)
      assert.ok(body.data.length <= 10)
      exported.push(...body.data)
      next = body.meta.next === null ? '' : `?${body.meta.next.split('?')[1]}`
    }
    const made = (await all()).map(({ number }) => number)
    assert.ok(made.length > 10)
    assert.deepEqual(exported.map(({ number }) => number).sort(), made.sort())
    const { documents } = (await testServer.askAdmin('getAdminTaxReport', { query })).body.data
    assert.equal(documents, made.length)
    const changes = await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${exported[0]?.id}` })
    assert.equal(changes.body.data[0].operation, 'listAdminDocumentExport')

    const file = join(await tempFolder(), 'documents.zip')
    const args = [
      'documents',
      'export',
      file,
      '--merchant',
      'bloom',
      '--mode',
      'test',
      '--from',
      days.from,
      '--to',
      days.to,
    ]
    const written = await cartwright(args, settingsOf(testServer))
    assert.equal(written.code, 0, written.err)
    const files = readZip(await readFile(file))
    assert.equal([...files.keys()].filter((name) => name.endsWith('.pdf')).length, made.length)
    assert.equal(String(files.get('index.csv')).split('\r\n').length, made.length + 2)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const again = await cartwright(args, settingsOf(testServer))
    assert.deepEqual([again.code, /already exists/.test(again.err)], [1, true])
  })

  test('numbers have the format that the merchant chose, restart each year if the format has the year, and never repeat', async () => {
    const { body } = await testServer.askAdmin('getAdminShop')
    const set = async (numberFormat: string) => {
      const { version } = (await testServer.askAdmin('getAdminShop')).body.data
      const change = { expectedVersion: version, invoices: { numberFormat }, idempotencyKey: crypto.randomUUID() }
      const answer = await testServer.askAdmin('updateAdminShop', { body: change })
      assert.equal(answer.status, 200, answer.text)
    }
    assert.deepEqual(body.data.shop.invoices, {})
    const one = async () => {
      const { orderId } = await orders.place({ items })
      await issue()
      return (await of(orderId)).at(-1)?.number
    }
    await set('RE{number:3}')
    assert.equal(await one(), 'T-RE001')
    await set('RE00{number}')
    // 2 follows in the same series.
    assert.equal(await one(), 'T-RE002')
    await set('RE{year}/{number}')
    // The series of the year goes on where the format before had left it.
    const before = (await all()).filter(({ number }) => number.startsWith('T-2026-')).length
    assert.equal(await one(), `T-RE2026/${before + 1}`)
    const { now } = testServer.clock
    testServer.clock.now = Date.parse('2027-01-01T00:00:01.000Z')
    assert.equal(await one(), 'T-RE2027/1')
    testServer.clock.now = now
    for (const wrong of ['{year}', 'A{number}{number}', '{number:0}', 'ä{number}', ''])
      assert.equal(
        (
          await testServer.askAdmin('updateAdminShop', {
            body: { expectedVersion: 99, invoices: { numberFormat: wrong }, idempotencyKey: crypto.randomUUID() },
          })
        ).status,
        400,
      )
  })
})
