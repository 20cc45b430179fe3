import assert from 'node:assert/strict'
import { test } from 'node:test'
import { datevBatch, plainLedger } from './ledger.ts'
import type { DocumentRow } from './store.ts'

const facts = {
  from: '2026-06-01',
  to: '2026-06-30',
  currency: 'EUR',
  now: Date.parse('2026-07-01T08:00:00.123Z'),
}

function made(kind: DocumentRow['kind'], country = 'DE', currency = 'EUR'): DocumentRow {
  const rates = [
    { rateBps: 1_900, reason: null, net: 1_000, tax: 190, total: 1_190 },
    { rateBps: 700, reason: null, net: 500, tax: 35, total: 535 },
    { rateBps: 0, reason: 'export', net: 7, tax: 0, total: 7 },
  ] as const
  const order = { number: '1001', day: '2026-05-31' }
  const corrects = kind === 'invoice' ? null : { id: 'doc_1', number: '2026-000001', day: '2026-06-01' }
  return {
    ...{ merchantId: 'mer_1', id: 'doc_2', mode: 'live', kind, cause: 'order_paid', causeId: 'ord_1' },
    ...{ installationId: 'ins_1', orderId: 'ord_1', number: kind === 'invoice' ? '2026-000001' : 'C2026-000001' },
    ...{ day: '2026-06-05', supplyDay: '2026-06-04', currency, net: 1_507, tax: 225, total: 1_732, country },
    content: {
      ...{
        seller: { name: 'Bloom', country: 'DE', email: null },
        lines: [],
        rates,
        priceTax: 'included',
        order,
        corrects,
      },
      ...{ payments: [], locale: 'de' },
    },
    ...{ buyerSealed: null, issuedAt: 0 },
  }
}

test('the ledger has a line for each tax rate, and credit notes are negative', () => {
  assert.match(
    plainLedger.head(facts),
    /^number,kind,date,supply_date,order,corrects,country,rate,tax_reason,net,tax,total,currency\r\n$/,
  )
  const lines = plainLedger.lines(made('credit_note'), facts).split('\r\n')
  assert.deepEqual(lines, [
    'C2026-000001,credit_note,2026-06-05,2026-06-04,1001,2026-000001,DE,19,,-10.00,-1.90,-11.90,EUR',
    'C2026-000001,credit_note,2026-06-05,2026-06-04,1001,2026-000001,DE,7,,-5.00,-0.35,-5.35,EUR',
    'C2026-000001,credit_note,2026-06-05,2026-06-04,1001,2026-000001,DE,0,export,-0.07,0.00,-0.07,EUR',
    '',
  ])
  // Amounts have as many decimals as the currency.
  assert.match(plainLedger.lines(made('invoice', 'JP', 'JPY'), facts), /,1000,190,1190,JPY\r\n/)
  assert.match(plainLedger.lines(made('invoice', 'KW', 'KWD'), facts), /,1\.000,0\.190,1\.190,KWD\r\n/)
})

test('a DATEV batch has two header lines, and posts the total of each tax rate to its account', () => {
  const [head = '', columns = ''] = datevBatch.head(facts).split('\r\n')
  assert.ok(head.startsWith('"EXTF";700;21;"Buchungsstapel";13;20260701080000123;'))
  assert.equal(head.split(';').length, 31)
  assert.deepEqual(head.split(';').slice(12, 16), ['20260101', '4', '20260601', '20260630'])
  const posted = (document: DocumentRow) =>
    datevBatch
      .lines(document, facts)
      .split('\r\n')
      .filter(Boolean)
      .map((line) => line.split(';'))
  for (const cells of posted(made('invoice'))) assert.equal(cells.length, columns.split(';').length)
  assert.deepEqual(
    posted(made('invoice')).map((cells) => [cells[0], cells[1], cells[6], cells[7], cells[9], cells[10]]),
    [
      ['11,90', '"S"', '1360', '8400', '0506', '"2026-000001"'],
      ['5,35', '"S"', '1360', '8300', '0506', '"2026-000001"'],
      ['0,07', '"S"', '1360', '8120', '0506', '"2026-000001"'],
    ],
  )
  assert.deepEqual(
    posted(made('credit_note', 'FR')).map((cells) => [cells[1], cells[7]]),
    [
      ['"H"', '8320'],
      ['"H"', '8320'],
      ['"H"', '8120'],
    ],
  )
})
