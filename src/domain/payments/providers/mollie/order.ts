// The description of a purchase for Mollie, which methods such as Klarna, Riverty and in3 require: addresses, and lines that add up to
// the amount. https://docs.mollie.com/reference/create-payment. Members that Mollie would refuse are left out: an unusual address must
// not prevent a payment.

import { domainToASCII } from 'node:url'
import type { Address } from '../../../../contract/open/carts.ts'
import { cutText } from '../../../../platform/kit/cut.ts'
import { decimalAmount } from '../../../../platform/kit/money.ts'
import type { Purchase, PurchaseLine } from '../../port.ts'
import type { MollieAmount } from './amounts.ts'

export interface MollieLine {
  type: 'physical' | 'digital' | 'shipping_fee'
  description: string
  quantity: number
  unitPrice: MollieAmount
  discountAmount?: MollieAmount
  totalAmount: MollieAmount
  vatRate?: string
  vatAmount?: MollieAmount
  sku?: string
}

export interface MollieAddress {
  givenName?: string
  familyName?: string
  organizationName?: string
  streetAndNumber?: string
  streetAdditional?: string
  postalCode?: string
  email?: string
  phone?: string
  city?: string
  region?: string
  country?: string
}

export interface MollieOrder {
  lines?: readonly MollieLine[]
  billingAddress?: MollieAddress
  shippingAddress?: MollieAddress
}

// The delivery address is also sent as the billing address: the checkout page asks for no other address for these methods.
export function buildMollieOrder(
  { shopper, delivery, lines }: Purchase,
  { amount, currency }: { amount: number; currency: string },
): MollieOrder {
  const sum = lines.reduce((total, line) => total + line.total, 0)
  const { email, phone } = shopper
  const billing = {
    ...nameOf(delivery?.name ?? shopper.name),
    ...(delivery && placeOf(delivery)),
    ...(isAddress(email) && { email: asciiEmail(email) }),
    ...phoneOf(delivery?.phone ?? phone),
  }
  return {
    ...(sum === amount && { lines: lines.map((line) => lineOf(line, currency)) }),
    ...(Object.keys(billing).length > 0 && { billingAddress: billing }),
    ...(delivery && { shippingAddress: { ...nameOf(delivery.name), ...placeOf(delivery) } }),
  }
}

const types = { physical: 'physical', digital: 'digital', shipping: 'shipping_fee' } as const
const textMax = 255
const skuMax = 64

// `(unitPrice × quantity) - discountAmount` must equal `totalAmount`, with tax. If the shop's prices exclude tax, the price of one unit
// with tax may not be a whole number: the line is then sent with a quantity of one.
function lineOf(line: PurchaseLine, currency: string): MollieLine {
  const { kind, name, code, quantity, unitPrice, discount, total, taxRateBps } = line
  const money = (value: number): MollieAmount => ({ currency, value: decimalAmount(value, currency) })
  const isPricedByUnit = unitPrice * quantity - discount === total
  const isDivisible = total % quantity === 0
  const counted = isPricedByUnit
    ? {
        description: name,
        quantity,
        unitPrice: money(unitPrice),
        ...(discount > 0 && { discountAmount: money(discount) }),
      }
    : isDivisible
      ? { description: name, quantity, unitPrice: money(total / quantity) }
      : { description: `${quantity} × ${name}`, quantity: 1, unitPrice: money(total) }
  return {
    type: types[kind],
    ...counted,
    description: cutText(counted.description, textMax),
    totalAmount: money(total),
    ...(taxRateBps !== null && {
      vatRate: (taxRateBps / 100).toFixed(2),
      vatAmount: money(mollieVatAmount(total, taxRateBps)),
    }),
    ...(code !== null && code.length <= skuMax && { sku: code }),
  }
}

// `totalAmount × (vatRate / (100 + vatRate))`: "any deviations from this will result in an error". Halves are rounded up.
export function mollieVatAmount(total: number, rateBps: number): number {
  const [numerator, denominator] = [BigInt(total) * BigInt(rateBps), BigInt(10_000 + rateBps)]
  return Number((2n * numerator + denominator) / (2n * denominator))
}

// "at least two characters and cannot contain only numbers". A single word is used as both names.
function nameOf(name: string): Pick<MollieAddress, 'givenName' | 'familyName'> {
  const words = name.trim().split(/\s+/)
  const [given, family] =
    words.length > 1 ? [words.slice(0, -1).join(' '), words.at(-1) ?? ''] : [name.trim(), name.trim()]
  const isName = (text: string) => [...text].length >= 2 && !/^[\d\s]+$/.test(text)
  return { ...(isName(given) && { givenName: given }), ...(isName(family) && { familyName: family }) }
}

function placeOf({ company, line1, line2, city, region, postalCode, country }: Address): MollieAddress {
  return {
    ...(company && { organizationName: company }),
    streetAndNumber: line1,
    ...(line2 && { streetAdditional: line2 }),
    city,
    ...(region && { region }),
    ...(postalCode && { postalCode }),
    country,
  }
}

// E.164, as Mollie requires.
function phoneOf(phone: string): Pick<MollieAddress, 'phone'> {
  const digits = phone.replace(/[\s()./-]/g, '')
  return /^\+[1-9]\d{6,14}$/.test(digits) ? { phone: digits } : {}
}

function isAddress(email: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)
}

// "If the domain contains non-ASCII characters, encode it as Punycode".
function asciiEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, at)}@${domainToASCII(email.slice(at + 1)) || email.slice(at + 1)}`
}
