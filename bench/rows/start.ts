// From nothing to the first answer in an empty folder, without a shop and with the demo shop, as with the first `npm start`. Then
// the memory of an idle server.

import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CeilingPlan } from '../ceiling.ts'
import type { Stretch } from '../load.ts'
import { mainScript, type Running, startServer } from '../process.ts'
import { atMost, type Circumstances, type Findings, medianOf, type Row, ratioOf, type Side } from '../row.ts'

export const startRows: readonly Row[] = [
  {
    name: 'start',
    question: 'Time from start to the first 200 in an empty folder, and memory when idle',
    run: runStart,
  },
]

const idleMs = 5_000

async function runStart(circumstances: Circumstances): Promise<Findings> {
  const { folder, rounds, say } = circumstances
  const planFile = join(folder, 'ceiling-start.json')
  const plan: CeilingPlan = { method: 'GET', path: '/:key', headers: {}, answers: { readyz: '{"status":"ready"}' } }
  await writeFile(planFile, JSON.stringify(plan))
  // Its types are stripped once, as ours are.
  const settings = { NODE_COMPILE_CACHE: join(folder, 'ceiling-cache') }
  const starts = {
    bare: () => started({ script: join(import.meta.dirname, '..', 'ceiling.ts'), args: [planFile], folder, settings }),
    empty: (round: number) => startedOurs(join(folder, `empty-${round}`), ['serve', '--no-demo']),
    demo: (round: number) => startedOurs(join(folder, `demo-${round}`), ['serve']),
  }
  const names = ['bare', 'empty', 'demo'] as const
  const runs: Record<(typeof names)[number], Partial<Stretch>[]> = { bare: [], empty: [], demo: [] }
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const { ms, cpuUs, running } = await starts[name](round)
      await pause(idleMs)
      const { rssBytes, privateBytes } = await running.usage()
      await running.stop()
      // The first start may have to compile every file; it is printed but not counted.
      say(`  start ${round}, ${name}: ${ms.toFixed(0)} ms, ${(cpuUs / 1_000).toFixed(0)} ms CPU`)
      if (round > 0) runs[name].push({ p50Ms: ms, cpuUs, rssMb: rssBytes / 2 ** 20, privateMb: privateBytes / 2 ** 20 })
    }
  }
  const bare: Side = { name: 'bare Fastify', unit: 'start', runs: runs.bare }
  const empty: Side = { name: 'ours, without a shop', unit: 'start', runs: runs.empty }
  const demo: Side = { name: 'ours, with the demo shop', unit: 'start', runs: runs.demo }
  return {
    sides: [bare, empty, demo],
    ratios: [
      ratioOf('start to the first 200', 'p50Ms', [empty, bare], atMost(2)),
      ratioOf('the same with the demo shop', 'p50Ms', [demo, bare], atMost(2.5)),
      ratioOf('CPU of the start', 'cpuUs', [empty, bare], null),
      ratioOf('CPU of the start with the demo shop', 'cpuUs', [demo, bare], null),
      { what: 'memory when idle', value: medianOf(empty, 'rssMb'), bar: atMost(130), unit: 'MB' },
      { what: 'memory when idle, with the demo shop', value: medianOf(demo, 'rssMb'), bar: atMost(130), unit: 'MB' },
    ],
    notes: [
      'The first 200 is that of /readyz, which fails until the shop is created. The p50 column has the time of a start, the CPU column what it used until then.',
      `Memory is read ${idleMs / 1_000} s later, beside the demo shop while its month of orders may still be made. The first start of the run does not count, because it may have to compile every file.`,
    ],
  }
}

interface Started {
  ms: number
  cpuUs: number
  running: Running
}

async function startedOurs(folder: string, args: readonly string[]): Promise<Started> {
  await mkdir(folder)
  const port = await freePort()
  const settings = { PORT: String(port), HOST: '127.0.0.1', CARTWRIGHT_SECRET: '' }
  return started({ script: mainScript, args, folder, settings }, port)
}

async function started(options: Parameters<typeof startServer>[0], port?: number): Promise<Started> {
  const startedAt = performance.now()
  const starting = startServer(options)
  const running = port === undefined ? await starting : undefined
  // A server that does not start at all ends the wait.
  const broken = new Promise<never>((_, reject) => starting.catch(reject))
  await Promise.race([readyAt(running?.origin ?? `http://127.0.0.1:${port}`), broken])
  const ms = performance.now() - startedAt
  const ready = running ?? (await starting)
  return { ms, cpuUs: (await ready.usage()).cpuUs, running: ready }
}

async function readyAt(origin: string): Promise<void> {
  const hopelessAt = performance.now() + 60_000
  while (performance.now() < hopelessAt) {
    const response = await fetch(`${origin}/readyz`).catch(() => undefined)
    await response?.text()
    if (response?.status === 200) return
    await pause(5)
  }
  throw new Error(`${origin} is not ready after a minute`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
