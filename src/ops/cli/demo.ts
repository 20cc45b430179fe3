// The demo shop of apps/demo: loaded only if a demo shop is created or may exist, and never by a server in production.

import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../platform/config.ts'
import { program, startCommand } from '../../platform/kit/program.ts'
import type { Log } from '../../platform/log/log.ts'
import { runBeside } from './beside.ts'
import {
  type Command,
  CommandFailure,
  configuredOrigin,
  type ParsedArguments,
  printResult,
  type Terminal,
  withStorage,
} from './command.ts'

export async function loadDemo() {
  const [shop, receivers] = await Promise.all([
    import('../../../apps/demo/shop.ts'),
    import('../../../apps/demo/receivers.ts'),
  ])
  return { ...shop, ...receivers }
}

export type Demo = Awaited<ReturnType<typeof loadDemo>>

const summary = 'Create the demo shop, or its missing parts, and print new keys and a new password.'

export const demoCommand: Command = {
  summary,
  alone: { summary, effect: 'creates', run: makeShop },
  verbs: {
    history: {
      summary: 'Create the past orders of the demo shop, which cover a month, or those that are missing.',
      effect: 'changes',
      run: makeHistory,
    },
  },
}

async function makeShop(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, config) => {
    const { makeDemoShop } = await loadDemo()
    const shop = await makeDemoShop(storage, config.rootSecret, Date.now())
    const baseUrl = configuredOrigin(config)()
    printResult(terminal, given, { baseUrl, ...shop }, () => [
      `base URL    ${baseUrl}`,
      `merchant    ${shop.merchant.slug}`,
      `products    ${shop.products.length}`,
      `promotions  ${shop.promotionCodes.join(' ')}`,
      `key         ${shop.keys.full}   (the four open scopes)`,
      `key         ${shop.keys.catalog}   (catalog:read)`,
      `key         ${shop.keys.none}   (no scope)`,
      `key         ${shop.keys.admin}   (the eight admin scopes)`,
      `webhooks    ${shop.webhookEndpoint.id}   secret ${shop.webhookEndpoint.secret}`,
      '            To see the webhook calls, run both commands with CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1:',
      `            ${startCommand}, and ${program} webhooks listen`,
      `sign in     ${shop.user.email}   password ${shop.user.password}   at ${baseUrl}/admin`,
      ...shop.colleagues.map(({ email, role }) => `or as       ${email}   ${role}, the same password`),
      `app         ${shop.app.clientId}   ${shop.app.redirectUris.join(' ')}`,
    ])
    return 0
  })
}

// On a signal, or when the server that started this process ends, stops after the current part of the history.
async function makeHistory(given: ParsedArguments, terminal: Terminal): Promise<number> {
  // The server may already have ended.
  let isEnding = process.connected === false
  const end = () => {
    isEnding = true
  }
  process.on('SIGTERM', end).on('SIGINT', end).on('disconnect', end)
  try {
    return await withStorage(given, async (storage, config) => {
      const [{ findHistory }, { makeDemoHistory }] = await Promise.all([
        loadDemo(),
        import('../../../apps/demo/history.ts'),
      ])
      const { rootSecret } = config
      const facts = await findHistory(storage, rootSecret, Date.now())
      if (facts) {
        const parts = { storage, rootSecret, publicOrigin: configuredOrigin(config), facts }
        await makeDemoHistory({ ...parts, isEnding: () => isEnding, rest: () => pause(restMs) })
      }
      const isWhole = facts !== undefined && (await findHistory(storage, rootSecret, Date.now())) === undefined
      if (facts && !isWhole)
        throw new CommandFailure('the history of the demo shop is not complete: run `demo history` again')
      printResult(terminal, given, { made: isWhole }, () => [
        isWhole ? 'The demo shop has its history of orders.' : 'The demo shop needs no further history of orders.',
      ])
      return 0
    })
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end).off('disconnect', end)
  }
}

// Longer than a server waits before it retries to lock a SQLite file for writing, so the server gets its turn.
const restMs = 50

// Runs `demo history` in its own process, so the modules and data that it needs do not stay in the server's memory. `end` resolves when
// the current part is written; the next start continues.
export function startDemoHistory(environment: Environment, log: Log): { end(): Promise<void> } {
  let isEnding = false
  let child: ChildProcess | undefined
  async function make(): Promise<void> {
    const startedAt = performance.now()
    const history = runBeside(['demo', 'history'], environment)
    child = history.child
    log.info('creating the order history of the demo shop', { pid: child.pid })
    const reason = await history.ended
    if (isEnding) return
    if (reason !== undefined) throw new Error(reason)
    log.info('order history of the demo shop created', { ms: Math.round(performance.now() - startedAt) })
  }
  const made = make().catch((error: Error) =>
    log.error('order history of the demo shop could not be created; the next start retries', undefined, {
      reason: error.message,
    }),
  )
  return {
    async end() {
      isEnding = true
      child?.kill('SIGTERM')
      const impatience = setTimeout(() => child?.kill('SIGKILL'), endMsMax)
      await made
      clearTimeout(impatience)
    },
  }
}

const endMsMax = 20_000
