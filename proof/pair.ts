// A PostgreSQL primary with a synchronous standby behind one address: a relay that can be switched between them, as a
// virtual address or a proxy would be.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Pair {
  // The URL of the database `postgres`, through the relay.
  readonly url: string
  // Kills the primary with SIGKILL, which ends all its sessions.
  kill(): Promise<void>
  // The standby becomes the primary. The relay leads to the old one until it is switched.
  promote(): Promise<void>
  // The same without a crash: the old primary comes back at its port as a standby.
  switchOver(): Promise<void>
  // New connections go to the primary; sessions with the other server are cut, or left open.
  turn(options: { isCutting: boolean }): void
  // Creates a new standby in place of the killed one, while the primary is in use.
  rebuild(): Promise<void>
  // Sessions with a server that is no longer the primary.
  strayed(): number
  close(): Promise<void>
}

export async function startPair(): Promise<Pair> {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'pairmaster.ts')]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  async function portOfPrimary(): Promise<number> {
    const { value, done } = await lines.next()
    if (done) throw new Error('the pair of PostgreSQL servers has ended')
    return Number(value)
  }

  let primary = await portOfPrimary()
  let target = primary
  const sessions = new Set<{ port: number; sockets: readonly [Socket, Socket] }>()
  const relay = createServer((client) => {
    const server = connect(target, '127.0.0.1')
    const session = { port: target, sockets: [client, server] as const }
    sessions.add(session)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sessions.delete(session)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const { port } = relay.address() as AddressInfo

  async function ask(command: 'kill' | 'promote' | 'switch' | 'rebuild'): Promise<void> {
    child.stdin?.write(`${command}\n`)
    primary = await portOfPrimary()
  }

  const strayed = () => [...sessions].filter((session) => session.port !== primary)
  return {
    url: `postgres://postgres:test@127.0.0.1:${port}/postgres`,
    kill: () => ask('kill'),
    promote: () => ask('promote'),
    switchOver: () => ask('switch'),
    rebuild: () => ask('rebuild'),
    turn({ isCutting }) {
      target = primary
      if (isCutting) for (const { sockets } of strayed()) for (const socket of sockets) socket.destroy()
    },
    strayed: () => strayed().length,
    async close() {
      relay.close()
      for (const { sockets } of sessions) for (const socket of sockets) socket.destroy()
      child.stdin?.end()
      await exited
    },
  }
}
