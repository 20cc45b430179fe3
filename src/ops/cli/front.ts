// What all cells of one process share: the server at the port, which passes each request to the cell of its host, the probes, and the
// metrics. Reads only host names and their proofs from the databases of cells, and writes nothing.

import { hostFromHeader, normalizeHost, proofPath } from '../../domain/sites/hosts.ts'
import type { Settings } from '../../platform/config.ts'
import type { Connections } from '../../platform/http/connections.ts'
import { createBodyLimiter } from '../../platform/http/limiter.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { createPressure } from '../../platform/http/pressure.ts'
import { probePages } from '../../platform/http/probes.ts'
import { unavailableRefusal } from '../../platform/http/refusal.ts'
import { createServer, type HttpServer, registerConnectionMetrics } from '../../platform/http/server.ts'
import { Lru } from '../../platform/kit/lru.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { Log } from '../../platform/log/log.ts'
import { createMetrics, type Metrics, scrapeAll } from '../../platform/metrics/metrics.ts'
import { StorageUnavailable } from '../../platform/storage/storage.ts'
import type { ServedCell } from './cell.ts'

interface FrontParts {
  cells: readonly ServedCell[]
  settings: Settings
  log: Log
  connections: Connections
}

export interface CellsFrontServer {
  server: HttpServer
  beginDraining(): void
  // Returns the metrics of the process, and those of each cell labelled by its origin.
  scrape(): Promise<string>
  close(): void
}

export function createCellsFrontServer({ cells, settings, log, connections }: FrontParts): CellsFrontServer {
  const hosts = new CellHosts(cells)
  const pressure = createPressure()
  const metrics = createMetrics()
  observeFront(metrics, { cells, connections, log })
  let isDraining = false
  const scrape = () =>
    scrapeAll([
      { metrics, labels: {} },
      ...cells.flatMap((cell) => {
        const own = cell.metrics()
        return own ? [{ metrics: own, labels: { cell: cell.origin } }] : []
      }),
    ])
  const server = createServer({
    surfaces: [],
    pages: [
      ...probePages({
        metrics: settings.metrics === 'on' ? { scrape } : null,
        readiness: async (query) =>
          isDraining ? { isReady: false, said: { status: 'draining' } } : readinessOfAll(cells, query.get('cell')),
      }),
      ...hostPages(hosts),
    ],
    findOther: async (raw) => (await hosts.find(hostFromHeader(raw.headers.host))).server(),
    connections,
    trustedProxies: settings.trustedProxies,
    pressure,
    bodyLimiter: createBodyLimiter(1),
    log,
    metrics,
  })
  return {
    server,
    beginDraining: () => {
      isDraining = true
    },
    scrape,
    close() {
      pressure.close()
      metrics.close()
    },
  }
}

// Ready if at least one cell is ready: a load balancer sends all hosts to this process and must not remove it because of one cell.
async function readinessOfAll(cells: readonly ServedCell[], origin: string | null) {
  if (origin !== null) {
    const cell = cells.find((one) => one.origin === origin)
    return cell ? cell.readiness() : { isReady: false, said: { status: 'there is no such cell' }, status: 404 }
  }
  const all = await Promise.all(cells.map((cell) => cell.readiness()))
  const ready = all.filter(({ isReady }) => isReady).length
  return { isReady: ready > 0, said: { status: ready > 0 ? 'ready' : 'no cell is ready', ready, cells: cells.length } }
}

function observeFront(metrics: Metrics, { cells, connections, log }: Omit<FrontParts, 'settings'>): void {
  metrics.read({
    name: 'cartwright_database_up',
    help: '1 if the database answers, otherwise 0.',
    type: 'gauge',
    // Cells that are served report this metric themselves.
    values: () => cells.filter((cell) => cell.isAway()).map((cell) => ({ labels: { cell: cell.origin }, value: 0 })),
  })
  registerConnectionMetrics(metrics, connections)
  metrics.read({
    name: 'cartwright_log_lines_dropped_total',
    help: 'Log lines dropped because the output could not keep up.',
    type: 'counter',
    values: () => log.dropped,
  })
}

// Bounded, because clients choose the host names that they send.
const hostsMax = 10_000

// Finds the cell of a host. The host of a cell belongs to that cell even if a shop claims it; any other host belongs to the first cell
// with a shop that has proved it. While a cell is not served, its known hosts stay with it.
class CellHosts {
  readonly #cells: readonly ServedCell[]
  readonly #seen = new Lru<string, ServedCell>(hostsMax)

  constructor(cells: readonly ServedCell[]) {
    this.#cells = cells
  }

  // Refuses if no cell has the host, or if a cell that is not served may have it.
  async find(host: string): Promise<ServedCell> {
    const own = this.#cells.find((cell) => cell.host === host)
    if (own) return own
    let isSure = true
    for (const cell of this.#cells) {
      const answer = await askedOf(cell, () => cell.hasHost(host))
      if (answer === undefined) isSure = false
      if (answer ?? this.#seen.get(host) === cell) {
        this.#seen.set(host, cell)
        return cell
      }
    }
    throw isSure ? misdirected() : unavailableRefusal()
  }

  // Proofs to show at a host: those of the cell that owns the host, or of all cells with shops that claim it. Refuses while a cell is not
  // served, since that cell may own the host.
  async proofsAt(host: string): Promise<string[]> {
    for (const cell of this.#cells) if (await cell.isOwnerOf(host)) return cell.proofsOf(host)
    return (await Promise.all(this.#cells.map((cell) => cell.proofsOf(host)))).flat()
  }

  async isServed(host: string): Promise<boolean> {
    return this.find(host).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refusal && error.details.status === 421) return false
        throw error
      },
    )
  }
}

// Returns undefined if the cell is not served.
async function askedOf(cell: ServedCell, ask: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (cell.isAway() || error instanceof StorageUnavailable) return undefined
    throw error
  }
}

function misdirected(): Refusal {
  return refuse('route_not_found', { status: 421, message: 'No shop of this server uses this host.' })
}

// Pages about hosts, requested by shops that prove a host and by a proxy that requests certificates.
function hostPages(hosts: CellHosts): HtmlPage[] {
  return [
    {
      path: proofPath,
      name: 'host proof',
      async answer({ raw }) {
        const proofs = await hosts.proofsAt(hostFromHeader(raw.headers.host))
        if (proofs.length === 0) throw refuse('route_not_found')
        return text(`${proofs.join('\n')}\n`)
      },
    },
    {
      path: '/hosts/allowed',
      name: 'host allowed',
      async answer({ raw }) {
        const host = normalizeHost(new URLSearchParams(raw.url?.split('?')[1]).get('domain') ?? '')
        if (host === undefined || !(await hosts.isServed(host))) throw refuse('route_not_found')
        return text('')
      },
    },
  ]
}

function text(body: string) {
  return { status: 200, body, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } }
}
