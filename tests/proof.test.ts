// Those runs of `npm run proof` that no other test has in small, at a glance and on both engines: against servers that are
// processes, by real HTTP. That they hold for long is for the command.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runContract } from '../proof/contract.ts'
import { runCrash } from '../proof/crash.ts'
import { runDay } from '../proof/day.ts'
import { runModel } from '../proof/model.ts'
import { seeded } from '../proof/random.ts'
import type { RunResult, RunTools } from '../proof/runs.ts'
import { eachEngine } from './support/storage.ts'

eachEngine('proof at a glance', (given) => {
  const glances: Readonly<Record<string, (tools: RunTools) => Promise<RunResult>>> = {
    'crash: what was acknowledged is there after kill -9': (tools) =>
      runCrash(given, { cycles: 2, shoppers: 4, writes: 20 }, tools),
    'day: everything at once, with a kill in the middle, ends as it should': (tools) =>
      runDay(given, { seconds: 2, killsEvery: 1, shoppers: 6, thinkMs: 0 }, tools),
    'model: histories of steps are as the model says': (tools) => runModel(given, { histories: 4, steps: 20 }, tools),
    'contract: generated requests are answered as declared': (tools) => runContract(given, { requests: 4 }, tools),
  }
  for (const [name, run] of Object.entries(glances)) {
    test(name, async (t) => {
      const { seed, random } = seeded()
      t.diagnostic(`seed ${seed}`)
      assert.deepEqual((await run({ random, tell: () => {} })).violations, [])
    })
  }
})
