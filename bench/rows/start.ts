// From nothing to the first answer: an empty folder, including the demo shop, as with the first `npm start`. Then the
// memory of an idle server.

import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CeilingPlan } from '../ceiling.ts'
import { mainScript, type Running, startServer, type Usage } from '../process.ts'
import { atMost, type Circumstances, type Findings, medianOf, type Row, rangeOf, type Side } from '../row.ts'

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
  const bareMs: number[] = []
  const oursMs: number[] = []
  const bareUsages: Usage[] = []
  const oursUsages: Usage[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const bare = await started({ script: join(import.meta.dirname, '..', 'ceiling.ts'), args: [planFile], folder })
    const place = join(folder, `start-${round}`)
    await mkdir(place)
    const port = await freePort()
    const settings = { PORT: String(port), HOST: '127.0.0.1', CARTWRIGHT_SECRET: '' }
    const ours = await started({ script: mainScript, args: ['serve'], folder: place, settings }, port)
    await pause(idleMs)
    const usages = [await bare.running.usage(), await ours.running.usage()] as const
    await Promise.all([bare.running.stop(), ours.running.stop()])
    // The first start may have to compile every file; it is printed but not counted.
    say(`  start ${round}: bare ${bare.ms.toFixed(0)} ms, ours ${ours.ms.toFixed(0)} ms`)
    if (round === 0) continue
    bareMs.push(bare.ms)
    oursMs.push(ours.ms)
    bareUsages.push(usages[0])
    oursUsages.push(usages[1])
  }
  const runsOf = (usages: readonly Usage[], startMs: readonly number[]) =>
    usages.map(({ rssBytes, privateBytes }, at) => ({
      rssMb: rssBytes / 2 ** 20,
      privateMb: privateBytes / 2 ** 20,
      p50Ms: startMs[at] ?? 0,
    }))
  const bare: Side = { name: 'bare Fastify', unit: 'start', runs: runsOf(bareUsages, bareMs) }
  const ours: Side = { name: 'ours, with the demo shop', unit: 'start', runs: runsOf(oursUsages, oursMs) }
  return {
    sides: [bare, ours],
    ratios: [
      { what: 'start to the first 200', value: rangeOf(oursMs).median, bar: atMost(1_000), unit: 'ms' },
      { what: 'memory when idle', value: medianOf(ours, 'rssMb'), bar: atMost(150), unit: 'MB' },
    ],
    notes: [
      'The first 200 is that of /readyz, which fails until the shop is created. The p50 column has the time of a start.',
      `Memory is read ${idleMs / 1_000} s later. The first start of the run does not count, because it may have to compile every file.`,
    ],
  }
}

async function started(
  options: Parameters<typeof startServer>[0],
  port?: number,
): Promise<{ ms: number; running: Running }> {
  const startedAt = performance.now()
  const starting = startServer(options)
  if (port === undefined) {
    const running = await starting
    await readyAt(running.origin)
    return { ms: performance.now() - startedAt, running }
  }
  // A server that does not start at all ends the wait.
  const broken = new Promise<never>((_, reject) => starting.catch(reject))
  await Promise.race([readyAt(`http://127.0.0.1:${port}`), broken])
  const ms = performance.now() - startedAt
  return { ms, running: await starting }
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
