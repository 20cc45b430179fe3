// One cell of a process that serves several: a complete shop server except for its port. A cell that cannot be served, for example
// because its database is unreachable, is retried until it can; the other cells are not affected.

import { findHostOwner, listProofs } from '../../domain/sites/hoststore.ts'
import { createSetupLink } from '../../domain/users/setup.ts'
import { readSettings } from '../../platform/config.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { Readiness } from '../../platform/http/probes.ts'
import { unavailableRefusal } from '../../platform/http/refusal.ts'
import type { HttpServer } from '../../platform/http/server.ts'
import { type Log, labelledLog } from '../../platform/log/log.ts'
import { createMetrics, type Metrics } from '../../platform/metrics/metrics.ts'
import type { Storage, StorageRefused } from '../../platform/storage/storage.ts'
import type { CellEnvironment } from './cellsfile.ts'
import type { Terminal } from './command.ts'
import { bringUpToDate } from './database.ts'
import { printGreeting, setupText, warnOfSettings } from './greeting.ts'
import { createService, flushLastUse, type Loops, openForServing, type Service, startLoops } from './service.ts'

export interface CellTools {
  log: Log
  terminal: Pick<Terminal, 'err'>
  connections: Connections
}

interface Running {
  service: Service
  storage: Storage
  loops: Loops
  metrics: Metrics
}

// Exponential backoff between tries to serve a cell.
const retryMsMin = 250
const retryMsMax = 5_000

export class ServedCell {
  readonly origin: string
  // Host name of the requests for this cell, without a port.
  readonly host: string
  readonly #settings: ReturnType<typeof readSettings>
  readonly #tools: CellTools
  readonly #log: Log
  #running: Running | undefined
  // What the readiness probe reports while the cell is not served.
  #said: Readiness['said'] = { status: 'starting' }
  #reason = ''
  #timer: NodeJS.Timeout | undefined
  #trying: Promise<void> = Promise.resolve()
  #isEnding = false
  #retryMs = retryMsMin

  // Throws if settings are invalid.
  constructor({ origin, environment }: CellEnvironment, tools: CellTools) {
    this.origin = origin
    this.host = new URL(origin).hostname
    this.#settings = readSettings(environment)
    this.#tools = tools
    this.#log = labelledLog(tools.log, { cell: origin })
  }

  // Resolves after the first try, even if it failed.
  start(): Promise<void> {
    this.#trying = this.#try()
    return this.#trying
  }

  // Refuses while the cell is not served.
  server(): HttpServer {
    return this.#known().service.app.server
  }

  isAway(): boolean {
    return this.#running === undefined
  }

  // Returns undefined while the cell is not served.
  metrics(): Metrics | undefined {
    return this.#running?.metrics
  }

  async readiness(): Promise<Readiness> {
    return this.#running?.service.app.readiness() ?? { isReady: false, said: this.#said }
  }

  // Returns whether the host belongs to a shop of this cell. Refuses while the cell is not served.
  async hasHost(host: string): Promise<boolean> {
    return this.#known().service.hasHost(host)
  }

  async isOwnerOf(host: string): Promise<boolean> {
    return this.#known().storage.read(async (db) => (await findHostOwner(db, host)) !== undefined)
  }

  async proofsOf(host: string): Promise<string[]> {
    return this.#known().storage.read((db) => listProofs(db, host))
  }

  beginDraining(): void {
    this.#isEnding = true
    const app = this.#running?.service.app
    app?.beginDraining()
    // The port is shared by all cells and stays open. Draining closes connections of this cell after their answers.
    void app?.server.drain(0)
  }

  async end(): Promise<void> {
    this.beginDraining()
    clearTimeout(this.#timer)
    await this.#trying
    await this.#leave()
  }

  #known(): Running {
    if (!this.#running) throw unavailableRefusal()
    return this.#running
  }

  async #try(): Promise<void> {
    try {
      this.#running = await this.#open()
      this.#reason = ''
      this.#log.info('the cell is ready')
    } catch (error) {
      const { message } = error as Error
      if (!this.#isEnding && message !== this.#reason) this.#log.error('the cell cannot be served; retrying', error)
      this.#reason = message
      this.#said = { status: 'cannot be served' }
      if (!this.#isEnding) this.#timer = setTimeout(() => void this.start(), this.#retryMs)
      this.#retryMs = Math.min(retryMsMax, 2 * this.#retryMs)
    }
  }

  async #open(): Promise<Running> {
    const log = this.#log
    const database = await openForServing(this.#settings, { log, onDamage: (reason) => void this.#stop(reason) })
    const { storage, config } = database
    const metrics = createMetrics({ isOfProcess: false })
    let service: Service | undefined
    try {
      warnOfSettings(config, log)
      const applied = await bringUpToDate(database, new Date(), async (begun) => {
        log.info('migrating the database', { ...begun })
        this.#said = { status: 'migrating', ...begun }
      })
      if (applied.length > 0) log.info('migrated', { applied })
      const parts = { config, storage, log, demo: undefined }
      service = createService(parts, { connections: this.#tools.connections, metrics })
      await this.#announceSetup(storage)
      await service.begin(this.origin)
      return { service, storage, metrics, loops: await startLoops(parts, service.app) }
    } catch (error) {
      service?.close()
      metrics.close()
      await storage.close()
      throw error
    }
  }

  async #announceSetup(storage: Storage): Promise<void> {
    const setup = await storage.write((tx) => createSetupLink(tx, Date.now()))
    if (setup) printGreeting(this.#tools.terminal.err, this.#log, setupText(this.origin + setup.path))
  }

  // Called if the database file is damaged. The cell is not retried: an operator must look at the file.
  async #stop(reason: StorageRefused): Promise<void> {
    this.#log.error('the database file is damaged; the cell is no longer served', reason)
    this.#said = { status: 'database damaged' }
    await this.#trying
    await this.#leave().catch((error: unknown) => this.#log.error('the cell did not shut down cleanly', error))
  }

  async #leave(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (!running) return
    const { service, loops, storage } = running
    service.app.beginDraining()
    await loops.drain()
    await flushLastUse(service.app, this.#log)
    service.close()
    await storage.close()
  }
}
