// The hosted page of the stand-in for Mollie, with the shopper's bank behind its buttons. Plain HTML: it works in a
// browser with and without script.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Books, ShopperAct, StoredPayment } from './books.ts'

export const pagePath = /^\/checkout\/select-method\/(\w+)$/

const acts: Readonly<Record<string, ShopperAct>> = {
  pay: { kind: 'pay' },
  fail: { kind: 'fail', reason: 'insufficient_funds' },
  cancel: { kind: 'cancel' },
  transfer: { kind: 'transfer' },
  later: { kind: 'later' },
}

export function answerPage(
  books: readonly Books[],
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): void {
  const [, token = ''] = pagePath.exec(request.url ?? '') ?? []
  const found = findByToken(books, token)
  if (!found) {
    response.writeHead(404).end()
    return
  }
  const { payment } = found
  if (request.method === 'POST') {
    const act = acts[new URLSearchParams(body).get('act') ?? '']
    if (!act) {
      response.writeHead(400).end()
      return
    }
    if (payment.status === 'open') found.books.act(payment.id, act)
    const { redirectUrl, cancelUrl } = payment.request
    const isCanceled = payment.status === 'canceled'
    response.writeHead(303, { location: isCanceled && cancelUrl ? cancelUrl : redirectUrl }).end()
    return
  }
  const { amount, description } = payment.request
  const buttons = Object.keys(acts).map((act) => `<button name="act" value="${act}">${act}</button>`)
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(
      `<!doctype html><title>Mollie</title><link rel="icon" href="data:,"><h1>${amount.currency} ${amount.value}</h1><p>${escaped(description)}</p>` +
        `<form method="post">${buttons.join('')}</form>`,
    )
}

function findByToken(books: readonly Books[], token: string): { books: Books; payment: StoredPayment } | undefined {
  for (const each of books)
    for (const { id, token: known } of each.payments.values())
      if (known === token) return { books: each, payment: each.payment(id) }
  return undefined
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
