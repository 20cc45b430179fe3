// Provider webhooks: messages that providers send when a charge changes. A webhook only causes a look-up of the charge. Its contents are
// not trusted, stored or logged, and it may be repeated or arrive out of order.

import type { Storage } from '../../platform/storage/storage.ts'
import { findAccountById } from './accounts.ts'
import type { AccountHealth } from './health.ts'
import type { Providers, ProviderWebhook } from './port.ts'
import type { OnStep } from './steps.ts'
import { noteProviderEvents } from './store.ts'
import type { PaymentWatch } from './watch.ts'

export interface ProviderWebhookTools {
  storage: Storage
  providers: Pick<Providers, 'ofAccount'>
  watch: Pick<PaymentWatch, 'webhook'>
  health: Pick<AccountHealth, 'webhookSeen'>
  clock: () => Date
  onStep?: OnStep
}

// Handles a webhook for one account. Returns false if the provider did not send the webhook, or the adapter could not read it.
export type TakeProviderWebhook = (message: ProviderWebhook) => Promise<boolean>

// Maximum number of charges per webhook; others are found in the provider's list of events.
const referencesMax = 100

// Returns undefined if the account does not exist, its secrets cannot be decrypted, or its provider sends no webhooks.
export async function providerWebhooksOf(
  tools: ProviderWebhookTools,
  accountId: string,
): Promise<TakeProviderWebhook | undefined> {
  const { storage, providers, watch, health, clock, onStep } = tools
  const found = await storage.read(async (db) => {
    const account = await findAccountById(db, accountId)
    return account && { account, provider: await providers.ofAccount(db, accountId) }
  })
  const account = found?.account
  const provider = found?.provider
  if (!account || !provider?.webhook) {
    watch.webhook({ provider: 'none' }, 'unknown_account')
    return undefined
  }
  const facts = { provider: account.provider, accountId }

  // Errors of the adapter are not passed on, because they may quote the webhook.
  function read(message: ProviderWebhook, now: number): readonly string[] | undefined {
    try {
      const read = provider?.webhook?.(message, now)
      if (read !== 'refused') return read?.references
      watch.webhook(facts, 'refused')
    } catch (error) {
      watch.webhook(facts, 'threw', error)
    }
    return undefined
  }

  return async (message) => {
    const now = clock().getTime()
    const references = read(message, now)
    health.webhookSeen(account, references !== undefined)
    if (!references) return false
    onStep?.('heard')
    const providerEvents = [...new Set(references)].slice(0, referencesMax).map((reference) => ({ reference, at: now }))
    if (providerEvents.length > 0) await storage.write((tx) => noteProviderEvents(tx, account, providerEvents, now))
    onStep?.('noted')
    watch.webhook(facts, 'accepted')
    return true
  }
}
