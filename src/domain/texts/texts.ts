// Legal texts: which version holds at a time, and in which language it is shown. Pure.

import type { LegalTextKind, TextLanguage } from '../../contract/words.ts'

export interface TextVersion {
  kind: LegalTextKind
  language: TextLanguage
  version: number
  // Empty: from then on there is none.
  text: string
  createdAt: number
}

// In force at that time: the newest version of each kind and language, unless it ended the text.
export function textsInForce<Row extends Omit<TextVersion, 'text'> & { text?: string; isEmpty?: boolean }>(
  rows: readonly Row[],
  at: number,
): Row[] {
  const newest = new Map<string, Row>()
  for (const row of rows) {
    const key = `${row.kind} ${row.language}`
    const before = newest.get(key)
    if (row.createdAt <= at && (!before || before.version < row.version)) newest.set(key, row)
  }
  return [...newest.values()].filter(({ text, isEmpty }) => text !== '' && isEmpty !== true)
}

// In the language of the reader, else in that of the merchant, else in any: a text in another language says more than none.
export function textShown<Row extends Pick<TextVersion, 'kind' | 'language'>>(
  inForce: readonly Row[],
  kind: LegalTextKind,
  languages: readonly string[],
): Row | undefined {
  const ofKind = inForce.filter((row) => row.kind === kind)
  for (const language of languages) {
    const found = ofKind.find((row) => row.language === language)
    if (found) return found
  }
  return ofKind[0]
}
