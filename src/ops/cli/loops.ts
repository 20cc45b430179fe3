// Background loops. Each loop may run on several nodes at the same time, and requests that only read never wait for a loop.

import type { App } from '../../app.ts'
import { sweepAddresses } from '../../domain/addresses/vault.ts'
import { deleteOldPlatforms, platformsDeletedMax } from '../../domain/agents/retention.ts'
import { cartsDeletedMax, deleteCarts } from '../../domain/carts/retention.ts'
import { correctUnannouncedTimes } from '../../domain/carts/store.ts'
import { expireCarts } from '../../domain/carts/sweep.ts'
import { announceCarts } from '../../domain/carts/unannounced.ts'
import { fillFoldedTexts } from '../../domain/catalog/fold.ts'
import { refreshStaleProducts } from '../../domain/catalog/refresh.ts'
import { createIndexWalk, indexProducts } from '../../domain/catalog/reindex.ts'
import { correctRemotePictureTimes, listDueRemotePictures } from '../../domain/catalog/remotestore.ts'
import { labelPayments } from '../../domain/checkout/pay/label.ts'
import { recoverPayments } from '../../domain/checkout/pay/recover.ts'
import { deleteSessions, eraseCustomers, sessionsSweptMax } from '../../domain/checkout/retention.ts'
import { endSessionsOfEnded, expireSessions } from '../../domain/checkout/sweep.ts'
import { eraseRequestedCustomers } from '../../domain/customers/erase.ts'
import { linkCustomers } from '../../domain/customers/link.ts'
import { customersSweptMax, sweepCustomers } from '../../domain/customers/retention.ts'
import { correctCodeTimes } from '../../domain/customers/store.ts'
import { issueDocuments } from '../../domain/documents/issue.ts'
import { deleteOldEmails, emailsDeletedMax, emailsPerRound, sendDueEmails } from '../../domain/emails/send.ts'
import { correctEmailTimes as bringEmailsForward } from '../../domain/emails/store.ts'
import { copyPictures } from '../../domain/images/copying.ts'
import { correctCopyTimes } from '../../domain/images/store.ts'
import { storeImages } from '../../domain/images/storing.ts'
import { sweepHolds } from '../../domain/inventory/holds.ts'
import { artifactsSweptMax, sweepArtifacts } from '../../domain/oauth/sweep.ts'
import { recordRefundEnd } from '../../domain/orders/refunds.ts'
import { cancelUnpaidOrders } from '../../domain/orders/unpaid.ts'
import { bringLabelsForward } from '../../domain/payments/labels.ts'
import { readProviderEvents } from '../../domain/payments/providerevents.ts'
import { payDueRefunds } from '../../domain/payments/refunds.ts'
import { correctPaymentTimes as bringPaymentsForward } from '../../domain/payments/store.ts'
import { declineCountsSweptMax, deleteExpiredDeclineCounts } from '../../domain/payments/tries.ts'
import { countSales } from '../../domain/reports/count.ts'
import { indexOrders } from '../../domain/search/orders.ts'
import { checkHosts } from '../../domain/sites/checks.ts'
import { correctHostCheckTimes } from '../../domain/sites/hoststore.ts'
import { proveHost } from '../../domain/sites/prove.ts'
import { sweepUsers, usersSweptMax } from '../../domain/users/sweep.ts'
import { correctDeliveryTimes as bringWebhooksForward } from '../../domain/webhooks/store.ts'
import { newSweepPositions, sweepWebhooks } from '../../domain/webhooks/sweep.ts'
import { openWithdrawnReturns } from '../../domain/withdrawals/openreturn.ts'
import { deleteOldWithdrawals, withdrawalsDeletedMax } from '../../domain/withdrawals/retention.ts'
import { deleteOldMoves, movesForgottenMax } from '../../platform/access/moved.ts'
import { deleteDeadKeys } from '../../platform/access/retention.ts'
import { credentialsDeletedMax } from '../../platform/access/store.ts'
import { deleteOldEntries, entriesCutMax, entriesDeletedMax, trimLargeEntries } from '../../platform/audit/store.ts'
import { keysSweptMax, sweepIdempotencyKeys } from '../../platform/idempotency/once.ts'
import { createClockGuard, createSetBackWatch } from '../../platform/jobs/clock.ts'
import type { LoopName } from '../../platform/jobs/names.ts'
import { makeDeferredDue } from '../../platform/jobs/store.ts'
import { type CatchUpPart, catchUp, catchUpAll, type Loop, type Workers } from '../../platform/jobs/workers.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import type { RetentionMs } from '../../platform/kit/retention.ts'
import { measureStorage } from '../../platform/metrics/watched.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { deleteOldImports, importsDeletedMax } from '../imports/retention.ts'
import { correctImportTimes, hasDueImports } from '../imports/store.ts'

export interface LoopParts {
  storage: Storage
  app: App
  retentionMs: RetentionMs
  clock: () => number
  // A clock that does not jump when the system clock is set.
  monotonic?: () => number
}

// Rows per round: few, so other transactions do not wait long for their locks. Rounds repeat while there are more rows.
const fewest = 4
const few = 20
const some = 100
const many = 500

function lastUseLoop(app: App, clock: () => number): Loop {
  return {
    name: 'last_use',
    everyMs: 15_000,
    work: async () => {
      await app.identify.flushLastUse(clock())
      return false
    },
  }
}

const loadRemotePictures = loadOnce(() => import('../../domain/catalog/remotepictures.ts'))
const loadImports = loadOnce(() => import('../imports/round.ts'))

export function loopsFor({ storage: given, app, retentionMs, clock, monotonic }: LoopParts): Loop[] {
  const storage = measureStorage(given)
  const checkClock = createClockGuard(clock, monotonic)
  const rounds = (name: LoopName, everyMs: number, full: number, round: (now: number) => Promise<number>): Loop => ({
    name,
    everyMs,
    work: (isEnding) => catchUp(full, isEnding, () => round(clock())),
  })
  const {
    mail,
    payTools: { rootSecret },
  } = app
  const places = newSweepPositions()
  const walk = createIndexWalk()
  const setBack = createSetBackWatch(clock, monotonic)
  const loops: Loop[] = [
    lastUseLoop(app, clock),
    rounds('stale_products', 500, few, (now) => refreshStaleProducts(storage, now, few)),
    rounds('product_index', 3_600_000, some, (now) => indexProducts(storage, walk, { now, limit: some })),
    rounds('payments', 2_000, few, () => recoverPayments(app.payTools, few)),
    rounds('payment_news', 30_000, few, () => readProviderEvents(app.payTools, few)),
    rounds('payment_labels', 2_000, few, () => labelPayments(app.payTools, few)),
    rounds('refunds', 2_000, few, (now) => payDueRefunds({ ...app.payTools, onPaid: recordRefundEnd }, now, few)),
    ...(mail ? [rounds('mail', 1_000, emailsPerRound, () => sendDueEmails(mail))] : []),
    rounds('search', 2_000, some, async (now) => {
      const count = await indexOrders(storage, rootSecret, { now, limit: some })
      return count + (await fillFoldedTexts(storage, some))
    }),
    rounds('customers', 2_000, some, async (now) => {
      const count = await linkCustomers(storage, rootSecret, { now, limit: some })
      return count + (await eraseRequestedCustomers(storage, rootSecret, { now, limit: few }))
    }),
    rounds('withdrawals', 2_000, few, (now) => openWithdrawnReturns(storage, rootSecret, { now, limit: few })),
    rounds('sessions', 5_000, some, (now) => expireSessions(storage, app.payTools, now, some)),
    rounds('ended_installations', 2_000, few, (now) => endSessionsOfEnded(storage, app.payTools, now, few)),
    rounds('unpaid_orders', 5_000, few, (now) => cancelUnpaidOrders(storage, now, few)),
    rounds('holds', 2_000, many, (now) => sweepHolds(storage, now, many)),
    rounds('carts', 30_000, some, (now) => expireCarts(storage, app.cartTools, now, some)),
    rounds('untold_carts', 1_000, some, (now) => announceCarts(storage, app.cartTools, now, some)),
    rounds('addresses', 60_000, many, (now) => sweepAddresses(storage, now, many)),
    rounds('idempotency_keys', 60_000, keysSweptMax, (now) => sweepIdempotencyKeys(storage, now, retentionMs.answers)),
    {
      name: 'clock',
      everyMs: 2_000,
      work: async () => {
        const back = setBack.look()
        if (!back) return false
        await storage.write((tx) => makeDeferredDue(tx, back.now))
        await storage.write((tx) => correctUnannouncedTimes(tx, back.now))
        await storage.write((tx) => bringPaymentsForward(tx, back))
        await storage.write(async (tx) => {
          bringLabelsForward(tx, back)
          correctHostCheckTimes(tx, back)
          correctImportTimes(tx, back)
          correctCopyTimes(tx, back)
          correctRemotePictureTimes(tx, back)
          correctCodeTimes(tx, back)
        })
        await storage.write((tx) => bringEmailsForward(tx, back))
        await bringWebhooksForward(storage, back)
        setBack.dealtWith()
        return false
      },
    },
    {
      name: 'webhooks',
      everyMs: 60_000,
      work: (isEnding) => sweepWebhooks(storage, clock(), { retentionMs, places, isEnding }),
    },
    {
      name: 'oauth',
      everyMs: 60_000,
      work: async (isEnding) => (await sweepArtifacts(storage, clock(), isEnding)) >= artifactsSweptMax,
    },
    rounds('pictures', 5_000, few, (now) => storeImages(storage, app.imageFiles, now, few)),
    // Copying a picture takes about a second.
    rounds('picture_copies', 5_000, fewest, (now) =>
      copyPictures({ storage, files: app.imageFiles, copier: app.copier }, now, fewest),
    ),
    rounds('remote_pictures', 10_000, few, async (now) => {
      if ((await storage.read((db) => listDueRemotePictures(db, now, 1))).length === 0) return 0
      const { copyRemotePictures } = await loadRemotePictures()
      return copyRemotePictures({ storage, files: app.imageFiles, copier: app.copier, read: app.readPicture }, now, few)
    }),
    rounds('sales', 2_000, many, (now) => countSales(storage, now, many)),
    rounds('documents', 2_000, some, (now) => issueDocuments(storage, rootSecret, { now, limit: some })),
    {
      name: 'transfers',
      everyMs: 2_000,
      // The code that reads import files is loaded when the first import is due.
      work: async (isEnding) => {
        if (!(await storage.read((db) => hasDueImports(db, clock())))) return false
        const { runImportsRound } = await loadImports()
        return runImportsRound({ storage, origin: app.publicOrigin, clock }, isEnding)
      },
    },
    rounds('site_hosts', 10_000, few, (now) =>
      checkHosts(storage, { prove: proveHost, publicOrigin: app.publicOrigin(), now, limit: few }),
    ),
    rounds('staff', 60_000, usersSweptMax, (now) => sweepUsers(storage, now)),
    {
      name: 'retention',
      everyMs: 60_000,
      work: (isEnding) => catchUpAll(retentionParts(storage, retentionMs, clock()), isEnding),
    },
  ]
  return loops.map((loop) => (endsByTime.has(loop.name) ? { ...loop, work: guarded(loop.work, checkClock) } : loop))
}

// Starts a turn of a loop immediately when any node signals an event of payments, transfers, hosts or pictures.
export function wakeLoops(storage: Storage, workers: Pick<Workers, 'wake'>): () => void {
  const unlisten = [
    storage.listen('payments', () => workers.wake('payments')),
    storage.listen('transfers', () => workers.wake('transfers')),
    storage.listen('sites', () => workers.wake('site_hosts')),
    storage.listen('pictures', () => workers.wake('picture_copies')),
    storage.listen('remote_pictures', () => workers.wake('remote_pictures')),
  ]
  return () => {
    for (const stop of unlisten) stop()
  }
}

// Loops that end or delete rows because their time is up. Correcting a wrong clock would not undo this.
const endsByTime: ReadonlySet<LoopName> = new Set([
  'sessions',
  'unpaid_orders',
  'carts',
  'addresses',
  'idempotency_keys',
  'webhooks',
  'oauth',
  'staff',
  'retention',
])

function guarded(work: Loop['work'], checkClock: () => void): Loop['work'] {
  return async (isEnding) => {
    checkClock()
    return work(isEnding)
  }
}

// Carts are deleted after their sessions.
function retentionParts(storage: Storage, retentionMs: RetentionMs, now: number): CatchUpPart[] {
  const endedBy = (keptMs: number) => ({ endedBy: now - keptMs, now })
  const { checkouts, customers, completed, log, changes, transfers, withdrawals } = retentionMs
  return [
    { full: sessionsSweptMax, round: () => eraseCustomers(storage, endedBy(customers)) },
    { full: sessionsSweptMax, round: () => deleteSessions(storage, 'without order', endedBy(checkouts)) },
    { full: sessionsSweptMax, round: () => deleteSessions(storage, 'completed', endedBy(completed)) },
    { full: cartsDeletedMax, round: () => deleteCarts(storage, 'expired', endedBy(checkouts)) },
    { full: cartsDeletedMax, round: () => deleteCarts(storage, 'converted', endedBy(completed)) },
    { full: declineCountsSweptMax, round: () => deleteExpiredDeclineCounts(storage, now) },
    { full: emailsDeletedMax, round: () => deleteOldEmails(storage, endedBy(log)) },
    { full: entriesDeletedMax, round: () => deleteOldEntries(storage, endedBy(changes)) },
    { full: entriesCutMax, round: () => trimLargeEntries(storage) },
    { full: withdrawalsDeletedMax, round: () => deleteOldWithdrawals(storage, endedBy(withdrawals)) },
    { full: importsDeletedMax, round: () => deleteOldImports(storage, endedBy(transfers)) },
    { full: customersSweptMax, round: () => sweepCustomers(storage, now) },
    { full: platformsDeletedMax, round: () => deleteOldPlatforms(storage, now) },
    { full: movesForgottenMax, round: () => deleteOldMoves(storage, now) },
    { full: credentialsDeletedMax, round: () => deleteDeadKeys(storage, endedBy(log)) },
  ]
}
