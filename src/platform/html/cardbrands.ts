// Names of card brands as shown to people. Logos are not used, since their owners restrict their use.

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
