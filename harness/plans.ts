// Query plans, to check that a statement reads no more than it must.

import assert from 'node:assert/strict'
import type { Reader, Tx } from '../src/platform/storage/storage.ts'

// The plan of the one statement that `ask` runs.
export async function planOf(db: Reader, ask: (db: Tx) => Promise<unknown>): Promise<string> {
  let asked: Parameters<Reader['sql']> | undefined
  const listening = {
    engine: db.engine,
    sql: async (...call: Parameters<Reader['sql']>) => {
      asked = call
      return []
    },
  }
  await ask(listening as unknown as Tx)
  assert.ok(asked)
  const [template, ...parts] = asked
  const explain = db.engine === 'sqlite' ? 'explain query plan ' : 'explain (analyze) '
  const explained = [explain + template[0], ...template.slice(1)] as unknown as TemplateStringsArray
  return JSON.stringify(await db.sql(explained, ...parts))
}
