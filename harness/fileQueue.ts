// Test files that several processes take from, each file once. It is a folder, which is all that those processes share: a
// file is taken by the one that manages to create its mark.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const listName = 'files.json'
const doneMark = 'done'

// They start many processes or browsers, or fill tables, and took more than a quarter of a minute each on a busy machine.
export const longFiles = [
  'tests/adminCrash.test.ts',
  'tests/adminRows.test.ts',
  'tests/adminUndo.test.ts',
  'tests/backup.test.ts',
  'tests/cardTries.test.ts',
  'tests/checkoutPage.test.ts',
  'tests/checkoutTyping.test.ts',
  'tests/clientPackage.test.ts',
  'tests/copy.test.ts',
  'tests/crash.test.ts',
  'tests/dashboardBrowser.test.ts',
  'tests/dashboardCatalogBrowser.test.ts',
  'tests/dashboardDay.test.ts',
  'tests/dashboardOffice.test.ts',
  'tests/dashboardWalk.test.ts',
  'tests/demo.test.ts',
  'tests/redirectCrash.test.ts',
  'tests/exampleApp.test.ts',
  'tests/firstStart.test.ts',
  'tests/importTurns.test.ts',
  'tests/listStorefrontOrders.test.ts',
  'tests/mail.test.ts',
  'tests/moveMerchant.test.ts',
  'tests/newcomer.test.ts',
  'tests/oauth.test.ts',
  'tests/operator.test.ts',
  'tests/package.test.ts',
  'tests/pages.test.ts',
  'tests/passkeys.test.ts',
  'tests/paymentCrash.test.ts',
  'tests/providerWebhooks.test.ts',
  'tests/proof.test.ts',
  'tests/provisioning.test.ts',
  'tests/purchase.test.ts',
  'tests/releasedMigration.test.ts',
  'tests/rootSecret.test.ts',
  'tests/rows.test.ts',
  'tests/staffPages.test.ts',
  'tests/start.test.ts',
  'tests/sweeps.test.ts',
  'tests/tour.test.ts',
  'tests/webhookCrash.test.ts',
]

// Roughly, by their size, so no process begins a long file when the others have nothing left.
export function longestFirst(files: readonly string[]): string[] {
  const isLong = new Set(longFiles)
  const sizes = new Map(files.map((file) => [file, (isLong.has(file) ? 2 ** 30 : 0) + statSync(file).size]))
  const sizeOf = (file: string) => sizes.get(file) ?? 0
  return files.toSorted((one, other) => sizeOf(other) - sizeOf(one) || one.localeCompare(other))
}

export interface FileQueue {
  folder: string
  // Those that were not taken, or whose process ended before them.
  listUnfinished(): string[]
  remove(): void
}

export function createFileQueue(files: readonly string[]): FileQueue {
  const folder = mkdtempSync(join(tmpdir(), 'cartwright-suite-'))
  writeFileSync(join(folder, listName), JSON.stringify(files))
  return {
    folder,
    listUnfinished: () => files.filter((_, i) => !existsSync(join(folder, `${i}.${doneMark}`))),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export interface Taken {
  file: string
  finish(): void
}

export function* takeFiles(folder: string): Generator<Taken> {
  const files = JSON.parse(readFileSync(join(folder, listName), 'utf8')) as string[]
  for (const [i, file] of files.entries()) {
    if (!isCreated(join(folder, String(i)))) continue
    yield { file, finish: () => writeFileSync(join(folder, `${i}.${doneMark}`), '') }
  }
}

function isCreated(mark: string): boolean {
  try {
    writeFileSync(mark, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
