// Ends what tests and their hooks have opened. Called within a `before` hook, `after` of node:test belongs to that hook and runs when the hook has
// ended, so a folder that it made would be gone before the first test. (Files that share a process have their own tracking.)

import { after, afterEach, beforeEach } from 'node:test'
import { canShare } from './shared.ts'

// By `node --test FILE`. A proof imports parts of the harness too, and has no tests.
const isAlone = process.env.NODE_TEST_CONTEXT !== undefined && !canShare()
const ends: (() => unknown)[] = []
let isTesting = false

if (isAlone) {
  after(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  beforeEach(() => {
    isTesting = true
  })
  afterEach(() => {
    isTesting = false
  })
}

// After the test, or after the file where no test runs.
export function later(end: () => unknown): void {
  if (isAlone && !isTesting) ends.push(end)
  else after(async () => void (await end()))
}

// For what several tests of a file that is run alone may use.
export function laterAlone(end: () => unknown): void {
  if (isAlone) ends.push(end)
}
