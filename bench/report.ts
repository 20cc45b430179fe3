// The results of a run, as lines for the terminal and as Markdown. The JSON contains the same and every repetition.

import type { Stretch } from './load.ts'
import { type Findings, holds, type Ratio, rangeOf, type Side, type Table, valuesOf } from './row.ts'

export interface Report {
  startedAt: string
  tookSeconds: number
  commit: string
  machine: Readonly<Record<string, string>>
  method: Readonly<Record<string, string | number>>
  rows: readonly RowReport[]
}

export type RowReport = { name: string; question: string } & ({ failed: string } | { findings: Findings })

const columns: readonly { title: string; member: keyof Stretch; digits: number }[] = [
  { title: 'CPU µs', member: 'cpuUs', digits: 0 },
  { title: 'per second', member: 'perSecond', digits: 0 },
  { title: 'p50 ms', member: 'p50Ms', digits: 2 },
  { title: 'p99 ms', member: 'p99Ms', digits: 2 },
  { title: 'memory MB', member: 'rssMb', digits: 0 },
  { title: 'private MB', member: 'privateMb', digits: 0 },
]

export function cellsOf(side: Side): string[] {
  return columns.map(({ member, digits }) => {
    const values = valuesOf(side, member)
    if (values.length === 0) return '–'
    const { median, least, most } = rangeOf(values)
    return `${fixed(median, digits)} (${fixed(least, digits)}–${fixed(most, digits)})`
  })
}

function fixed(value: number, digits: number): string {
  const kept = Math.abs(value) >= 100 ? 0 : Math.abs(value) < 10 && digits === 0 ? 1 : digits
  return value.toLocaleString('en-US', { minimumFractionDigits: kept, maximumFractionDigits: kept })
}

export function ratioText(ratio: Ratio): string {
  const { what, value, bar, unit } = ratio
  const shown = (number: number) => `${fixed(number, unit === '×' ? 2 : 0)}${unit === '×' ? '×' : ` ${unit}`}`
  if (!bar) return `${what}: ${shown(value)}`
  return `${what}: ${shown(value)}, ${bar.sense} ${shown(bar.limit)}: ${holds(ratio) ? 'holds' : 'MISSED'}`
}

export function terminalText({ name, question, ...rest }: RowReport): string {
  const head = `${name}: ${question}`
  if ('failed' in rest) return `${head}\n  FAILED: ${rest.failed}\n`
  const { sides, ratios, notes, tables = [] } = rest.findings
  const lines = [
    ...(sides.length > 0 ? columnLines(sidesTable(sides)) : []),
    ...tables.flatMap((table) => ['', ...columnLines(textTable(table))]),
  ]
  return [head, ...[...lines, ...ratios.map(ratioText), ...notes].map((line) => `  ${line}`), ''].join('\n')
}

type TextTable = readonly (readonly string[])[]

function sidesTable(sides: readonly Side[]): TextTable {
  return [['', ...columns.map(({ title }) => title)], ...sides.map((side) => [side.name, ...cellsOf(side)])]
}

function textTable({ title, columns: names, rows }: Table): TextTable {
  return [
    [title, ...names],
    ...rows.map(([name, ...numbers]) => [name, ...numbers.map((number) => (number === null ? '–' : fixed(number, 0)))]),
  ]
}

function columnLines(table: TextTable): string[] {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0))) ?? []
  return table.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}

function markdownTable([head = [], ...rows]: TextTable): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(head),
    `|---|${head
      .slice(1)
      .map(() => '---:|')
      .join('')}`,
    ...rows.map(line),
    '',
  ]
}

export function markdown(report: Report): string {
  const facts = (record: Readonly<Record<string, string | number>>) =>
    Object.entries(record)
      .map(([name, value]) => `${name}: ${value}`)
      .join('; ')
  return [
    `Measured ${report.startedAt.slice(0, 16).replace('T', ' ')} UTC at commit ${report.commit}, in ${Math.round(report.tookSeconds / 60)} minutes.`,
    '',
    `- ${facts(report.machine)}`,
    `- ${facts(report.method)}`,
    '',
    ...summary(report),
    ...report.rows.flatMap(rowMarkdown),
  ].join('\n')
}

function summary({ rows }: Report): string[] {
  const judged = rows.flatMap((row) =>
    'findings' in row ? row.findings.ratios.filter(({ bar }) => bar).map((ratio) => ({ row: row.name, ratio })) : [],
  )
  if (judged.length === 0) return []
  const unitOf = ({ unit }: Ratio) => (unit === '×' ? '×' : ` ${unit}`)
  return [
    '| row | what | measured | bar | |',
    '|---|---|---:|---:|---|',
    ...judged.map(({ row, ratio }) => {
      const { what, value, bar } = ratio
      const digits = ratio.unit === '×' ? 2 : 0
      const limit = bar ? `${bar.sense} ${bar.limit.toLocaleString('en-US')}${unitOf(ratio)}` : ''
      return `| ${row} | ${what} | ${fixed(value, digits)}${unitOf(ratio)} | ${limit} | ${holds(ratio) ? 'holds' : '**missed**'} |`
    }),
    '',
  ]
}

function rowMarkdown({ name, question, ...rest }: RowReport): string[] {
  const head = [`### ${name}`, '', `${question}.`.replace('?.', '?'), '']
  if ('failed' in rest) return [...head, `Failed: ${rest.failed}`, '']
  const { sides, ratios, notes, tables = [] } = rest.findings
  return [
    ...head,
    ...(sides.length > 0 ? markdownTable(sidesTable(sides)) : []),
    ...tables.flatMap((table) => markdownTable(textTable(table))),
    ...[...ratios.map((ratio) => `${ratioText(ratio).replace('MISSED', '**missed**')}.`), ...notes].map(
      (line) => `- ${line}`,
    ),
    '',
  ]
}
