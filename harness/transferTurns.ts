// The loop of imports in a process of its own, which is told the time, and then does what is due and answers how long it held
// the event loop at most.

import { runImportsRound } from '../src/ops/imports/round.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { longestTurn } from './longestTurn.ts'

const storage = await openStorage(process.argv[2] ?? '')

process.on('message', async (now: number) => {
  const tools = { storage, origin: () => 'http://127.0.0.1', clock: () => now }
  const heldMs = await longestTurn(async () => {
    while (await runImportsRound(tools, () => false));
  })
  process.send?.(heldMs)
})
process.send?.('ready')
