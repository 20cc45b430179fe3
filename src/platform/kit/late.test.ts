import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadOnce } from './late.ts'

test('concurrent calls create only one value', async () => {
  let made = 0
  const thing = loadOnce(async () => {
    made += 1
    return { made }
  })
  assert.equal(made, 0, 'nobody has asked')
  const [first, second] = await Promise.all([thing(), thing()])
  assert.equal(first, second)
  assert.equal(await thing(), first)
  assert.equal(made, 1)
})

test('a failure is thrown to all callers that wait, and the next call tries again', async () => {
  let tries = 0
  const thing = loadOnce(async () => {
    tries += 1
    if (tries === 1) throw new Error('not there')
    return tries
  })
  const told = await Promise.allSettled([thing(), thing()])
  assert.deepEqual(
    told.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await thing(), 2)
})
