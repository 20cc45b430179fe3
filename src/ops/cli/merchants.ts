// The command `merchants`: moves a merchant from one cell to another.

import { setTimeout as pause } from 'node:timers/promises'
import { deleteIndexed } from '../../domain/catalog/indexstore.ts'
import { fillIndex } from '../../domain/catalog/reindex.ts'
import { customerKeyName } from '../../domain/checkout/customer.ts'
import { isCallingProvider } from '../../domain/payments/store.ts'
import { searchKeyName } from '../../domain/search/orders.ts'
import { findRootSecret, readSettings, type Settings, secretSourceOf } from '../../platform/config.ts'
import { shareDatabaseKeys } from '../../platform/secrets/databasekey.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { unlimitedTime } from '../../platform/storage/copy.ts'
import { type MoveOptions, moveMerchant } from '../../platform/storage/moving.ts'
import { openStorage } from '../../platform/storage/open.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { environmentOfCommand } from './cellsfile.ts'
import { type Command, CommandFailure, type ParsedArguments, printResult, type Terminal } from './command.ts'
import { checkSecretOf } from './database.ts'

export const merchantsCommand: Command = {
  summary: 'Move merchants between cells.',
  verbs: {
    move: {
      summary: 'Move a merchant with all its data to the database of another cell, while servers run.',
      effect: 'none',
      words: ['SLUG'],
      options: {
        from: {
          value: 'URL',
          help: 'the database of the cell from which the merchant is moved (default: the configured database)',
        },
        to: { value: 'URL', help: 'the database of the cell to which the merchant is moved', isRequired: true },
        origin: {
          value: 'ORIGIN',
          help: 'the CARTWRIGHT_PUBLIC_URL of the cell to which the merchant is moved',
          isRequired: true,
        },
      },
      run: move,
    },
  },
}

const productsAtOnce = 500

async function move(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(environmentOfCommand(given.environment))
  const { from = settings.databaseUrl, to = '', origin = '' } = given.texts
  if (!URL.canParse(origin) || new URL(origin).origin !== origin)
    throw new CommandFailure('--origin must be an origin such as https://shop.example.com')
  // Both databases must have the same root secret.
  const rootSecret = await secretOfBoth(settings, from, to)
  const source = await openStorage(from, unlimitedTime)
  try {
    const target = await openStorage(to, unlimitedTime)
    try {
      await refuseOtherKeys(source, target, rootSecret)
      const onProgress: MoveOptions['onProgress'] = ({ doing, table, rows }) =>
        terminal.progress(`${doing} ${table}: ${rows} rows`)
      const moved = await moveMerchant(source, target, given.word, {
        ...moveTools(source, given.word),
        origin,
        onProgress,
      })
      await fillIndex(target, { now: Date.now(), limit: productsAtOnce })
      printResult(terminal, given, { merchant: given.word, origin, ...moved }, () => [
        `the merchant ${given.word} is now at ${origin}: ${moved.rows} rows were moved, and writes in the old cell were blocked for ${(moved.lockedMs / 1000).toFixed(1)} s`,
      ])
      return 0
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function secretOfBoth(settings: Settings, from: string, to: string): Promise<RootSecret> {
  for (const url of [from, to]) await checkSecretOf(settings, url)
  return findRootSecret(secretSourceOf(settings, from)) as RootSecret
}

// Copies the keys that hash customers and search words from the source to a target without them: orders are found by these hashes.
// Refuses if the target has different keys.
async function refuseOtherKeys(source: Storage, target: Storage, rootSecret: RootSecret): Promise<void> {
  const names = [customerKeyName, searchKeyName]
  const different = await source.read((db) =>
    target.write((tx) => shareDatabaseKeys(db, tx, rootSecret, { names, now: Date.now() })),
  )
  if (different.length > 0)
    throw new CommandFailure(
      'the two databases have different keys for recognizing customers: create the target cell with `cells add NAME --like CELL`',
    )
}

// At least as long as a request takes, and longer than an API key is cached (two seconds).
const closingMs = 10_000
const callsMsMax = 60_000

export function moveTools(
  source: Storage,
  slug: string,
  waitMs = closingMs,
): Pick<MoveOptions, 'now' | 'closed' | 'dropIndex'> {
  return {
    now: Date.now,
    // Waits for requests in progress at the source, and up to a minute for calls to payment providers, so none ends after the move.
    async closed() {
      await pause(waitMs)
      const deadline = Date.now() + callsMsMax
      while ((await source.read((db) => isCallingProvider(db, slug, Date.now()))) && Date.now() < deadline)
        await pause(100)
    },
    dropIndex,
  }
}

async function dropIndex(tx: Tx, merchantId: string): Promise<void> {
  const products = await tx.sql<{ id: string }>`select id from products where merchant_id = ${merchantId}`
  deleteIndexed(
    tx,
    merchantId,
    products.map(({ id }) => id),
  )
}
