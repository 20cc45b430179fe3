// The page for operators tells of every table what bounds it, and of every retention its default.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eachEngine } from '../harness/storage.ts'
import { parseRetention, retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { listTables, MIGRATIONS_TABLE } from '../src/platform/storage/catalogue.ts'

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'operating.md'), 'utf8')

// The cells of the table under a heading.
function rowsUnder(heading: string): string[][] {
  const [, part = ''] = page.split(`\n## ${heading}\n`)
  const section = part.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

eachEngine('docs/operating.md', (given) => {
  test('names every table of the database once, and no others', async () => {
    const storage = await given.open()
    const tables = (await storage.read(listTables)).map(({ name }) => name)
    const named = rowsUnder('What bounds each table').flatMap(([cell]) => codesIn(cell))
    assert.deepEqual(named.toSorted(), [...tables, MIGRATIONS_TABLE].toSorted())
  })
})

test('docs/operating.md names every retention with its default', () => {
  const rows = rowsUnder('How long things are kept').map(([name, time]) => `${codesIn(name)[0]}=${codesIn(time)[0]}`)
  assert.equal(rows.length, Object.keys(retentionDefaultsMs).length)
  assert.deepEqual(parseRetention(rows.join(',')), retentionDefaultsMs)
})
