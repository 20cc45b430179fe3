import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlicePauses, runSteps, runToEnd, sliceMs } from './breath.ts'
import { createLoopTurns } from './turns.ts'

function* steps(count: number, step: () => void): Generator<void, string> {
  for (let at = 0; at < count; at += 1) {
    step()
    yield
  }
  return 'done'
}

test('long work yields to the event loop after every three milliseconds', async () => {
  let now = 0
  let turns = 0
  const turn = () => {
    turns += 1
    others = setImmediate(turn)
  }
  let others = setImmediate(turn)
  const seen: number[] = []
  const work = steps(5 * sliceMs, () => {
    now += 1
    seen.push(turns)
  })
  assert.equal(
    await runSteps(
      createSlicePauses(
        () => now,
        createLoopTurns(() => 0),
      ),
      work,
    ),
    'done',
  )
  clearImmediate(others)
  const slices = [...Map.groupBy(seen, (turn) => turn).values()].map(({ length }) => length)
  assert.deepEqual(slices, [sliceMs, sliceMs, sliceMs, sliceMs, sliceMs])
})

test('finishing the work without yielding gives the same result', () => {
  let count = 0
  assert.equal(
    runToEnd(
      steps(50, () => {
        count += 1
      }),
    ),
    'done',
  )
  assert.equal(count, 50)
})
