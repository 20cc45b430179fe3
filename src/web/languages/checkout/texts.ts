// The languages of the checkout, with one file for each.

import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { nl } from './nl.ts'

export const languages = ['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar'] as const
export type Language = (typeof languages)[number]

export const checkoutTexts: Readonly<Record<Language, Texts>> = { en, de, fr, es, nl, ja, ar }
