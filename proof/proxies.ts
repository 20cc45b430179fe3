// Two nodes behind each proxy of deploy/ that is installed here, over TLS, by the documented configuration with other addresses. The
// nodes are restarted one after the other while shoppers read products and open checkouts: no request may fail. First the proxy is
// asked what it sends to a server: the address of the visitor and no other, the largest body, and no metrics.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../harness/ports.ts'
import { until } from '../harness/until.ts'
import { limits } from '../src/contract/limits.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { openingOf } from './shopper.ts'

export const proxiesRun: ServerRun = {
  name: 'proxies',
  method:
    'two nodes behind haproxy, nginx and Caddy (those that are installed), by the files of deploy/, restarted one after the other while products are read and checkouts opened; judged by the number of failed requests, by what the proxy hands on, by how often a key beyond its limit is admitted by two nodes (haproxy), and by the invariants',
  numbers: { requests: 10_000, callers: 4, restarts: 4 },
  short: { requests: 1_000, restarts: 2 },
  engines: ['postgres'],
  runOn: (ground, { requests = 0, callers = 0, restarts = 0 }, tools) =>
    runProxies(ground, { requests, callers, restarts }, tools),
}

interface ProxiesNumbers {
  requests: number
  callers: number
  restarts: number
}

const host = 'shop.example.com'

interface Places {
  folder: string
  // For visitors: TLS, and without it.
  tlsPort: number
  plainPort: number
  nodePorts: readonly [number, number]
}

interface ProxyFacts {
  file: string
  // Whether a caller has one node, so the limits of its key hold.
  isConsistent?: true
  // The documented configuration with the addresses of this run.
  configure(text: string, places: Places): string
  start(file: string, places: Places): { path: string; args: string[]; environment?: Record<string, string> }
}

const proxies: Readonly<Record<string, ProxyFacts>> = {
  haproxy: {
    file: 'haproxy.cfg',
    isConsistent: true,
    configure: (text, { folder, tlsPort, plainPort, nodePorts: [one, two] }) =>
      replaced(text, {
        '/etc/haproxy/shop.pem': join(folder, 'both.pem'),
        'bind :443': `bind 127.0.0.1:${tlsPort}`,
        'bind :80': `bind 127.0.0.1:${plainPort}`,
        '10.0.0.11:4000': `127.0.0.1:${one}`,
        '10.0.0.12:4000': `127.0.0.1:${two}`,
      }),
    start: (file) => ({ path: 'haproxy', args: ['-q', '-f', file] }),
  },
  nginx: {
    file: 'nginx.conf',
    configure: (text, { folder, tlsPort, plainPort, nodePorts: [one, two] }) =>
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path ${folder};\n${replaced(
        text,
        {
          '/etc/ssl/shop.example.com.pem': join(folder, 'certificate.pem'),
          '/etc/ssl/shop.example.com.key': join(folder, 'key.pem'),
          'listen 443': `listen 127.0.0.1:${tlsPort}`,
          'listen 80': `listen 127.0.0.1:${plainPort}`,
          '  listen [::]:443 ssl http2;\n': '',
          '  listen [::]:80;\n': '',
          'server 127.0.0.1:4000 fail_timeout=2s;': [one, two]
            .map((port) => `server 127.0.0.1:${port} fail_timeout=2s;`)
            .join(' '),
        },
      )}}`,
    start: (file, { folder }) => ({ path: 'nginx', args: ['-p', folder, '-c', file] }),
  },
  caddy: {
    file: 'Caddyfile',
    // `local_certs`: no authority gives out a certificate for this machine.
    configure: (text, { tlsPort, plainPort, nodePorts: [one, two] }) =>
      replaced(text, {
        '{\n\t# A domain': `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${tlsPort}\n\t# A domain`,
        'reverse_proxy {$UPSTREAM:127.0.0.1:4000}': `reverse_proxy 127.0.0.1:${one} 127.0.0.1:${two}`,
      }),
    start: (file, { folder, nodePorts: [one] }) => ({
      path: 'caddy',
      args: ['run', '--adapter', 'caddyfile', '--config', file],
      environment: { HOME: folder, XDG_DATA_HOME: folder, DOMAIN: host, UPSTREAM: `127.0.0.1:${one}` },
    }),
  },
}

// Each must be there, so a run cannot take an old configuration for the documented one.
function replaced(text: string, words: Readonly<Record<string, string>>): string {
  return Object.entries(words).reduce((sofar, [from, to]) => {
    if (!sofar.includes(from)) throw new Error(`the configuration does not say ${from}`)
    return sofar.replaceAll(from, to)
  }, text)
}

async function runProxies(ground: Ground, numbers: ProxiesNumbers, tools: RunTools): Promise<RunResult> {
  const seen: Record<string, number | string> = {}
  const violations: string[] = []
  const shop = await makeShop(
    ground,
    ['proxies', 'more', 'other'].map((slug) => shopFile(slug, { products: [product('THING', 1_000_000)] })),
  )
  for (const [name, facts] of Object.entries(proxies)) {
    if (!isInstalled(name)) {
      seen[name] = 'not tried: it is not installed'
      continue
    }
    const folder = await mkdtemp(join(tmpdir(), `cartwright-${name}-`))
    try {
      makeCertificate(folder)
      const places = { folder, tlsPort: await freePort(), plainPort: await freePort() }
      for (const problem of await withProxy(facts, places, handedOn)) violations.push(`${name}: ${problem}`)
      if (facts.isConsistent) {
        const limited = await withProxy(facts, places, (at) => exceedLimit(at, shop))
        seen[`${name}, limits`] = limited.said
        violations.push(...limited.problems.map((problem) => `${name}: ${problem}`))
      }
      const outcome = await withProxy(facts, places, (at) => restartBehind(at, shop, numbers, tools))
      seen[name] = `${outcome.failed} failed of ${outcome.sent}, ${outcome.restarts} restarts`
      violations.push(...outcome.problems.map((problem) => `${name}: ${problem}`))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  violations.push(...(await shop.withStorage(findBroken)))
  return { seen, violations }
}

function isInstalled(name: string): boolean {
  try {
    execFileSync(name, [name === 'caddy' ? 'version' : '-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function makeCertificate(folder: string): void {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...made, '-subj', `/CN=${host}`, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  execFileSync('sh', ['-c', 'cat "$1" "$2" > "$3"', 'sh', certificate, key, join(folder, 'both.pem')])
}

async function withProxy<T>(
  { file, configure, start }: ProxyFacts,
  given: Omit<Places, 'nodePorts'>,
  work: (places: Places) => Promise<T>,
): Promise<T> {
  const places: Places = { ...given, nodePorts: [await freePort(), await freePort()] }
  const config = join(places.folder, file)
  const documented = await readFile(join(import.meta.dirname, '..', 'deploy', file), 'utf8')
  await writeFile(config, configure(documented, places))
  const { path, args, environment } = start(config, places)
  const child = spawn(path, args, { env: { PATH: process.env.PATH ?? '', ...environment }, stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      if (said.length < 5_000) said += text
    })
  const closed = once(child, 'close')
  const kill = () => child.kill('SIGKILL')
  // An interrupted run leaves no process behind.
  process.on('exit', kill)
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${path} ended: ${said}`)
      return (await ask(places, { path: '/metrics' }).catch(() => undefined)) !== undefined
    })
    return await work(places)
  } finally {
    endProxy(child)
    await closed
    process.off('exit', kill)
  }
}

function endProxy(child: ChildProcess): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), 3_000).unref()
}

interface Asked {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false, servername: host })
const answerMsMax = 20_000

function ask(
  { tlsPort }: Pick<Places, 'tlsPort'>,
  { method = 'GET', path, headers = {}, body }: Asked,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(
      { agent, host: '127.0.0.1', port: tlsPort, method, path, headers: { host, ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      },
    )
    sent.setTimeout(answerMsMax, () => sent.destroy(new Error('no answer')))
    sent.on('error', reject)
    sent.end(body)
  })
}

// What a server behind the proxy is given.
async function handedOn(places: Places): Promise<string[]> {
  const problems: string[] = []
  const servers = places.nodePorts.map(() =>
    createServer((incoming, response) => {
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      incoming.on('end', () => response.end(JSON.stringify({ headers: incoming.headers, bytes })))
    }),
  )
  try {
    for (const [index, server] of servers.entries())
      await new Promise<void>((resolve) => server.listen(places.nodePorts[index], '127.0.0.1', resolve))
    await until(async () => (await ask(places, { path: '/' })).status === 200)
    const forged = { 'x-forwarded-for': '203.0.113.9' }
    const { text } = await ask(places, { path: '/', headers: forged })
    const headers = JSON.parse(text).headers as IncomingHttpHeaders
    if (headers['x-forwarded-for'] !== '127.0.0.1') problems.push(`X-Forwarded-For is ${headers['x-forwarded-for']}`)
    if (headers.host !== host) problems.push(`Host is ${headers.host}`)
    const body = Buffer.alloc(limits.transferPieceBytesMax * limits.transferPiecesMax + 65_536)
    const large = await ask(places, { method: 'POST', path: '/', body })
    if (large.status !== 200 || JSON.parse(large.text).bytes !== body.length) problems.push('a large body was refused')
    const { status } = await ask(places, { path: '/metrics' })
    if (status !== 404) problems.push(`/metrics is ${status}`)
  } finally {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  }
  return problems
}

const limit = { perSecond: 5, burst: 40 }

// More than a key may ask for: the two nodes together admit no more than one of them would.
async function exceedLimit(places: Places, shop: Shop): Promise<{ said: string; problems: string[] }> {
  const options = { ...shop, trustedProxies: '127.0.0.1', rateLimit: `${limit.perSecond}/${limit.burst}` }
  const servers: Server[] = []
  for (const port of places.nodePorts) servers.push(await startServer({ ...options, port }))
  try {
    await pause(3_000)
    await until(async () => (await ask(places, { path: '/readyz' })).status === 200)
    const problems: string[] = []
    const said: string[] = []
    for (const { key } of shop.stands) {
      const startedAt = performance.now()
      const seen = { admitted: 0, refused: 0 }
      const askAll = async () => {
        for (let asked = 0; asked < 30; asked += 1) {
          const { status } = await ask(places, {
            path: '/api/v1/open/catalog/products/thing',
            headers: { authorization: `Bearer ${key}` },
          })
          if (status === 200) seen.admitted += 1
          else if (status === 429) seen.refused += 1
          else problems.push(`a request at the limit was answered ${status}`)
        }
      }
      await Promise.all(Array.from({ length: 8 }, askAll))
      const most = Math.ceil(limit.burst + ((performance.now() - startedAt) / 1000) * limit.perSecond) + 1
      said.push(`${seen.admitted} of at most ${most} admitted, ${seen.refused} refused`)
      if (seen.admitted > most || seen.refused === 0) problems.push(`a key was admitted ${said.at(-1)}`)
    }
    return { said: said.join('; '), problems }
  } finally {
    for (const server of servers) await server.end()
  }
}

interface Restarted {
  sent: number
  failed: number
  restarts: number
  problems: string[]
}

async function restartBehind(
  places: Places,
  shop: Shop,
  { requests, callers, restarts }: ProxiesNumbers,
  { tell }: RunTools,
): Promise<Restarted> {
  const options = { ...shop, drainSeconds: 5, trustedProxies: '127.0.0.1' }
  const servers: Server[] = []
  for (const port of places.nodePorts) servers.push(await startServer({ ...options, port }))
  const ended: Server[] = []
  const outcome: Restarted = { sent: 0, failed: 0, restarts: 0, problems: [] }
  const { key } = standOf(shop)
  const auth = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  // Half of them read, half of them write.
  async function shopAround(): Promise<void> {
    while (outcome.sent < requests || outcome.restarts < restarts) {
      outcome.sent += 1
      const opening = openingOf({ items: [{ skuId: shop.sku('THING'), quantity: 1 }] })
      const body = JSON.stringify({ ...opening, idempotencyKey: `proxies-${places.tlsPort}-${outcome.sent}` })
      const asked: Asked =
        outcome.sent % 2 === 0
          ? { path: '/api/v1/open/catalog/products/thing', headers: auth }
          : { method: 'POST', path: '/api/v1/open/hosted/checkout/sessions', headers: auth, body }
      const problem = await ask(places, asked).then(
        ({ status, text }) => (status === 200 ? undefined : `${status} ${text.slice(0, 200)}`),
        (error: Error) => error.message,
      )
      if (problem === undefined) continue
      outcome.failed += 1
      if (outcome.problems.length < 5) outcome.problems.push(problem)
    }
  }

  try {
    await until(async () => (await ask(places, { path: '/readyz' })).status === 200)
    const shopping = Promise.all(Array.from({ length: callers }, shopAround))
    while (outcome.sent < requests || outcome.restarts < restarts) {
      // Until the proxy knows that the last one is back.
      await pause(5_000)
      const index = outcome.restarts % servers.length
      const [server, port] = [servers[index] as Server, places.nodePorts[index] as number]
      await server.end()
      ended.push(server)
      servers[index] = await startServer({ ...options, port })
      outcome.restarts += 1
      tell(`${outcome.restarts} restarts, ${outcome.sent} requests, ${outcome.failed} failed`)
    }
    await shopping
  } finally {
    for (const server of servers) await server.end()
  }
  outcome.problems.push(...defectsOf([...servers, ...ended]))
  return outcome
}
