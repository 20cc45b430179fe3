// What is done between requests. Each loop is safe on several nodes at once, and reads do not wait for any of them.

import { deleteDeadKeys } from '../access/retention.ts'
import { credentialsDeletedMax } from '../access/store.ts'
import { sweepAddresses } from '../addresses/vault.ts'
import type { App } from '../app.ts'
import { cutLargeEntries, deleteOldEntries, entriesCutMax, entriesDeletedMax } from '../audit/store.ts'
import { cartsDeletedMax, deleteCarts } from '../carts/retention.ts'
import { bringUntoldForward } from '../carts/store.ts'
import { expireCarts } from '../carts/sweep.ts'
import { tellCarts } from '../carts/untold.ts'
import { foldTexts } from '../catalog/fold.ts'
import { refreshStaleProducts } from '../catalog/refresh.ts'
import { indexProducts, newWalk } from '../catalog/reindex.ts'
import { labelPayments } from '../checkout/pay/label.ts'
import { recoverPayments } from '../checkout/pay/recover.ts'
import { deleteSessions, eraseCustomers, sessionsSweptMax } from '../checkout/retention.ts'
import { endSessionsOfEnded, expireSessions } from '../checkout/sweep.ts'
import { keysSweptMax, sweepIdempotencyKeys } from '../idempotency/once.ts'
import { sweepHolds } from '../inventory/holds.ts'
import { late } from '../kit/late.ts'
import type { RetentionMs } from '../kit/retention.ts'
import { createClockGuard, createSetBackWatch } from '../loops/clock.ts'
import type { LoopName } from '../loops/names.ts'
import { makeDeferredDue } from '../loops/store.ts'
import { deleteOldLetters, lettersAtOnce, lettersDeletedMax, mailRound } from '../mail/send.ts'
import { bringForward as bringLettersForward } from '../mail/store.ts'
import { artifactsSweptMax, sweepArtifacts } from '../oauth/sweep.ts'
import { watchedStorage } from '../observe/watched.ts'
import { refundPaid } from '../orders/refunds.ts'
import { cancelUnpaidOrders } from '../orders/unpaid.ts'
import { bringLabelsForward } from '../payments/labels.ts'
import { readNews } from '../payments/news.ts'
import { refundRound } from '../payments/refunds.ts'
import { bringForward as bringPaymentsForward } from '../payments/store.ts'
import { deleteForgivenTries, triesSweptMax } from '../payments/tries.ts'
import { storePictures } from '../pictures/storing.ts'
import { countSales } from '../reports/count.ts'
import { indexOrders } from '../search/orders.ts'
import { staffSweptMax, sweepStaff } from '../staff/sweep.ts'
import type { Storage } from '../storage/storage.ts'
import { deleteOldTransfers, transfersDeletedMax } from '../transfers/retention.ts'
import { hasDueTransfers } from '../transfers/store.ts'
import { bringForward as bringWebhooksForward } from '../webhooks/store.ts'
import { newPlaces, sweepWebhooks } from '../webhooks/sweep.ts'
import { catchUp, catchUpAll, type Loop, type Part, type Workers } from '../workers.ts'

export interface LoopParts {
  storage: Storage
  app: App
  retentionMs: RetentionMs
  clock: () => number
  // Not affected when the clock is set.
  monotonic?: () => number
}

// Rows in one round: few, so others do not wait long for them; rounds repeat while there are more.
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

const loadTransfers = late(() => import('../transfers/round.ts'))

export function loopsFor({ storage: given, app, retentionMs, clock, monotonic }: LoopParts): Loop[] {
  const storage = watchedStorage(given)
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
  const places = newPlaces()
  const walk = newWalk()
  const setBack = createSetBackWatch(clock, monotonic)
  const loops: Loop[] = [
    lastUseLoop(app, clock),
    rounds('stale_products', 500, few, (now) => refreshStaleProducts(storage, now, few)),
    rounds('product_index', 3_600_000, some, (now) => indexProducts(storage, walk, { now, limit: some })),
    rounds('payments', 2_000, few, () => recoverPayments(app.payTools, few)),
    rounds('payment_news', 30_000, few, () => readNews(app.payTools, few)),
    rounds('payment_labels', 2_000, few, () => labelPayments(app.payTools, few)),
    rounds('refunds', 2_000, few, (now) => refundRound({ ...app.payTools, onPaid: refundPaid }, now, few)),
    ...(mail ? [rounds('mail', 1_000, lettersAtOnce, () => mailRound(mail))] : []),
    rounds('search', 2_000, some, async (now) => {
      const count = await indexOrders(storage, rootSecret, { now, limit: some })
      return count + (await foldTexts(storage, some))
    }),
    rounds('sessions', 5_000, some, (now) => expireSessions(storage, app.payTools, now, some)),
    rounds('ended_installations', 2_000, few, (now) => endSessionsOfEnded(storage, app.payTools, now, few)),
    rounds('unpaid_orders', 5_000, few, (now) => cancelUnpaidOrders(storage, now, few)),
    rounds('holds', 2_000, many, (now) => sweepHolds(storage, now, many)),
    rounds('carts', 30_000, some, (now) => expireCarts(storage, app.cartTools, now, some)),
    rounds('untold_carts', 1_000, some, (now) => tellCarts(storage, app.cartTools, now, some)),
    rounds('addresses', 60_000, many, (now) => sweepAddresses(storage, now, many)),
    rounds('idempotency_keys', 60_000, keysSweptMax, (now) => sweepIdempotencyKeys(storage, now, retentionMs.answers)),
    {
      name: 'clock',
      everyMs: 2_000,
      work: async () => {
        const back = setBack.look()
        if (!back) return false
        await storage.write((tx) => makeDeferredDue(tx, back.now))
        await storage.write((tx) => bringUntoldForward(tx, back.now))
        await storage.write((tx) => bringPaymentsForward(tx, back))
        await storage.write(async (tx) => bringLabelsForward(tx, back))
        await storage.write((tx) => bringLettersForward(tx, back))
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
    rounds('pictures', 5_000, few, (now) => storePictures(storage, app.pictureFiles, now, few)),
    rounds('sales', 2_000, many, (now) => countSales(storage, now, many)),
    {
      name: 'transfers',
      everyMs: 2_000,
      // What reads files is loaded with the first one.
      work: async (isEnding) => {
        if (!(await storage.read((db) => hasDueTransfers(db, clock())))) return false
        const { transfersTurn } = await loadTransfers()
        return transfersTurn({ storage, origin: app.publicOrigin, clock }, isEnding)
      },
    },
    rounds('staff', 60_000, staffSweptMax, (now) => sweepStaff(storage, now)),
    {
      name: 'retention',
      everyMs: 60_000,
      work: (isEnding) => catchUpAll(retentionParts(storage, retentionMs, clock()), isEnding),
    },
  ]
  return loops.map((loop) => (endsByTime.has(loop.name) ? { ...loop, work: guarded(loop.work, checkClock) } : loop))
}

// What loops need not wait for: news of payments and files are looked at at once, on whichever node they arrived.
export function wakeLoops(storage: Storage, workers: Pick<Workers, 'wake'>): () => void {
  const unlisten = [
    storage.listen('payments', () => workers.wake('payments')),
    storage.listen('transfers', () => workers.wake('transfers')),
  ]
  return () => {
    for (const stop of unlisten) stop()
  }
}

// What these end or delete cannot be undone by setting the clock right.
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

// A cart goes after its sessions.
function retentionParts(storage: Storage, retentionMs: RetentionMs, now: number): Part[] {
  const endedBy = (keptMs: number) => ({ endedBy: now - keptMs, now })
  const { checkouts, customers, completed, log, changes, transfers } = retentionMs
  return [
    { full: sessionsSweptMax, round: () => eraseCustomers(storage, endedBy(customers)) },
    { full: sessionsSweptMax, round: () => deleteSessions(storage, 'without order', endedBy(checkouts)) },
    { full: sessionsSweptMax, round: () => deleteSessions(storage, 'completed', endedBy(completed)) },
    { full: cartsDeletedMax, round: () => deleteCarts(storage, 'expired', endedBy(checkouts)) },
    { full: cartsDeletedMax, round: () => deleteCarts(storage, 'converted', endedBy(completed)) },
    { full: triesSweptMax, round: () => deleteForgivenTries(storage, now) },
    { full: lettersDeletedMax, round: () => deleteOldLetters(storage, endedBy(log)) },
    { full: entriesDeletedMax, round: () => deleteOldEntries(storage, endedBy(changes)) },
    { full: entriesCutMax, round: () => cutLargeEntries(storage) },
    { full: transfersDeletedMax, round: () => deleteOldTransfers(storage, endedBy(transfers)) },
    { full: credentialsDeletedMax, round: () => deleteDeadKeys(storage, endedBy(log)) },
  ]
}
