// Runs test files, by default all of them, in a few processes that each run one file after the other (suiteWorker.ts). With
// a process for each file, loading and compiling the same code was a third of the processor time of `npm test`.
//
//   node harness/suite.ts [FILE...]

import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { noBrowser } from './browser.ts'
import { globalSetup, globalTeardown } from './cluster.ts'
import { createFileQueue, longestFirst } from './fileQueue.ts'

// Tests also wait for timers and for other processes, so there are more of ours than cores.
const processesMax = Number(process.env.CARTWRIGHT_TEST_PROCESSES ?? availableParallelism() * 3)
// Ends a process that is stuck in a loop. Files and their tests have their own limit, far below it.
const runMsMax = 3_600_000

const given = process.argv.slice(2)
const patterns = ['src', 'apps', 'bench', 'tests'].map((folder) => `${folder}/**/*.test.ts`)
const files = given.length > 0 ? given : globSync(patterns)
const queue = createFileQueue(longestFirst(files))
let isInterrupted = false
process.on('exit', () => {
  for (const file of isInterrupted ? [] : queue.listUnfinished()) {
    process.stdout.write(`not finished: ${file}\n`)
    process.exitCode = 1
  }
  queue.remove()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true
    void globalTeardown().finally(() => process.exit(1))
  })

await globalSetup()
try {
  const processes = Math.min(processesMax, files.length)
  const results = run({
    files: Array.from({ length: processes }, () => join(import.meta.dirname, 'suiteWorker.ts')),
    argv: [queue.folder],
    concurrency: processes,
    timeout: runMsMax,
    // A heap that begins at its later size saves a fifth of the processor time: fewer collections, of either generation.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32', '--initial-old-space-size=512'],
  })
  results.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1
  })
  for await (const text of results.compose(new spec())) process.stdout.write(text)
  if (noBrowser !== undefined) process.stdout.write(`Tests in a browser were skipped: ${noBrowser}.\n`)
} finally {
  await globalTeardown()
}
