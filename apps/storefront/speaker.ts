// The language of a page, and its formats of amounts and numbers. Chosen as the hosted checkout chooses, so a shopper sees one language
// from the first page to the last.

import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en, type Text, type TextKey, type Texts } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { ja } from './languages/ja.ts'
import { nl } from './languages/nl.ts'
import { money } from './words.ts'

const texts: Readonly<Record<string, Texts>> = { en, de, fr, es, nl, ja, ar }

export const languages: readonly string[] = Object.keys(texts)

export type Values = Readonly<Record<string, string | number>>

export interface Speaker {
  // The language with the region that the shopper asked for, such as de-CH. The region decides how numbers are written.
  locale: string
  // The locale for Open Graph: if the shopper named no region, with the country that has the most speakers.
  openGraphLocale: string
  language: string
  direction: 'ltr' | 'rtl'
  say(key: TextKey, values?: Values): string
  money(amount: number, currency: string): string
  weight(grams: number): string
  // Formats a share: -0.2 is −20 %.
  percent(share: number): string
  // Returns the name of a country.
  country(code: string): string
  // Returns the patterns of a text by plural form, for a script that knows the count.
  forms(key: TextKey): string
}

const tagsMax = 20

// Uses the first language of the browser that the shop has texts in, or else English.
export function speakerFor(acceptLanguage: string | null): Speaker {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 1_000)
    .split(',', tagsMax)
    .map((part) => {
      const [tag = '', weight] = part.trim().split(/\s*;\s*q=/i)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
  for (const { tag } of wanted) {
    const language = languageOf(tag)
    if (language !== undefined) return knownSpeaker(language, tag)
  }
  return knownSpeaker('en', 'en')
}

// Formats are expensive to create and cheap to use. Locales come from headers, so the cache is bounded.
const speakers = new Map<string, Speaker>()
const speakersMax = 100

function knownSpeaker(language: string, locale: string): Speaker {
  const known = speakers.get(locale)
  if (known) return known
  const made = createSpeaker(language, locale)
  if (speakers.size >= speakersMax) speakers.clear()
  speakers.set(locale, made)
  return made
}

// The header comes from outside, so anything but a language tag is ignored.
function languageOf(tag: string): string | undefined {
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i.test(tag)) return undefined
  try {
    const { language } = new Intl.Locale(tag)
    return languages.includes(language) ? language : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function createSpeaker(language: string, locale: string): Speaker {
  const table = texts[language] ?? en
  const direction = language === 'ar' ? 'rtl' : 'ltr'
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(language)
  const { language: spoken, region } = new Intl.Locale(locale).maximize()
  const weights = new Map<string, Intl.NumberFormat>()
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  // Created on first use: it takes 30 µs, and few pages show names of countries.
  let regions: Intl.DisplayNames | undefined

  function patternOf(text: Text, count: unknown): string {
    if (typeof text === 'string') return text
    if (count === 0 && text.zero !== undefined) return text.zero
    return text[plurals.select(Number(count))] ?? text.other
  }

  return {
    locale,
    openGraphLocale: region === undefined ? spoken : `${spoken}_${region}`,
    language,
    direction,
    say(key, values = {}) {
      const filled = patternOf(table[key], values.count).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const value = values[name] ?? ''
        return isolated(typeof value === 'number' ? numbers.format(value) : value, direction)
      })
      return language === 'fr' ? unbroken(filled) : filled
    },
    money: (amount, currency) => money(amount, currency, locale),
    percent: (share) => percents.format(share),
    country(code) {
      regions ??= new Intl.DisplayNames([locale, 'en'], { type: 'region' })
      return regions.of(code) ?? code
    },
    forms: (key) => JSON.stringify(typeof table[key] === 'string' ? { other: table[key] } : table[key]),
    weight(grams) {
      const [unit, value] = grams < 1000 ? (['gram', grams] as const) : (['kilogram', grams / 1000] as const)
      const known = weights.get(unit)
      const format = known ?? new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 2 })
      if (!known) weights.set(unit, format)
      return format.format(value)
    },
  }
}

// A name in another direction must not reorder the text around it (Unicode, UAX 9: first strong isolate).
function isolated(text: string, direction: 'ltr' | 'rtl'): string {
  return direction === 'rtl' || /[\u0590-\u08ff]/.test(text) ? `\u2068${text}\u2069` : text
}

// French puts a space before these signs, at which no line may break.
function unbroken(text: string): string {
  return text.replaceAll(/ ([:;?!»])/g, '\u00a0$1').replaceAll('« ', '«\u00a0')
}
