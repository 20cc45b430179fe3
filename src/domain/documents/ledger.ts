// Documents as lines for bookkeeping: a plain ledger, and a batch of postings for DATEV. One line for each rate and tax reason of a
// document. Pure.

import type { DocumentKind } from '../../contract/words.ts'
import { isInVatArea } from '../../platform/kit/country.ts'
import { decimalAmount } from '../../platform/kit/money.ts'
import { correctedDocuments } from './content.ts'
import type { DocumentRow } from './store.ts'
import type { RateSum } from './sums.ts'

export interface LedgerFacts {
  // Days, both inclusive.
  from: string
  to: string
  currency: string
  now: number
}

export interface LedgerFormat {
  head: (facts: LedgerFacts) => string
  lines: (document: DocumentRow, facts: LedgerFacts) => string
}

const csv = (cells: readonly string[], separator: string) => `${cells.join(separator)}\r\n`

const ledgerColumns = [
  ...['number', 'kind', 'date', 'supply_date', 'order', 'corrects', 'country', 'rate', 'tax_reason'],
  ...['net', 'tax', 'total', 'currency'],
]

// Amounts of credit notes are negative, so the sum of a column matches the tax report. A cell contains only our own words, a number or a
// date.
export const plainLedger: LedgerFormat = {
  head: () => csv(ledgerColumns, ','),
  lines: (document) => {
    const { number, kind, day, supplyDay, country, currency, content } = document
    const amount = (minor: number) => decimalAmount(signed(kind, minor), currency)
    return content.rates
      .map(({ rateBps, reason, net, tax, total }) =>
        csv(
          [
            ...[number, kind, day, supplyDay, content.order.number, numbersText(correctedDocuments(content)), country],
            ...[String(rateBps / 100), reason ?? '', amount(net), amount(tax), amount(total), currency],
          ],
          ',',
        ),
      )
      .join('')
  },
}

function numbersText(documents: readonly { number: string }[]): string {
  return documents.map(({ number }) => number).join(' ')
}

function signed(kind: DocumentKind, minor: number): number {
  return kind === 'invoice' || minor === 0 ? minor : -minor
}

// Accounts of the chart SKR 03, for which DATEV knows the tax. A bookkeeper replaces them if the company uses others.
const transitAccount = '1360'
const accounts = {
  standard: '8400',
  reduced: '8300',
  export: '8120',
  small_business: '8195',
  intra_community: '8125',
  // Services for which the buyer owes the tax in another state.
  reverse_charge: '8336',
  abroad: '8320',
  other: '8200',
} as const

function accountFor({ rateBps, reason }: RateSum, country: string): string {
  if (reason !== null && reason !== 'zero_rate') return accounts[reason]
  if (country !== 'DE') return isInVatArea(country) && rateBps > 0 ? accounts.abroad : accounts.other
  if (rateBps === 1_900) return accounts.standard
  return rateBps === 700 ? accounts.reduced : accounts.other
}

const text = (value: string) => `"${value.replaceAll('"', '""')}"`

// The first columns of a posting, in their order; the format (700, category 21, version 13) allows leaving out the rest.
const datevColumns = [
  ...[
    'Umsatz (ohne Soll/Haben-Kz)',
    'Soll/Haben-Kennzeichen',
    'WKZ Umsatz',
    'Kurs',
    'Basis-Umsatz',
    'WKZ Basis-Umsatz',
  ],
  ...['Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum', 'Belegfeld 1', 'Belegfeld 2', 'Skonto'],
  'Buchungstext',
]

export const datevBatch: LedgerFormat = {
  head: ({ from, to, currency, now }) => {
    const plain = (day: string) => day.replaceAll('-', '')
    const made = new Date(now).toISOString().replace(/\D/g, '').slice(0, 17)
    const cells = [
      ...[text('EXTF'), '700', '21', text('Buchungsstapel'), '13', made, '', text('RE'), text(''), text('')],
      // Placeholders for the numbers of consultant and client, which the bookkeeper sets when importing; the financial year begins in
      // January.
      ...['1001', '1', `${from.slice(0, 4)}0101`, '4', plain(from), plain(to), text('Rechnungen'), text('')],
      ...['1', '0', '0', text(currency), '', text(''), '', '', text('03'), '', '', text(''), text('')],
    ]
    return csv(cells, ';') + csv(datevColumns, ';')
  },
  lines: ({ number, kind, day, currency, country, content }) =>
    content.rates
      .filter(({ total }) => total > 0)
      .map((rate) => {
        const [, month = '', date = ''] = day.split('-')
        return csv(
          [
            decimalAmount(rate.total, currency).replace('.', ','),
            text(kind === 'invoice' ? 'S' : 'H'),
            ...[text(currency), '', '', text('')],
            ...[transitAccount, accountFor(rate, country), text(''), `${date}${month}`],
            ...[text(number), text(''), ''],
            text(`${kind === 'invoice' ? 'Rechnung' : 'Gutschrift'} zu ${content.order.number}`),
          ],
          ';',
        )
      })
      .join(''),
}
