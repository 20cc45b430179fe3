// Other forms of a word that a shopper may mean: singular for plural and the reverse, by the regular endings of the shop's language.
// Pure. A form that is in no product costs only one query, so a rule may produce forms that do not exist.

// Two endings that replace each other.
type Rule = readonly [string, string]

const rules: Readonly<Record<string, readonly Rule[]>> = {
  en: [
    ['', 's'],
    ['', 'es'],
    ['y', 'ies'],
    ['f', 'ves'],
    ['fe', 'ves'],
  ],
  de: [
    ['', 'e'],
    ['', 'n'],
    ['', 'en'],
    ['', 'er'],
    ['', 's'],
    ['', 'nen'],
  ],
  fr: [
    ['', 's'],
    ['', 'x'],
    ['al', 'aux'],
  ],
  es: [
    ['', 's'],
    ['', 'es'],
    ['z', 'ces'],
  ],
  pt: [
    ['', 's'],
    ['', 'es'],
    ['m', 'ns'],
    ['ao', 'oes'],
    ['l', 'is'],
  ],
  it: [
    ['o', 'i'],
    ['a', 'e'],
    ['e', 'i'],
  ],
  nl: [
    ['', 'en'],
    ['', 's'],
    ['', 'n'],
  ],
  pl: [
    ['', 'y'],
    ['', 'i'],
    ['a', 'y'],
    ['a', 'i'],
  ],
}

// Shorter words are articles and units.
const formLengthMin = 3

// The word itself comes first.
export function wordForms(word: string, language: string): string[] {
  const forms = new Set([word])
  for (const [one, other] of rules[language] ?? [])
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const stem = word.slice(0, word.length - from.length)
      if (word.endsWith(from) && stem.length > 1 && stem.length + to.length >= formLengthMin) forms.add(stem + to)
    }
  return [...forms]
}

const languageOfCountry: Readonly<Record<string, string>> = {
  ...{ DE: 'de', AT: 'de', CH: 'de', FR: 'fr', ES: 'es', MX: 'es', AR: 'es', CO: 'es', CL: 'es', PT: 'pt', BR: 'pt' },
  ...{ IT: 'it', NL: 'nl', PL: 'pl' },
}

// Returns the language that the merchant set, or the language of its country, otherwise English.
export function languageFor({ locale, country }: { locale: string | null; country: string }): string {
  return locale?.slice(0, 2) ?? languageOfCountry[country] ?? 'en'
}
