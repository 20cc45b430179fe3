// Amounts in Mollie's format: decimal text with the number of digits of the currency.

import { currencyExponent, decimalAmount } from '../../../../platform/kit/money.ts'

// The digits by https://docs.mollie.com/docs/multicurrency. They equal those of ISO 4217, also for ISK and JPY (none) and for HUF and TWD
// (two; Mollie rounds only amounts that it passes on to PayPal). Other currencies are not offered. Which of these currencies an account
// accepts depends on its methods.
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

// Returns undefined if Mollie cannot charge the amount.
export function toMollieAmount(amountMinor: number, currency: string): MollieAmount | undefined {
  const isTaken = mollieExponents.has(currency) && mollieExponents.get(currency) === currencyExponent(currency)
  if (!isTaken || !Number.isSafeInteger(amountMinor) || amountMinor <= 0) return undefined
  return { currency, value: decimalAmount(amountMinor, currency) }
}
