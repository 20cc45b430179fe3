// A cell moves from one worker of Citus to another while its shoppers buy: nobody gets a 5xx, and nothing is lost.

import { setTimeout as pause } from 'node:timers/promises'
import { listCells, listWorkers, moveCell } from '../src/platform/storage/cells.ts'
import { unlimitedTime } from '../src/platform/storage/copy.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { createCaller } from './caller.ts'
import { openJournal } from './journal.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { makeShop } from './shop.ts'
import { Shopping, shoppingShop, usualCards } from './shopping.ts'

export const moveRun: ServerRun = {
  name: 'move',
  method:
    'a cell is moved to the next worker of Citus and on while two nodes serve its shoppers; judged as crash is, by the number of 503s, and by the longest time without an acknowledged change',
  numbers: { moves: 4, shoppers: 6, writes: 100, silenceMs: 3_000 },
  short: { moves: 1, writes: 30, silenceMs: 15_000 },
  onCells: 'only',
  runOn: (ground, { moves = 0, shoppers = 0, writes = 0, silenceMs = 0 }, tools) =>
    runMove(ground, { moves, shoppers, writes, silenceMs }, tools),
}

interface MoveNumbers {
  moves: number
  shoppers: number
  // Acknowledged changes before each move, and after the last one.
  writes: number
  silenceMs: number
}

const factsMax = 200
const patienceMs = 180_000

async function runMove(ground: Ground, numbers: MoveNumbers, tools: RunTools): Promise<RunResult> {
  const operator = await openStorage(ground.operatorUrl ?? '', { ...unlimitedTime, connectionsMax: 2 })
  const webhooks = await openJournal()
  const caller = createCaller(64)
  try {
    const shop = await makeShop(ground, [shoppingShop('move')], { webhookUrl: webhooks.url })
    const shopping = new Shopping(shop, caller, { shoppers: numbers.shoppers, thinkMs: 0, cards: usualCards }, tools)
    const moved = await moveAgainAndAgain(shopping, operator, new URL(shop.url).username, numbers)
    await shopping.judge(webhooks, factsMax)
    const { seen, acknowledged, violations } = shopping
    if (seen.unavailable > 0) violations.add(`${seen.unavailable} answers were 503`)
    return {
      seen: { ...moved, ...seen, acknowledged: acknowledged.length, webhookCalls: webhooks.calls },
      violations: [...violations].slice(0, 50),
    }
  } finally {
    caller.close()
    await webhooks.close()
    await operator.close()
  }
}

async function moveAgainAndAgain(shopping: Shopping, operator: Storage, cell: string, numbers: MoveNumbers) {
  const servers = [await shopping.start(), await shopping.start()].filter((server) => server !== undefined)
  for (const { origin } of servers) shopping.openServers.open(origin)
  const seen = { moves: 0, longestMoveMs: 0, longestSilenceMs: 0 }
  const ended = new AbortController()
  const watching = shopping.watchSilence(ended.signal)
  try {
    await shopping.during(async () => {
      for (let move = 0; move < numbers.moves; move += 1) {
        await untilWritten(shopping, numbers.writes)
        const startedAt = performance.now()
        await moveCell(operator, cell, await nextWorker(operator, cell))
        seen.moves += 1
        seen.longestMoveMs = Math.max(seen.longestMoveMs, Math.round(performance.now() - startedAt))
        shopping.tell(`${seen.moves} moves, ${shopping.acknowledged.length} acknowledged`)
      }
      await untilWritten(shopping, numbers.writes)
    })
  } finally {
    ended.abort()
    seen.longestSilenceMs = await watching
    for (const server of servers) await server.end('SIGTERM')
    for (const server of servers) shopping.noteDefects(server)
  }
  if (seen.longestSilenceMs > numbers.silenceMs)
    shopping.violations.add(`for ${seen.longestSilenceMs} ms no change was acknowledged`)
  return seen
}

async function nextWorker(operator: Storage, cell: string) {
  const workers = await listWorkers(operator)
  const here = (await listCells(operator)).find(({ name }) => name === cell)?.worker
  const index = workers.findIndex(({ host, port }) => `${host}:${port}` === here)
  const next = workers[(index + 1) % workers.length]
  if (!next || workers.length < 2) throw new Error('this Citus has no second worker')
  return next
}

async function untilWritten({ acknowledged }: Shopping, writes: number): Promise<void> {
  const wanted = acknowledged.length + writes
  const deadline = performance.now() + patienceMs
  while (acknowledged.length < wanted) {
    if (performance.now() > deadline) throw new Error(`too little was acknowledged in ${patienceMs / 1000} s`)
    await pause(10)
  }
}
