// Records what each test sends to PostgreSQL, for chooseEngines.ts: `CARTWRIGHT_TEST_STATEMENTS=FILE npm test`. The suites of both
// engines then run on PostgreSQL alone.

import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import pg from 'pg'

// A test, what the hooks of a suite do (no test), or what else a file does (no suite).
export interface Unit {
  file: string
  suite: string
  test: string
}

export interface Sent extends Unit {
  cpuMs: number
  // Its work meets other work, which is where the engines differ most.
  isRace: boolean
  statements: string[]
}

const target = process.env.CARTWRIGHT_TEST_STATEMENTS
export const isRecording = target !== undefined

type Body = (this: unknown, ...args: unknown[]) => unknown

const raceNames =
  /\bat (once|the same)\b|\brac(e|es|ing)\b|concurren|\b(mean)?while\b|\block|simultan|another (node|process|server)|(two|other|every) (nodes?|processes|servers)|\bkill|crash|busy/i
// Statements of the harness, or of every transaction.
const common =
  /^(begin|commit|rollback|savepoint|set|create database|drop database|listen|unlisten|select pg_|select '\w+' as name)\b/i

let current: { unit: Unit; statements: Set<string> } | undefined

function write(unit: Unit, statements: Iterable<string>, more: { cpuMs: number; isRace: boolean }): void {
  if (target) appendFileSync(target, `${JSON.stringify({ ...unit, ...more, statements: [...statements] })}\n`)
}

export function enterSuite(unit: Unit): void {
  const { after, before } = createRequire(import.meta.url)('node:test') as Record<string, (fn: () => void) => void>
  const hooks = { unit, statements: new Set<string>() }
  before?.(() => {
    current = hooks
  })
  after?.(() => {
    current = undefined
    write(unit, hooks.statements, { cpuMs: 0, isRace: false })
  })
}

// The arguments of `test`, with a body that is watched.
export function record(unit: Unit, args: readonly unknown[]): unknown[] {
  const body = args.at(-1) as Body
  const isRace = raceNames.test(unit.test) || /Promise\.(all|race)\b/.test(body.toString())
  const watched: Body = async function (...given) {
    const [outer, own, before] = [current, { unit, statements: new Set<string>() }, process.cpuUsage()]
    current = own
    try {
      return await body.apply(this, given)
    } finally {
      const { user, system } = process.cpuUsage(before)
      write(unit, own.statements, { cpuMs: Math.round((user + system) / 1_000), isRace })
      current = outer
    }
  }
  return [...args.slice(0, -1), watched]
}

if (isRecording) {
  const { query } = pg.Client.prototype as unknown as { query: Body }
  Object.assign(pg.Client.prototype, {
    query(this: unknown, ...args: unknown[]) {
      const [first] = args
      const text = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text
      if (text !== undefined && current && !common.test(text)) current.statements.add(shapeOf(text))
      return query.apply(this, args)
    },
  })
}

// Without the numbers of parameters, and lists of any length as one.
function shapeOf(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/\$(, ?\$)+/g, '$')
    .replace(/(\(\$\), ?)+/g, '')
}
