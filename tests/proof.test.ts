// Those runs of `npm run proof` that no other test has in small, at a glance: against servers that are
// processes, by real HTTP. That they hold for long is for the command.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { eachEngine } from '../harness/storage.ts'
import { runAdminModel } from '../proof/adminmodel.ts'
import { runAfterSalesModel } from '../proof/aftersalesmodel.ts'
import { runAgents } from '../proof/agents.ts'
import { runContract } from '../proof/contract.ts'
import { customerChanges, repeatedByCustomers } from '../proof/customeridempotency.ts'
import { repeatedOperations } from '../proof/idempotency.ts'
import { judgeMemory, type Life } from '../proof/memory.ts'
import { runModel } from '../proof/model.ts'
import { runModes } from '../proof/modes.ts'
import { runPoison } from '../proof/poison.ts'
import { seeded } from '../proof/random.ts'
import { goodValue } from '../proof/requests.ts'
import type { RunResult, RunTools } from '../proof/runs.ts'
import { suiteFiles } from '../proof/suites.ts'
import { adminOperations } from '../src/contract/admin/operations.ts'
import { operations } from '../src/contract/open/operations.ts'

eachEngine('short runs of the proofs', (given) => {
  const glances: Readonly<Record<string, (tools: RunTools) => Promise<RunResult>>> = {
    // Not on PostgreSQL, where they take longest: `npm run proof -- model modes contract --short` has them on both.
    ...(given.engine === 'sqlite' && {
      'model: the server behaves as the model predicts in random sequences of steps': (tools) =>
        runModel(given, { histories: 2, steps: 20 }, tools),
      'model: products are as the model predicts after changes by hand and by files': (tools) =>
        runAdminModel(given, { histories: 2, steps: 12 }, tools),
      'model: what happens after a purchase is as the model predicts': (tools) =>
        runAfterSalesModel(given, { histories: 3, steps: 20 }, tools),
      'modes: what happens in test mode changes no live numbers': (tools) => runModes(given, { steps: 60 }, tools),
      'agents: a unit is sold once, an idempotency key charges once, also after a server was killed': (tools) =>
        runAgents(given, { races: 2, kills: 1, repeats: 10, opened: 20, hostile: 0 }, tools),
      // What is declared is checked before a row is read.
      'contract: generated requests are answered as declared': (tools) => runContract(given, { requests: 4 }, tools),
    }),
    'poison: one bad row in every table does not stop the processing of the other rows': (tools) =>
      runPoison(given, { rounds: 1, merchants: 2, rows: 1 }, tools),
  }
  for (const [name, run] of Object.entries(glances)) {
    test(name, async (t) => {
      const { seed, random } = seeded()
      t.diagnostic(`seed ${seed}`)
      assert.deepEqual((await run({ random, tell: () => {} })).violations, [])
    })
  }
})

test('the proofs that run test files name only existing files', () => {
  assert.ok(suiteFiles.size > 0)
  for (const [name, files] of suiteFiles)
    for (const file of files) assert.ok(existsSync(new URL(`../${file}`, import.meta.url)), `${name}: ${file}`)
})

test('the contract proof generates a value for every body of the admin API, with HTML where a member allows it', () => {
  const { random } = seeded(7)
  const drawn: string[] = []
  for (const { body } of Object.values(adminOperations))
    for (let times = 0; body !== null && times < 40; times += 1) drawn.push(JSON.stringify(goodValue(body, {}, random)))
  assert.ok(drawn.some((text) => /"descriptionHtml":"[^"]*<(?:p|h2|li)>/.test(text)))
})

test('the idempotency proof repeats every changing operation of API keys and of shoppers', () => {
  const changing = Object.entries(operations).filter(
    ([, { caller, idempotency }]) => caller === 'key' && idempotency === 'required',
  )
  assert.deepEqual([...repeatedOperations].sort(), changing.map(([id]) => id).sort())
  assert.deepEqual(repeatedByCustomers.toSorted(), customerChanges.toSorted())
})

test('the memory proof reports growth within and across processes, but not variation', () => {
  const judged = (bytesAt: (life: number, second: number) => number) =>
    judgeMemory(
      [0, 1, 2, 3].map((life) => lifeOf(life, bytesAt)),
      'memory',
    ).violations
  const wobble = (second: number) => 40e6 * (1 + 0.1 * Math.sin(second))
  assert.deepEqual(
    judged((_, second) => wobble(second) + (second < 20 ? 4e6 * second : 0)),
    [],
  )
  assert.match(judged((_, second) => wobble(second) + 1e6 * second).join(), /in use: grows 1\.\d+× within a process/)
  assert.match(
    judged((life, second) => wobble(second) + 8e6 * life).join(),
    /in use: grows 1\.\d+× from process to process/,
  )
  // One life in which something odd happened is not a habit.
  assert.deepEqual(
    judged((life, second) => wobble(second) + (life === 1 ? 2e6 * second : 0)),
    [],
  )
  assert.deepEqual(
    judged(() => Number.NaN),
    ['memory: memory could not be judged'],
  )
})

// A minute, of which a sample is taken every five seconds; where it is not a number, none was.
function lifeOf(life: number, bytesAt: (life: number, second: number) => number): Life {
  const startedAt = life * 60_000
  const samples = Array.from({ length: 12 }, (_, number) => {
    return { at: startedAt + number * 5_000, bytes: bytesAt(life, number * 5) }
  }).filter(({ bytes }) => !Number.isNaN(bytes))
  return { startedAt, endedAt: startedAt + 60_000, samples: { private: samples, live: samples, resident: samples } }
}
