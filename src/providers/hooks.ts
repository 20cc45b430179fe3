// The address at which providers send their notices.

import { addressBucket, type Throttle } from '../access/throttle.ts'
import { readBytes } from '../http/body.ts'
import type { HtmlPage, PageRequest } from '../http/pages.ts'
import { refuse } from '../kit/refuse.ts'
import { type NoticeTools, noticesOf, type TakeNotice } from '../payments/notices.ts'
import { noticePath } from './registry.ts'

export interface HookParts extends NoticeTools {
  // Of messages that were refused, by address, and by account where there is one. A provider may send thousands from one address
  // in a minute, and none of them is too many. It sends for strangers from the same addresses, so what is refused for one
  // account does not count for another.
  refusedThrottle: Throttle | null
}

const noticeBytesMax = 256 * 1_024

export function noticePage(parts: HookParts): HtmlPage {
  const { refusedThrottle: throttle, clock } = parts

  function refuseAfter(retryAfterMs = 0): void {
    if (retryAfterMs > 0) throw refuse('rate_limited', { retryAfterMs })
  }

  return {
    path: `${noticePath}:account`,
    name: 'payment notice',
    methods: ['POST'],
    takesMessages: true,
    async answer(request) {
      const account = request.path.account ?? ''
      const take = await noticesOf(parts, account)
      const address = addressBucket(request.address)
      const bucket = take ? `${account} ${address}` : address
      // Before the message is read.
      refuseAfter(throttle?.peek(bucket, clock().getTime()))
      if (take && (await isTaken(take, request))) return { status: 200, body: '', headers: {} }
      refuseAfter(throttle?.take(bucket, clock().getTime()))
      throw take
        ? refuse('invalid_request', { message: 'The message does not come from the payment provider.' })
        : refuse('route_not_found')
    },
  }
}

async function isTaken(take: TakeNotice, { raw, receive }: PageRequest): Promise<boolean> {
  const body = await receive(() => readBytes(raw, noticeBytesMax))
  return typeof body !== 'string' && take({ headers: raw.headers, body })
}
