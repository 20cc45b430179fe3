// The command `health`: asks the server on this machine whether it is ready for requests, for health checks of containers and service
// managers.

import { get } from 'node:http'
import { readSettings } from '../../platform/config.ts'
import { commandOf, printReport } from './command.ts'

const answerMsMax = 5_000

export const healthCommand = commandOf({
  summary: 'Check whether the server on this machine is ready, by its /readyz; the exit code is 0 if it is.',
  effect: 'none',
  async run(given, terminal) {
    const { host, port } = readSettings(given.environment)
    const status = await readinessOf(reachable(host), port)
    const isReady = status === 'ready'
    return printReport(terminal, given, {
      value: { ready: isReady, status },
      lines: () => [status],
      error: isReady ? null : { code: 'unhealthy', message: `The server on port ${port} is not ready: ${status}.` },
    })
  },
})

// A server that listens on all addresses is called at its loopback address.
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

// Resolves with the status in the response of /readyz, or with the error of the request.
function readinessOf(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: '/readyz', timeout: answerMsMax }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(statusIn(Buffer.concat(chunks).toString())))
    })
    request.on('timeout', () => request.destroy(new Error(`no answer in ${answerMsMax / 1_000} s`)))
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

function statusIn(body: string): string {
  try {
    const { status } = JSON.parse(body) as { status?: unknown }
    if (typeof status === 'string') return status
  } catch {
    // Not JSON: another program uses the port.
  }
  return 'not a Cartwright server'
}
