// Breaks data on purpose, to check that the invariant which guards it reports the violation. Each break is undone with
// its transaction.

import assert from 'node:assert/strict'
import { findViolations } from '../src/domain/health/invariants.ts'
import type { Storage, Tx } from '../src/platform/storage/storage.ts'

export type Break = readonly [rule: string, sabotage: (tx: Tx) => Promise<unknown>]

export async function assertFound(storage: Storage, breaks: readonly Break[]): Promise<void> {
  for (const [rule, sabotage] of breaks) {
    const undo = new Error('undo')
    let found: string[] = []
    const work = storage.write(async (tx) => {
      await sabotage(tx)
      found = (await findViolations(tx)).map(({ name }) => name)
      throw undo
    })
    await assert.rejects(work, undo)
    assert.ok(found.includes(rule), `${rule} was not among ${found}`)
  }
  assert.deepEqual(await storage.read(findViolations), [])
}
