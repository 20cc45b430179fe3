// The report of a proof: a table on the terminal, and the same as Markdown with the machine, the method and the commit.

import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { GroundName } from './place.ts'
import type { Numbers, RunResult } from './runs.ts'

export interface Finished extends RunResult {
  name: string
  method: string
  engine: GroundName | 'any'
  seed: number
  numbers: Numbers
  tookMs: number
}

export function terminalTable(finished: readonly Finished[]): string {
  const rows = finished.map(({ name, engine, seed, tookMs, violations }) => [
    name,
    engine,
    String(seed),
    `${(tookMs / 1000).toFixed(1)} s`,
    violations.length === 0 ? 'held' : `DID NOT HOLD (${violations.length})`,
  ])
  const table = [['run', 'engine', 'seed', 'time', 'result'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

// Returns the path of the file. A second run of the same day and commit is appended to it.
export async function writeMarkdown(finished: readonly Finished[], isShort: boolean): Promise<string> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const now = new Date().toISOString()
  const file = join(folder, `${now.slice(0, 10)}-${git('rev-parse', '--short', 'HEAD') || 'unknown'}.md`)
  await appendFile(file, markdown(finished, now, isShort))
  for (const run of finished)
    for (const [name, svg] of Object.entries(run.pictures ?? {}))
      await writeFile(join(folder, pictureOf(run, name)), svg)
  return file
}

function markdown(finished: readonly Finished[], now: string, isShort: boolean): string {
  const [cpu] = cpus()
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== ''
  const broken = finished.filter(({ violations }) => violations.length > 0)
  const lines = [
    `# Proof, ${now.slice(0, 16).replace('T', ' ')} UTC`,
    '',
    `Commit ${git('rev-parse', 'HEAD') || 'unknown'}${isChanged ? ' with changes' : ''}. ` +
      `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; ` +
      `Node ${process.version}, ${process.platform}. ${isShort ? 'Short numbers. ' : ''}` +
      `${broken.length === 0 ? 'Everything held.' : `${broken.length} of ${finished.length} runs did not hold.`}`,
    '',
    'Servers are processes of `serve` on loopback; PostgreSQL is a separate cluster with its default settings. The same seed makes the same choices; their timing depends on the machine.',
    '',
    '| run | engine | numbers | seen | time | result |',
    '|---|---|---|---|---|---|',
    ...finished.map(
      ({ name, engine, seed, numbers, seen, tookMs, violations }) =>
        `| ${name} | ${engine} | ${words({ ...numbers, seed: String(seed) })} | ${words(seen)} | ${(tookMs / 1000).toFixed(1)} s | ${violations.length === 0 ? 'held' : 'did not hold'} |`,
    ),
    '',
    ...[...new Map(finished.map(({ name, method }) => [name, method]))].map(
      ([name, method]) => `- ${name}: ${method}.`,
    ),
    ...finished.flatMap((run) =>
      Object.keys(run.pictures ?? {}).flatMap((name) => [
        '',
        `![${name} of ${run.name} on ${run.engine}](${pictureOf(run, name)})`,
      ]),
    ),
    ...broken.flatMap(({ name, engine, violations }) => [
      '',
      `${name} on ${engine} did not hold:`,
      '',
      ...violations.map((violation) => `- ${cell(violation)}`),
    ]),
    '',
    '',
  ]
  return lines.join('\n')
}

// Only the newest of each is stored.
function pictureOf({ name: run, engine }: Finished, name: string): string {
  return `${run}-${engine}-${name}.svg`
}

function words(values: Readonly<Record<string, number | string>>): string {
  return Object.entries(values)
    .map(([name, value]) => cell(`${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`))
    .join(', ')
}

function cell(text: string): string {
  return text.replaceAll('|', '∣').replaceAll(/\s+/g, ' ').slice(0, 600)
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}
