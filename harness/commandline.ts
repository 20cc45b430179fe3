// Runs the command line inside the test process: starting a process for each command would take most of the time.

import { runCommandLine } from '../src/ops/cli/cli.ts'
import type { Terminal } from '../src/ops/cli/command.ts'
import type { Sink } from '../src/platform/log/sink.ts'
import { later } from './later.ts'
import { type Environment, type Outcome, quiet, type Server } from './process.ts'

// With these settings and no others. `input` is piped to standard input.
export async function cartwright(
  args: readonly string[],
  environment: Environment,
  { input = '', table }: { input?: string; table?: Parameters<typeof runCommandLine>[2] } = {},
): Promise<Outcome> {
  const outcome: Outcome = { code: null, out: '', err: '' }
  outcome.code = await runCommandLine(args, terminalFor(outcome, environment, input), table)
  return outcome
}

function terminalFor(outcome: Outcome, environment: Environment, input: string): Terminal {
  return {
    out: (text) => {
      outcome.out += text
    },
    err: (text) => {
      outcome.err += text
    },
    progress: () => {},
    isWatched: false,
    environment,
    input: piped(input),
    server: { log: logTo(outcome), signalled: never },
  }
}

const never = new Promise<string>(() => {})

function logTo(outcome: Outcome): Sink {
  return {
    write(lines) {
      outcome.out += lines
      return true
    },
    drain: async () => {},
  }
}

async function* piped(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

// A server like that of `serve` in process.ts, for a test that is not about its process.
export async function serveHere(
  environment: Environment,
  args: readonly string[] = [],
): Promise<Omit<Server, 'pid' | 'ended'>> {
  const outcome: Outcome = { code: null, out: '', err: '' }
  const listening = Promise.withResolvers<string>()
  const signalled = Promise.withResolvers<string>()
  const { write, drain } = logTo(outcome)
  const log: Sink = {
    write(lines) {
      const [, port] = /"message":"listening".*?"port":(\d+)/.exec(lines) ?? []
      if (port !== undefined) listening.resolve(`http://127.0.0.1:${port}`)
      return write(lines)
    },
    drain,
  }
  const settings = { ...quiet, PORT: '0', HOST: '127.0.0.1', ...environment }
  const terminal = { ...terminalFor(outcome, settings, ''), server: { log, signalled: signalled.promise } }
  const ended = runCommandLine(['serve', ...args], terminal)
  const printed = () => outcome.out + outcome.err
  ended.then(() => listening.reject(new Error(`the server did not start: ${printed()}`)), listening.reject)
  function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    signalled.resolve(signal)
    return ended
  }
  later(() => stop())
  return { origin: await listening.promise, printed, stop }
}
