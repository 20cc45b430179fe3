// The languages of the checkout, one file each.

import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en, type Texts } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { ja } from './languages/ja.ts'
import { nl } from './languages/nl.ts'

export const languages = ['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar'] as const
export type Language = (typeof languages)[number]

export const texts: Readonly<Record<Language, Texts>> = { en, de, fr, es, nl, ja, ar }
