// The command `serve`: opens the database, migrates it, opens the port, and creates the demo shop in an empty database. On SIGTERM or
// SIGINT it finishes the work in progress before it ends.

import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { originProblem } from '../../domain/oauth/metadata.ts'
import { createSetupLink } from '../../domain/users/setup.ts'
import { type Config, readSettings } from '../../platform/config.ts'
import { createStartupServer } from '../../platform/http/standin.ts'
import { isLoopbackAddress } from '../../platform/kit/loopback.ts'
import { createLog, type Log } from '../../platform/log/log.ts'
import { createSink, type Sink } from '../../platform/log/sink.ts'
import { type Storage, StorageRefused } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { type BackupPlan, readBackupPlan, startBackups } from './backups.ts'
import { readCells } from './cellsfile.ts'
import { CommandFailure, commandOf, type ParsedArguments, type Terminal } from './command.ts'
import { bringUpToDate, type Database } from './database.ts'
import { type Demo, loadDemo, startDemoHistory } from './demo.ts'
import { logDrainMs, waitForEndSignal } from './ending.ts'
import { greetingFor, printGreeting, setupText, warnOfSettings } from './greeting.ts'
import type { Closable } from './metrics.ts'
import { localOriginAt, openMetrics } from './port.ts'
import { createService, drainMs, flushLastUse, openForServing, startLoops } from './service.ts'

export const serveCommand = commandOf({
  summary: 'Start the server; an empty database is filled with the demo shop, except in production.',
  effect: 'creates',
  options: {
    'no-demo': { help: 'do not create the demo shop in an empty database' },
    'backup-every': {
      value: 'TIME',
      help: 'interval of automatic backups of the SQLite database, such as 6h; requires --backup-to',
    },
    'backup-to': { value: 'FOLDER', help: 'folder for the automatic backups' },
    'backup-days': { value: 'N', help: 'number of days for which the last backup of each day is kept (default: 30)' },
  },
  async run(given, terminal) {
    const cells = readCells(given.environment)
    if (cells) return (await import('./servecells.ts')).serveCells(cells, given, terminal)
    const settings = readSettings(given.environment)
    // Without a public URL, links in pages and e-mails and the issuer of tokens would name localhost.
    const isHere = settings.production && settings.publicUrl === null
    if (isHere && !isLoopbackAddress(settings.host))
      throw new CommandFailure(
        'CARTWRIGHT_PUBLIC_URL is required when NODE_ENV is production and HOST is not a loopback address: set it to the origin that shoppers see, such as https://shop.example.com',
      )
    const backupPlan = readBackupPlan(given, settings.databaseUrl)
    const problem = settings.publicUrl === null ? undefined : originProblem(settings.publicUrl)
    if (problem !== undefined) throw new CommandFailure(problem)
    // Accessing process.stdout makes a pipe non-blocking, so a write never waits for the pipe's reader.
    const sink = terminal.server?.log ?? createSink(process.stdout.fd)
    const log = createLog({ level: settings.logLevel, pretty: terminal.isWatched, write: sink.write })
    const { promise: damaged, resolve: onDamage } = Promise.withResolvers<StorageRefused>()
    const database = await openForServing(settings, { log, onDamage })
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
      warnOfSettings(config, log)
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

// Migrates before the port opens. Meanwhile a small server on the port answers the probes.
async function migrateAhead(database: Database, log: Log, sink: Sink): Promise<void> {
  const standIn = createStartupServer(database.config)
  try {
    const applied = await bringUpToDate(database, new Date(), async (begun) => {
      log.info('migrating the database', { ...begun })
      log.flush()
      // The log line must be written, and the probes must report the migration, before it begins: on SQLite it blocks this thread.
      await Promise.all([sink.drain(logDrainMs), standIn.show(begun)])
    })
    if (applied.length > 0) log.info('migrated', { applied })
  } finally {
    await standIn.end()
  }
}

function isDemoAllowed(config: Config, given: ParsedArguments): boolean {
  return !config.production && !given.flags.has('no-demo')
}

interface ServeParts {
  config: Config
  storage: Storage
  // Resolves when the database file is found to be damaged. From then on the storage refuses all work.
  damaged: Promise<StorageRefused>
  log: Log
  sink: Sink
  terminal: Terminal
  // Undefined if the demo shop may not be served.
  demo: Demo | undefined
  backupPlan: BackupPlan | undefined
}

// Creates the demo shop after the port is open, so a start that finds its port in use creates nothing, and before the port is announced.
async function makeShop({ config, storage, log, sink, terminal, demo }: ServeParts, origin: string): Promise<void> {
  const made = (await demo?.needsDemoShop(storage))
    ? await demo?.makeDemoShop(storage, config.rootSecret, Date.now())
    : undefined
  // The greeting bypasses the log, so the log is flushed first to keep lines whole.
  log.flush()
  await sink.drain(logDrainMs)
  const hasStorefront = (await demo?.hasDemoShop(storage)) ?? false
  const setup = demo ? undefined : await storage.write((tx) => createSetupLink(tx, Date.now()))
  // In production the standard output is the log, so the setup link is written to stderr.
  if (setup) printGreeting(terminal.err, log, setupText(origin + setup.path))
  printGreeting(
    terminal.out,
    log,
    greetingFor(origin, config, { mayDemo: demo !== undefined, hasStorefront, demo: made }),
  )
}

async function serve(parts: ServeParts): Promise<void> {
  const { config, storage, log } = parts
  const signalled = parts.terminal.server?.signalled ?? waitForEndSignal({ ...parts, isRunByNpm: config.isRunByNpm })
  const { app, close, open, begin } = createService(parts)
  let metrics: Closable | undefined
  let history: ReturnType<typeof startDemoHistory> | undefined
  try {
    const port = await open()
    metrics = await openMetrics(config, app.metrics, log)
    const origin = config.publicUrl ?? localOriginAt(port)
    await makeShop(parts, origin)
    await begin(origin)
    const loops = await startLoops(parts, app)
    // The links of the history name the port that was opened.
    if (config.demoHistory && (await parts.demo?.findHistory(storage, config.rootSecret, Date.now())))
      history = startDemoHistory({ ...parts.terminal.environment, PORT: String(port) }, log)
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

// Load balancers see at /readyz that the server is ending, and send requests elsewhere. Requests that still arrive are served.
async function announceEnd({ config }: ServeParts, app: App): Promise<void> {
  app.beginDraining()
  if (config.drainDelayMs > 0) await setTimeoutAsync(config.drainDelayMs)
}

async function finish({ log }: ServeParts, app: App): Promise<void> {
  app.beginDraining()
  await app.server.drain(drainMs)
  await flushLastUse(app, log)
}
