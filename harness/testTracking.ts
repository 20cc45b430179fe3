// To know which test a call of `after` belongs to, node:test follows every promise of the process with an async hook, which
// is a sixth of the processor time of our test processes. Here it does so only while a file is loaded, when suites and tests
// are declared. While tests run, an AsyncLocalStorage knows the test, and costs nothing (docs/decisions/0100).
//
// Then node:test cannot say which test an uncaught error belongs to, and fails the run as a whole; the test is printed here.

import { AsyncLocalStorage, AsyncResource, createHook, type HookCallbacks } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'

// The property of a hook that says whether promises are left out. If a later Node has none, promises are always tracked.
const quiet = createHook({ trackPromises: false } as HookCallbacks) as unknown as Record<symbol, unknown>
const isQuiet = Object.getOwnPropertySymbols(quiet).find((property) => quiet[property] === true)
const { enable, disable } = Object.getPrototypeOf(quiet) as Record<'enable' | 'disable', (this: object) => object>

const hooks: object[] = []
const running = new AsyncLocalStorage<{ name: string; scope: AsyncResource }>()

// Call it before the first import of node:test, whose exports are fixed from then on.
export function controlTracking(): void {
  Object.assign(Object.getPrototypeOf(quiet), {
    enable(this: object) {
      hooks.push(this)
      return enable.call(this)
    },
  })
  tracingChannel('node.test').start.bindStore(running, (started) => {
    const { name, nesting, type } = started as { name: string; nesting: number; type: string }
    // Its file is at level 0.
    if (type === 'test' && nesting === 0 && name !== '<root>')
      throw new Error(`declared after its file was loaded: ${name}`)
    // Every test starts within its own async scope, so a resource that is created there belongs to it.
    return { name, scope: new AsyncResource('RunningTest') }
  })
  const nodeTest = createRequire(import.meta.url)('node:test') as { after: (...args: unknown[]) => void }
  const { after } = nodeTest
  nodeTest.after = (...args) => {
    const test = running.getStore()
    if (test) test.scope.runInAsyncScope(after, undefined, ...args)
    else after(...args)
  }
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error: unknown) => {
      process.stderr.write(`${event} in ${running.getStore()?.name}: ${inspect(error)}\n`)
    })
}

export function trackPromises(isTracking: boolean): void {
  if (isQuiet === undefined) return
  for (const hook of hooks) {
    disable.call(hook)
    Object.assign(hook, { [isQuiet]: !isTracking })
    enable.call(hook)
  }
}
