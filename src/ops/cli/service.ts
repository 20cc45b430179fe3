// Answers the requests for one shop database, and runs its background loops. `serve` has one such service, or one per cell.

import { type App, type AppParts, createApp } from '../../app.ts'
import { warmValidator } from '../../contract/validator.ts'
import { switchMailQueue } from '../../domain/emails/send.ts'
import { makeProviderEventsDue } from '../../domain/payments/accounts.ts'
import { makeInterruptedPaymentsDue } from '../../domain/payments/store.ts'
import { demoSlug } from '../../domain/sites/places.ts'
import type { Config, Settings } from '../../platform/config.ts'
import type { LoopName } from '../../platform/jobs/names.ts'
import { sweepDeferred } from '../../platform/jobs/rows.ts'
import { makeDeferredDue } from '../../platform/jobs/store.ts'
import { type Loop, registerLoopMetrics, startWorkers } from '../../platform/jobs/workers.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Storage, StorageRefused } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { crawlerPages } from '../../web/docs/crawlers.ts'
import { type Database, openDatabase } from './database.ts'
import type { Demo } from './demo.ts'
import { loopsFor, wakeLoops } from './loops.ts'
import { localOriginAt, openPort } from './port.ts'
import { shopHostPages } from './shophosts.ts'
import { createShops, feedHandOffs, type Shops, storefrontPages } from './storefront.ts'

export const drainMs = 20_000
const warmAfterMs = 500

export interface Service {
  app: App
  close(): void
  open(): Promise<number>
  begin(origin: string): Promise<void>
  // Returns whether the host belongs to a shop of this database that has proved it.
  hasHost(host: string): Promise<boolean>
}

export interface ServiceParts {
  config: Config
  storage: Storage
  log: Log
  // Undefined if the demo shop may not be served.
  demo: Demo | undefined
}

// Time limits for opening a connection, and for waiting until a connection is free. Afterwards a page shows that the database cannot be
// reached.
const waits = { connectMsMax: 2_000, waitMsMax: 8_000 } as const

// `onDamage` is called when the database file is found to be damaged. From then on the storage refuses all work.
export function openForServing(
  settings: Settings,
  { log, onDamage }: { log: Log; onDamage: (reason: StorageRefused) => void },
): Promise<Database> {
  return openDatabase(settings, 'creates', {
    ...{ server: true, connectionsMax: settings.databaseConnections, ...waits, onDamage },
    log: (message, fields) => log.warn(message, { ...fields }),
  })
}

export async function flushLastUse({ identify }: Pick<App, 'identify'>, log: Log): Promise<void> {
  await identify
    .flushLastUse(Date.now())
    .catch((error: unknown) => log.error('times of the last use of keys could not be stored', error))
}

// Creates everything that one shop database needs to answer requests.
export function createService(
  { config, storage, log, demo }: ServiceParts,
  ofCell: Pick<AppParts, 'connections' | 'metrics'> = {},
): Service {
  let origin = config.publicUrl ?? ''
  let isStarting = true
  let port = 0
  let shops: Shops | undefined
  const app = createApp({
    storage,
    rootSecret: config.rootSecret,
    rateLimit: config.rateLimit,
    trustedProxies: config.trustedProxies,
    providerUrls: config.providerUrls,
    webhookAllowPrivate: config.webhookAllowPrivate,
    retentionMs: config.retentionMs,
    production: config.production,
    mail: config.mail,
    media: config.media,
    isStarting: () => isStarting,
    showsMetrics: config.metrics === 'on',
    tracesUrl: config.tracesUrl,
    agentsShop: config.agentsShop,
    publicOrigin: () => origin,
    version,
    clock: () => new Date(),
    log,
    ...ofCell,
    extraPages: [
      ...storefrontPages(() => shops),
      ...crawlerPages({ origin: () => origin, shop: async (slug, isByHost) => shops?.crawled(slug, isByHost) }),
      ...shopHostPages(storage),
    ],
    extraHandOffs: feedHandOffs({ storage, clock: () => new Date(), shops: () => shops }),
    ownReceivers: demo?.demoAnswer,
    showsShops: true,
    demoShop: demo ? demoSlug : undefined,
    shopHosts: {
      isOurs: (header) => shops?.hosts.isOurs(header) ?? true,
      find: async (header, path) => (shops ? shops.hosts.find(header, path) : 'ours'),
    },
  })
  return {
    app,
    close() {
      shops?.close()
      app.close()
    },
    async open() {
      port = await openPort(app.server, config)
      // Requests that arrive while the demo shop is created see the origin that later requests see.
      if (origin === '') origin = localOriginAt(port)
      return port
    },
    // Called once the port is open and the demo shop is created.
    async begin(known) {
      origin = known
      // Creates the customer key, or encrypts it with a new version of the root secret, so the old version can be discarded afterwards.
      await storage.write((tx) => app.payTools.customerKey(tx, Date.now()))
      await switchMailQueue(storage, app.mail !== null, Date.now())
      await demo?.ensureDemoSite(storage, Date.now())
      shops = createShops({
        app,
        storage,
        clock: () => new Date(),
        report: (error) => log.error('storefront failed with an unexpected error', error),
      })
      isStarting = false
      // Validators are compiled after a delay, so neither the first requests nor the first request with a body wait for them.
      if (port > 0) setTimeout(warmValidator, warmAfterMs).unref()
    },
    async hasHost(host) {
      const led = await shops?.hosts.find(host, '/')
      return led !== undefined && led !== 'ours'
    },
  }
}

export interface Loops {
  drain(): Promise<void>
}

export async function startLoops({ config, storage, log }: Omit<ServiceParts, 'demo'>, app: App): Promise<Loops> {
  // Rows that failed before may succeed with this release or its settings.
  await storage.write((tx) => makeDeferredDue(tx, Date.now()))
  await storage.write(async (tx) => {
    makeProviderEventsDue(tx)
    if (storage.hasOneServer) makeInterruptedPaymentsDue(tx, Date.now())
  })
  let deferred: ReadonlyMap<LoopName, number> = new Map()
  const deferredLoop: Loop = {
    name: 'deferred_rows',
    everyMs: 60_000,
    work: async () => {
      deferred = await sweepDeferred(storage, Date.now())
      return false
    },
  }
  const loops = loopsFor({ storage, app, retentionMs: config.retentionMs, clock: Date.now })
  const workers = startWorkers([...loops, deferredLoop], log)
  registerLoopMetrics(
    app.metrics,
    () => ({ ...workers.stats(), webhook_dispatch: app.dispatcher.stats() }),
    () => deferred,
  )
  app.dispatcher.start()
  const stopWaking = wakeLoops(storage, workers)
  return {
    async drain() {
      stopWaking()
      // A mail server may take minutes to answer.
      const impatience = setTimeout(() => app.mail?.stop.abort(), drainMs)
      await Promise.all([workers.drain(), app.dispatcher.drain()])
      clearTimeout(impatience)
      // An aborted connection to a mail server would keep the process running.
      if (app.mail?.stop.signal.aborted) setTimeout(() => process.exit(), 5_000).unref()
    },
  }
}
