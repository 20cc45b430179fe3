// Prints harness/sqliteOnly.json from what `CARTWRIGHT_TEST_STATEMENTS=FILE npm test` recorded: the tests without which PostgreSQL still
// gets every statement. The dearest are left out first. A test whose work meets other work stays, and so do those of the storage itself.
//
//   node harness/chooseEngines.ts FILE

import { readFileSync, writeFileSync } from 'node:fs'
import { type SqliteOnly, sqliteOnlyFile } from './engines.ts'
import type { Sent } from './sent.ts'

const [recorded = ''] = process.argv.slice(2)
const all = readFileSync(recorded, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sent)

const senders = new Map<string, number>()
for (const { statements } of all) for (const text of statements) senders.set(text, (senders.get(text) ?? 0) + 1)

// Whether the statements of these are sent without them, too; then they are no longer counted.
function leaveOut(units: readonly Sent[]): boolean {
  const sent = units.flatMap(({ statements }) => statements)
  for (const text of sent) senders.set(text, (senders.get(text) ?? 0) - 1)
  if (sent.every((text) => (senders.get(text) ?? 0) > 0)) return true
  for (const text of sent) senders.set(text, (senders.get(text) ?? 0) + 1)
  return false
}

// Their tests use what earlier ones of the file left.
const inOrder = ['tests/salesReport.test.ts', 'tests/siteHosts.test.ts', 'tests/webhookReceivers.test.ts']
const stays = ({ file, isRace }: Sent) => isRace || inOrder.includes(file) || file.startsWith('src/platform/')
const cost = (units: readonly Sent[]) => units.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
const suites = Object.values(Object.groupBy(all, ({ file, suite }) => `${file}\n${suite}`)) as Sent[][]
const chosen: SqliteOnly = {}
for (const units of suites.toSorted((one, other) => cost(other) - cost(one))) {
  const [{ file, suite } = { file: '', suite: '' }] = units
  const tests = units.filter(({ test }) => test !== '')
  const isAll = !tests.some(stays) && leaveOut(units)
  // Tests of one name are left out together.
  const byName = Object.values(Object.groupBy(tests, ({ test }) => test)) as Sent[][]
  const names = isAll
    ? []
    : byName
        .toSorted((one, other) => cost(other) - cost(one))
        .filter((same) => !same.some(stays) && leaveOut(same))
        .map(([one]) => one?.test ?? '')
  if (!isAll && names.length === 0) continue
  chosen[file] = { ...chosen[file], [suite]: isAll ? 'all' : names.toSorted() }
}
const sorted = Object.fromEntries(Object.entries(chosen).toSorted(([one], [other]) => one.localeCompare(other)))
writeFileSync(sqliteOnlyFile, `${JSON.stringify(sorted, null, 2)}\n`)
