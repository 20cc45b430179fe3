// What may happen to a checkout session. A combination of verb and status without a row is refused.

import type { CheckoutSessionStatus, DraftStatus, EventKind } from '../../contract/words.ts'

// biome-ignore format: one row is one move
export const sessionLifecycle = [
  // verb       from          to            announces
  ['create',   null,         'open',       'checkout_session.created'       ],
  ['change',   'open',       'open',       null                             ],
  ['pay',      'open',       'processing', null                             ],
  ['complete', 'processing', 'completed',  'checkout_session.completed'     ],
  ['decline',  'processing', 'open',       'checkout_session.payment_failed'],
  ['cancel',   'open',       'cancelled',  'checkout_session.cancelled'     ],
  ['expire',   'open',       'expired',    'checkout_session.expired'       ],
] as const satisfies readonly (readonly [string, CheckoutSessionStatus | null, CheckoutSessionStatus, EventKind | null])[]

// What may happen to a draft. Its status follows from that of its session, and the verbs that end a draft are those of the session.
// biome-ignore format: one row is one move
export const draftLifecycle = [
  // verb       from      to           announces
  ['create',   null,     'open',      'draft.created'  ],
  ['change',   'open',   'open',      'draft.updated'  ],
  ['pay',      'open',   'paying',    null             ],
  ['decline',  'paying', 'open',      null             ],
  ['complete', 'paying', 'paid',      'draft.completed'],
  ['cancel',   'open',   'cancelled', 'draft.cancelled'],
  ['expire',   'open',   'expired',   'draft.expired'  ],
] as const satisfies readonly (readonly [string, DraftStatus | null, DraftStatus, EventKind | null])[]

// An open session counts as expired from its expiry time on, even before the sweep has recorded it. A session with a payment in progress
// does not: the money may be on its way.
export function sessionStatusAt(
  { status, expiresAt }: { status: CheckoutSessionStatus; expiresAt: number },
  now: number,
): CheckoutSessionStatus {
  return status === 'open' && expiresAt <= now ? 'expired' : status
}

const holdMs = 15 * 60_000

// Activity on the page extends the holds. The extension is stored at most once a minute.
export const extendEveryMs = 60_000

// Stock is held for 15 minutes from the last activity, but at most until the session ends. The session of a draft holds it until the
// session ends.
export function holdExpiryFor(
  { expiresAt, holdsWhole }: { expiresAt: number; holdsWhole: boolean },
  now: number,
): number {
  return holdsWhole ? expiresAt : Math.min(now + holdMs, expiresAt)
}

// While a payment is in progress, its stock stays held even if the provider takes long.
export const processingHoldMs = 24 * 3_600_000

const longerMs = 30 * 60_000
const lifeMsMax = 24 * 3_600_000

// Returns the new expiry if the shopper asks for more time: half an hour from now, but at most 24 hours after the session was created,
// and never before the present expiry.
export function extendedExpiry(
  { createdAt, expiresAt }: { createdAt: string | number; expiresAt: string | number },
  now: number,
): number {
  const [from, until] = [instantOf(createdAt), instantOf(expiresAt)]
  return Math.max(until, Math.min(now + longerMs, from + lifeMsMax))
}

function instantOf(value: string | number): number {
  return typeof value === 'number' ? value : Date.parse(value)
}
