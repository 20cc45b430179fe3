// Amounts of money are integers in minor units, with a currency. This file knows the minor unit digits of each currency, and parses,
// formats, rounds and divides amounts without floating-point division.
import { Lru } from './lru.ts'

// Currencies of ISO 4217 as of January 2026, by the number of minor unit digits. Not taken from Intl: CLDR displays HUF, IDR, PKR and
// others without their minor unit, and reading an amount with another exponent than it was stored with makes it wrong by a factor of a
// hundred. Codes without a minor unit (gold, drawing rights, tests) are not means of payment and are left out.
// biome-ignore format: a table is read by its rows
const codesByExponent: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY ' +
     'COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS ' +
     'INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR ' +
     'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP ' +
     'STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(exponent)]),
  ),
)

export const currencyCodes: readonly string[] = [...exponents.keys()].sort()

export function currencyExponent(code: string): number | undefined {
  return exponents.get(code)
}

// Formats an amount for people. Intl gets decimal text, so amounts are exact up to 2^53 − 1. `moreDigits` is the number of digits beyond
// those of the minor unit.
export function formatAmount(amountMinor: number, currency: string, locale: string, moreDigits = 0): string {
  const digits = exponentOf(currency) + moreDigits
  return formatterFor(locale, currency, digits).format(decimalText(amountMinor, digits))
}

// Returns the unit price for a total, with as few digits as are needed for price times quantity, rounded half up, to equal the total. A
// total of 2518 for 999 units gives 2.521, returned as 2521 with three more digits.
export function unitPriceOf(amountMinor: number, quantity: number): { price: number; moreDigits: number } {
  for (let moreDigits = 0; ; moreDigits += 1) {
    const scale = 10n ** BigInt(moreDigits)
    const price = roundHalfUpDivide(BigInt(amountMinor) * scale, BigInt(quantity))
    const isEnough = roundHalfUpDivide(price * BigInt(quantity), scale) === BigInt(amountMinor)
    if (isEnough || price * 10n > Number.MAX_SAFE_INTEGER) return { price: Number(price), moreDigits }
  }
}

// Returns 1999 as '19.99', for other programs.
export function decimalAmount(amountMinor: number, currency: string): string {
  return decimalText(amountMinor, exponentOf(currency))
}

// Parses '19.99' as 1999. Nothing is guessed: signs, exponents, thousands separators, and more digits than the currency has are refused.
export function parseDecimal(text: string, currency: string): number | undefined {
  const exponent = exponents.get(currency)
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,15})(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (exponent === undefined || whole === undefined || fraction.length > exponent) return undefined
  const amount = Number(whole + fraction.padEnd(exponent, '0'))
  return Number.isSafeInteger(amount) ? amount : undefined
}

// Rounds halves up, towards positive infinity.
export function roundHalfUpDivide(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('roundHalfUpDivide: the denominator must be positive')
  const doubled = 2n * numerator + denominator
  const divisor = 2n * denominator
  const quotient = doubled / divisor
  return doubled < 0n && doubled % divisor !== 0n ? quotient - 1n : quotient // BigInt division truncates; this is the floor
}

// Divides a total in proportion to weights by the largest remainder method; among equal remainders, the first ones are rounded up. The
// shares add up to the total exactly, and a weight of 0 gets 0.
export function allocate(total: number, weights: readonly number[]): number[] {
  assertAmount(total)
  for (const weight of weights) assertAmount(weight)
  const sum = weights.reduce((whole, weight) => whole + BigInt(weight), 0n)
  if (sum === 0n) {
    if (total !== 0) throw new RangeError('allocate: the sum of the weights must be above 0 if the total is not 0')
    return weights.map(() => 0)
  }
  const exact = weights.map((weight) => BigInt(total) * BigInt(weight))
  const shares = exact.map((product) => Number(product / sum))
  const remainders = exact.map((product, index) => ({ index, remainder: product % sum }))
  // The sort is stable, so equal remainders stay in order.
  remainders.sort((one, other) => compare(other.remainder, one.remainder))
  const left = total - shares.reduce((whole, share) => whole + share, 0)
  for (const { index } of remainders.slice(0, left)) shares[index] = (shares[index] as number) + 1
  return shares
}

function exponentOf(currency: string): number {
  const exponent = exponents.get(currency)
  if (exponent === undefined) throw new RangeError(`${currency} is not a currency`)
  return exponent
}

function decimalText(amountMinor: number, exponent: number): Intl.StringNumericLiteral {
  if (!Number.isSafeInteger(amountMinor)) throw new RangeError('an amount must be a whole number of minor units')
  const sign = amountMinor < 0 ? '-' : ''
  const digits = String(Math.abs(amountMinor)).padStart(exponent + 1, '0')
  const point = digits.length - exponent
  const text = exponent === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
  return text as Intl.StringNumericLiteral // digits with one point, by construction
}

// Creating a formatter takes about fifty times as long as using it.
const formatters = new Lru<string, Intl.NumberFormat>(200)

function formatterFor(locale: string, currency: string, digits: number): Intl.NumberFormat {
  const key = `${currency} ${digits} ${locale}`
  const known = formatters.get(key)
  if (known) return known
  const formatter = new Intl.NumberFormat(knownLocale(locale), {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  formatters.set(key, formatter)
  return formatter
}

// An invalid language tag from a browser must not make a page fail.
function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en'
  } catch (error) {
    if (error instanceof RangeError) return 'en'
    throw error
  }
}

function assertAmount(value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`an amount must be a safe integer of at least 0, not ${value}`)
}

function compare(one: bigint, other: bigint): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
