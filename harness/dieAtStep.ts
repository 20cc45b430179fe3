// Has another process work on the database of a server until it dies by SIGKILL at a step.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { MoneyStep } from '../src/domain/payments/steps.ts'
import { nodeFlags } from './flags.ts'
import type { CrashOrder } from './payCrasher.ts'
import { type TestServer, testSecretText } from './testServer.ts'

// `ask`: what is asked of the process by HTTP, where it serves. The answer never comes.
export async function dieAtStep(
  { url, clock, origin }: Pick<TestServer, 'url' | 'clock' | 'origin'>,
  step: MoneyStep,
  work: CrashOrder['work'],
  more: { providerUrls?: CrashOrder['providerUrls']; ask?: (origin: string) => Promise<unknown> } = {},
): Promise<void> {
  const { providerUrls = {}, ask } = more
  const order: CrashOrder = {
    ...{ url, step, work, providerUrls, now: clock.now },
    rootSecret: testSecretText,
    publicOrigin: origin,
  }
  const script = join(import.meta.dirname, 'payCrasher.ts')
  const child = spawn(process.execPath, [...nodeFlags, script, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  if (ask) {
    const [port] = (await Promise.race([once(child.stdout, 'data'), closed])) as [Buffer]
    await ask(`http://127.0.0.1:${String(port).trim()}`).catch(() => {})
    child.kill('SIGTERM')
  }
  const [, signal] = await closed
  assert.equal(signal, 'SIGKILL', `the step ${step} is passed`)
}
