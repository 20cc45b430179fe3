// Test files that several processes take from, each file once. It is a folder, which is all that those processes share: a
// file is taken by the one that manages to create its mark.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const listName = 'files.json'
const doneMark = 'done'

// They start many processes or browsers, or fill tables, and took more than a quarter of a minute each on a busy machine: the longest first.
export const longFiles = [
  'tests/dashboardPages.test.ts',
  'tests/dashboardWalk.test.ts',
  'tests/storefront.test.ts',
  'src/domain/images/copier.test.ts',
  'src/platform/storage/postgres/postgres.test.ts',
  'tests/copy.test.ts',
  'tests/orders.test.ts',
  'tests/releasedMigration.test.ts',
  'src/platform/storage/sqlite.test.ts',
  'tests/mail.test.ts',
  'tests/shopperPages.test.ts',
  'tests/adminTransfers.test.ts',
  'tests/operator.test.ts',
  'tests/dashboardDay.test.ts',
  'tests/checkoutTyping.test.ts',
  'tests/oauthRefusals.test.ts',
  'tests/moveMerchant.test.ts',
  'tests/oauth.test.ts',
  'tests/adminRows.test.ts',
  'tests/suite.test.ts',
  'tests/checkoutPage.test.ts',
  'tests/redirectCrash.test.ts',
  'tests/start.test.ts',
  'tests/proof.test.ts',
  'tests/agentUcp.test.ts',
  'tests/rootSecret.test.ts',
  'tests/dashboardAfterSales.test.ts',
  'tests/dashboardCatalogBrowser.test.ts',
  'tests/package.test.ts',
  'tests/provisioning.test.ts',
  'tests/exampleApp.test.ts',
  'tests/postLimits.test.ts',
  'tests/stripe.test.ts',
  'tests/events.test.ts',
  'tests/agentCases.test.ts',
  'tests/backup.test.ts',
  'tests/demoHistory.test.ts',
  'tests/style.test.ts',
  'tests/webhooksCommand.test.ts',
  'tests/refunds.test.ts',
  'tests/searchIndex.test.ts',
  'tests/webhooks.test.ts',
  'tests/checkoutFields.test.ts',
  'tests/dashboardCatalog.test.ts',
  'tests/searchCatalogProducts.test.ts',
  'tests/clientPackage.test.ts',
  'src/domain/inventory/inventory.test.ts',
  'tests/firstStart.test.ts',
  'tests/stripePage.test.ts',
  'tests/operatorChanges.test.ts',
  'tests/payment.test.ts',
  'tests/pages.test.ts',
  'tests/cardTries.test.ts',
  'tests/largeForms.test.ts',
  'tests/landing.test.ts',
  'tests/pictures.test.ts',
  'tests/dashboardTasks.test.ts',
  'tests/sweeps.test.ts',
  'tests/promotions.test.ts',
  'tests/paymentAccounts.test.ts',
  'tests/cells.test.ts',
  'tests/appsCommand.test.ts',
  'tests/rows.test.ts',
  'tests/paymentCrash.test.ts',
  'tests/shoppers.test.ts',
  'tests/passkeys.test.ts',
  'tests/uninstalled.test.ts',
  'tests/purchase.test.ts',
  'tests/adminCatalog.test.ts',
  'tests/describeOAuthAuthorization.test.ts',
  'tests/wire.test.ts',
  'tests/checkoutLook.test.ts',
  'tests/dashboard.test.ts',
  'tests/editAdminOrder.test.ts',
  'tests/dashboardBrowser.test.ts',
  'src/domain/inventory/model.test.ts',
  'tests/tour.test.ts',
  'tests/importTurns.test.ts',
  'tests/listStorefrontOrders.test.ts',
  'tests/newcomer.test.ts',
  'tests/staffPages.test.ts',
  'tests/adminUndo.test.ts',
  'tests/adminCrash.test.ts',
  'tests/crash.test.ts',
  'tests/dashboardOffice.test.ts',
  'tests/webhookCrash.test.ts',
  'tests/providerWebhooks.test.ts',
  'tests/demo.test.ts',
]

// The others by their size, roughly, so no process begins a long file when the others have nothing left.
export function longestFirst(files: readonly string[]): string[] {
  const sizes = new Map(files.map((file) => [file, statSync(file).size]))
  const sizeOf = (file: string) => sizes.get(file) ?? 0
  const placeOf = (file: string) => (longFiles.includes(file) ? longFiles.indexOf(file) : longFiles.length)
  return files.toSorted(
    (one, other) => placeOf(one) - placeOf(other) || sizeOf(other) - sizeOf(one) || one.localeCompare(other),
  )
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
