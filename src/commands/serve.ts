// `serve`: opens the storage, brings it up to date, fills an empty folder with the demo shop, opens the port, and on
// SIGTERM or SIGINT finishes what is under way before it leaves.

import { writeSync } from 'node:fs'
import { type DemoShop, hasAnyShop, makeDemoShop } from '../admin/demo.ts'
import { createApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { createLog, type Log } from '../observe/log.ts'
import { migrate } from '../storage/migrate.ts'
import { openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'
import { version } from '../version.ts'
import { startWorkers } from '../workers.ts'
import type { Command, Terminal } from './command.ts'

const drainMs = 20_000

export const serveCommand: Command = {
  summary: 'Serve the shop. An empty database is filled with the demo shop, except in production.',
  usage: ['serve [--no-demo]'],
  options: { 'no-demo': { type: 'boolean', help: 'leave an empty database empty' } },
  async run(given, terminal) {
    const config = readConfig()
    const log = createLog({ level: config.logLevel, pretty: terminal.isWatched, write: (lines) => terminal.out(lines) })
    const storage = await openStorage(config.databaseUrl, {
      server: true,
      log: (message, fields) => log.warn(message, { ...fields }),
    })
    try {
      const applied = await migrate(storage, { now: new Date() })
      if (applied.length > 0) log.info('migrated', { applied })
      const mayDemo = !config.production && !given.flags.has('no-demo')
      const demo =
        mayDemo && !(await hasAnyShop(storage)) ? await makeDemoShop(storage, config.rootSecret, Date.now()) : undefined
      await serve(config, storage, log, (origin) => greet(terminal, origin, config, mayDemo, demo))
    } finally {
      await storage.close()
      log.flush()
    }
    return 0
  },
}

async function serve(config: Config, storage: Storage, log: Log, greet: (origin: string) => void): Promise<void> {
  let origin = config.publicUrl ?? ''
  const clock = () => new Date()
  const app = createApp({
    storage,
    rootSecret: config.rootSecret,
    rateLimit: config.rateLimit,
    trustedProxies: config.trustedProxies,
    publicOrigin: () => origin,
    version,
    clock,
    log,
  })
  const workers = startWorkers(
    [{ name: 'last use of keys', everyMs: 15_000, work: () => app.identify.flushLastUse(Date.now()) }],
    log,
  )
  const port = await app.server.listen(config.port, config.host)
  origin ||= `http://localhost:${port}`
  greet(origin)
  log.info('listening', { origin, port, host: config.host, engine: storage.engine, version })
  log.flush()

  const signal = await endSignal(log)
  log.info('draining', { signal })
  app.beginDraining()
  await app.server.drain(drainMs)
  await workers.drain()
  await app.identify
    .flushLastUse(Date.now())
    .catch((error: unknown) => log.error('the last uses of keys were not written', error))
  app.close()
  log.info('stopped')
}

// A second signal means that somebody has no patience left.
function endSignal(log: Log): Promise<string> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) {
          log.flush()
          process.exit(1)
        }
        asked = true
        resolve(signal)
      })
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.error(event, error)
        log.flush()
        writeSync(2, `cartwright stopped: ${event}\n`)
        process.exit(1)
      })
    }
  })
}

function greet(terminal: Terminal, origin: string, config: Config, mayDemo: boolean, demo: DemoShop | undefined): void {
  if (config.production) return
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
      `  demo shop    ${demo.merchant.slug}, ${demo.products.length} products, test mode`,
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
  terminal.out(`${lines.join('\n')}\n\n`)
}
