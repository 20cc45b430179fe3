// The language of a sign-in page: the person's choice, otherwise the browser's preferred language for which texts exist, otherwise
// English.

import { acceptedLocales, localeOf } from '../../../platform/html/locale.ts'
import { ar } from '../../languages/signin/ar.ts'
import { de } from '../../languages/signin/de.ts'
import { en, type SignInTextKey, type SignInTexts } from '../../languages/signin/en.ts'
import { es } from '../../languages/signin/es.ts'
import { fr } from '../../languages/signin/fr.ts'
import { ja } from '../../languages/signin/ja.ts'
import { nl } from '../../languages/signin/nl.ts'

export const signInTexts = { en, de, fr, es, nl, ja, ar } as const satisfies Readonly<Record<string, SignInTexts>>
export type SignInLanguage = keyof typeof signInTexts

export interface SignInWords {
  language: SignInLanguage
  direction: 'ltr' | 'rtl'
  say(key: SignInTextKey, values?: Readonly<Record<string, string | number>>): string
  date(instant: number): string
}

export function signInWordsFor(acceptLanguage: string | undefined, chosen?: string | null): SignInWords {
  if (typeof chosen === 'string' && isKnown(chosen)) return signInWordsIn(chosen)
  const spoken = acceptedLocales(acceptLanguage).map((tag) => localeOf(tag)?.language ?? '')
  return signInWordsIn(spoken.find(isKnown) ?? 'en')
}

function isKnown(language: string): language is SignInLanguage {
  return Object.hasOwn(signInTexts, language)
}

export function signInWordsIn(language: SignInLanguage): SignInWords {
  const direction = language === 'ar' ? 'rtl' : 'ltr'
  // Isolates a name, which in another script could otherwise reorder the text around it (Unicode, UAX 9: first strong isolate).
  const isolated = (text: string) => (direction === 'rtl' ? `\u2068${text}\u2069` : text)
  return {
    language,
    direction,
    say: (key, values = {}) =>
      spaced(signInTexts[language][key], language).replace(/\{(\w+)\}/g, (_, name: string) =>
        isolated(String(values[name] ?? '')),
      ),
    date: (instant) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(instant),
  }
}

// French has a space before these signs, at which no line may end.
function spaced(text: string, language: SignInLanguage): string {
  return language === 'fr' ? text.replace(/ ([:;?!»])/g, '\u00a0$1') : text
}
