// `serve`: opens the storage, brings it up to date, opens the port, fills an empty database with the demo shop, and on
// SIGTERM or SIGINT finishes what is under way before it leaves.

import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import { type App, createApp } from '../../app.ts'
import { warmValidator } from '../../contract/validator.ts'
import { startMail } from '../../domain/emails/send.ts'
import { originProblem } from '../../domain/oauth/metadata.ts'
import { makeProviderEventsDue } from '../../domain/payments/accounts.ts'
import { releasePayments } from '../../domain/payments/store.ts'
import { demoSlug } from '../../domain/sites/places.ts'
import { createSetupLink } from '../../domain/users/setup.ts'
import { type Config, readSettings } from '../../platform/config.ts'
import type { HttpServer } from '../../platform/http/server.ts'
import { createStandIn } from '../../platform/http/standin.ts'
import type { LoopName } from '../../platform/jobs/names.ts'
import { sweepDeferred } from '../../platform/jobs/rows.ts'
import { makeDeferredDue } from '../../platform/jobs/store.ts'
import { type Loop, observeLoops, startWorkers } from '../../platform/jobs/workers.ts'
import { isLoopback, isLoopbackAddress } from '../../platform/kit/loopback.ts'
import { program } from '../../platform/kit/program.ts'
import { createLog, type Log } from '../../platform/log/log.ts'
import { createSink, type Sink } from '../../platform/log/sink.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { type Storage, StorageRefused } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { crawlerPages } from '../../web/docs/crawlers.ts'
import { type BackupPlan, readBackupPlan, startBackups } from './backups.ts'
import { command, Failure, type Given, type Terminal } from './command.ts'
import { bringUpToDate, type Database, openDatabase } from './database.ts'
import { type Demo, loadDemo, startDemoHistory } from './demo.ts'
import { loopsFor, wakeLoops } from './loops.ts'
import { type Closable, metricsServer } from './metrics.ts'
import { shopHostPages } from './shophosts.ts'
import { createShops, feedHandOffs, type Shops, storefrontPages } from './storefront.ts'

const drainMs = 20_000
// How long to wait for the last lines of the log.
const logDrainMs = 2_000
const warmAfterMs = 500

export const serveCommand = command({
  summary: 'Serve the shop. An empty database is filled with the demo shop, except in production.',
  effect: 'creates',
  options: {
    'no-demo': { help: 'leave an empty database empty' },
    'backup-every': { value: 'TIME', help: 'back up the SQLite database so often, such as 6h; with --backup-to' },
    'backup-to': { value: 'FOLDER', help: 'where these backups go' },
    'backup-days': { value: 'N', help: 'for how many days the last one of each day stays (default: 30)' },
  },
  async run(given, terminal) {
    const settings = readSettings(given.environment)
    // Links of pages and e-mails, and the issuer of tokens, name this machine.
    const isHere = settings.production && settings.publicUrl === null
    if (isHere && !isLoopbackAddress(settings.host))
      throw new Failure(
        'CARTWRIGHT_PUBLIC_URL is required when NODE_ENV is production: the origin that shoppers see, such as https://shop.example.com',
      )
    const backupPlan = readBackupPlan(given, settings.databaseUrl)
    const problem = settings.publicUrl === null ? undefined : originProblem(settings.publicUrl)
    if (problem !== undefined) throw new Failure(problem)
    // Asking for the stream makes a pipe one that is never waited for.
    const sink = terminal.server?.log ?? createSink(process.stdout.fd)
    const log = createLog({ level: settings.logLevel, pretty: terminal.isWatched, write: sink.write })
    const { promise: damaged, resolve: onDamage } = Promise.withResolvers<StorageRefused>()
    const database = await openDatabase(settings, given.effect, {
      server: true,
      connectionsMax: settings.databaseConnections,
      // A page waits no longer than this before it says that the database cannot be reached.
      connectMsMax: 2_000,
      // Nor longer than this for other transactions.
      waitMsMax: 8_000,
      onDamage,
      log: (message, fields) => log.warn(message, { ...fields }),
    })
    const { storage, config } = database
    const parts: ServeParts = {
      config,
      storage,
      damaged,
      log,
      sink,
      terminal,
      demo: isDemoAllowed(config, given) ? await loadDemo() : undefined,
      backupPlan,
    }
    try {
      if (config.publicUrl?.startsWith('https:') && config.trustedProxies.length === 0)
        log.warn(
          'CARTWRIGHT_PUBLIC_URL is https but CARTWRIGHT_TRUSTED_PROXIES is empty: all clients will share the rate limit of the proxy',
        )
      if (isHere)
        log.warn(
          'CARTWRIGHT_PUBLIC_URL is not set: this server answers this machine alone, so a shop can be set up and tried',
          { host: config.host },
        )
      if (config.production && config.mail.target.kind === 'off')
        log.warn('CARTWRIGHT_MAIL_URL is not set: shoppers get no e-mails about their orders')
      if (
        config.mail.target.kind === 'file' &&
        (config.production || (config.publicUrl && !isLoopback(new URL(config.publicUrl))))
      )
        log.warn('CARTWRIGHT_MAIL_URL is a folder: e-mails are stored there in clear, and shoppers get none')
      await migrateAhead(database, log, sink)
      await serve(parts)
    } finally {
      await storage.close()
      log.flush()
      await sink.drain(logDrainMs)
    }
    return 0
  },
})

// Before the port opens; probes are answered meanwhile.
async function migrateAhead(database: Database, log: Log, sink: Sink): Promise<void> {
  const standIn = createStandIn(database.config)
  try {
    const applied = await bringUpToDate(database, new Date(), async (begun) => {
      log.info('migrating the database', { ...begun })
      log.flush()
      // On SQLite this thread does nothing else until the migration is done.
      await Promise.all([sink.drain(logDrainMs), standIn.show(begun)])
    })
    if (applied.length > 0) log.info('migrated', { applied })
  } finally {
    await standIn.end()
  }
}

function isDemoAllowed(config: Config, given: Given): boolean {
  return !config.production && !given.flags.has('no-demo')
}

interface ServeParts {
  config: Config
  storage: Storage
  // Resolves when the file of the storage is found damaged. Then the storage refuses all work.
  damaged: Promise<StorageRefused>
  log: Log
  sink: Sink
  terminal: Terminal
  // Undefined where it may not be shown.
  demo: Demo | undefined
  backupPlan: BackupPlan | undefined
}

function originAt(port: number): string {
  return `http://localhost:${port}`
}

interface Service {
  app: App
  close(): void
  open(): Promise<number>
  begin(origin: string): Promise<void>
}

// Everything that one process needs to answer requests.
function createService({ config, storage, log, demo }: ServeParts): Service {
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
      // Requests that arrive while the shop is created see the same origin as later ones.
      if (origin === '') origin = originAt(port)
      return port
    },
    // Once the port is ours and the shop is made.
    async begin(known) {
      origin = known
      // Every start seals it for new versions of the root secret, so an old version can be retired afterwards.
      await storage.write((tx) => app.payTools.customerKey(tx, Date.now()))
      await startMail(storage, app.mail !== null, Date.now())
      await demo?.ensureDemoSite(storage, Date.now())
      shops = createShops({
        app,
        storage,
        clock: () => new Date(),
        report: (error) => log.error('storefront failed', error),
      })
      isStarting = false
      // Requests come first. Then the validators are compiled, so the first request with a body does not wait for them.
      if (port > 0) setTimeout(warmValidator, warmAfterMs).unref()
    },
  }
}

// Created once the port is open and before it is announced: a start that finds its port in use creates nothing.
async function makeShop({ config, storage, log, sink, terminal, demo }: ServeParts, origin: string): Promise<void> {
  const made = (await demo?.needsDemoShop(storage))
    ? await demo?.makeDemoShop(storage, config.rootSecret, Date.now())
    : undefined
  // The greeting goes its own way and must not meet the log in the middle of a line.
  log.flush()
  await sink.drain(logDrainMs)
  const hasStorefront = (await demo?.hasDemoShop(storage)) ?? false
  const setup = demo ? undefined : await storage.write((tx) => createSetupLink(tx, Date.now()))
  // The output of a server in production is its log.
  if (setup) greet(terminal.err, log, setupText(origin + setup.path))
  greet(terminal.out, log, greetingFor(origin, config, { mayDemo: demo !== undefined, hasStorefront, demo: made }))
}

async function serve(parts: ServeParts): Promise<void> {
  const { config, storage, log } = parts
  const signalled = parts.terminal.server?.signalled ?? endSignal(parts)
  const { app, close, open, begin } = createService(parts)
  let metrics: Closable | undefined
  let history: ReturnType<typeof startDemoHistory> | undefined
  try {
    const port = await open()
    metrics = await openMetrics(parts, app.metrics)
    const origin = config.publicUrl ?? originAt(port)
    await makeShop(parts, origin)
    await begin(origin)
    const loops = await startLoops(parts, app)
    const facts = config.demoHistory && (await parts.demo?.findHistory(storage, config.rootSecret, Date.now()))
    if (facts)
      history = startDemoHistory({ storage, log, rootSecret: config.rootSecret, publicOrigin: app.publicOrigin }, facts)
    const backups = parts.backupPlan && startBackups(parts.backupPlan, { ...parts.terminal, log, metrics: app.metrics })
    log.info('listening', { origin, port, host: config.host, engine: storage.engine, version })
    log.flush()

    const reason = await Promise.race([signalled, parts.damaged])
    tellEnd(log, reason)
    if (!(reason instanceof StorageRefused)) await announceEnd(parts, app)
    await Promise.all([finish(parts, app), loops.drain(), backups?.drain(), history?.end()])
    if (reason instanceof StorageRefused) throw reason
    log.info('stopped')
  } catch (error) {
    await app.server.drain(0)
    throw error
  } finally {
    await history?.end()
    await metrics?.close()
    close()
  }
}

function tellEnd(log: Log, reason: string | StorageRefused): void {
  if (reason instanceof StorageRefused) log.error('the database file is damaged; stopping', reason)
  else log.info('draining', { signal: reason })
}

interface Loops {
  drain(): Promise<void>
}

async function startLoops({ config, storage, log }: ServeParts, app: App): Promise<Loops> {
  // Rows that failed may work after this start: it may be a new version, or have other settings.
  await storage.write((tx) => makeDeferredDue(tx, Date.now()))
  await storage.write(async (tx) => {
    makeProviderEventsDue(tx)
    if (storage.hasOneServer) releasePayments(tx, Date.now())
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
  observeLoops(
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
      // A connection whose answer was given up keeps the process running otherwise.
      if (app.mail?.stop.signal.aborted) setTimeout(() => process.exit(), 5_000).unref()
    },
  }
}

// Load balancers see it at /readyz and move away; requests that still arrive are served.
async function announceEnd({ config }: ServeParts, app: App): Promise<void> {
  app.beginDraining()
  if (config.drainDelayMs > 0) await setTimeoutAsync(config.drainDelayMs)
}

async function finish({ log }: ServeParts, app: App): Promise<void> {
  app.beginDraining()
  await app.server.drain(drainMs)
  await app.identify
    .flushLastUse(Date.now())
    .catch((error: unknown) => log.error('last uses of keys could not be written', error))
}

// On a port of their own, which a firewall may block.
async function openMetrics({ config, log }: ServeParts, metrics: Metrics): Promise<Closable | undefined> {
  if (typeof config.metrics !== 'number') return undefined
  const { server, close } = metricsServer(metrics, log)
  await openPort(server, { port: config.metrics, host: config.host })
  return { close }
}

async function openPort(server: HttpServer, { port, host }: Pick<Config, 'port' | 'host'>): Promise<number> {
  try {
    return await server.listen(port, host)
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new Failure(`port ${port} of ${host} is in use by another program; set PORT to a free one`, 'port_in_use')
    if (code === 'EACCES')
      throw new Failure(`port ${port} of ${host} may not be opened by this user; set PORT to another`)
    if (code === 'EADDRNOTAVAIL') throw new Failure(`HOST ${host} is not an address of this machine`)
    if (syscall === 'getaddrinfo') throw new Failure(`HOST ${host} cannot be resolved`)
    if (syscall !== undefined) throw new Failure(`cannot listen at port ${port} of ${host}: ${message}`)
    throw error
  }
}

// A second signal ends the process at once.
function endSignal({ config, log, sink, terminal }: ServeParts): Promise<string> {
  let isLeaving = false
  function leave(): void {
    if (isLeaving) return
    isLeaving = true
    log.flush()
    void sink.drain(logDrainMs).then(() => process.exit(1))
  }
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) leave()
        asked = true
        resolve(signal)
      })
    }
    if (config.isRunByNpm) watchParent(() => resolve('SIGTERM'))
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.error(event, error)
        terminal.err(`cartwright stopped: ${event}\n`)
        leave()
      })
    }
  })
}

const parentLookMs = 250

// npm runs this process through a shell. A signal to npm ends both and does not reach this process, which only sees that its
// parent changed.
function watchParent(onGone: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, parentLookMs)
  timer.unref()
}

// The server works without its greeting.
function greet(print: Terminal['out'], log: Log, greeting: string): void {
  try {
    print(greeting)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    log.warn('the greeting could not be written', { reason: error.message })
  }
}

// The secret of the link is printed and never logged.
function setupText(url: string): string {
  return [
    '',
    '  There is no shop here yet. To set one up, open this link in a browser. It works once, for an hour;',
    '  the next start prints a new one:',
    '',
    `  ${url}`,
    '',
    '',
  ].join('\n')
}

// Calls to this machine are off by default, on both ends.
function webhookLines({ webhookAllowPrivate }: Config): string[] {
  const setting = 'CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1'
  return [
    ...(webhookAllowPrivate ? [] : [`  To see webhooks, start with ${setting}, and in a second terminal:`]),
    `  ${webhookAllowPrivate ? 'webhooks     ' : ''}${setting} ${program} webhooks listen`,
  ]
}

interface GreetingFacts {
  mayDemo: boolean
  hasStorefront: boolean
  // If this start created it.
  demo: Awaited<ReturnType<Demo['makeDemoShop']>> | undefined
}

function greetingFor(origin: string, config: Config, { mayDemo, hasStorefront, demo }: GreetingFacts): string {
  if (config.production) return ''
  const lines = [
    '',
    `  Cartwright ${version} is listening`,
    '',
    `  start page   ${origin}/`,
    `  reference    ${origin}/docs`,
    `  contract     ${origin}/openapi.json`,
    ...(hasStorefront ? ['', `  storefront   ${origin}/shop`] : []),
  ]
  const product = demo?.products[0]
  if (demo && product) {
    lines.push(
      `  demo shop    ${demo.merchant.slug}, ${demo.products.length} products, test mode`,
      `  promotion    ${demo.promotionCodes[0]}   one of ${demo.promotionCodes.length} codes`,
      `  key          ${demo.keys.full}   the four open scopes`,
      `  key          ${demo.keys.catalog}   catalog:read`,
      `  key          ${demo.keys.none}   no scope`,
      `  key          ${demo.keys.admin}   the eight admin scopes`,
      `  admin        ${origin}/admin`,
      `  sign in      ${demo.user.email}   password ${demo.user.password}`,
      ...demo.colleagues.map(({ email, role }) => `  or as        ${email}   ${role}, the same password`),
      `  Keys and password are shown only once. New ones: ${program} demo`,
      '',
      ...webhookLines(config),
      '',
      `  curl -H "Authorization: Bearer ${demo.keys.full}" ${origin}/api/v1/open/installation/identity`,
      `  curl -H "Authorization: Bearer ${demo.keys.full}" ${origin}/api/v1/open/catalog/products`,
      `  curl ${origin}/api/v1/catalog/merchants/${demo.merchant.slug}/products/${product.slug}`,
    )
  } else if (mayDemo) {
    lines.push(
      '',
      `  admin        ${origin}/admin`,
      '  The existing shop is unchanged. Its keys and passwords were shown when they were created.',
      ...(hasStorefront ? [`  New keys and a new sign-in for the demo shop: ${program} demo`] : []),
      `  A new password for anyone: ${program} users reset E-MAIL`,
      '',
      ...webhookLines(config),
    )
  } else {
    lines.push('', `  To make a shop from a file: ${program} apply FILE`)
  }
  return `${lines.join('\n')}\n\n`
}
