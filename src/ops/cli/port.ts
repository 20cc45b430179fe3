// Opens the ports of a server process. If a port cannot be opened, prints the reason in one line.

import type { Config } from '../../platform/config.ts'
import type { HttpServer } from '../../platform/http/server.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { CommandFailure } from './command.ts'
import { type Closable, metricsServer } from './metrics.ts'

export function localOriginAt(port: number): string {
  return `http://localhost:${port}`
}

// Opens the port of the metrics. It differs from that of the shop, so a firewall can block it.
export async function openMetrics(
  { metrics, host }: Pick<Config, 'metrics' | 'host'>,
  shown: Pick<Metrics, 'scrape'>,
  log: Log,
): Promise<Closable | undefined> {
  if (typeof metrics !== 'number') return undefined
  const { server, close } = metricsServer(shown, log)
  await openPort(server, { port: metrics, host })
  return { close }
}

export async function openPort(server: HttpServer, { port, host }: Pick<Config, 'port' | 'host'>): Promise<number> {
  try {
    return await server.listen(port, host)
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new CommandFailure(
        `port ${port} of ${host} is in use by another program; set PORT to a free port`,
        'port_in_use',
      )
    if (code === 'EACCES')
      throw new CommandFailure(`this user is not allowed to open port ${port} of ${host}; set PORT to another port`)
    if (code === 'EADDRNOTAVAIL') throw new CommandFailure(`HOST must be an address of this machine, not ${host}`)
    if (syscall === 'getaddrinfo')
      throw new CommandFailure(`HOST must be a host name that can be resolved, not ${host}`)
    if (syscall !== undefined) throw new CommandFailure(`cannot listen on port ${port} of ${host}: ${message}`)
    throw error
  }
}
