// A document in terms of EN 16931-1, from which both syntaxes are written. Its amounts are the booked amounts. Pure.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import type { TaxReason } from '../../contract/words.ts'
import { correctedDocuments } from '../../domain/documents/content.ts'
import { currencyExponent, decimalAmount } from '../../platform/kit/money.ts'
import type { Speaker } from '../languages/language.ts'

// Category codes of UNTDID 5305, and the Commission's codes of exemptions (VATEX).
export interface TaxCategory {
  code: 'S' | 'Z' | 'E' | 'AE' | 'K' | 'G'
  exemption: { code: string | null; text: string } | null
}

export interface EinvoiceLine {
  id: string
  name: string
  description: string
  sku: string
  quantity: number
  // Price of `baseQuantity` units. The price of all units minus `allowance` is `net`, to the cent.
  price: string
  baseQuantity: number
  // Discount of the line; null if the price includes it.
  allowance: string | null
  net: string
  category: TaxCategory
  rate: string
}

export interface EinvoiceParty {
  // BR-CO-26 requires an id if there is neither a VAT id nor a registration.
  id: string | null
  name: string
  contact: string | null
  streets: readonly string[]
  city: string | null
  postalCode: string | null
  country: string
  vatId: string | null
  taxNumber: string | null
  registration: string | null
  email: string | null
  phone: string | null
}

export interface EinvoiceTax {
  category: TaxCategory
  rate: string
  net: string
  tax: string
}

export interface Einvoice {
  typeCode: '380' | '381'
  number: string
  day: string
  supplyDay: string
  currency: string
  orderNumber: string
  // `note`: the reference in words, for a syntax that allows only one preceding document.
  preceding: readonly { number: string; day: string; note: string }[]
  seller: EinvoiceParty
  buyer: EinvoiceParty
  // The country of delivery.
  country: string
  card: { brand: string; last4: string } | null
  lines: readonly EinvoiceLine[]
  taxes: readonly EinvoiceTax[]
  net: string
  tax: string
  total: string
  notes: readonly string[]
}

// Returns undefined if the rules do not allow an e-invoice (`einvoiceObstacle`).
export function einvoiceFor(speaker: Speaker, document: AdminDocument): Einvoice | undefined {
  if (einvoiceObstacle(document) !== null || !document.buyer) return undefined
  const { kind, number, day, supplyDay, currency, order, country, net, tax, total } = document
  const money = (amount: number) => decimalAmount(amount, currency)
  const card = document.payments.find(({ brand, last4 }) => brand !== null && last4 !== null)
  return {
    typeCode: kind === 'invoice' ? '380' : '381',
    number,
    day,
    supplyDay,
    currency,
    orderNumber: order.number,
    preceding: precedingOf(speaker, document),
    seller: sellerParty(document),
    buyer: buyerParty(document.buyer, country),
    country,
    card: card?.brand != null && card.last4 !== null ? { brand: card.brand, last4: card.last4 } : null,
    lines: document.lines.map((line, i) => lineFor(speaker, document, line, String(i + 1))),
    taxes: document.rates.map((sum) => ({
      category: categoryFor(speaker, sum.rate, sum.reason),
      rate: percentText(sum.rate),
      net: money(sum.net),
      tax: money(sum.tax),
    })),
    net: money(net),
    tax: money(tax),
    total: money(total),
    notes: document.mode === 'test' ? [speaker.say('document.test')] : [],
  }
}

function precedingOf({ say }: Speaker, document: AdminDocument): Einvoice['preceding'] {
  const key = document.kind === 'invoice' ? 'document.reverses' : 'document.corrects'
  return correctedDocuments(document).map(({ number, day }) => ({
    number,
    day,
    note: `${say(key)}: ${number} (${day})`,
  }))
}

export type EinvoiceObstacle = 'seller' | 'buyer' | 'currency' | 'rounding'

// Returns why validators would refuse an e-invoice of the document. BR-S-02 and similar rules require the seller's tax number, BR-07 a
// buyer, BR-AE-02 and BR-IC-02 the buyer's VAT id, and BR-DEC-* at most two decimals. By BR-CO-17 the tax of a rate may deviate by less
// than one unit from the rate on its net sum. Taxes rounded to whole yen in each line can deviate by more.
export function einvoiceObstacle(document: AdminDocument): EinvoiceObstacle | null {
  const { seller, buyer, currency, rates } = document
  const exponent = currencyExponent(currency) ?? 0
  if (seller.vatId === undefined && seller.taxNumber === undefined) return 'seller'
  const isFree = rates.some(({ reason }) => reason === 'reverse_charge' || reason === 'intra_community')
  if (!buyer || (isFree && (buyer.vatId === null || !isVatId(seller.vatId)))) return 'buyer'
  if (rates.some(({ reason }) => reason === 'export') && !isVatId(seller.vatId)) return 'seller'
  if (exponent > 2) return 'currency'
  const unit = 10 ** exponent
  return rates.every(({ net, tax, rate }) => Math.abs(tax - (net * rate) / 10_000) < unit) ? null : 'rounding'
}

// BR-CO-09: a VAT id begins with the code of its country.
function isVatId(vatId: string | undefined): boolean {
  return vatId !== undefined && /^[A-Z]{2}/.test(vatId)
}

function sellerParty({ seller }: AdminDocument): EinvoiceParty {
  const { name, address, street, postalCode, city, country, vatId, taxNumber, registration, email, phone } = seller
  const hasVatId = isVatId(vatId)
  const number = taxNumber ?? (hasVatId ? null : (vatId ?? null))
  return {
    id: hasVatId || registration !== undefined ? null : number,
    name,
    contact: null,
    streets: street === undefined ? (address ?? []).slice(0, 3) : [street],
    city: city ?? null,
    postalCode: postalCode ?? null,
    country,
    vatId: hasVatId ? (vatId ?? null) : null,
    taxNumber: number,
    registration: registration ?? null,
    email,
    phone: phone ?? null,
  }
}

function buyerParty(buyer: NonNullable<AdminDocument['buyer']>, country: string): EinvoiceParty {
  return {
    id: null,
    name: buyer.company ?? buyer.name,
    contact: buyer.company === null ? null : buyer.name,
    streets: buyer.street === null || buyer.street === '' ? [] : [buyer.street],
    city: buyer.city,
    postalCode: buyer.postalCode,
    country: buyer.country ?? country,
    vatId: buyer.vatId,
    taxNumber: null,
    registration: null,
    email: null,
    phone: null,
  }
}

function lineFor(
  speaker: Speaker,
  { currency, pricesIncludeTax }: AdminDocument,
  line: AdminDocument['lines'][number],
  id: string,
): EinvoiceLine {
  const money = (amount: number) => decimalAmount(amount, currency)
  const quantity = line.quantity !== null && line.quantity > 0 ? line.quantity : 1
  const shared = {
    id,
    name: line.isShipping ? speaker.say('total.shipping') : line.name,
    description: line.isShipping ? line.name : line.options.join(', '),
    sku: line.code,
    quantity,
    net: money(line.net),
    category: categoryFor(speaker, line.rate, line.reason),
    rate: percentText(line.rate),
  }
  const { unitPrice, discount, net } = line
  if (!pricesIncludeTax && unitPrice !== null && unitPrice * quantity - discount === net)
    return { ...shared, price: money(unitPrice), baseQuantity: 1, allowance: discount > 0 ? money(discount) : null }
  if (net % quantity === 0) return { ...shared, price: money(net / quantity), baseQuantity: 1, allowance: null }
  return { ...shared, price: money(net), baseQuantity: quantity, allowance: null }
}

const exemptions = {
  reverse_charge: ['AE', 'VATEX-EU-AE'],
  intra_community: ['K', 'VATEX-EU-IC'],
  export: ['G', 'VATEX-EU-G'],
  small_business: ['E', null],
} as const

function categoryFor(speaker: Speaker, rate: number, reason: TaxReason | null): TaxCategory {
  if (rate > 0) return { code: 'S', exemption: null }
  if (reason === null || reason === 'zero_rate') return { code: 'Z', exemption: null }
  const [code, exemption] = exemptions[reason]
  return { code, exemption: { code: exemption, text: speaker.say(`document.reason.${reason}`) } }
}

// Formats basis points: 1900 is 19.00.
function percentText(basisPoints: number): string {
  return `${Math.floor(basisPoints / 100)}.${String(basisPoints % 100).padStart(2, '0')}`
}
