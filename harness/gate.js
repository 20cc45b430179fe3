// Loaded into a server and the processes it starts (`NODE_OPTIONS=--import …?gate=FILE`): holds the process that checks
// the database file until FILE exists, so a test can decide when the check ends. Plain JavaScript, like the program it
// is loaded into.

import { existsSync } from 'node:fs'
import { basename } from 'node:path'

const gate = new URL(import.meta.url).searchParams.get('gate')
const isChecking = basename(process.argv[1] ?? '') === 'check.js'

while (isChecking && gate !== null && !existsSync(gate)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
