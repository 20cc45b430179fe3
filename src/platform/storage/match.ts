// Conditions that each engine needs in its own words to be quick. On folded texts, instead of `like` with a parameter: `like` would use no
// index in either engine, and PostgreSQL would parse its pattern again for each row.

import { Fragment, type Reader } from './storage.ts'

// Length of the prefix in PostgreSQL's index, because an entry of a B-tree has at most 2,700 bytes.
const indexedLength = 60

// No stored text contains this character.
const last = '\u{10ffff}'

// Returns a condition on a column. The column needs an index `(merchant_id, column)` in SQLite, and `(merchant_id, left(column, 60)
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

export function contains({ engine }: Reader, column: string, text: string): Fragment {
  return new Fragment(`${engine === 'sqlite' ? 'instr' : 'strpos'}(${column}, ?) > 0`, [text])
}

// Returns a condition that the column is one of the values of a subquery. PostgreSQL collects the values first and then finds their rows in
// one pass of an index; for `in`, it looks up each value or reads the whole table.
export function isAmong({ engine }: Reader, column: string, { text, values }: Fragment): Fragment {
  return new Fragment(engine === 'sqlite' ? `${column} in (${text})` : `${column} = any(array(${text}))`, values)
}

// A subquery that returns these values, for `isAmong`. They are one parameter: for 750, PostgreSQL took longer to plan a statement with a
// parameter for each than to run it.
export function selectValues({ engine }: Reader, values: readonly string[]): Fragment {
  const text =
    engine === 'sqlite' ? 'select value from json_each(?)' : 'select json_array_elements_text(cast(? as json))'
  return new Fragment(text, [JSON.stringify(values)])
}
