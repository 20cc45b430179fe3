// To know which test a call of `after` belongs to, node:test follows every promise, timer, socket and callback of the process with an
// async hook, which is a sixth of the processor time of our test processes. Here it does so only while a file is loaded, when suites and
// tests are declared. While tests run, an AsyncLocalStorage knows the test, and costs nothing (docs/decisions/0100).
//
// Then node:test cannot say which test an uncaught error belongs to, and fails the run as a whole; the test is printed here.

import {
  AsyncLocalStorage,
  type AsyncResource,
  createHook,
  executionAsyncId,
  executionAsyncResource,
} from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'

// What the hook calls for each new resource. If a later Node has no such property, everything is always tracked.
type Init = (id: number, type: string, trigger: number, resource: object) => void

const anyHook = createHook({ init() {} }) as unknown as Record<symbol, unknown>
const initOf = Object.getOwnPropertySymbols(anyHook).find((property) => typeof anyHook[property] === 'function')
const { enable, disable } = Object.getPrototypeOf(anyHook) as Record<'enable' | 'disable', (this: object) => object>

const hooks: Record<symbol, unknown>[] = []
const running = new AsyncLocalStorage<{ name: string; scope: AsyncResource }>()

// Call it before the first import of node:test, whose exports are fixed from then on.
export function controlTracking(): void {
  Object.assign(Object.getPrototypeOf(anyHook), {
    enable(this: Record<symbol, unknown>) {
      hooks.push(this)
      return enable.call(this)
    },
  })
  tracingChannel('node.test').start.bindStore(running, (started) => {
    const { name, nesting, type } = started as { name: string; nesting: number; type: string }
    // Its file is at level 0.
    if (type === 'test' && nesting === 0 && name !== '<root>')
      throw new Error(`declared after its file was loaded: ${name}`)
    return { name, scope: enterTest() }
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

// A test starts within an async scope of its own. node:test learns of it here: nothing may have been tracked when the test was made.
function enterTest(): AsyncResource {
  const scope = executionAsyncResource() as AsyncResource
  if (initOf !== undefined) for (const hook of hooks) (hook[initOf] as Init)(executionAsyncId(), 'Test', 0, scope)
  return scope
}

// Call it in a suite. A Node that does not announce it on the channel, such as 22, is left alone: only the hook knows the test then.
export function trackResources(isTracking: boolean): void {
  if (initOf === undefined || !running.getStore()) return
  for (const hook of hooks) (isTracking ? enable : disable).call(hook)
}
