// Measures the server, each row beside its ceiling in the same run.
//
//   npm run bench -- [row …] [--rounds 3] [--seconds 3] [--connections 16] [--million] [--sizes 1000,100000]
//     [--profile FOLDER] [--packages FOLDER] [--against FILE] [--json FILE] [--docs]
//
// Without a name all rows are run, one after the other. A row whose load was not valid has no number and fails the run. A
// missed bar is reported but does not fail the run, because a busy machine is not a defect. Results go to bench/results; a
// run of all rows, or one with --docs, also updates the plots and the table of docs/benchmarks.md.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { dearer } from './compare.ts'
import { type Bar, growthPlot, peersPlot, ratioPlot } from './plot.ts'
import { endAll } from './process.ts'
import { writeSummary } from './profile.ts'
import { markdown, type Report, type RowReport, terminalText } from './report.ts'
import type { Circumstances, Row } from './row.ts'
import { accountRows } from './rows/account.ts'
import { adminRows } from './rows/admin.ts'
import { agentRows } from './rows/agents.ts'
import { cartRows } from './rows/carts.ts'
import { dashboardRows } from './rows/dashboard.ts'
import { dutyRows } from './rows/duties.ts'
import { growthRows } from './rows/growth.ts'
import { indexingRows } from './rows/indexing.ts'
import { mailRows } from './rows/mail.ts'
import { nodeRows } from './rows/nodes.ts'
import { peerRows } from './rows/peers.ts'
import { postgresRows } from './rows/postgres.ts'
import { purchaseRows } from './rows/purchases.ts'
import { readRows } from './rows/reads.ts'
import { searchRows } from './rows/search.ts'
import { siteRows } from './rows/site.ts'
import { startRows } from './rows/start.ts'
import { tableRows } from './rows/tables.ts'
import { webhookRows } from './rows/webhooks.ts'

const rows: readonly Row[] = [
  ...readRows,
  ...cartRows,
  ...postgresRows,
  ...purchaseRows,
  ...nodeRows,
  ...dutyRows,
  ...agentRows,
  ...mailRows,
  ...webhookRows,
  ...adminRows,
  ...searchRows,
  ...indexingRows,
  ...dashboardRows,
  ...accountRows,
  ...siteRows,
  ...startRows,
  ...growthRows,
]
// Only by name: peers install other servers, and what an order adds to the tables is no time.
const rowsByName: readonly Row[] = [...rows, ...peerRows, ...tableRows]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    sizes: { type: 'string', default: '1000,100000' },
    million: { type: 'boolean', default: false },
    profile: { type: 'string' },
    packages: { type: 'string' },
    against: { type: 'string' },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function atLeastOne(name: 'rounds' | 'seconds' | 'connections'): number {
  const number = Number(values[name])
  if (Number.isInteger(number) && number >= 1) return number
  throw new Error(`--${name} must be an integer of at least 1, not ${values[name]}`)
}

function sizesGiven(): number[] {
  const sizes = values.sizes.split(',').map(Number)
  if (sizes.some((size) => !Number.isInteger(size) || size < 1_000))
    throw new Error(`--sizes must be integers of at least 1000, not ${values.sizes}`)
  return values.million ? [...sizes, 1_000_000] : sizes
}

const unknown = positionals.filter((name) => !rowsByName.some((row) => row.name === name))
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) say(`unknown row: ${unknown.join(', ')}`)
  for (const row of rowsByName) say(`${row.name.padEnd(22)}${row.question}`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

const chosen = positionals.length > 0 ? rowsByName.filter(({ name }) => positionals.includes(name)) : rows
const profileFolder = values.profile === undefined ? null : resolve(values.profile)
if (profileFolder !== null) await mkdir(profileFolder, { recursive: true })
const startedAt = new Date()
const loadBefore = loadavg()[0] ?? 0
const commit = await commitName()
const reports: RowReport[] = []

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    endAll()
    process.exit(1)
  })

for (const row of chosen) {
  say(`${row.name}`)
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-bench-'))
  const report = await runRow(row, {
    folder,
    rounds: atLeastOne('rounds'),
    seconds: atLeastOne('seconds'),
    connections: atLeastOne('connections'),
    sizes: sizesGiven(),
    profileFolder,
    packagesFolder: values.packages === undefined ? null : resolve(values.packages),
    say,
  })
  await rm(folder, { recursive: true, force: true })
  reports.push(report)
  say('')
  say(terminalText(report))
  if (profileFolder === null) continue
  const summary = await writeSummary(profileFolder, row.name)
  if (summary !== undefined) say(`  profile: ${summary}\n`)
}

async function runRow(row: Row, circumstances: Circumstances): Promise<RowReport> {
  const { name, question } = row
  try {
    return { name, question, findings: await row.run(circumstances) }
  } catch (error) {
    endAll()
    return { name, question, failed: (error as Error).stack ?? String(error) }
  }
}

const report: Report = {
  startedAt: startedAt.toISOString(),
  tookSeconds: (Date.now() - startedAt.getTime()) / 1_000,
  commit,
  machine: {
    machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${type()} ${release()}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`,
    'load average before and after (1 minute)': `${loadBefore.toFixed(1)} and ${(loadavg()[0] ?? 0).toFixed(1)}`,
  },
  method: {
    repetitions: `${values.rounds}, alternating; median (least–most)`,
    'seconds each': `${values.seconds}, after a discarded warm-up of 150,000 requests or 15 s`,
    connections: values.connections,
    'load generator': 'autocannon, in a separate process',
    'rate limit': 'off',
    log: 'info, to a file',
  },
  rows: reports,
}

const results = join(import.meta.dirname, 'results')
await mkdir(results, { recursive: true })
const earlier = await readEarlier()
const name = `${report.startedAt.slice(0, 16).replaceAll(':', '')}-${commit}`
const json = `${JSON.stringify(report, null, 2)}\n`
await writeFile(join(results, `${name}.json`), json)
await writeFile(join(results, `${name}.md`), `# Benchmark\n\n${markdown(report)}`)
if (values.json !== undefined) await writeFile(values.json, json)
say(`results: bench/results/${name}.json and .md`)
sayWhatGotDearer()
if (values.docs || positionals.length === 0) await updateDocs(report)

const failed = reports.filter((row) => 'failed' in row)
if (failed.length > 0) {
  say(`failed: ${failed.map((row) => row.name).join(', ')}`)
  process.exitCode = 1
}

// Of a release, if its results are named; otherwise those that are here, newest first.
async function readEarlier(): Promise<Report[]> {
  const files = values.against === undefined ? (await readdir(results)).filter((file) => file.endsWith('.json')) : []
  const paths =
    values.against === undefined
      ? files
          .sort()
          .reverse()
          .map((file) => join(results, file))
      : [values.against]
  return Promise.all(paths.map(async (path) => JSON.parse(await readFile(path, 'utf8')) as Report))
}

function sayWhatGotDearer(): void {
  const compared = report.rows.filter(({ name }) => earlier.some(({ rows }) => rows.some((row) => row.name === name)))
  if (compared.length === 0) {
    say('no earlier results of these rows to compare with')
    return
  }
  const changes = dearer(report, earlier)
  const since = earlier.map(({ commit }) => commit).join(', ')
  say(
    changes.length === 0
      ? `nothing is dearer than in the results of ${since}`
      : `dearer than in the results of ${since}:`,
  )
  for (const { row, what, before, now } of changes)
    say(`  ${row}, ${what}: ${before.toFixed(2)} before, ${now.toFixed(2)} now, ${(now / before).toFixed(2)}×`)
}

async function updateDocs(report: Report): Promise<void> {
  const docs = join(import.meta.dirname, '..', 'docs')
  const peers = report.rows.find((row) => row.name === 'peers')
  if (peers && 'findings' in peers) {
    const [table] = peers.findings.tables ?? []
    const caption = `${report.startedAt.slice(0, 10)}, commit ${report.commit}, ${availableParallelism()} cores; logarithmic, shorter is better`
    if (table) await writeFile(join(docs, 'images', 'bench-peers.svg'), peersPlot(table, caption))
    const method = {
      repetitions: `${values.rounds}, in turns; medians`,
      'seconds each': `${values.seconds}, after one that is not counted`,
    }
    await printResults(join(docs, 'peers.md'), { ...report, method, rows: [peers] })
    return
  }
  const caption = `${report.startedAt.slice(0, 10)}, commit ${report.commit}, ${availableParallelism()} cores, medians of ${values.rounds} alternating repetitions`
  const bars = report.rows.flatMap((row): Bar[] =>
    'findings' in row ? row.findings.ratios.filter(({ bar }) => bar).map((ratio) => ({ row: row.name, ratio })) : [],
  )
  const growth = report.rows.flatMap((row) => ('findings' in row ? (row.findings.growth ?? []) : []))
  if (bars.length > 0) await writeFile(join(docs, 'images', 'bench-ratios.svg'), ratioPlot(bars, caption))
  if (growth.length > 0) await writeFile(join(docs, 'images', 'bench-growth.svg'), growthPlot(growth, caption))
  await printResults(join(docs, 'benchmarks.md'), report)
}

async function printResults(file: string, results: Report): Promise<void> {
  const page = await readFile(file, 'utf8')
  const [begin, end] = ['<!-- results: begin -->', '<!-- results: end -->']
  const [before, rest] = [page.indexOf(begin), page.indexOf(end)]
  if (before < 0 || rest < before) throw new Error(`${file} has no place for results`)
  await writeFile(file, `${page.slice(0, before + begin.length)}\n\n${markdown(results)}\n${page.slice(rest)}`)
  say(`${file} and its plots are up to date`)
}

// With a mark if the checkout has uncommitted changes.
async function commitName(): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim()
  try {
    const [head, changes] = [await git('rev-parse', '--short', 'HEAD'), await git('status', '--porcelain')]
    return changes === '' ? head : `${head}-changed`
  } catch {
    return 'unknown'
  }
}
