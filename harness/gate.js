// Loaded into a server and all that it starts (`NODE_OPTIONS=--import …?gate=FILE`): holds the process that checks the
// file until somebody makes FILE, so that a test can say when the check is over. Plain JavaScript, as what it is loaded into.

import { existsSync } from 'node:fs'
import { basename } from 'node:path'

const gate = new URL(import.meta.url).searchParams.get('gate')
const isChecking = basename(process.argv[1] ?? '') === 'check.js'

while (isChecking && gate !== null && !existsSync(gate)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
