// Documents made by the rules of the server from carts as they were bought: random ones, and cases that bookkeepers ask about.

import type { AdminDocument } from '../src/contract/admin/documents.ts'
import type { TaxReason } from '../src/contract/words.ts'
import type { Buyer } from '../src/domain/documents/content.ts'
import type { DocumentRow } from '../src/domain/documents/store.ts'
import {
  creditLines,
  type DocumentLine,
  invoiceLines,
  sumEarlierCredits,
  sumsByRate,
  sumTaxedLines,
} from '../src/domain/documents/sums.ts'
import { documentView } from '../src/domain/documents/view.ts'
import { type Bought, ordered, priced, type Sale } from './bought.ts'

export interface Circumstances {
  country?: string
  sellerCountry?: string
  locale?: string
  mode?: 'test' | 'live'
  sale?: Sale
  // Where the rate is zero.
  reason?: TaxReason
  buyer?: Partial<Buyer> | null
  seller?: Partial<AdminDocument['seller']>
  names?: readonly string[]
  card?: boolean
}

const seller = {
  name: 'Bloom GmbH',
  address: ['Hafenstraße 12', '20457 Hamburg'],
  street: 'Hafenstraße 12',
  postalCode: '20457',
  city: 'Hamburg',
  vatId: 'DE123456789',
  registration: 'Amtsgericht Hamburg, HRB 12345',
  email: 'hello@bloom.example',
}

function rowOf(
  { kind, lines, number }: { kind: DocumentRow['kind']; lines: readonly DocumentLine[]; number: string },
  bought: Bought,
  circumstances: Circumstances,
  corrects: AdminDocument | null,
): DocumentRow {
  const { country = 'DE', sellerCountry = 'DE', locale = 'de', mode = 'live', card = true } = circumstances
  const totals = sumTaxedLines(lines)
  const paid = { method: 'card', day: '2026-11-16', amount: totals.total }
  return {
    merchantId: 'mer_1',
    id: 'doc_1',
    mode,
    kind,
    cause: kind === 'invoice' ? 'order_paid' : 'refund_paid',
    causeId: 'ord_1',
    installationId: 'ins_1',
    orderId: 'ord_1',
    number,
    day: '2026-11-18',
    supplyDay: '2026-11-17',
    currency: bought.currency,
    ...totals,
    country,
    content: {
      seller: { ...seller, country: sellerCountry, ...circumstances.seller },
      lines,
      rates: sumsByRate(lines),
      priceTax: bought.priceTax,
      order: { number: '1001', day: '2026-11-16' },
      corrects: corrects && { id: corrects.id, number: corrects.number, day: corrects.day },
      payments: totals.total === 0 ? [] : [{ ...paid, card: card ? { brand: 'visa', last4: '4242' } : null }],
      locale,
    },
    buyerSealed: null,
    issuedAt: 0,
  }
}

// The invoice, and a credit note for each refund by amount.
export function documentsOf(
  bought: Bought,
  circumstances: Circumstances = {},
  refunds: readonly number[] = [],
): AdminDocument[] {
  const { order, lines } = ordered(bought, priced(bought, circumstances.sale))
  const named = lines.map((line, i) => ({ ...line, name: circumstances.names?.[i] ?? line.name }))
  const reasonFor = (rateBps: number) => (rateBps > 0 ? null : (circumstances.reason ?? 'zero_rate'))
  const invoiced = invoiceLines(order, named, reasonFor)
  const { country = 'DE' } = circumstances
  const buyer: Buyer | null =
    circumstances.buyer === null
      ? null
      : {
          name: 'Ada Lovelace',
          company: null,
          vatId: null,
          address: { line1: 'Unter den Linden 1', city: 'Berlin', postalCode: '10117', country },
          ...circumstances.buyer,
        }
  const view = (row: DocumentRow) => documentView(row, buyer)
  const invoice = view(rowOf({ kind: 'invoice', lines: invoiced, number: '2026-000123' }, bought, circumstances, null))
  const notes: { lines: DocumentLine[]; isReversed: boolean }[] = []
  return [
    invoice,
    ...refunds.map((amount, i) => {
      const credited = creditLines(invoiced, sumEarlierCredits(notes), { amount, lines: [] })
      notes.push({ lines: credited, isReversed: false })
      const note = { kind: 'credit_note', lines: credited, number: `C2026-00000${i + 1}` } as const
      return view(rowOf(note, bought, circumstances, invoice))
    }),
  ]
}

export interface DocumentCase {
  name: string
  documents: readonly AdminDocument[]
}

const lines = (...all: [unitPrice: number, quantity: number, taxClass: string][]) =>
  all.map(([unitPrice, quantity, taxClass]) => ({ unitPrice, quantity, taxClass }))

function cart(changes: Partial<Bought> = {}): Bought {
  return {
    lines: lines([1990, 1, 'standard'], [333, 3, 'reduced']),
    priceTax: 'included',
    currency: 'EUR',
    rates: [1900, 700, 0],
    shipping: 490,
    isShippedAtStandard: false,
    code: null,
    refunds: [],
    ...changes,
  }
}

const company = { company: 'Söhne & Co. <KG>', vatId: 'FR40303265045' }
const untaxed = { rates: [0, 0, 0] as Bought['rates'] }
const toFirm = { country: 'FR', buyer: company }
const sent: Sale = { destination: { country: 'FR', region: null }, isVatRegistered: true, buyerVatCountry: 'FR' }
const within = { ...toFirm, sale: sent, reason: 'intra_community' } as const
const digital = { ...toFirm, sale: { ...sent, delivery: 'digital' }, reason: 'reverse_charge' } as const
const outside = { country: 'CH', sale: { destination: { country: 'CH', region: null } }, reason: 'export' } as const
const tenOff = { type: 'percentage' as const, value: 1000 }

// biome-ignore format: a table is read by its rows
export const documentCases: readonly DocumentCase[] = [
  { name: '01 one rate', documents: documentsOf(cart({ lines: lines([1990, 1, 'standard']) })) },
  { name: '02 two rates, prices with tax', documents: documentsOf(cart()) },
  { name: '03 two rates, prices without tax', documents: documentsOf(cart({ priceTax: 'excluded' })) },
  { name: '04 discount over rates, prices with tax', documents: documentsOf(cart({ code: tenOff })) },
  { name: '05 discount over rates, prices without tax', documents: documentsOf(cart({ priceTax: 'excluded', code: { type: 'fixed_amount', value: 777 } })) },
  { name: '06 free shipping by a code', documents: documentsOf(cart({ code: { type: 'free_shipping', value: 0 } })) },
  { name: '07 nothing to pay', documents: documentsOf(cart({ code: { type: 'percentage', value: 10_000 }, shipping: 0 })) },
  { name: '08 partial refund', documents: documentsOf(cart(), {}, [500]) },
  { name: '09 refunds up to nothing', documents: documentsOf(cart({ code: tenOff }), {}, [1, 333, 2_687]) },
  { name: '10 export', documents: documentsOf(cart(), { ...outside, locale: 'de' }, [500]) },
  { name: '11 intra-Community supply', documents: documentsOf(cart(), { ...within, locale: 'fr' }, [700]) },
  { name: '12 small business', documents: documentsOf(cart(untaxed), { reason: 'small_business' }) },
  { name: '13 rate of zero', documents: documentsOf(cart({ lines: lines([500, 2, 'zero'], [1000, 1, 'standard']) })) },
  { name: '14 yen', documents: documentsOf(cart({ currency: 'JPY', rates: [1000, 800, 0] }), { locale: 'en' }) },
  { name: '15 dinars', documents: documentsOf(cart({ currency: 'KWD' }), { locale: 'en' }) },
  { name: '16 Polish and Greek letters', documents: documentsOf(cart({ currency: 'PLN', rates: [2300, 800, 0] }), { locale: 'en', names: ['Książka o różach', 'Βιβλίο'], buyer: { name: 'Łucja Żółć' } }) },
  { name: '17 sixty lines', documents: documentsOf(cart({ lines: lines(...Array.from({ length: 60 }, (_, i): [number, number, string] => [199 + 7 * i, 1 + (i % 4), i % 3 ? 'standard' : 'reduced'])) }), { locale: 'nl' }) },
  { name: '18 tax number, no VAT id, paid by transfer', documents: documentsOf(cart(), { card: false, seller: { vatId: undefined, registration: undefined, taxNumber: '12/345/67890' } as Circumstances['seller'] & object }) },
  { name: '19 test order', documents: documentsOf(cart(), { mode: 'test', locale: 'es' }) },
  { name: '20 buyer without an address', documents: documentsOf(cart({ shipping: 0 }), { buyer: { address: null } }) },
  { name: '21 intra-Community supply, prices without tax, discount', documents: documentsOf(cart({ priceTax: 'excluded', code: tenOff }), { ...within, locale: 'en' }, [333]) },
  { name: '22 intra-Community supply, prices with tax, many units', documents: documentsOf(cart({ lines: lines([3, 999, 'standard'], [999, 7, 'reduced']), code: tenOff }), { ...within, locale: 'nl' }) },
  { name: '23 reverse charge, prices with tax', documents: documentsOf(cart(), { ...digital, locale: 'fr' }, [100]) },
  { name: '24 reverse charge, prices without tax', documents: documentsOf(cart({ priceTax: 'excluded' }), { ...digital, locale: 'de' }) },
  { name: '25 export, prices without tax', documents: documentsOf(cart({ priceTax: 'excluded' }), { ...outside, locale: 'es' }) },
  { name: '26 export in yen', documents: documentsOf(cart({ currency: 'JPY' }), { ...outside, locale: 'en' }) },
  { name: '27 intra-Community supply in dinars', documents: documentsOf(cart({ currency: 'KWD' }), { ...within, locale: 'en' }) },
]
