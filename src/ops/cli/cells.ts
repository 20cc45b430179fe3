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
  summary:
    'Manage cells, which are groups of shops; each cell has its own schema and role in a shared PostgreSQL database.',
  verbs: {
    add: {
      summary:
        'Create a cell with its role, and print the database URL and the root secret for the servers of the cell.',
      effect: 'none',
      words: ['NAME'],
      options: {
        like: {
          value: 'CELL',
          help: 'an existing cell whose root secret the new cell uses, so merchants can be moved between the two',
        },
      },
      run: add,
    },
    list: {
      summary: 'List the cells with their sizes, migrations and merchants.',
      effect: 'none',
      run: (given, terminal) =>
        withOperator(given, async (storage) => {
          const cells = await listCells(storage)
          printResult(terminal, given, { cells }, () => cells.map(lineFor))
          return 0
        }),
    },
    move: {
      summary: 'Move a cell to another Citus worker while its servers run.',
      effect: 'none',
      words: ['NAME'],
      options: { to: { value: 'HOST:PORT', help: 'the worker to which the cell is moved', isRequired: true } },
      run: move,
    },
    migrate: {
      summary: 'Apply pending migrations to each cell, smallest cell first, and stop at the first failure.',
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
    throw new Misuse('NAME must consist of 1 to 31 lower-case letters, digits and underscores, and begin with a letter')
  const { like } = given.texts
  return withOperator(given, async (storage, url) => {
    const made = await addCell(storage, url, name, { now: new Date(), ...(like !== undefined && { like }) })
    const secret = like === undefined ? makeSecretText() : null
    printResult(terminal, given, { cell: made.name, url: made.url, secret, distributed: made.isDistributed }, () => [
      `created the cell ${name} with ${made.applied.length} migrations${made.isDistributed ? ', distributed by Citus' : ''}`,
      'Give the servers of the cell their own CARTWRIGHT_PUBLIC_URL and these settings, which are shown only once:',
      `CARTWRIGHT_DATABASE_URL=${made.url}`,
      secret === null ? `CARTWRIGHT_SECRET: the same as for the cell ${like}` : `CARTWRIGHT_SECRET=${secret}`,
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
    printResult(terminal, given, { cell: given.word, worker: to }, () => [
      `the cell ${given.word} is on the worker ${to}`,
    ])
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
    throw new CommandFailure('cells are schemas of a PostgreSQL database, but this database is SQLite')
  // No time limit: moving a cell takes as long as copying it.
  const storage = await openStorage(databaseUrl, { ...commandLimits, ...unlimitedTime })
  try {
    return await work(storage, databaseUrl)
  } finally {
    await storage.close()
  }
}
