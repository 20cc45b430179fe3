// `npm run proof [-- <run> …] [--engine sqlite|postgres|cells] [--seed N] [--short] [--<number> N]`: the long runs. Each is
// seeded, shows its progress, and ends in a table; the exit code tells whether everything held.

import { parseArgs } from 'node:util'
import { runs } from './list.ts'
import { citusVariable, type GroundName, groundNames, withGround, withPlace } from './place.ts'
import { seeded } from './random.ts'
import { type Finished, terminalTable, writeMarkdown } from './report.ts'
import { isPossible, type Numbers, type Run, type RunResult, type ServerRun } from './runs.ts'

// So everything that a run has started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const names = [...new Set(runs.flatMap(({ numbers }) => Object.keys(numbers)))]
const { values, positionals } = argumentsGiven()
if (values.help === true) {
  process.stdout.write(helpText())
  process.exit(0)
}
const isShort = values.short === true
const given = values as Readonly<Record<string, string | boolean | undefined>>
const unknown = positionals.filter((name) => !runs.some((run) => run.name === name))
const mistakes = [
  ...unknown.map((name) => `There is no run ${name}. There are ${runs.map((run) => run.name).join(', ')}.`),
  ...[...names, 'seed'].flatMap((name) => {
    const value = given[name]
    return value === undefined || /^\d+$/.test(String(value)) ? [] : [`--${name} must be a whole number.`]
  }),
  ...(given.engine === undefined || groundNames.some((name) => name === given.engine)
    ? []
    : ['--engine must be sqlite, postgres or cells.']),
]
if (mistakes.length > 0) {
  process.stderr.write(`${mistakes.join('\n')}\n`)
  process.exit(2)
}

const finished: Finished[] = []
for (const run of runs.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const asked = groundNames.filter((name) =>
    given.engine === undefined ? name !== 'cells' || run.onCells === 'only' : name === given.engine,
  )
  for (const engine of asked.filter((name) => isPossible(run, name))) {
    if (engine === 'cells' && !process.env[citusVariable])
      process.stdout.write(`\n${run.name} on cells: skipped, ${citusVariable} does not name a Citus\n`)
    else finished.push(await carryOut(run, engine))
  }
}
process.stdout.write(`\n${terminalTable(finished)}\n`)
process.stdout.write(`${await writeMarkdown(finished, isShort)}\n`)
process.exit(finished.every(({ violations }) => violations.length === 0) ? 0 : 1)

async function carryOut(run: Run | ServerRun, engine: GroundName): Promise<Finished> {
  const { seed, random } = seeded(given.seed === undefined ? undefined : Number(given.seed))
  const numbers = numbersFor(run, engine)
  process.stdout.write(`\n${run.name} on ${engine}, seed ${seed}, ${JSON.stringify(numbers)}\n`)
  const startedAt = performance.now()
  const tell = progressPrinter()
  let result: RunResult
  try {
    result =
      'runOn' in run
        ? await withGround(engine, (ground) => run.runOn(ground, numbers, { random, tell }))
        : await withPlace(engine, (place) => run.run(place, numbers, random))
  } catch (error) {
    // A run that breaks off counts as failed; the others continue.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    result = { seen: {}, violations: [`the run broke off: ${text}`] }
  }
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K')
  const { seen, violations } = result
  for (const [what, value] of Object.entries(seen)) process.stdout.write(`  ${what.padEnd(32)} ${value}\n`)
  for (const violation of violations) process.stdout.write(`  VIOLATED: ${violation}\n`)
  const tookMs = performance.now() - startedAt
  process.stdout.write(`  ${violations.length > 0 ? 'did not hold' : 'held'}, ${(tookMs / 1000).toFixed(1)} s\n`)
  return { ...result, name: run.name, method: run.method ?? '', engine, seed, numbers, tookMs }
}

function argumentsGiven() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        engine: { type: 'string' },
        seed: { type: 'string' },
        short: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      },
    })
  } catch (error) {
    process.stderr.write(`${(error as Error).message.split('. ')[0]}. --help lists the options.\n`)
    process.exit(2)
  }
}

function helpText(): string {
  const lines = runs.map(({ name, numbers }) => {
    const options = Object.entries(numbers).map(([option, usual]) => `--${option} ${usual}`)
    return `  ${name.padEnd(16)}${options.join(' ')}`.trimEnd()
  })
  return `npm run proof [-- <run> …] [--engine sqlite|postgres|cells] [--seed N] [--short]

All runs unless some are named, each on both engines where it has two and none is named. The runs, and their numbers at full length:

${lines.join('\n')}
`
}

function numbersFor(run: Run | ServerRun, engine: GroundName): Numbers {
  const usual = {
    ...run.numbers,
    ...run.numbersOf?.[engine === 'cells' ? 'postgres' : engine],
    ...(isShort ? run.short : {}),
  }
  const numbers = Object.keys(run.numbers).flatMap((name) =>
    given[name] === undefined ? [] : [[name, Number(given[name])] as const],
  )
  return { ...usual, ...Object.fromEntries(numbers) }
}

// On a terminal one line that is overwritten; elsewhere a line every ten seconds.
function progressPrinter(): (text: string) => void {
  let toldAt = -Infinity
  return (text) => {
    const now = performance.now()
    if (now - toldAt < (process.stdout.isTTY ? 100 : 10_000)) return
    toldAt = now
    process.stdout.write(process.stdout.isTTY ? `\r\u001b[K  ${text}` : `  ${text}\n`)
  }
}
