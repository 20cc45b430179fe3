// The command `cells`: several groups of shops in one PostgreSQL database, each with its own schema and role.

import { readSettings } from '../../platform/config.ts'
import { makeSecretText } from '../../platform/secrets/secrets.ts'
import { addCell, type Cell, isCellName, listCells, migrateCell, moveCell } from '../../platform/storage/cells.ts'
import { unlimitedTime } from '../../platform/storage/copy.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { commandLimits, type Storage, StorageRefused } from '../../platform/storage/storage.ts'
import {
  type Command,
  CommandFailure,
  Misuse,
  type ParsedArguments,
  printReport,
  printResult,
  type Terminal,
} from './command.ts'

export const cellsCommand: Command = {
  summary: 'Manage cells: groups of shops, each in a schema of one PostgreSQL database with a role of its own.',
  verbs: {
    add: {
      summary: 'Create a cell with its role, and print the URL and a root secret for its servers.',
      effect: 'none',
      words: ['NAME'],
      options: {
        like: { value: 'CELL', help: 'with the root secret of this one, so merchants can be moved between them' },
      },
      run: add,
    },
    list: {
      summary: 'List the cells with their size, migrations and merchants.',
      effect: 'none',
      run: (given, terminal) =>
        withOperator(given, async (storage) => {
          const cells = await listCells(storage)
          printResult(terminal, given, { cells }, () => cells.map(lineFor))
          return 0
        }),
    },
    move: {
      summary: 'Move a cell to another worker of Citus while it serves.',
      effect: 'none',
      words: ['NAME'],
      options: { to: { value: 'HOST:PORT', help: 'the worker, as cells list shows it', isRequired: true } },
      run: move,
    },
    migrate: {
      summary: 'Bring each cell up to date, the smallest first, and stop at the first that fails.',
      effect: 'none',
      run: migrateAll,
    },
  },
}

function lineFor({ name, bytes, migrations, merchants, worker }: Cell): string {
  const size = `${Math.ceil(bytes / 1_000_000)} MB`
  return [`${name}   ${size}, ${migrations} migrations, ${merchants} merchants`, ...(worker ? [worker] : [])].join(', ')
}

async function add(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const name = given.word
  if (!isCellName(name))
    throw new Misuse('NAME must have 1 to 31 lower-case letters, digits and underscores, and begin with a letter')
  const { like } = given.texts
  return withOperator(given, async (storage, url) => {
    const made = await addCell(storage, url, name, { now: new Date(), ...(like !== undefined && { like }) })
    const secret = like === undefined ? makeSecretText() : null
    printResult(terminal, given, { cell: made.name, url: made.url, secret, distributed: made.isDistributed }, () => [
      `created the cell ${name} with ${made.applied.length} migrations${made.isDistributed ? ', distributed by Citus' : ''}`,
      'Give its servers these settings, and a CARTWRIGHT_PUBLIC_URL of their own. They are shown only once:',
      `CARTWRIGHT_DATABASE_URL=${made.url}`,
      secret === null ? `CARTWRIGHT_SECRET: the one of ${like}` : `CARTWRIGHT_SECRET=${secret}`,
    ])
    return 0
  })
}

async function move(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const to = given.texts.to ?? ''
  const [, host = '', port = ''] = /^([\w.-]+):(\d{1,5})$/.exec(to) ?? []
  if (host === '') throw new Misuse('--to must be HOST:PORT')
  return withOperator(given, async (storage) => {
    await moveCell(storage, given.word, { host, port: Number(port) })
    printResult(terminal, given, { cell: given.word, worker: to }, () => [`${given.word} is on ${to}`])
    return 0
  })
}

async function migrateAll(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withOperator(given, async (storage, url) => {
    const done: { cell: string; applied: string[] }[] = []
    let problem: string | undefined
    for (const { name } of await listCells(storage)) {
      terminal.progress(name)
      try {
        done.push({ cell: name, applied: await migrateCell(url, name, { now: new Date() }) })
      } catch (error) {
        if (!(error instanceof StorageRefused)) throw error
        problem = `${name}: ${error.message}; the cells after it were not migrated`
        break
      }
    }
    return printReport(terminal, given, {
      value: { cells: done },
      lines: () => [
        ...done.map(({ cell, applied }) => `${cell}   ${applied.length === 0 ? 'up to date' : applied.join(', ')}`),
        ...(problem === undefined ? [] : [`✗ ${problem}`]),
      ],
      error: problem === undefined ? null : { code: 'unhealthy', message: problem },
    })
  })
}

// Uses the configured database URL, whose role must be allowed to create roles and schemas; the role of a cell is not.
async function withOperator(
  given: ParsedArguments,
  work: (storage: Storage, url: string) => Promise<number>,
): Promise<number> {
  const { databaseUrl } = readSettings(given.environment)
  if (databaseUrl.startsWith('sqlite:'))
    throw new CommandFailure('cells are schemas of PostgreSQL; this database is SQLite')
  // No time limit: moving a cell takes as long as copying it.
  const storage = await openStorage(databaseUrl, { ...commandLimits, ...unlimitedTime })
  try {
    return await work(storage, databaseUrl)
  } finally {
    await storage.close()
  }
}
