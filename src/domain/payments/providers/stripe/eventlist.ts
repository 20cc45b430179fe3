// Stripe's list of events, oldest first. Stripe lists the newest first, so a range of time with more than one page is divided in half,
// and each half is read: wherever reading stops, the events that were read are complete up to the last one, however long the list is.

import type { ProviderEventGap } from '../../port.ts'
import type { Stripe, StripeClient } from './client.ts'
import { eventTypes } from './events.ts'

interface Reading {
  client: StripeClient
  now: number
  signal: AbortSignal
  leftOut: (reason: ProviderEventGap) => void
}

// In seconds, as in Stripe's API. `to` is exclusive; null for no end.
interface Range {
  from: number
  to: number | null
}

const pageSize = 100
// Maximum number of events within one second, which cannot be divided further.
const ofSecondMax = 1_000

export async function* listEvents(reading: Reading, range: Range): AsyncIterable<Stripe.Event> {
  const { from, to } = range
  const page = await readPage(reading, range)
  if (!page.has_more) return yield* page.data.reverse()
  const end = to ?? Math.floor(reading.now / 1000) + 1
  if (end - from > 1) {
    const middle = Math.floor((from + end) / 2)
    yield* listEvents(reading, { from, to: middle })
    return yield* listEvents(reading, { from: middle, to })
  }
  const events = page.data
  let isMore: boolean = page.has_more
  while (isMore && events.length < ofSecondMax) {
    const next = await readPage(reading, range, events.at(-1)?.id)
    events.push(...next.data)
    isMore = next.has_more
  }
  if (isMore) reading.leftOut('too_many')
  yield* events.reverse()
}

function readPage(
  { client, signal }: Reading,
  { from, to }: Range,
  after?: string,
): Promise<Stripe.ApiList<Stripe.Event>> {
  const created = { gte: from, ...(to !== null && { lt: to }) }
  const cursor = after === undefined ? {} : { starting_after: after }
  return client.ask(signal, (api) => api.events.list({ created, types: [...eventTypes], limit: pageSize, ...cursor }))
}
