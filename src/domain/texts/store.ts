// The SQL of legal texts.

import type { LegalTextKind, TextLanguage } from '../../contract/words.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import type { TextVersion } from './texts.ts'

// A version without its text, which may be long.
export type TextHead = Omit<TextVersion, 'text'> & { isEmpty: boolean }

export async function listTextHeads(db: Reader, merchantId: string): Promise<TextHead[]> {
  const rows = await db.sql<Omit<TextHead, 'isEmpty'> & { length: number }>`
    select kind, language, version, created_at as "createdAt", length(text) as "length" from legal_texts
    where merchant_id = ${merchantId} order by kind, language, version`
  return rows.map(({ length, ...head }) => ({ ...head, isEmpty: length === 0 }))
}

export interface TextKey {
  merchantId: string
  kind: LegalTextKind
  language: TextLanguage
}

export async function findText(
  db: Reader,
  { merchantId, kind, language }: TextKey,
  version: number,
): Promise<string | undefined> {
  const [row] = await db.sql<{ text: string }>`
    select text from legal_texts
    where merchant_id = ${merchantId} and kind = ${kind} and language = ${language} and version = ${version}`
  return row?.text
}

export function insertText(tx: Tx, merchantId: string, row: TextVersion): void {
  tx.send`
    insert into legal_texts (merchant_id, kind, language, version, text, created_at)
    values (${merchantId}, ${row.kind}, ${row.language}, ${row.version}, ${row.text}, ${row.createdAt})`
}
