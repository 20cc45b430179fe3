// `serve`: opens the storage, brings it up to date, opens the port, fills an empty database with the demo shop, and on
// SIGTERM or SIGINT finishes what is under way before it leaves.

import type { Storefront } from '../../examples/storefront/shop.ts'
import { sweepAddresses } from '../addresses/vault.ts'
import { type DemoShop, makeDemoShop, makeWindowKey, needsDemoShop } from '../admin/demo.ts'
import { type App, createApp } from '../app.ts'
import { expireCarts } from '../carts/sweep.ts'
import { refreshStaleProducts } from '../catalog/refresh.ts'
import { settlePayments } from '../checkout/pay.ts'
import { expireSessions } from '../checkout/sweep.ts'
import { type Config, readConfig } from '../config.ts'
import { sweepIdempotencyKeys } from '../idempotency/once.ts'
import { sweepHolds } from '../inventory/holds.ts'
import { createLog, type Log } from '../observe/log.ts'
import { createSink, type Sink } from '../observe/sink.ts'
import { refundPaid } from '../orders/refunds.ts'
import { payRefunds } from '../payments/settle.ts'
import { migrate } from '../storage/migrate.ts'
import { openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'
import { version } from '../version.ts'
import { type Loop, startWorkers } from '../workers.ts'
import { type Command, Failure, type Terminal } from './command.ts'
import { openWindow, windowPages } from './window.ts'

const drainMs = 20_000
// How long the last lines of the log are waited for.
const settleMs = 2_000

export const serveCommand: Command = {
  summary: 'Serve the shop. An empty database is filled with the demo shop, except in production.',
  usage: ['serve [--no-demo]'],
  options: { 'no-demo': { type: 'boolean', help: 'leave an empty database empty' } },
  async run(given, terminal) {
    const config = readConfig()
    // Asking for the stream makes a pipe one that is never waited for.
    const sink = createSink(process.stdout.fd)
    const log = createLog({ level: config.logLevel, pretty: terminal.isWatched, write: sink.write })
    const storage = await openStorage(config.databaseUrl, {
      server: true,
      log: (message, fields) => log.warn(message, { ...fields }),
    })
    try {
      const applied = await migrate(storage, { now: new Date() })
      if (applied.length > 0) log.info('migrated', { applied })
      const mayDemo = !config.production && !given.flags.has('no-demo')
      await serve({ config, storage, log, sink, terminal }, async (origin) => {
        const needsDemo = mayDemo && (await needsDemoShop(storage))
        const demo = needsDemo ? await makeDemoShop(storage, config.rootSecret, Date.now()) : undefined
        // The greeting goes its own way and must not meet the log in the middle of a line.
        log.flush()
        await sink.settle(settleMs)
        greet(terminal, log, greetingFor(origin, config, mayDemo, demo))
        return mayDemo ? makeWindowKey(storage, config.rootSecret, Date.now()) : undefined
      })
    } finally {
      await storage.close()
      log.flush()
      await sink.settle(settleMs)
    }
    return 0
  },
}

interface ServeParts {
  config: Config
  storage: Storage
  log: Log
  sink: Sink
  terminal: Terminal
}

// `whenOpen` is done once the port is ours and before anybody is told of it: a start that finds its port taken makes
// nothing.
// Answers with the key of the shop window, where there is to be one.
async function serve(parts: ServeParts, whenOpen: (origin: string) => Promise<string | undefined>): Promise<void> {
  const { config, storage, log } = parts
  let origin = config.publicUrl ?? ''
  let isStarting = true
  let storefront: Storefront | undefined
  const clock = () => new Date()
  const signalled = endSignal(parts)
  const app = createApp({
    storage,
    rootSecret: config.rootSecret,
    rateLimit: config.rateLimit,
    trustedProxies: config.trustedProxies,
    production: config.production,
    isStarting: () => isStarting,
    publicOrigin: () => origin,
    version,
    clock,
    log,
    extraPages: windowPages(() => storefront),
  })
  try {
    const port = await openPort(app, config)
    origin ||= `http://localhost:${port}`
    const apiKey = await whenOpen(origin)
    if (apiKey !== undefined) {
      const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
      const report = (error: unknown) => log.error('the shop window failed', error)
      storefront = await openWindow({ apiUrl: `http://${host}:${port}`, apiKey, publicUrl: origin, report })
    }
    isStarting = false
    const workers = startWorkers(loopsFor(storage, app), log)
    log.info('listening', { origin, port, host: config.host, engine: storage.engine, version })
    log.flush()

    const signal = await signalled
    log.info('draining', { signal })
    app.beginDraining()
    await app.server.drain(drainMs)
    await workers.drain()
    await app.identify
      .flushLastUse(Date.now())
      .catch((error: unknown) => log.error('the last uses of keys were not written', error))
    log.info('stopped')
  } catch (error) {
    await app.server.drain(0)
    throw error
  } finally {
    app.close()
  }
}

async function openPort(app: App, { port, host }: Config): Promise<number> {
  try {
    return await app.server.listen(port, host)
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new Failure(`port ${port} of ${host} is in use by another program; set PORT to a free one`)
    if (code === 'EACCES')
      throw new Failure(`port ${port} of ${host} may not be opened by this user; set PORT to another`)
    if (code === 'EADDRNOTAVAIL') throw new Failure(`HOST ${host} is no address of this machine`)
    if (syscall === 'getaddrinfo') throw new Failure(`HOST ${host} is not known here`)
    if (syscall !== undefined) throw new Failure(`cannot listen at port ${port} of ${host}: ${message}`)
    throw error
  }
}

// A few at a time, so that nobody waits long for the rows; and again while there are more.
async function refreshAll(storage: Storage, now: number): Promise<void> {
  const few = 20
  while ((await refreshStaleProducts(storage, now, few)) >= few) {}
}

// What is done between requests. Each is safe on several nodes at once, and reads do not wait for any of them.
function loopsFor(storage: Storage, app: App): Loop[] {
  const sweep = (name: string, everyMs: number, work: (now: number) => Promise<unknown>): Loop => ({
    name,
    everyMs,
    work: async () => void (await work(Date.now())),
  })
  return [
    sweep('last use of keys', 15_000, (now) => app.identify.flushLastUse(now)),
    sweep('stale products', 500, (now) => refreshAll(storage, now)),
    sweep('payments without an outcome', 2_000, () => settlePayments(app.payTools)),
    sweep('refunds that are owed', 2_000, (now) => payRefunds(storage, app.payTools.providers, refundPaid, now)),
    sweep('sessions that ended', 5_000, (now) => expireSessions(storage, app.payTools, now)),
    sweep('holds that ended', 2_000, (now) => sweepHolds(storage, now, 500)),
    sweep('idle carts', 30_000, (now) => expireCarts(storage, app.cartTools, now)),
    sweep('addresses that ended', 60_000, (now) => sweepAddresses(storage, now, 1_000)),
    sweep('idempotency keys that ended', 60_000, (now) => sweepIdempotencyKeys(storage, now)),
  ]
}

// A second signal means that somebody has no patience left.
function endSignal({ log, sink, terminal }: ServeParts): Promise<string> {
  let isLeaving = false
  function leave(): void {
    if (isLeaving) return
    isLeaving = true
    log.flush()
    void sink.settle(settleMs).then(() => process.exit(1))
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
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.error(event, error)
        terminal.err(`cartwright stopped: ${event}\n`)
        leave()
      })
    }
  })
}

// Where the greeting cannot be written the server is as good.
function greet(terminal: Terminal, log: Log, greeting: string): void {
  try {
    terminal.out(greeting)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    log.warn('the greeting is lost', { reason: error.message })
  }
}

function greetingFor(origin: string, config: Config, mayDemo: boolean, demo: DemoShop | undefined): string {
  if (config.production) return ''
  const lines = [
    '',
    `  Cartwright ${version} is listening`,
    '',
    `  start page   ${origin}/`,
    `  reference    ${origin}/docs`,
    `  contract     ${origin}/openapi.json`,
  ]
  const product = demo?.products[0]
  if (demo && product) {
    lines.push(
      '',
      `  shop window  ${origin}/shop`,
      `  demo shop    ${demo.merchant.slug}, ${demo.products.length} products, test mode`,
      `  promotion    ${demo.promotionCodes[0]}   one of ${demo.promotionCodes.length} codes`,
      `  key          ${demo.keys.full}   every scope`,
      `  key          ${demo.keys.catalog}   catalog:read`,
      `  key          ${demo.keys.none}   no scope`,
      '  These keys are shown this once. Fresh ones: npm run -s cartwright -- demo',
      '',
      `  curl -H "Authorization: Bearer ${demo.keys.full}" ${origin}/api/v1/open/installation/identity`,
      `  curl -H "Authorization: Bearer ${demo.keys.full}" ${origin}/api/v1/open/catalog/products`,
      `  curl ${origin}/api/v1/catalog/merchants/${demo.merchant.slug}/products/${product.slug}`,
    )
  } else if (mayDemo) {
    lines.push(
      '',
      '  The shop that was here is kept. Its keys were shown when they were made.',
      '  Fresh ones for the demo shop: npm run -s cartwright -- demo',
    )
  } else {
    lines.push('', '  To make a shop: npm run -s cartwright -- apply FILE')
  }
  return `${lines.join('\n')}\n\n`
}
