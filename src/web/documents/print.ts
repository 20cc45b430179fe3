// The texts of a document in the language of its reader, shared by the page and the PDF. Pure.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import { correctedDocuments } from '../../domain/documents/content.ts'
import { brandName } from '../../platform/html/cardbrands.ts'
import { unitPriceOf } from '../../platform/kit/money.ts'
import type { Speaker } from '../languages/language.ts'

export interface PrintLine {
  name: string
  detail: string
  // One cell for each column after the first.
  cells: readonly string[]
}

export interface PrintedDocument {
  seller: readonly string[]
  // Empty if the buyer is unknown.
  buyer: readonly string[]
  facts: readonly (readonly [name: string, value: string])[]
  columns: readonly string[]
  lines: readonly PrintLine[]
  // One cell for each column after the first.
  total: readonly string[]
  rateColumns: readonly string[]
  rates: readonly (readonly string[])[]
  // Reasons why no tax is charged, and the payments of an invoice.
  notes: readonly string[]
}

export function documentTitle({ say }: Speaker, { kind, number }: Pick<AdminDocument, 'kind' | 'number'>): string {
  return say(kind === 'invoice' ? 'document.invoice' : 'document.creditNote', { number })
}

export function printDocument(speaker: Speaker, document: AdminDocument): PrintedDocument {
  const { say, amount, percent } = speaker
  const { currency, net, tax, total } = document
  const money = (minor: number) => amount(minor, currency)
  const hasPrices = document.lines.some(({ unitPrice }) => unitPrice !== null)
  const hasDiscounts = document.lines.some(({ discount }) => discount > 0)
  const optional = (cells: readonly [boolean, string][]) => cells.filter(([shown]) => shown).map(([, cell]) => cell)
  const cells = (price: string, discount: string, ...rest: string[]) => [
    ...optional([
      [hasPrices, price],
      [hasDiscounts, discount],
    ]),
    ...rest,
  ]
  const sums = [say('receipt.net'), say('receipt.rate'), say('receipt.tax'), say('receipt.total')]
  return {
    seller: sellerLines(speaker, document),
    buyer: buyerLines(speaker, document),
    facts: factsOf(speaker, document),
    columns: [
      say('receipt.item'),
      say('receipt.quantity'),
      ...cells(say('document.unitPrice'), say('total.discount'), ...sums),
    ],
    lines: document.lines.map((line) => ({
      name: line.isShipping ? say('total.shipping') : line.name,
      detail: line.isShipping ? line.name : [...line.options, line.code].filter(Boolean).join(' · '),
      cells: [
        line.quantity === null || line.isShipping ? '' : speaker.number(line.quantity),
        ...cells(
          priceText(speaker, document, line),
          line.discount > 0 ? money(-line.discount) : '',
          money(line.net),
          percent(line.rate),
          money(line.tax),
          money(line.total),
        ),
      ],
    })),
    total: ['', ...cells('', '', money(net), '', money(tax), money(total))],
    rateColumns: [say('receipt.rate'), say('receipt.net'), say('receipt.tax'), say('receipt.total')],
    rates: document.rates.map((sum) => [percent(sum.rate), money(sum.net), money(sum.tax), money(sum.total)]),
    notes: [...reasonNotes(speaker, document), ...paymentNotes(speaker, document)],
  }
}

// If the tax was extracted from the whole line, the rounded unit price times the quantity can differ from the amount of the line. The
// price is then shown with more digits.
function priceText(
  { amount }: Speaker,
  { currency, pricesIncludeTax }: AdminDocument,
  { quantity, unitPrice, discount, net, total }: AdminDocument['lines'][number],
): string {
  if (unitPrice === null) return ''
  const undiscounted = (pricesIncludeTax ? total : net) + discount
  if (quantity === null || quantity < 1 || unitPrice * quantity === undiscounted) return amount(unitPrice, currency)
  const { price, moreDigits } = unitPriceOf(undiscounted, quantity)
  return amount(price, currency, moreDigits)
}

const dayText = ({ date }: Speaker, day: string) => date(`${day}T00:00:00.000Z`)

function sellerLines({ say }: Speaker, { seller }: AdminDocument): string[] {
  const { name, address, street, postalCode, city, vatId, taxNumber, registration, email } = seller
  const parts = [street, [postalCode, city].filter(Boolean).join(' ')].filter(
    (line) => line !== undefined && line !== '',
  )
  return [
    name,
    ...(address ?? parts),
    vatId !== undefined && say('receipt.vatId', { number: vatId }),
    taxNumber !== undefined && say('document.taxNumber', { number: taxNumber }),
    registration,
    email,
  ].filter((line) => typeof line === 'string')
}

// The buyer's country is omitted if it is the seller's.
function buyerLines({ say }: Speaker, { buyer, seller }: AdminDocument): string[] {
  if (!buyer) return []
  const isAtHome = buyer.country !== null && buyer.country === seller.country
  return [
    ...(isAtHome ? buyer.address.slice(0, -1) : buyer.address),
    ...(buyer.vatId === null ? [] : [say('receipt.vatId', { number: buyer.vatId })]),
  ]
}

function factsOf(speaker: Speaker, document: AdminDocument): [string, string][] {
  const { say } = speaker
  const { day, supplyDay, order, corrects, kind } = document
  const corrected = correctedDocuments(document)
  const key = kind === 'invoice' ? 'document.reverses' : 'document.corrects'
  return [
    [say('receipt.date'), dayText(speaker, day)],
    ...(kind === 'invoice' && !corrects
      ? [[say('document.supply'), dayText(speaker, supplyDay)] satisfies [string, string]]
      : []),
    [say('receipt.order'), `${order.number} · ${dayText(speaker, order.day)}`],
    ...corrected.map((one): [string, string] => [say(key), `${one.number} · ${dayText(speaker, one.day)}`]),
  ]
}

function reasonNotes({ say }: Speaker, { rates }: AdminDocument): string[] {
  const reasons = new Set(rates.map(({ reason }) => reason))
  return (['reverse_charge', 'intra_community', 'export', 'small_business'] as const)
    .filter((reason) => reasons.has(reason))
    .map((reason) => say(`document.reason.${reason}`))
}

function paymentNotes(speaker: Speaker, { kind, corrects, payments }: AdminDocument): string[] {
  const { say } = speaker
  if (kind !== 'invoice' || corrects) return []
  return payments.map(({ day, brand, last4 }) => {
    const paid = say('receipt.paidAt', { date: dayText(speaker, day) })
    return brand !== null && last4 !== null ? `${paid} (${brandName(brand)} ···· ${last4})` : paid
  })
}
