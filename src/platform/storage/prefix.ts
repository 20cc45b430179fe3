// Finds texts by how they begin, by an index. `like` with a parameter uses none in either engine.

import { Fragment, type Reader } from './storage.ts'

// What the index of PostgreSQL has of a text: an entry of a B-tree takes 2,700 bytes.
const indexedLength = 60

// No text has this character.
const last = '\u{10ffff}'

// A condition on a column that has an index `(merchant_id, column)` in SQLite, and
// `(merchant_id, left(column, 60) text_pattern_ops)` in PostgreSQL.
export function beginsWith({ engine }: Reader, column: string, text: string): Fragment {
  if (engine === 'sqlite') return new Fragment(`${column} >= ? and ${column} < ?`, [text, text + last])
  const start = [...text].slice(0, indexedLength).join('')
  const indexed = `left(${column}, ${indexedLength})`
  return new Fragment(`${indexed} ~>=~ ? and ${indexed} ~<~ ? and starts_with(${column}, ?)`, [
    start,
    start + last,
    text,
  ])
}
