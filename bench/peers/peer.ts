// What a server must do to be compared with ours: the same work, by requests of its own interface.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { usageOfTree } from '../tree.ts'

export const works = ['product', 'list of 20', 'search', 'new cart', 'quantity', 'order of three'] as const
export type Work = (typeof works)[number]

export interface Peer {
  name: string
  // Its settings, as they are printed beside the numbers.
  settings: string
  requestsOfOrder: number
  // `number` is another one each time.
  doing: Readonly<Record<Work, (number: number) => Promise<void>>>
  // Of its processes, without the database.
  usage(): { cpuUs: number; rssBytes: number }
  stop(): Promise<void>
}

export interface Product {
  slug: string
  name: string
  description: string
  options: readonly { name: string; values: readonly string[] }[]
  skus: readonly { code: string; price: number; stock: number; options: Readonly<Record<string, string>> }[]
}

export function productsOf(count: number): Product[] {
  const sizes = ['Small', 'Medium', 'Large']
  return Array.from({ length: count }, (_, index) => ({
    slug: `p${index}`,
    name: `Product ${index} ${materials[index % materials.length]}`,
    description:
      'Made to be used every day, for years. Wipe clean. Ships within two days and comes back free of charge.',
    options: [{ name: 'Size', values: sizes }],
    skus: sizes.map((size, at) => ({
      code: `P${index}-${at}`,
      price: 999 + index,
      stock: 10_000_000,
      options: { Size: size },
    })),
  }))
}

// Each is found in a tenth of the products.
export const materials = ['oak', 'linen', 'copper', 'wool', 'marble', 'bamboo', 'leather', 'glass', 'cotton', 'steel']

// Each order is another customer's: one that buys twice at once is found or refused, as it may be.
export const emailOf = (number: number) => `ada${number}@example.com`

export const buyer = {
  first: 'Ada',
  last: 'Lovelace',
  line1: 'Unter den Linden 1',
  city: 'Berlin',
  postalCode: '10117',
}

export type Call = (
  method: string,
  path: string,
  headers?: Readonly<Record<string, string>>,
  body?: object,
) => Promise<{ json: unknown; headers: Readonly<Record<string, unknown>> }>

export function callerOf(origin: string, connections: number): { call: Call; close(): Promise<void> } {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000 })
  return {
    close: () => pool.close(),
    async call(method, path, headers = {}, body) {
      const answer = await pool.request({
        method: method as 'GET',
        path,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 400)}`)
      return { json: JSON.parse(text), headers: answer.headers }
    },
  }
}

export interface Program {
  args: readonly string[]
  folder: string
  settings: Readonly<Record<string, string>>
  log: string
}

interface Started {
  usage(): { cpuUs: number; rssBytes: number }
  stop(): Promise<void>
}

function launch({ args, folder, settings, log }: Program) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const file = createWriteStream(log, { flags: 'a' })
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  return { child, closed: once(child, 'close') as Promise<[number | null]> }
}

export async function runProgram(program: Program): Promise<void> {
  const [code] = await launch(program).closed
  if (code !== 0) throw new Error(`${program.args.join(' ')} ended with ${code}; see ${program.log}`)
}

const startMsMax = 180_000

// Resolves when `isReady` does without an error.
export async function startProgram(program: Program, isReady: () => Promise<unknown>): Promise<Started> {
  const { child, closed } = launch(program)
  let ended = false
  void closed.then(() => {
    ended = true
  })
  const hopelessAt = performance.now() + startMsMax
  for (;;) {
    const ready = await isReady().then(
      () => true,
      () => false,
    )
    if (ready) break
    if (ended || performance.now() > hopelessAt) {
      child.kill('SIGKILL')
      throw new Error(`${program.args.join(' ')} did not start; see ${program.log}`)
    }
    await pause(250)
  }
  return {
    usage: () => usageOfTree(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM')
      // Some wait for jobs that never come.
      const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await closed
      clearTimeout(impatience)
    },
  }
}

export interface Ground {
  // Where the packages of the peers are, one folder each.
  packages: string
  // For files of this run.
  folder: string
  products: readonly Product[]
  connections: number
  port(): Promise<number>
}
