// News: what providers list as having happened, for notices that did not arrive. One round of a loop; an account is read by one
// node at a time.

import type { Storage } from '../../platform/storage/storage.ts'
import { type AccountRow, claimAccountsToRead, saveSeenUntil } from './accounts.ts'
import { forgetOldProblems } from './health.ts'
import { callForNews, type NewsGap, type PaymentNews, type Providers } from './port.ts'
import { notePaymentNews } from './store.ts'
import type { PaymentWatch } from './watch.ts'

export interface NewsTools {
  storage: Storage
  providers: Pick<Providers, 'ofAccount'>
  watch: Pick<PaymentWatch, 'news' | 'newsLeftOut'>
  clock: () => Date
}

const minute = 60_000
// How often each account is read.
export const newsEveryMs = 10 * minute
// What happened is not always listed at once.
const overlapMs = 60 * minute
// Of one reading. What is left is read the next time.
const newsMax = 20_000
const readMsMax = minute
const batchSize = 200

export async function readNews(tools: NewsTools, limit = 20): Promise<number> {
  const now = tools.clock().getTime()
  const accounts = await tools.storage.write((tx) => {
    forgetOldProblems(tx, now)
    return claimAccountsToRead(tx, now, newsEveryMs, limit)
  })
  await Promise.all(accounts.map((account) => readAccount(tools, account, now)))
  return accounts.length
}

async function readAccount({ storage, providers, watch }: NewsTools, account: AccountRow, now: number): Promise<void> {
  const provider = await storage.read((db) => providers.ofAccount(db, account.id))
  if (!provider?.news) return
  const facts = { provider: account.provider, accountId: account.id }
  const since = (account.seenUntil ?? account.createdAt) - overlapMs
  const leftOut = (reason: NewsGap) => watch.newsLeftOut(facts, reason)
  const news: PaymentNews[] = []
  const isWhole = await callForNews(
    async (signal) => {
      for await (const one of provider.news?.(since, signal, leftOut) ?? []) {
        if (signal.aborted) return false
        news.push(one)
        if (news.length >= newsMax) return false
      }
      return true
    },
    {
      msMax: readMsMax,
      onAnswer: () => watch.news(facts, 'answered'),
      onSilence: (silence) => watch.news(facts, silence),
    },
  )
  // Read in part, also by a provider that failed on the way: the next reading begins where this one ended.
  const read = news.slice()
  const last = read.at(-1)
  const seenUntil = isWhole ? now : last && last.at + overlapMs
  for (let from = 0; from < read.length; from += batchSize)
    await storage.write((tx) => notePaymentNews(tx, account, read.slice(from, from + batchSize), now))
  if (seenUntil !== undefined) await storage.write(async (tx) => saveSeenUntil(tx, account, seenUntil))
}
