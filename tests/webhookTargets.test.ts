// No webhook reaches a place inside. Canaries listen on this machine, and every disguise that is known is sent against
// them; the same canaries do sing where private receivers are allowed, so that their silence means something.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { hostileTargets } from '../harness/targets.ts'
import { createSender, type Sender, type SenderOptions } from '../src/domain/webhooks/sender.ts'

const fixtures = join(import.meta.dirname, 'fixtures', 'tls')
const certificate = readFileSync(join(fixtures, 'receiver.cert.pem'), 'utf8')
const privateKey = readFileSync(join(fixtures, 'receiver.key.pem'), 'utf8')

const publicAddress = '93.184.215.14'
const call = { headers: { 'content-type': 'application/json' }, body: '{"secret":"of the server"}' }

describe('a webhook receiver in the private network', () => {
  let canary: Canary

  before(async () => {
    canary = await openCanary()
  })
  after(() => canary.close())

  test('is not connected to, in any notation of its address', async (context) => {
    const dialled: string[] = []
    // Names lead to the canary, as those of an attacker would.
    const sender = open(context, {
      lookup: async () => ['127.0.0.1'],
      dial: (address, port) => {
        dialled.push(address)
        return connect({ host: address, port })
      },
    })
    const targets = hostileTargets(canary.port)
    assert.ok(targets.length >= 250)
    const outcomes = await Promise.all(
      targets.map(async ({ url }) => ({ url, ...(await sender.send({ ...call, url })) })),
    )
    assert.deepEqual(
      outcomes.filter(({ kind }) => kind !== 'blocked'),
      [],
    )
    await canary.proveAlive()
    assert.equal(canary.visits(), 0)
    assert.deepEqual(dialled, [])
    for (const { error } of outcomes) assert.ok(!error?.includes('secret'), error ?? '')
  })

  test('is not connected to by a public name that resolves to it', async (context) => {
    const answers: Readonly<Record<string, readonly string[]>> = {
      'loopback.example.com': ['127.0.0.1'],
      'loopback6.example.com': ['::1'],
      'second.example.com': ['127.0.0.2'],
      'mapped.example.com': ['::ffff:127.0.0.1'],
      'any.example.com': ['0.0.0.0'],
      'any6.example.com': ['::'],
      'mixed.example.com': [publicAddress, '127.0.0.1'],
      'mixed-first.example.com': ['127.0.0.1', publicAddress],
      'mixed6.example.com': ['2606:4700:4700::1111', '::1'],
      'late.example.com': [...Array.from({ length: 30 }, () => publicAddress), '127.0.0.1'],
      'private.example.com': ['10.0.0.1'],
      'metadata.example.com': ['169.254.169.254'],
      'zone.example.com': ['fe80::1%lo'],
      'nonsense.example.com': ['localhost'],
      'empty.example.com': [''],
    }
    const dialled: string[] = []
    const sender = open(context, {
      lookup: async (name) => answers[name] ?? [],
      dial: (address) => {
        dialled.push(address)
        return connect({ host: '127.0.0.1', port: canary.port })
      },
    })
    for (const name of Object.keys(answers)) {
      const outcome = await sender.send({ ...call, url: `https://${name}:${canary.port}/` })
      assert.equal(outcome.kind, 'blocked', name)
      assert.equal(outcome.error, 'the name of the receiver leads to a private or special address')
    }
    await canary.proveAlive()
    assert.equal(canary.visits(), 0)
    assert.deepEqual(dialled, [])
  })

  test('is not connected to by a name that resolves to it after the check', async (context) => {
    const outside = await openSecureReceiver(context)
    let address = publicAddress
    let asked = 0
    const dialled: string[] = []
    const sender = open(context, {
      caCertificates: [certificate],
      lookup: async () => {
        asked += 1
        const answer = address
        address = '127.0.0.1'
        return [answer]
      },
      dial: (vetted, port) => {
        dialled.push(vetted)
        return vetted === publicAddress ? playedBy(outside.port) : connect({ host: vetted, port })
      },
    })
    const url = `https://receiver.example.com:${canary.port}/`
    // The name is asked once, and the answer that was vetted is the one that is dialled.
    const first = await sender.send({ ...call, url })
    assert.deepEqual([first.kind, first.statusCode, asked], ['answered', 200, 1])
    // The connection that was kept still leads there.
    await outside.rested()
    const second = await sender.send({ ...call, url })
    assert.deepEqual([second.kind, second.statusCode, asked], ['answered', 200, 1])
    // A new one is vetted anew.
    await outside.hangUp()
    const third = await sender.send({ ...call, url })
    assert.deepEqual([third.kind, third.statusCode, asked], ['blocked', null, 2])
    assert.deepEqual(dialled, [publicAddress])
    await canary.proveAlive()
    assert.equal(canary.visits(), 0)
  })

  test('gets no byte even if a permitted address turns out to be its own', async (context) => {
    const trap = await openCanary()
    context.after(() => trap.close())
    const sender = open(context, {
      lookup: async () => [publicAddress],
      dial: () => connect({ host: '127.0.0.1', port: trap.port }),
    })
    const outcome = await sender.send({ ...call, url: 'https://hooks.example.com/' })
    assert.equal(outcome.kind, 'blocked')
    await trap.quiet()
    assert.equal(trap.visits(), 1)
    assert.equal(trap.bytes(), 0)
  })

  test('is not connected to after a redirect of a permitted receiver', async (context) => {
    const where = [`http://127.0.0.1:${canary.port}/`, `http://[::1]:${canary.port}/`, `//127.0.0.1:${canary.port}/`]
    const sender = open(context, { allowPrivate: true })
    for (const status of [300, 301, 302, 303, 305, 307, 308])
      for (const location of where) {
        const headers = `location: ${location}\r\nrefresh: 0; url=${location}\r\ncontent-location: ${location}\r\nalt-svc: h2="127.0.0.1:${canary.port}"`
        const receiver = await openReceiver(
          context,
          `HTTP/1.1 ${status} Elsewhere\r\n${headers}\r\ncontent-length: 0\r\n\r\n`,
        )
        const outcome = await sender.send({ ...call, url: `http://127.0.0.1:${receiver}/` })
        assert.deepEqual([outcome.kind, outcome.statusCode], ['answered', status])
      }
    await canary.proveAlive()
    assert.equal(canary.visits(), 0)
  })

  test('is not used as a proxy, whatever the environment contains', async (context) => {
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const former = names.map((name) => [name, process.env[name]] as const)
    for (const name of names) process.env[name] = `http://127.0.0.1:${canary.port}`
    context.after(() => {
      for (const [name, value] of former) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    })
    const receiver = await openReceiver(context, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    const outcome = await open(context, { allowPrivate: true }).send({ ...call, url: `http://127.0.0.1:${receiver}/` })
    assert.equal(outcome.statusCode, 200)
    await canary.proveAlive()
    assert.equal(canary.visits(), 0)
  })

  test('is not connected to if it serves the credentials of the machine, even if private receivers are allowed', async (context) => {
    const dialled: string[] = []
    const sender = open(context, {
      allowPrivate: true,
      lookup: async () => ['127.0.0.1', '169.254.169.254'],
      dial: (address) => {
        dialled.push(address)
        return connect({ host: '127.0.0.1', port: canary.port })
      },
    })
    for (const host of [
      '169.254.169.254',
      '2852039166',
      '[::ffff:169.254.169.254]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '168.63.129.16',
      'metadata.google.internal',
      'hooks.example.com',
    ])
      assert.equal((await sender.send({ ...call, url: `http://${host}:${canary.port}/` })).kind, 'blocked', host)
    assert.deepEqual(dialled, [])
  })

  test('is connected to if private receivers are allowed, which shows that the other tests would notice a connection', async (context) => {
    const singing = await openCanary()
    context.after(() => singing.close())
    const sender = open(context, { allowPrivate: true, lookup: async () => ['127.0.0.1'] })
    const urls = ['127.0.0.1', 'localhost', '2130706433', '[::ffff:7f00:1]', 'printer.local', 'hooks.example.com'].map(
      (host) => `http://${host}:${singing.port}/`,
    )
    if (singing.addresses.includes('::1')) urls.push(`http://[::1]:${singing.port}/`)
    if (singing.addresses.includes('127.0.0.2')) urls.push(`http://127.0.0.2:${singing.port}/`)
    for (const [index, url] of urls.entries()) {
      assert.equal((await sender.send({ ...call, url })).error, 'connection lost', url)
      assert.equal(singing.visits(), index + 1, url)
    }
    assert.ok(singing.bytes() > 0)
  })
})

function open(context: TestContext, options: Partial<SenderOptions>): Sender {
  const sender = createSender({ allowPrivate: false, ...options })
  context.after(() => sender.close())
  return sender
}

interface Canary {
  port: number
  addresses: readonly string[]
  // Connections that came, save those of its own proof.
  visits(): number
  bytes(): number
  // All that came before has been counted when this is done: connections are taken in the order in which they were made.
  proveAlive(): Promise<void>
  // No connection is open any more.
  quiet(): Promise<void>
  close(): Promise<void>
}

// Listens at one port on every address of this machine that there is, and hangs up on who speaks.
async function openCanary(): Promise<Canary> {
  let visits = 0
  let bytes = 0
  let openSockets = 0
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  const greet = (socket: Socket) => {
    visits += 1
    openSockets += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.end()
    })
    socket.on('close', () => {
      openSockets -= 1
      sockets.delete(socket)
      for (const look of waiting.splice(0)) look()
    })
  }
  const first = createServer(greet).listen(0, '127.0.0.1')
  await once(first, 'listening')
  const { port } = first.address() as AddressInfo
  const servers = [first]
  const addresses = ['127.0.0.1']
  for (const address of ['::1', '127.0.0.2']) {
    const server = createServer(greet)
    const isThere = await new Promise<boolean>((resolve) => {
      server.once('listening', () => resolve(true))
      server.once('error', () => resolve(false))
      server.listen({ host: address, port, ipv6Only: true })
    })
    if (!isThere) continue
    servers.push(server)
    addresses.push(address)
  }
  async function quiet(): Promise<void> {
    while (openSockets > 0 || visits === 0) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return {
    port,
    addresses,
    visits: () => visits,
    bytes: () => bytes,
    async proveAlive() {
      const before = [visits, bytes] as const
      for (const address of addresses) {
        const socket = connect({ host: address, port })
        socket.write('anybody there?')
        socket.resume()
        await once(socket, 'close')
      }
      assert.equal(visits, before[0] + addresses.length)
      ;[visits, bytes] = before
    },
    quiet,
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

// A socket that a public receiver seems to be at the other end of.
function playedBy(port: number): Socket {
  return Object.defineProperty(connect({ host: '127.0.0.1', port }), 'remoteAddress', { value: publicAddress })
}

async function openSecureReceiver(context: TestContext) {
  const sockets = new Set<Socket>()
  const server = tls.createServer({ key: privateKey, cert: certificate }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  async function hangUp(): Promise<void> {
    await Promise.all([...sockets].map((socket) => once(socket.end(), 'close')))
  }
  context.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    hangUp,
    // A connection is free again one turn of the loop after its answer.
    async rested() {
      for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

// Answers everything with the same words.
async function openReceiver(context: TestContext, words: string): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write(words))
    socket.on('close', () => sockets.delete(socket))
  }).listen(0, '127.0.0.1')
  context.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
