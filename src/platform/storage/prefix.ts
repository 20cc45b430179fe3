// Finds texts by their beginning, with an index. `like` with a parameter uses no index in either engine.

import { Fragment, type Reader } from './storage.ts'

// Length of the text's beginning in the index of PostgreSQL: an entry of a B-tree has at most 2,700 bytes.
const indexedLength = 60

// No stored text contains this character.
const last = '\u{10ffff}'

// Makes a condition on a column that has an index `(merchant_id, column)` in SQLite, and `(merchant_id, left(column, 60)
// text_pattern_ops)` in PostgreSQL.
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
