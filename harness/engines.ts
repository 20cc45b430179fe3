// Which tests of `eachEngine` the suite runs on SQLite alone: those whose every statement another test sends to PostgreSQL too. They
// are listed in sqliteOnly.json, which chooseEngines.ts prints. A file that is run alone, and the runs with every combination
// (proof/suites.ts), go through all of them on both engines.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Engine } from '../src/platform/storage/storage.ts'
import { enterSuite, isRecording, record } from './sent.ts'
import { isWide } from './wide.ts'

// By file and suite: the names of tests, or `all` where no test of the suite is left on PostgreSQL.
export type SqliteOnly = Record<string, Record<string, 'all' | string[]>>

export const sqliteOnlyFile = join(import.meta.dirname, 'sqliteOnly.json')

// The files that have such tests.
export function sqliteOnlyFiles(): string[] {
  return Object.keys(readSqliteOnly())
}

function readSqliteOnly(): SqliteOnly {
  return JSON.parse(readFileSync(sqliteOnlyFile, 'utf8')) as SqliteOnly
}

export const engines: readonly Engine[] = isRecording ? ['postgres'] : ['sqlite', 'postgres']

type Declare = (...args: unknown[]) => unknown

let sqliteOnly: SqliteOnly = {}
let file = ''
let declaring: string | undefined

// For a process of the suite, before its first import of node:test, whose exports are fixed from then on.
export function chooseTests(): void {
  if (!isWide && !isRecording) sqliteOnly = readSqliteOnly()
  const nodeTest = createRequire(import.meta.url)('node:test') as { test: Declare }
  const { test } = nodeTest
  const chosen: Declare = (...args) => {
    if (declaring === undefined) return test(...args)
    const [name] = args
    if (sqliteOnly[file]?.[declaring]?.includes(name as string)) return Promise.resolve()
    return test(...(isRecording ? record({ file, suite: declaring, test: String(name) }, args) : args))
  }
  nodeTest.test = Object.assign(chosen, test)
}

export function enterFile(name: string): void {
  file = name
}

export function isOnSqliteOnly(suite: string): boolean {
  return sqliteOnly[file]?.[suite] === 'all'
}

// Calls what declares the tests of a suite.
export function declareOn(engine: Engine, suite: string, declare: () => void): void {
  if (engine === 'postgres') declaring = suite
  if (isRecording) enterSuite({ file, suite, test: '' })
  try {
    declare()
  } finally {
    declaring = undefined
  }
}
