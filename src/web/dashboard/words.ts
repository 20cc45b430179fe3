// The language of a page of the dashboard: texts, amounts, and dates in the shop's time zone. The texts are in ../languages/dashboard/.
//
//   words.say('orders.title')                      a text
//   words.say('home.todayOrders', { count: 3 })    with values; `count` chooses the plural form
//   words.money(1999, 'EUR')                       €19.99
//   words.day('2026-11-16T09:00:00Z')              16 Nov 2026      words.moment(…): with the time
//   words.refusal(refusal)                         the sentence of a refusal, translated if the texts have its code

import type { AdminRefusedRow, AdminRemark } from '../../contract/admin/transfers.ts'
import { type BrokenRule, fillSentence } from '../../contract/issues.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import { acceptedLocales, localeOf } from '../../platform/html/locale.ts'
import { formatAmount } from '../../platform/kit/money.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'
import { de } from '../languages/dashboard/de.ts'
import { type DashboardTextKey, type DashboardTexts, en } from '../languages/dashboard/en.ts'
import type { Plural } from '../languages/dashboard/plural.ts'
import type { RefusalTexts } from '../languages/dashboard/refusals.en.ts'

export const dashboardTexts = { en, de } as const satisfies Readonly<Record<string, DashboardTexts>>
export type DashboardLanguage = keyof typeof dashboardTexts
export type TextKey = DashboardTextKey
export type TextValues = Readonly<Record<string, string | number>>

export interface DashboardWords {
  language: DashboardLanguage
  // Includes the region that the browser names, which determines formats of numbers.
  locale: string
  direction: 'ltr' | 'rtl'
  timeZone: string
  say(key: TextKey, values?: TextValues): string
  // Returns the text of a key that is not a constant, such as one with a status.
  sayKnown(key: string, otherwise: string): string
  refusal(refusal: Pick<Refusal, 'code' | 'message'>): string
  // Returns the sentence for an issue of a refusal.
  issue(rule: BrokenRule): string
  // Returns the sentence about a refused file or row, or about what an import changed in it.
  remark(one: AdminRemark): string
  refusedRow(row: AdminRefusedRow): string
  number(value: number): string
  money(amountMinor: number, currency: string): string
  day(instant: string | number | Date): string
  moment(instant: string | number | Date): string
  // Formats a day of a report, such as 2026-06-01, which has no time zone.
  calendarDay(day: string): string
  country(code: string): string
}

// `chosen`: the language that the person chose. The region is the one that the browser names for that language.
export function dashboardWordsFor(
  acceptLanguage: string | undefined,
  timeZone: string,
  chosen: string | null = null,
): DashboardWords {
  const isWanted = (language: string) => (chosen !== null && isKnown(chosen) ? language === chosen : isKnown(language))
  const named = acceptedLocales(acceptLanguage).find((tag) => isWanted(localeOf(tag)?.language ?? ''))
  return dashboardWordsIn(named ?? (chosen === 'de' ? 'de' : 'en-GB'), timeZone)
}

function isKnown(language: string): language is DashboardLanguage {
  return Object.hasOwn(dashboardTexts, language)
}

export function dashboardWordsIn(locale: string, timeZone: string): DashboardWords {
  const spoken = localeOf(locale)?.language ?? ''
  const language = isKnown(spoken) ? spoken : 'en'
  const texts: Readonly<Record<string, string | Plural>> = dashboardTexts[language].texts
  const ofRefusals: RefusalTexts = dashboardTexts[language].refusals

  function say(key: string, values: TextValues = {}): string {
    const text = texts[key] ?? ''
    const pattern = typeof text === 'string' ? text : formOf(text, Number(values.count))
    return pattern.replace(/\{(\w+)\}/g, (_, name: string) => shown(values[name]))
  }

  function issue({ code, values }: BrokenRule): string {
    return fillSentence(dashboardTexts[language].issues[code], values, { number: shown, or: say('form.or') })
  }

  function formOf(plural: Plural, count: number): string {
    const form = cached.plurals(language).select(count)
    return (form === 'one' ? plural.one : plural.other) ?? plural.other
  }

  function shown(value: string | number | undefined): string {
    return typeof value === 'number' ? cached.numbers(locale).format(value) : (value ?? '')
  }

  const inZone = `${locale} ${timeZone}`
  return {
    language,
    locale,
    direction: 'ltr',
    timeZone,
    say,
    sayKnown: (key, otherwise) => (Object.hasOwn(texts, key) ? say(key) : otherwise),
    refusal: ({ code, message }) => ofRefusals[code as RefusalCode] ?? message,
    issue,
    ...importWords(language, say, shown),
    number: (value) => cached.numbers(locale).format(value),
    money: (amountMinor, currency) => formatAmount(amountMinor, currency, locale),
    day: (instant) => cached.days(inZone).format(new Date(instant)),
    moment: (instant) => cached.moments(inZone).format(new Date(instant)),
    calendarDay: (day) => cached.days(`${locale} UTC`).format(new Date(`${day}T12:00:00Z`)),
    country: (code) => cached.countries(language).of(code) ?? code,
  }
}

// Returns the functions that render sentences about an imported file and its rows.
function importWords(
  language: DashboardLanguage,
  say: DashboardWords['say'],
  number: (value: number) => string,
): Pick<DashboardWords, 'remark' | 'refusedRow'> {
  // Returns undefined for a code that a newer release stored and this release does not know.
  function saidOf({ code, values }: Pick<AdminRemark, 'code' | 'values'>): string | undefined {
    const { remarks } = dashboardTexts[language]
    if (!Object.hasOwn(remarks, code)) return undefined
    const { otherLine } = values
    // A line number is formatted without thousands separators.
    const written = otherLine === undefined ? values : { ...values, otherLine: String(otherLine) }
    return fillSentence(remarks[code], written, { number, or: say('form.or') })
  }

  function remark(one: AdminRemark): string {
    const said = saidOf(one) ?? one.message
    return one.line === null ? said : `${say('transfers.lineOf', { line: String(one.line) })}: ${said}`
  }

  function refusedRow(row: AdminRefusedRow): string {
    const said = saidOf(row)
    if (said === undefined) return row.reason
    const more = row.moreRows === 0 ? '' : ` (${say('transfers.moreRows', { count: row.moreRows })})`
    return `${said}${more}${row.leavesOut ? `; ${say('transfers.productOut')}` : ''}`
  }

  return { remark, refusedRow }
}

// Intl objects are expensive to create and cheap to use. Locales are read from headers, so the cache is bounded.
const cachedMax = 100

function caching<Thing>(make: (key: string) => Thing): (key: string) => Thing {
  const things = new Map<string, Thing>()
  return (key) => {
    const found = things.get(key)
    if (found) return found
    if (things.size >= cachedMax) things.clear()
    const made = make(key)
    things.set(key, made)
    return made
  }
}

function inZone(options: Intl.DateTimeFormatOptions): (key: string) => Intl.DateTimeFormat {
  return (key) => {
    const [locale, timeZone = 'UTC'] = key.split(' ')
    return new Intl.DateTimeFormat(locale, { ...options, timeZone })
  }
}

const cached = {
  plurals: caching((locale) => new Intl.PluralRules(locale)),
  numbers: caching((locale) => new Intl.NumberFormat(locale)),
  days: caching(inZone({ dateStyle: 'medium' })),
  moments: caching(inZone({ dateStyle: 'medium', timeStyle: 'short' })),
  countries: caching((locale) => new Intl.DisplayNames(locale, { type: 'region' })),
}
