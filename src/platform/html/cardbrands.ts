// What people call the brands of cards. Names and not logos: a logo belongs to its owner, and comes with rules for its use.

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
