// Runs the command line inside the test process: starting a process for each command would take most of the time.

import { runCommandLine } from '../src/cli.ts'
import type { Environment, Outcome } from './process.ts'

// With these settings and no others. `input` is piped to standard input.
export async function cartwright(
  args: readonly string[],
  environment: Environment,
  { input = '', table }: { input?: string; table?: Parameters<typeof runCommandLine>[2] } = {},
): Promise<Outcome> {
  const outcome: Outcome = { code: null, out: '', err: '' }
  const terminal = {
    out: (text: string) => {
      outcome.out += text
    },
    err: (text: string) => {
      outcome.err += text
    },
    progress: () => {},
    isWatched: false,
    environment,
    input: piped(input),
  }
  outcome.code = await runCommandLine(args, terminal, table)
  return outcome
}

async function* piped(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
