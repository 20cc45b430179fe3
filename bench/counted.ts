// Our server with its statements counted. Its loops run when its parent says so, and not by themselves.

import { countLoops } from '../harness/loopCounts.ts'
import { type CountedStorage, countStatements, type StatementCounts } from '../harness/statements.ts'
import { openQuiet } from './quiet.ts'

// What the parent asks for, and what it is answered.
export type Question = 'counts' | 'loops'
export type CountsAnswer = StatementCounts | readonly (readonly [string, StatementCounts])[]

const counting: { counted?: CountedStorage } = {}
const { app, listen } = await openQuiet((storage) => {
  counting.counted = countStatements(storage)
  return counting.counted.storage
})
const { counted } = counting
if (!counted) throw new Error('nothing is counted')
process.on('message', async (question: Question) => {
  if (question === 'counts') process.send?.(counted.take())
  if (question !== 'loops') return
  const clock = { now: Date.now() }
  process.send?.([...(await countLoops({ app, clock }, counted))])
})
await listen()
