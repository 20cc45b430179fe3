// Serves pages without the framework: it knows a page's pattern and its methods, and nothing else.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HtmlPage } from '../src/platform/http/pages.ts'
import { lasting } from './lasting.ts'

export interface PageServer {
  origin: string
  onRequest(hear: (raw: IncomingMessage) => void): void
  close(): Promise<void>
}

export async function servePages(pages: readonly (HtmlPage & { methods?: readonly string[] })[]): Promise<PageServer> {
  const server = createServer(lasting, async (raw, response) => {
    const path = raw.url?.split('?')[0] ?? ''
    for (const page of pages) {
      const found = matching(page.path, path)
      if (!found || !(page.methods ?? ['GET']).includes(raw.method ?? '')) continue
      const { status, headers, body } = await page.answer({
        raw,
        path: found,
        address: '127.0.0.1',
        receive: (read) => read(),
      })
      return void response.writeHead(status, headers).end(body)
    }
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onRequest: (hear) => server.on('request', hear),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function matching(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const found: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(given[i] ?? '')
    else if (part !== given[i]) return undefined
  }
  return found
}
