// Replaces the server while migrations run: /healthz answers 200, so no probe kills the process during a long migration, and everything
// else answers 503 with the progress. It runs in its own thread, which is started for the first migration of an existing database.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface StartupServer {
  // Passes the progress to the server. The first call starts the server, and resolves when it listens or has failed to.
  show(progress: object): Promise<void>
  // Resolves when the port is free again.
  end(): Promise<void>
}

export function createStartupServer({ port, host }: { port: number; host: string }): StartupServer {
  let worker: Worker | undefined
  return {
    async show(progress) {
      // A port that the system chooses is unknown to probes, so nothing is started.
      if (port === 0) return
      if (!worker) {
        worker = new Worker(new URL('standin.js', import.meta.url), { workerData: { port, host } })
        await once(worker, 'message')
      }
      worker.postMessage(progress)
    },
    async end() {
      if (!worker) return
      const ended = once(worker, 'exit')
      worker.postMessage('end')
      await ended
      worker = undefined
    },
  }
}
