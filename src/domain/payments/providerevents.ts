// Reads the lists of events at providers, in case webhooks did not arrive. Runs as a job; each account is read by one node at a time.

import type { Storage } from '../../platform/storage/storage.ts'
import { type AccountRow, claimAccountsToRead, saveSeenUntil } from './accounts.ts'
import { forgetOldProblems } from './health.ts'
import { callForProviderEvents, type ProviderEvent, type ProviderEventGap, type Providers } from './port.ts'
import { noteProviderEvents } from './store.ts'
import type { PaymentWatch } from './watch.ts'

export interface ProviderEventTools {
  storage: Storage
  providers: Pick<Providers, 'ofAccount'>
  watch: Pick<PaymentWatch, 'providerEvents' | 'providerEventsLeftOut'>
  clock: () => Date
}

const minute = 60_000
// How often the events of an account are read.
export const providerEventsEveryMs = 10 * minute
// Providers may list events with a delay.
const overlapMs = 60 * minute
// Maximum per read. The next read continues with the rest.
const eventsMax = 20_000
const readMsMax = minute
const batchSize = 200

export async function readProviderEvents(tools: ProviderEventTools, limit = 20): Promise<number> {
  const now = tools.clock().getTime()
  const accounts = await tools.storage.write((tx) => {
    forgetOldProblems(tx, now)
    return claimAccountsToRead(tx, now, providerEventsEveryMs, limit)
  })
  await Promise.all(accounts.map((account) => readAccount(tools, account, now)))
  return accounts.length
}

async function readAccount(
  { storage, providers, watch }: ProviderEventTools,
  account: AccountRow,
  now: number,
): Promise<void> {
  const provider = await storage.read((db) => providers.ofAccount(db, account.id))
  if (!provider?.providerEvents) return
  const facts = { provider: account.provider, accountId: account.id }
  const since = (account.seenUntil ?? account.createdAt) - overlapMs
  const leftOut = (reason: ProviderEventGap) => watch.providerEventsLeftOut(facts, reason)
  const providerEvents: ProviderEvent[] = []
  const isWhole = await callForProviderEvents(
    async (signal) => {
      for await (const one of provider.providerEvents?.(since, signal, leftOut) ?? []) {
        if (signal.aborted) return false
        providerEvents.push(one)
        if (providerEvents.length >= eventsMax) return false
      }
      return true
    },
    {
      msMax: readMsMax,
      onAnswer: () => watch.providerEvents(facts, 'answered'),
      onSilence: (silence) => watch.providerEvents(facts, silence),
    },
  )
  // After a partial read, even one that the provider interrupted, the next read continues where this one ended.
  const read = providerEvents.slice()
  const last = read.at(-1)
  const seenUntil = isWhole ? now : last && last.at + overlapMs
  for (let from = 0; from < read.length; from += batchSize)
    await storage.write((tx) => noteProviderEvents(tx, account, read.slice(from, from + batchSize), now))
  if (seenUntil !== undefined) await storage.write(async (tx) => saveSeenUntil(tx, account, seenUntil))
}
