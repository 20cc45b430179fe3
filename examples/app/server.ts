// The app as a program of its own:
//   CLIENT_ID=app_… node examples/app/server.ts

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'

// 127.0.0.1 and not localhost, to separate the cookies of this app from those of a shop on this machine: cookies ignore ports.
const host = '127.0.0.1'

function start(): void {
  const { SHOP_URL: shopUrl = 'http://localhost:4000', CLIENT_ID: clientId, PORT = '4020' } = process.env
  if (!clientId) {
    process.stderr.write(
      'Set CLIENT_ID to the client id of an app: `cartwright demo` prints one, `apps create` makes one.\n',
    )
    process.exitCode = 1
    return
  }
  const server = createServer()
  server.listen(Number(PORT), host, () => {
    const { port } = server.address() as AddressInfo
    const appUrl = new URL(process.env.APP_URL ?? `http://${host}:${port}`).origin
    server.on('request', createApp({ shopUrl, clientId, appUrl, report: complain }))
    process.stdout.write(
      `The app is at ${appUrl}/ and must be known to the shop with the redirect URI ${appUrl}/callback\n`,
    )
  })
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
}

if (import.meta.main) start()
