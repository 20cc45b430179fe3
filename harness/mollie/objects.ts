// The objects of Mollie's API as its answers have them: https://docs.mollie.com/reference/get-payment, /get-refund,
// /get-chargeback, /get-current-profile and /pagination.

import type { Books, StoredChargeback, StoredPayment, StoredRefund } from './books.ts'

export interface Place {
  // The stand-in's own origin.
  origin: string
  mode: 'test' | 'live'
  profileId: string
}

const time = (ms: number) => new Date(ms).toISOString().replace('.000Z', '+00:00')
const link = (href: string, type = 'application/hal+json') => ({ href, type })

export function paymentObject(books: Books, place: Place, payment: StoredPayment, embed = false): object {
  const { origin, mode, profileId } = place
  const { id, token, request, status, method, details, isCancelable, createdAt, expiresAt, changedAt } = payment
  const isOpen = status === 'open' || status === 'pending'
  const self = `${origin}/v2/payments/${id}`
  return {
    resource: 'payment',
    id,
    mode,
    createdAt: time(createdAt),
    amount: request.amount,
    description: request.description,
    method,
    metadata: request.metadata ?? null,
    status,
    ...(isOpen && { isCancelable, expiresAt: time(expiresAt) }),
    ...(changedAt !== null && { [`${status}At`]: time(changedAt) }),
    ...(details && { details }),
    profileId,
    sequenceType: 'oneoff',
    redirectUrl: request.redirectUrl,
    ...(request.cancelUrl && { cancelUrl: request.cancelUrl }),
    ...(request.webhookUrl && { webhookUrl: request.webhookUrl }),
    ...(request.locale && { locale: request.locale }),
    ...(embed && {
      _embedded: {
        refunds: books.refundsOf(id).map((refund) => refundObject(place, refund)),
        chargebacks: [...books.chargebacks.values()]
          .filter(({ paymentId }) => paymentId === id)
          .map((chargeback) => chargebackObject(place, chargeback)),
      },
    }),
    _links: {
      self: link(self),
      ...(status === 'open' && { checkout: link(`${origin}/checkout/select-method/${token}`, 'text/html') }),
      dashboard: link(`https://my.mollie.com/dashboard/org_1/payments/${id}`, 'text/html'),
    },
  }
}

export function refundObject({ origin, mode }: Place, refund: StoredRefund): object {
  const { createdAt, paymentId, id } = refund
  const payment = `${origin}/v2/payments/${paymentId}`
  return {
    resource: 'refund',
    mode,
    ...refund,
    createdAt: time(createdAt),
    _links: { self: link(`${payment}/refunds/${id}`), payment: link(payment) },
  }
}

export function chargebackObject({ origin }: Place, chargeback: StoredChargeback): object {
  const { createdAt, reversedAt, paymentId, id } = chargeback
  const payment = `${origin}/v2/payments/${paymentId}`
  return {
    resource: 'chargeback',
    ...chargeback,
    createdAt: time(createdAt),
    reversedAt: reversedAt === null ? null : time(reversedAt),
    _links: { self: link(`${payment}/chargebacks/${id}`), payment: link(payment) },
  }
}

export interface Page<Row> {
  rows: readonly Row[]
  from: string | undefined
  limit: number
}

// Newest first, from the row with that id on.
export function listObject<Row extends { id: string }>(
  place: Place,
  name: 'payments' | 'refunds' | 'chargebacks',
  { rows, from, limit }: Page<Row>,
  show: (row: Row) => object,
): object {
  const newest = rows.toReversed()
  const start = from === undefined ? 0 : newest.findIndex(({ id }) => id === from)
  const shown = start < 0 ? [] : newest.slice(start, start + limit)
  const next = newest[start + limit]
  return {
    count: shown.length,
    _embedded: { [name]: shown.map(show) },
    _links: {
      self: link(`${place.origin}/v2/${name}`),
      previous: null,
      next: next ? link(`${place.origin}/v2/${name}?from=${next.id}&limit=${limit}`) : null,
    },
  }
}

export function profileObject({ origin, profileId }: Place, name: string, status: string): object {
  return {
    resource: 'profile',
    id: profileId,
    // A profile is live even if it is requested with a test key.
    mode: 'live',
    name,
    website: 'https://shop.example',
    email: 'shop@example.com',
    phone: '+31208202070',
    businessCategory: 'OTHER_MERCHANDISE',
    status,
    createdAt: '2026-01-01T00:00:00+00:00',
    _links: { self: link(`${origin}/v2/profiles/${profileId}`) },
  }
}
