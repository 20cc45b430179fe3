// Names of card brands for people. Names instead of logos, since a logo belongs to its owner and its use has rules.

const names: Readonly<Record<string, string>> = {
  amex: 'Amex',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  maestro: 'Maestro',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

export function brandName(brand: string): string {
  return names[brand] ?? brand
}
