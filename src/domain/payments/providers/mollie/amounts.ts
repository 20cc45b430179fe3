// Amounts in Mollie's format: decimal text with as many digits as the currency has.

import { currencyExponent, decimalAmount } from '../../../../platform/kit/money.ts'

// https://docs.mollie.com/docs/multicurrency, with the digits that it names. They are those of ISO 4217, also for ISK and JPY (none) and
// for HUF and TWD (two; only amounts that Mollie passes on to PayPal are rounded). Other currencies are not offered; which of these an
// account really accepts depends on its methods.
// biome-ignore format: a table is read by its rows
const codesByExponent: Readonly<Record<number, string>> = {
  0: 'ISK JPY',
  2: 'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS MXN MYR NOK NZD PHP PLN RON SEK SGD THB TWD USD ZAR',
}

export const mollieExponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(exponent)]),
  ),
)

export interface MollieAmount {
  currency: string
  value: string
}

// Returns undefined if Mollie cannot take the amount.
export function toMollieAmount(amountMinor: number, currency: string): MollieAmount | undefined {
  const isTaken = mollieExponents.has(currency) && mollieExponents.get(currency) === currencyExponent(currency)
  if (!isTaken || !Number.isSafeInteger(amountMinor) || amountMinor <= 0) return undefined
  return { currency, value: decimalAmount(amountMinor, currency) }
}
