// The demo shop of apps/demo: loaded only if a demo shop is created or may exist, and never by a server in production.

import type { HistoryFacts } from '../../../apps/demo/facts.ts'
import { program, startCommand } from '../../platform/kit/program.ts'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { command, print, withStorage } from './command.ts'

export async function loadDemo() {
  const [shop, receivers] = await Promise.all([
    import('../../../apps/demo/shop.ts'),
    import('../../../apps/demo/receivers.ts'),
  ])
  return { ...shop, ...receivers }
}

export type Demo = Awaited<ReturnType<typeof loadDemo>>

export const demoCommand = command({
  summary: 'Create the demo shop, or what is missing of it, and print new keys and a new sign-in.',
  effect: 'creates',
  async run(given, terminal) {
    return withStorage(given, async (storage, config) => {
      const { makeDemoShop } = await loadDemo()
      const shop = await makeDemoShop(storage, config.rootSecret, Date.now())
      const baseUrl = config.publicUrl ?? `http://localhost:${config.port}`
      print(terminal, given, { baseUrl, ...shop }, () => [
        `base URL    ${baseUrl}`,
        `merchant    ${shop.merchant.slug}`,
        `products    ${shop.products.length}`,
        `promotions  ${shop.promotionCodes.join(' ')}`,
        `key         ${shop.keys.full}   (the four open scopes)`,
        `key         ${shop.keys.catalog}   (catalog:read)`,
        `key         ${shop.keys.none}   (no scope)`,
        `key         ${shop.keys.admin}   (the eight admin scopes)`,
        `webhooks    ${shop.webhookEndpoint.id}   secret ${shop.webhookEndpoint.secret}`,
        '            To see its calls, run both with CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1:',
        `            ${startCommand}, and ${program} webhooks listen`,
        `sign in     ${shop.user.email}   password ${shop.user.password}   at ${baseUrl}/admin`,
        ...shop.colleagues.map(({ email, role }) => `or as       ${email}   ${role}, the same password`),
        `app         ${shop.app.clientId}   ${shop.app.redirectUris.join(' ')}`,
      ])
      return 0
    })
  },
})

interface HistoryParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  log: Log
}

// Makes the month of history of the demo shop while requests and loops run. `end` resolves when the part in progress is written; the next
// start continues with the rest.
export function startDemoHistory({ log, ...parts }: HistoryParts, facts: HistoryFacts): { end(): Promise<void> } {
  let isEnding = false
  async function make(): Promise<void> {
    const startedAt = performance.now()
    try {
      const { makeDemoHistory } = await import('../../../apps/demo/history.ts')
      await makeDemoHistory({ ...parts, facts, isEnding: () => isEnding })
      if (!isEnding) log.info('demo shop has its history', { ms: Math.round(performance.now() - startedAt) })
    } catch (error) {
      log.error('the history of the demo shop could not be made; the next start tries again', error)
    }
  }
  const made = make()
  return {
    end() {
      isEnding = true
      return made
    },
  }
}
