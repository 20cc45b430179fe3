// Texts of e-mails, with one file for each language. The languages are those of the checkout.

import type { Language } from '../languages/checkout/texts.ts'
import { ar } from '../languages/emails/ar.ts'
import { de } from '../languages/emails/de.ts'
import { type EmailTextKey, type EmailTexts, en } from '../languages/emails/en.ts'
import { es } from '../languages/emails/es.ts'
import { fr } from '../languages/emails/fr.ts'
import { ja } from '../languages/emails/ja.ts'
import { nl } from '../languages/emails/nl.ts'
import type { Speaker, Values } from '../languages/language.ts'

export const emailTexts: Readonly<Record<Language, EmailTexts>> = { en, de, fr, es, nl, ja, ar }

export function emailSentence({ language, fill }: Speaker, key: EmailTextKey, values?: Values): string {
  return fill(emailTexts[language][key], values)
}
