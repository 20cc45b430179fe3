// Notices: what providers send when something happened to a charge. A notice is only a reason to look the charge up, so nothing that it
// says is believed, stored or logged, and neither repeats nor their order matter.

import type { Storage } from '../../platform/storage/storage.ts'
import { findAccountById } from './accounts.ts'
import type { AccountHealth } from './health.ts'
import type { NoticeMessage, Providers } from './port.ts'
import type { OnStep } from './steps.ts'
import { notePaymentNews } from './store.ts'
import type { PaymentWatch } from './watch.ts'

export interface NoticeTools {
  storage: Storage
  providers: Pick<Providers, 'ofAccount'>
  watch: Pick<PaymentWatch, 'notice'>
  health: Pick<AccountHealth, 'noticed'>
  clock: () => Date
  onStep?: OnStep
}

// Takes a message for one account. False where its provider did not send it.
export type TakeNotice = (message: NoticeMessage) => Promise<boolean>

// Of one message; more are left to the list of news.
const referencesMax = 100

// Undefined where there is no such account, it cannot be opened here, or its provider sends no notices.
export async function noticesOf(tools: NoticeTools, accountId: string): Promise<TakeNotice | undefined> {
  const { storage, providers, watch, health, clock, onStep } = tools
  const found = await storage.read(async (db) => {
    const account = await findAccountById(db, accountId)
    return account && { account, provider: await providers.ofAccount(db, accountId) }
  })
  const account = found?.account
  const provider = found?.provider
  if (!account || !provider?.notice) {
    watch.notice({ provider: 'none' }, 'unknown_account')
    return undefined
  }
  const facts = { provider: account.provider, accountId }

  // The adapter's own error may quote the message.
  function read(message: NoticeMessage, now: number): readonly string[] | undefined {
    try {
      const read = provider?.notice?.(message, now)
      if (read !== 'refused') return read?.references
      watch.notice(facts, 'refused')
    } catch (error) {
      watch.notice(facts, 'threw', error)
    }
    return undefined
  }

  return async (message) => {
    const now = clock().getTime()
    const references = read(message, now)
    health.noticed(account, references !== undefined)
    if (!references) return false
    onStep?.('heard')
    const news = [...new Set(references)].slice(0, referencesMax).map((reference) => ({ reference, at: now }))
    if (news.length > 0) await storage.write((tx) => notePaymentNews(tx, account, news, now))
    onStep?.('noted')
    watch.notice(facts, 'accepted')
    return true
  }
}
