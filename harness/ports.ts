// A port for whoever must know it before it is opened.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Nobody has it now. And nobody gets it by chance before it is used: it is below those that a system gives to whoever asks
// for any port at all, which others do all the time.
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
