// Converts between our minor units and those of Stripe. Both are integers, but may have different numbers of digits: without conversion,
// an amount could be wrong by a factor of a hundred. Amounts that Stripe cannot represent exactly are not offered.

import { currencyExponent } from '../../../../platform/kit/money.ts'

// https://docs.stripe.com/currencies, sections "Supported presentment currencies", "Zero-decimal currencies", "Three-decimal currencies"
// and "Special cases". For backwards compatibility, Stripe counts ISK and UGX with two digits that must be 00. (UGX is also in the
// zero-decimal list of that page, but the API enforces the special case:
// https://github.com/woocommerce/woocommerce-gateway-stripe/issues/2674.) MGA has no digits at Stripe and two in ISO 4217. HUF and TWD
// are special for payouts only. Currencies that are not listed here are not offered.
// biome-ignore format: a table is read by its rows
const codesByExponent: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF',
  2: 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC CVE CZK DKK ' +
     'DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD KES KGS KHR KYD KZT LAK LBP ' +
     'LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON ' +
     'RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH UGX USD UYU UZS WST XCD YER ZAR ZMW',
  3: 'BHD JOD KWD OMR TND',
}

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(exponent)]),
  ),
)

// https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, in Stripe's units, read on 2026-11-18. They apply to charges
// that are settled in the same currency. For other charges Stripe converts the minimum, and refuses lower amounts itself.
// biome-ignore format: a table is read by its rows
const minimums: Readonly<Record<string, number>> = {
  AED: 200, AUD: 50, BRL: 50, CAD: 50, CHF: 50, CZK: 1_500, DKK: 250, EUR: 50, GBP: 30, HKD: 400, HUF: 17_500, INR: 50,
  JPY: 50, MXN: 1_000, MYR: 200, NOK: 300, NZD: 50, PLN: 200, RON: 200, SEK: 300, SGD: 50, THB: 1_000, USD: 50,
}

// Returns undefined if Stripe publishes no minimum for the currency.
export function stripeMinimum(currency: string): number | undefined {
  return Object.hasOwn(minimums, currency) ? minimums[currency] : undefined
}

// Whether Stripe can represent the amount, and it is not below the minimum.
export function isTakenByStripe(amountMinor: number, currency: string): boolean {
  const amount = toStripeAmount(amountMinor, currency)
  return amount !== undefined && amount >= (stripeMinimum(currency) ?? 1)
}

export const stripeCurrencies: readonly string[] = [...exponents.keys()].sort()

export function stripeExponent(currency: string): number | undefined {
  return exponents.get(currency)
}

// Returns undefined if Stripe cannot represent the amount. The method is then not offered.
export function toStripeAmount(amountMinor: number, currency: string): number | undefined {
  const amount = shifted(amountMinor, currencyExponent(currency), exponents.get(currency))
  // Stripe's partners round the third digit, so Stripe requires that it is 0.
  return amount !== undefined && exponents.get(currency) === 3 && amount % 10 !== 0 ? undefined : amount
}

// Returns undefined if Stripe's amount is not a whole number of our minor units, such as a fraction of a króna.
export function fromStripeAmount(amount: number, currency: string): number | undefined {
  return shifted(amount, exponents.get(currency), currencyExponent(currency))
}

function shifted(amount: number, from: number | undefined, to: number | undefined): number | undefined {
  if (from === undefined || to === undefined || !Number.isSafeInteger(amount) || amount < 0) return undefined
  const factor = 10 ** Math.abs(to - from)
  if (to < from) return amount % factor === 0 ? amount / factor : undefined
  return Number.isSafeInteger(amount * factor) ? amount * factor : undefined
}
