// What got dearer since earlier results: ratios and counts only, since absolute times are those of another machine. Never judges: a busy
// machine is not a defect.

import type { Report } from './report.ts'
import type { Findings } from './row.ts'

export interface Change {
  row: string
  what: string
  before: number
  now: number
}

// A quiet machine moves a ratio by as much (see docs/benchmarks.md).
const noise = 1.3
// Counts do not depend on the machine. Medians of waiting loops vary by a little.
const countNoise = 1.02
// Columns of tables that count what is asked of the database.
const counted = new Set(['statements', 'round trips', 'reads', 'commits', 'bytes written', 'bytes rendered'])

// Of two reports, those rows that both have. The first of `earlier` that has a row counts, so they are given newest first.
export function dearer(report: Report, earlier: readonly Report[]): Change[] {
  return report.rows.flatMap((row): Change[] => {
    if (!('findings' in row)) return []
    const before = earlier.flatMap(({ rows }) => rows.find(({ name }) => name === row.name) ?? [])[0]
    if (!before || !('findings' in before)) return []
    return [...ratioChanges(before.findings, row.findings), ...countChanges(before.findings, row.findings)].map(
      (change) => ({ row: row.name, ...change }),
    )
  })
}

type Found = Omit<Change, 'row'>

function ratioChanges(before: Findings, now: Findings): Found[] {
  return now.ratios.flatMap(({ what, unit, bar, value }): Found[] => {
    const known = before.ratios.find((ratio) => ratio.what === what && ratio.unit === unit)
    if (!known || unit !== '×') return []
    const isDearer = bar?.sense === 'at least' ? value * noise < known.value : value > known.value * noise
    return isDearer ? [{ what, before: known.value, now: value }] : []
  })
}

function countChanges(before: Findings, now: Findings): Found[] {
  return (now.tables ?? []).flatMap(({ title, columns, rows }) =>
    rows.flatMap(([name, ...cells]) =>
      cells.flatMap((value, at): Found[] => {
        const column = columns[at] ?? ''
        const table = before.tables?.find((other) => other.title === title)
        const known = table?.rows.find(([other]) => other === name)?.[table.columns.indexOf(column) + 1]
        if (!counted.has(column) || value === null || typeof known !== 'number' || value <= known * countNoise)
          return []
        return [{ what: `${title}, ${name}: ${column}`, before: known, now: value }]
      }),
    ),
  )
}
