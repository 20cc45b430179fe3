// The languages of letters, which are those of the checkout, one file each.

import type { Speaker, Values } from '../checkout/page/language.ts'
import type { Language } from '../checkout/page/texts.ts'
import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en, type LetterTextKey, type LetterTexts } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { ja } from './languages/ja.ts'
import { nl } from './languages/nl.ts'

export const letterTexts: Readonly<Record<Language, LetterTexts>> = { en, de, fr, es, nl, ja, ar }

export function tell({ language, fill }: Speaker, key: LetterTextKey, values?: Values): string {
  return fill(letterTexts[language][key], values)
}
