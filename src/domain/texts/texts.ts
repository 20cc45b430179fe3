// Legal texts: which version is in force at a time, and in which language it is shown. Pure.

import { issueAt } from '../../contract/issues.ts'
import type { LegalTextKind, TextLanguage } from '../../contract/words.ts'
import type { EntryProblem } from '../../platform/kit/problems.ts'

export interface TextVersion {
  kind: LegalTextKind
  language: TextLanguage
  version: number
  // Empty if this version ended the text.
  text: string
  createdAt: number
}

// Returns the texts in force at a time: the newest version of each kind and language, unless it ended the text.
export function filterTextsInForce<Row extends Omit<TextVersion, 'text'> & { text?: string; isEmpty?: boolean }>(
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

// Returns the text in the first of these languages in which there is one, otherwise in any language: a text in another language is better
// than none.
export function chooseText<Row extends Pick<TextVersion, 'kind' | 'language'>>(
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

// The notice on the legal guarantee is a picture that the merchant uploaded. Its bytes are sent in e-mails, so a picture of another
// server is refused.
export function* noticeProblems(merchantId: string, text: string): Generator<EntryProblem> {
  const isUploaded =
    /^\/media\/(mer_[0-9a-z]{1,40})\/[0-9a-f]{32}-[0-9]{1,4}\.[a-z]{3,4}$/.exec(text)?.[1] === merchantId
  if (text !== '' && !isUploaded) yield issueAt('/text', 'not_uploaded_here')
}
