// Runs a command in its own process beside the server, so its work neither blocks the server nor uses the server's memory.

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../platform/config.ts'

export interface Beside {
  child: ChildProcess
  // Resolves with the error text, or with undefined on success.
  ended: Promise<string | undefined>
}

const main = fileURLToPath(new URL('../../main.js', import.meta.url))
const reasonLengthMax = 500

// Settings are passed in the environment, which other users of the machine cannot read. Throws if the system allows no more processes.
// When this process ends for any reason, the child process gets the event `disconnect`.
export function runBeside(args: readonly string[], environment: Environment): Beside {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    env: { ...environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, reasonLengthMax)
  })
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : said.trim() || `ended by ${signal ?? code}`))
  })
  return { child, ended }
}
