// How fast are events delivered, compared with a bare loop that posts the same bytes with the same library? Both run in
// one process against a receiver in another, in turns. Also: how long from the commit of an event until its call
// reaches the receiver, one event at a time.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startCluster } from '../../harness/postgres.ts'
import type { Order } from '../deliveries.ts'
import type { Stretch } from '../load.ts'
import {
  alternate,
  atLeast,
  atMost,
  type Circumstances,
  type Findings,
  type Row,
  rangeOf,
  ratioOf,
  type Side,
} from '../row.ts'

export const webhookRows: readonly Row[] = [
  {
    name: 'webhooks',
    question: 'Signed deliveries to a local receiver, each recorded before and after the call',
    run: runWebhooks,
  },
]

const numbers = { events: 2_000, endpoints: 4, latencies: 200 }

async function runWebhooks(circumstances: Circumstances): Promise<Findings> {
  const { folder } = circumstances
  const cluster = await startCluster({ asShipped: true })
  try {
    const found = [
      await onEngine('SQLite', `sqlite:${join(folder, 'webhooks.db')}`, circumstances),
      await onEngine('PostgreSQL', cluster.url, circumstances),
    ]
    return {
      sides: found.flatMap(({ sides }) => sides),
      ratios: found.flatMap(({ ratios }) => ratios),
      notes: [
        `${numbers.events} events to ${numbers.endpoints} endpoints in each round.`,
        ...found.flatMap(({ notes }) => notes),
      ],
    }
  } finally {
    await cluster.stop()
  }
}

const limits = { SQLite: 0.6, PostgreSQL: 0.4 } as const

async function onEngine(engine: keyof typeof limits, url: string, circumstances: Circumstances): Promise<Findings> {
  const [receiver, sender] = [startRole('receiver'), startRole('sender')]
  const [{ ports }] = (await Promise.all([message(receiver), message(sender)])) as [{ ports: number[] }, unknown]
  await ask(sender, { kind: 'open', url, ports })
  const calls = numbers.events * numbers.endpoints
  const runs = await alternate(circumstances, {
    bare: () => timed(receiver, calls, async () => (await ask(sender, { kind: 'bare' })).cpuMs),
    minimal: async () => {
      await ask(sender, { kind: 'fill' })
      return timed(receiver, calls, async () => (await ask(sender, { kind: 'minimal' })).cpuMs)
    },
    ours: async () => {
      await ask(sender, { kind: 'fill' })
      return timed(receiver, calls, async () => (await ask(sender, { kind: 'ours' })).cpuMs)
    },
  })
  const waitsMs = await waits(receiver, sender)
  for (const child of [sender, receiver]) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  const ceiling: Side = { name: `bare undici POST loop (beside ${engine})`, unit: 'delivery', runs: runs.bare }
  const least: Side = { name: `the least with our guarantees on ${engine}`, unit: 'delivery', runs: runs.minimal }
  const ours: Side = { name: `ours on ${engine}`, unit: 'delivery', runs: runs.ours }
  const at = (share: number) => (waitsMs[Math.floor((waitsMs.length - 1) * share)] ?? 0).toFixed(1)
  return {
    sides: [ceiling, least, ours],
    ratios: [
      ratioOf(`deliveries per second on ${engine}`, 'perSecond', [ours, ceiling], atLeast(limits[engine])),
      ratioOf(`the same of the least with our guarantees on ${engine}`, 'perSecond', [least, ceiling], null),
      ratioOf(`CPU on ${engine} against the least with our guarantees`, 'cpuUs', [ours, least], atMost(1.3)),
    ],
    notes: [
      `From the answer to the caller until the webhook call, on ${engine}: median ${rangeOf(waitsMs).median.toFixed(1)} ms, ` +
        `p99 ${at(0.99)} ms, ${waitsMs.length} events one at a time. A negative time means that the call came first.`,
    ],
  }
}

async function waits(receiver: ChildProcess, sender: ChildProcess): Promise<number[]> {
  const waitsMs: number[] = []
  for (let event = 0; event < numbers.latencies; event += 1) {
    await arm(receiver, 1)
    const arrived = message(receiver) as Promise<{ at: number }>
    const committed = await ask(sender, { kind: 'one' })
    waitsMs.push((await arrived).at - committed.at)
    await ask(sender, { kind: 'finished' })
  }
  return waitsMs.sort((one, other) => one - other)
}

function startRole(role: string): ChildProcess {
  const script = join(import.meta.dirname, '..', 'deliveries.ts')
  return fork(script, [role, String(numbers.events), String(numbers.endpoints)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

// A process that has ended sends no more messages.
function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a process of the webhook row ended with ${code}`))
    child.once('close', ended)
    child.once('message', (told) => {
      child.off('close', ended)
      resolve(told)
    })
  })
}

async function ask(child: ChildProcess, order: Order): Promise<{ cpuMs: number; at: number }> {
  const answered = message(child) as Promise<{ cpuMs: number; at: number }>
  child.send(order)
  return answered
}

async function arm(receiver: ChildProcess, calls: number): Promise<void> {
  const isArmed = message(receiver)
  receiver.send({ calls })
  await isArmed
}

async function timed(receiver: ChildProcess, calls: number, work: () => Promise<number>): Promise<Partial<Stretch>> {
  await arm(receiver, calls)
  const done = message(receiver)
  const startedAt = performance.now()
  const [cpuMs] = await Promise.all([work(), done])
  const tookMs = performance.now() - startedAt
  return { perSecond: (calls * 1_000) / tookMs, cpuUs: (cpuMs * 1_000) / calls }
}
