// Checks of a card that need only the shopper's input. Pure: a problem names the field, and never contains the input.

import type { DetailProblem, Method, MethodDetails, ProviderTexts } from '../../port.ts'

// biome-ignore format: a table is read by its rows
const brands: readonly (readonly [pattern: RegExp, brand: string])[] = [
  [/^4/,                                                       'visa'],
  [/^(5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)/,    'mastercard'],
  [/^3[47]/,                                                   'amex'],
  [/^(6011|64[4-9]|65)/,                                       'discover'],
]

export const cardMethod: Method = {
  id: 'card',
  labelKey: 'method.card',
  noteKey: null,
  shape: 'fields',
  brands: brands.map(([, brand]) => brand),
  // 23 characters: nineteen digits in groups of four. The values of `autocomplete` are those of the HTML standard.
  fields: [
    { name: 'number', labelKey: 'card.number', inputMode: 'numeric', autocomplete: 'cc-number', lengthMax: 23 },
    { name: 'expiry', labelKey: 'card.expiry', inputMode: 'numeric', autocomplete: 'cc-exp', lengthMax: 9 },
    { name: 'cvc', labelKey: 'card.cvc', inputMode: 'numeric', autocomplete: 'cc-csc', lengthMax: 4 },
    { name: 'name', labelKey: 'card.name', inputMode: 'text', autocomplete: 'cc-name', lengthMax: 100 },
  ],
}

export const cardTexts = {
  en: {
    'method.card': 'Card',
    'card.number': 'Card number',
    'card.expiry': 'Expiry date (MM/YY)',
    'card.cvc': 'Security code',
    'card.name': 'Name on the card',
    'card.number.wrong': 'This is not a card number. Please compare it with your card.',
    'card.expiry.wrong': 'Please give the date as it is on the card, such as 04/29.',
    'card.expiry.over': 'This card has expired.',
    'card.cvc.wrong': 'Please give the three or four digits of the security code.',
    'card.name.wrong': 'Please give the name as it is on the card.',
  },
  de: {
    'method.card': 'Karte',
    'card.number': 'Kartennummer',
    'card.expiry': 'Gültig bis (MM/JJ)',
    'card.cvc': 'Prüfnummer',
    'card.name': 'Name auf der Karte',
    'card.number.wrong': 'Das ist keine Kartennummer. Bitte vergleichen Sie sie mit Ihrer Karte.',
    'card.expiry.wrong': 'Bitte geben Sie das Datum wie auf der Karte an, etwa 04/29.',
    'card.expiry.over': 'Diese Karte ist abgelaufen.',
    'card.cvc.wrong': 'Bitte geben Sie die drei oder vier Ziffern der Prüfnummer an.',
    'card.name.wrong': 'Bitte geben Sie den Namen wie auf der Karte an.',
  },
} as const satisfies ProviderTexts

export function cardProblems(details: MethodDetails, now: number): DetailProblem[] {
  const number = cardDigits(details.number ?? '')
  const endsAt = expiryEnd(details.expiry ?? '')
  const problems: DetailProblem[] = []
  if (number === undefined) problems.push({ path: '/number', messageKey: 'card.number.wrong' })
  if (endsAt === undefined) problems.push({ path: '/expiry', messageKey: 'card.expiry.wrong' })
  else if (endsAt <= now) problems.push({ path: '/expiry', messageKey: 'card.expiry.over' })
  if (!isSecurityCode(details.cvc ?? '', number)) problems.push({ path: '/cvc', messageKey: 'card.cvc.wrong' })
  if (!isName(details.name ?? '')) problems.push({ path: '/name', messageKey: 'card.name.wrong' })
  return problems
}

// Returns the digits of a number that may be typed in groups; undefined if it cannot be a card number (ISO/IEC 7812-1).
export function cardDigits(typed: string): string | undefined {
  const digits = typed.replaceAll(/[ -]/g, '')
  return /^\d{12,19}$/.test(digits) && passesLuhn(digits) ? digits : undefined
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = digit * 2
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

export function cardBrandOf(digits: string): string | null {
  return brands.find(([pattern]) => pattern.test(digits))?.[1] ?? null
}

// Returns the time from which the card is expired. `04/29` is valid until the end of that April at the place of the holder, and the last
// place on earth where a month ends is twelve hours behind UTC.
export function expiryEnd(typed: string): number | undefined {
  const [, month, year] = /^(0?[1-9]|1[0-2]) ?[/-] ?(\d\d|20\d\d)$/.exec(typed.trim()) ?? []
  const [, monthAlone, yearAlone] = /^(0[1-9]|1[0-2])(\d\d)$/.exec(typed.trim()) ?? []
  const [m, y] = [month ?? monthAlone, year ?? yearAlone]
  if (m === undefined || y === undefined) return undefined
  return Date.UTC((Number(y) % 100) + 2_000, Number(m), 1, 12)
}

// American Express has four digits, the other brands have three. While the card number is invalid, both lengths are accepted.
function isSecurityCode(typed: string, number: string | undefined): boolean {
  const code = typed.trim()
  if (number === undefined) return /^\d{3,4}$/.test(code)
  return cardBrandOf(number) === 'amex' ? /^\d{4}$/.test(code) : /^\d{3}$/.test(code)
}

function isName(typed: string): boolean {
  return /^(?=.*\S)[^\p{Cc}]{1,100}$/u.test(typed)
}
