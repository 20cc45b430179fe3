// One of the processes of suite.ts. A test file behaves as it does alone: it is imported within a suite of its own, so its
// hooks run before and after its tests, and its processes and stores end with it.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measureFiles } from './cpuTable.ts'
import { chooseTests, enterFile } from './engines.ts'
import { takeFiles } from './fileQueue.ts'
import { allowSharing, endShared } from './shared.ts'
import { controlTracking, trackResources } from './testTracking.ts'

// For a file and, since tests inherit it, for each of its tests. Only ends what hangs: the longest file takes a minute, and five at load 17.
const fileMsMax = 600_000
const leftoverMsMax = 5_000
const orphanMsMax = 20_000

const [folder = ''] = process.argv.slice(2)
const parent = process.ppid
controlTracking()
chooseTests()
const { describe } = await import('node:test')
// The runner has ended, and with it the reader of our results.
process.stdout.once('error', () => process.exit(1))
// A test that waits for a timer which does not keep a process running must not end this one, unless the run was killed: then its file may
// still end by itself, but after a signal Node sometimes never goes on here.
const awake = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(awake)
  setTimeout(() => process.exit(1), orphanMsMax).unref()
}, 1_000)
allowSharing()
const measured = measureFiles()
for (const { file, finish } of takeFiles(folder)) {
  // A run that was killed is not continued.
  if (process.ppid !== parent) break
  enterFile(file)
  await describe(file, { timeout: fileMsMax }, async () => {
    trackResources(true)
    await import(pathToFileURL(resolve(file)).href)
    trackResources(false)
  })
  finish()
  measured(file)
}
await endShared()
clearInterval(awake)
// What a failed test left open must not keep the run waiting.
setTimeout(() => process.exit(), leftoverMsMax).unref()
