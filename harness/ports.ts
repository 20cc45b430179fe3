// A port that is known before it is opened.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// A port that is free now and stays free until it is used: it lies below the range from which the system assigns ports
// to other processes.
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
