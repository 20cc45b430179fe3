// Reads the file of cells that one process serves (`CARTWRIGHT_CELLS`). It contains the origin, the database URL and the root secret of
// each cell; all other settings come from the environment, as for a single server.

import { readFileSync } from 'node:fs'
import type { Environment } from '../../platform/config.ts'
import { BadSetting } from '../../platform/kit/badsetting.ts'

interface CellEntry {
  origin: string
  databaseUrl: string
  secret: string
}

export interface CellEnvironment {
  origin: string
  // The environment that the cell would have in its own process.
  environment: Environment
}

// Database connections: fewer than a server of one shop database has, since a cell is small.
const connectionsOfCell = '4'
const members = ['origin', 'databaseUrl', 'secret'] as const
// Settings that the file contains for each cell.
const replaced = ['CARTWRIGHT_DATABASE_URL', 'CARTWRIGHT_PUBLIC_URL', 'CARTWRIGHT_SECRET', 'CARTWRIGHT_SECRET_FILE']

// Returns undefined if the process serves a single database.
export function readCells(environment: Environment): readonly CellEnvironment[] | undefined {
  const path = environment.CARTWRIGHT_CELLS || undefined
  if (path === undefined) return undefined
  const twice = replaced.find((name) => environment[name])
  if (twice !== undefined)
    throw new BadSetting(
      `CARTWRIGHT_CELLS and ${twice} are both set: unset ${twice}, because the cells file contains its value for each cell.`,
    )
  return environmentsOf(path, environment)
}

// Returns the environment of a command: the process's own if it names a database or no file of cells, otherwise that of the cell named by
// `CARTWRIGHT_CELL`, or of the only cell.
export function environmentOfCommand(environment: Environment): Environment {
  const path = environment.CARTWRIGHT_CELLS || undefined
  if (path === undefined || environment.CARTWRIGHT_DATABASE_URL) return environment
  const cells = environmentsOf(path, environment)
  const named = environment.CARTWRIGHT_CELL || undefined
  const chosen = named === undefined ? cells.length === 1 && cells[0] : cells.find(({ origin }) => origin === named)
  if (chosen) return chosen.environment
  const origins = cells.map(({ origin }) => origin).join(', ')
  throw new BadSetting(`CARTWRIGHT_CELL must name a cell of CARTWRIGHT_CELLS: ${origins}.`)
}

function environmentsOf(path: string, environment: Environment): CellEnvironment[] {
  const entries = readEntries(path)
  const hosts = entries.map(({ origin }) => new URL(origin).hostname)
  const twice = hosts.find((host, index) => hosts.indexOf(host) < index)
  if (twice !== undefined) throw new BadSetting(`CARTWRIGHT_CELLS: two cells have the host ${twice}.`)
  const urls = new Set(entries.map(({ databaseUrl }) => databaseUrl))
  if (urls.size < entries.length) throw new BadSetting('CARTWRIGHT_CELLS: two cells have the same databaseUrl.')
  return entries.map(({ origin, databaseUrl, secret }) => ({
    origin,
    environment: {
      ...environment,
      CARTWRIGHT_CELLS: undefined,
      CARTWRIGHT_SECRET_FILE: undefined,
      CARTWRIGHT_PUBLIC_URL: origin,
      CARTWRIGHT_DATABASE_URL: databaseUrl,
      CARTWRIGHT_SECRET: secret,
      CARTWRIGHT_DATABASE_CONNECTIONS: environment.CARTWRIGHT_DATABASE_CONNECTIONS || connectionsOfCell,
    },
  }))
}

// Error messages name the cell and never contain its secret or its URL.
function readEntries(path: string): CellEntry[] {
  let read: unknown
  try {
    read = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'the file is not well-formed JSON' : (error as Error).message
    throw new BadSetting(`CARTWRIGHT_CELLS: ${path} cannot be read: ${why}.`)
  }
  if (!Array.isArray(read) || read.length === 0)
    throw new BadSetting(`CARTWRIGHT_CELLS: ${path} must contain a list of cells, each with ${members.join(', ')}.`)
  return read.map((entry: unknown, index) => readEntry(entry, index + 1))
}

function readEntry(entry: unknown, place: number): CellEntry {
  const given = (typeof entry === 'object' && entry !== null ? entry : {}) as Readonly<Record<string, unknown>>
  const missing = members.find((name) => typeof given[name] !== 'string' || given[name] === '')
  if (missing !== undefined) throw new BadSetting(`CARTWRIGHT_CELLS: cell ${place} has no ${missing}.`)
  const unknown = Object.keys(given).find((name) => !members.some((known) => known === name))
  if (unknown !== undefined) throw new BadSetting(`CARTWRIGHT_CELLS: cell ${place} has an unknown member ${unknown}.`)
  const { origin, databaseUrl, secret } = given as Readonly<Record<keyof CellEntry, string>>
  const url = URL.parse(origin)
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== origin)
    throw new BadSetting(
      `CARTWRIGHT_CELLS: the origin of cell ${place} must be an origin such as https://shop.example.com, without a slash at the end.`,
    )
  return { origin, databaseUrl, secret }
}
