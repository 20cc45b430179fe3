// The language of a page: its texts, and its formats of amounts, dates and durations.

import { acceptedLocales, localeOf } from '../../platform/html/locale.ts'
import { formatAmount } from '../../platform/kit/money.ts'
import type { Plural, Text, TextKey } from './checkout/en.ts'
import { checkoutTexts, type Language, languages } from './checkout/texts.ts'

export interface Speaker {
  language: Language
  // The language, with the region if the session, the merchant or the browser names one, such as de-CH. The region determines formats of
  // numbers.
  locale: string
  direction: 'ltr' | 'rtl'
  say(key: TextKey, values?: Values): string
  // Fills in the placeholders of a text that is not one of the checkout's.
  fill(text: Text, values?: Values): string
  // Returns the text of a key that is not a constant, such as the name of a payment method.
  sayKnown(key: string, otherwise: string): string
  number(value: number): string
  amount(amountMinor: number, currency: string, moreDigits?: number): string
  // Formats a day in UTC, or in the time zone of a speaker from `inTimeZone`.
  date(instant: string): string
  // Formats date and time, with seconds, in the time zone.
  moment(instant: string, timeZone: string): string
  // Formats basis points: 1900 is 19 %.
  percent(basisPoints: number): string
  // Formats a duration in whole minutes; from two hours in whole hours, and from two days in whole days.
  duration(ms: number): string
  country(code: string): string
  // Returns a speaker that is equal except that its days are in this time zone.
  inTimeZone(timeZone: string): Speaker
  compare(one: string, other: string): number
}

export type Values = Readonly<Record<string, string | number>>

// Uses the session's own language, otherwise the languages of the browser in their order, otherwise English.
export function speakerFor(sessionLocale: string, acceptLanguage: string | undefined): Speaker {
  const wanted = [...(sessionLocale === 'auto' ? [] : [sessionLocale]), ...acceptedLocales(acceptLanguage)]
  const locale = wanted.find((tag) => languageOf(tag) !== undefined) ?? 'en'
  return createSpeaker(languageOf(locale) ?? 'en', locale)
}

// Returns the regions that the browser and the session name, most preferred first. A language without a region is no hint: `en` is set
// everywhere.
export function preferredRegions(sessionLocale: string, acceptLanguage: string | undefined): string[] {
  const tags = [...acceptedLocales(acceptLanguage), ...(sessionLocale === 'auto' ? [] : [sessionLocale])]
  return tags.flatMap((tag) => localeOf(tag)?.region ?? [])
}

function languageOf(tag: string): Language | undefined {
  const spoken = kept.spoken(tag)
  return languages.find((language) => language === spoken)
}

const minuteMs = 60_000
const minutesOfHour = 60
const hoursOfDay = 24

function createSpeaker(language: Language, locale: string, timeZone = 'UTC'): Speaker {
  const direction = language === 'ar' ? 'rtl' : 'ltr'
  const table: Readonly<Record<string, string | Plural>> = checkoutTexts[language]

  function fill(text: Text, values: Values = {}): string {
    const pattern = typeof text === 'string' ? text : formOf(text, values.count)
    return spaced(
      pattern.replace(/\{(\w+)\}/g, (_, name: string) => isolated(shown(values[name]))),
      language,
    )
  }

  const say = (key: string, values?: Values) => fill(table[key] ?? '', values)

  function formOf(plural: Plural, count: unknown): string {
    return plural[kept.plurals(language).select(Number(count))] ?? plural.other
  }

  function shown(value: string | number | undefined): string {
    return typeof value === 'number' ? kept.numbers(locale).format(value) : (value ?? '')
  }

  // Isolates a name, which in another script could otherwise reorder the text around it (Unicode, UAX 9: first strong isolate).
  function isolated(text: string): string {
    return direction === 'rtl' ? `\u2068${text}\u2069` : text
  }

  return {
    language,
    locale,
    direction,
    say,
    fill,
    sayKnown: (key, otherwise) => (Object.hasOwn(table, key) ? say(key) : otherwise),
    number: (value) => kept.numbers(locale).format(value),
    amount: (amountMinor, currency, moreDigits) => formatAmount(amountMinor, currency, locale, moreDigits),
    date: (instant) => kept.dates(`${locale} ${timeZone}`).format(new Date(instant)),
    inTimeZone: (other) => createSpeaker(language, locale, other),
    moment: (instant, zone) => kept.moments(`${locale} ${zone}`).format(new Date(instant)),
    percent: (basisPoints) => kept.percents(locale).format(basisPoints / 10_000),
    duration(ms) {
      const minutes = Math.max(0, Math.ceil(ms / minuteMs))
      if (minutes < 2 * minutesOfHour) return kept.minutes(locale).format(minutes)
      const hours = Math.floor(minutes / minutesOfHour)
      if (hours < 2 * hoursOfDay) return kept.hours(locale).format(hours)
      return kept.days(locale).format(Math.floor(hours / hoursOfDay))
    },
    country: (code) => kept.countries(language).of(code) ?? code,
    compare: (one, other) => kept.collators(language).compare(one, other),
  }
}

// French has a space before these signs, at which no line may end.
function spaced(text: string, language: Language): string {
  return language === 'fr' ? text.replace(/ ([:;?!»])/g, '\u00a0$1').replaceAll('« ', '«\u00a0') : text
}

// Intl objects are expensive to create and cheap to use. Locales are read from headers, so the cache is bounded.
const keptMax = 100

function keeping<Thing>(make: (locale: string) => Thing): (locale: string) => Thing {
  const things = new Map<string, Thing>()
  return (locale) => {
    const found = things.get(locale)
    if (found) return found
    if (things.size >= keptMax) things.clear()
    const made = make(locale)
    things.set(locale, made)
    return made
  }
}

const kept = {
  spoken: keeping((tag) => localeOf(tag)?.language),
  plurals: keeping((locale) => new Intl.PluralRules(locale)),
  numbers: keeping((locale) => new Intl.NumberFormat(locale)),
  dates: keeping((key) => {
    const [locale, timeZone] = key.split(' ')
    return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone })
  }),
  moments: keeping((key) => {
    const [locale, timeZone] = key.split(' ')
    return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long', timeZone })
  }),
  percents: keeping((locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })),
  minutes: keeping((locale) => new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' })),
  hours: keeping((locale) => new Intl.NumberFormat(locale, { style: 'unit', unit: 'hour', unitDisplay: 'long' })),
  days: keeping((locale) => new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' })),
  countries: keeping((locale) => new Intl.DisplayNames(locale, { type: 'region' })),
  collators: keeping((locale) => new Intl.Collator(locale)),
}
