// The shop as a program of its own:
//   CARTWRIGHT_URL=http://localhost:4000 CARTWRIGHT_KEY=cwk_test_… node apps/storefront/server.ts

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createStorefront, type Storefront } from './shop.ts'

const formBytesMax = 16_384

// Longer than load balancers keep an idle connection, and longer than a busy period: a client that sends on a connection that is just
// being closed gets an error instead of a page. Node's default is 5 s.
const keepAliveTimeout = 65_000

export function storefrontServer(storefront: Storefront): Server {
  return createServer({ keepAliveTimeout }, (request, response) => {
    answer(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (error: unknown) => {
        complain(error)
        response.writeHead(500, { 'content-type': 'text/plain' }).end('Something went wrong.')
      },
    )
  })

  async function answer(request: IncomingMessage): ReturnType<Storefront> {
    const { method = 'GET', url = '/', headers } = request
    const [path = '/', query = ''] = url.split('?', 2)
    return storefront({
      method,
      path,
      query: new URLSearchParams(query),
      cookies: cookiesIn(headers.cookie),
      form: method === 'POST' ? await formIn(request) : null,
      origin: headers.origin ?? null,
      fetchSite: [headers['sec-fetch-site']].flat()[0] ?? null,
      host: headers.host ?? null,
      acceptLanguage: headers['accept-language'] ?? null,
      ifNoneMatch: headers['if-none-match'] ?? null,
    })
  }
}

function cookiesIn(header = ''): Record<string, string> {
  const pairs = header.split(';').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name.trim(), value.join('=').trim()]
  })
  return Object.fromEntries(pairs)
}

async function formIn(request: IncomingMessage): Promise<URLSearchParams | null> {
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return null
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > formBytesMax) return null
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
}

function start(): void {
  const { CARTWRIGHT_URL: apiUrl = 'http://localhost:4000', CARTWRIGHT_KEY: apiKey, PORT = '4100' } = process.env
  if (!apiKey) {
    process.stderr.write('Set CARTWRIGHT_KEY to an API key with the scopes catalog:read and checkout:quote.\n')
    process.exitCode = 1
    return
  }
  const publicUrl = process.env.PUBLIC_URL ?? `http://localhost:${PORT}`
  const storefront = createStorefront({ apiUrl, apiKey, basePath: '', publicUrl, report: complain })
  storefrontServer(storefront).listen(Number(PORT), () => {
    process.stdout.write(`The shop is open: ${publicUrl}/\n`)
  })
}

if (import.meta.main) start()
