// Warnings of a product as one text, for a form field or a cell: one paragraph per warning. A warning with a language begins with the
// language, as in `de: Nicht für Kinder unter 3 Jahren.` Pure.

import { type TextLanguage, textLanguages } from '../../contract/words.ts'

interface Warning {
  language: TextLanguage | null
  text: string
}

const marked = new RegExp(`^(${textLanguages.join('|')}|\\*):[ \\t]*`, 'i')

// A warning without a language is marked with an asterisk if its text looks as if it began with a language.
export function warningsText(warnings: readonly Warning[]): string {
  return warnings
    .map(({ language, text }) => (language !== null ? `${language}: ${text}` : marked.test(text) ? `*: ${text}` : text))
    .join('\n\n')
}

export function warningsIn(typed: string): Warning[] {
  return typed
    .replaceAll('\r\n', '\n')
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.trim())
    .map((paragraph): Warning => {
      const mark = marked.exec(paragraph)
      const language = textLanguages.find((one) => one === mark?.[1]?.toLowerCase()) ?? null
      return { language, text: paragraph.slice(mark?.[0].length ?? 0).trim() }
    })
    .filter(({ text }) => text !== '')
}

// Removes empty lines, which would split the warning in two.
export function warningText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\n\s*\n/g, '\n')
    .trim()
}
