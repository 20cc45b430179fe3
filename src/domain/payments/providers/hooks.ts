// The URL at which providers send their webhooks.

import { addressBucket, type Throttle } from '../../../platform/access/throttle.ts'
import { readBytes } from '../../../platform/http/body.ts'
import type { HtmlPage, PageRequest } from '../../../platform/http/pages.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { type ProviderWebhookTools, providerWebhooksOf, type TakeProviderWebhook } from '../providerwebhooks.ts'
import { providerWebhookPath } from './registry.ts'

export interface HookParts extends ProviderWebhookTools {
  // Limits refused webhooks by address and, if known, by account. Accepted webhooks are not limited: a provider may send thousands per
  // minute from one address. All customers of a provider share its addresses, so a refused webhook for one account does not count for
  // another.
  refusedThrottle: Throttle | null
}

const webhookBytesMax = 256 * 1_024

export function providerWebhookPage(parts: HookParts): HtmlPage {
  const { refusedThrottle: throttle, clock } = parts

  function refuseAfter(retryAfterMs = 0): void {
    if (retryAfterMs > 0) throw refuse('rate_limited', { retryAfterMs })
  }

  return {
    path: `${providerWebhookPath}:account`,
    name: 'payment notice',
    methods: ['POST'],
    takesMessages: true,
    async answer(request) {
      const account = request.path.account ?? ''
      const take = await providerWebhooksOf(parts, account)
      const address = addressBucket(request.address)
      const bucket = take ? `${account} ${address}` : address
      // Checked before the body is read.
      refuseAfter(throttle?.peek(bucket, clock().getTime()))
      const outcome = take ? await takeFrom(take, request) : 'unknown'
      if (outcome === 'taken') return { status: 200, body: '', headers: {} }
      refuseAfter(throttle?.take(bucket, clock().getTime()))
      throw refusals[outcome]()
    },
  }
}

const refusals = {
  unknown: () => refuse('route_not_found'),
  refused: () =>
    refuse('invalid_request', { message: 'The signature of the webhook is not that of the payment provider.' }),
  too_large: () => refuse('body_too_large', { status: 413, message: 'The webhook is larger than 256 KiB.' }),
} as const

async function takeFrom(
  take: TakeProviderWebhook,
  { raw, receive }: PageRequest,
): Promise<'taken' | 'refused' | 'too_large'> {
  const body = await receive(() => readBytes(raw, webhookBytesMax))
  if (body === 'too_large') return body
  return body !== 'ended_early' && (await take({ headers: raw.headers, body })) ? 'taken' : 'refused'
}
