// The command line in the process of the test: starting one for each command would take most of the time.

import { runCommandLine } from '../../src/cli.ts'
import type { Environment, Outcome } from './process.ts'

const settings = /^(CARTWRIGHT_|NODE_ENV$|PORT$|HOST$|LOG_LEVEL$)/

// With these settings and no others.
export async function say(environment: Environment, args: readonly string[]): Promise<Outcome> {
  const names = Object.keys(process.env).filter((name) => settings.test(name))
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]))
  for (const name of names) delete process.env[name]
  Object.assign(process.env, environment)
  const said: Outcome = { code: null, out: '', err: '' }
  try {
    said.code = await runCommandLine(args, {
      out: (text) => {
        said.out += text
      },
      err: (text) => {
        said.err += text
      },
      progress: () => {},
      isWatched: false,
    })
    return said
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
