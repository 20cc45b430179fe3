// What a shopper's browser gets: the script that Stripe serves at js.stripe.com under the name of a release, the frame with the payment form, and the bank's
// page for 3-D Secure. Stripe's own are served from several hosts; here all have the origin of the stand-in, which is not the shop's.

import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Stripe from 'stripe'
import type { Account } from './account.ts'
import type { Books } from './books.ts'
import { parseForm } from './form.ts'
import { authenticateIntent } from './intents.ts'

// https://docs.stripe.com/changelog/acacia/2025-02-24/stripe-js-versioning: releases are named as those of the API.
const script = `/${Stripe.API_VERSION.split('.')[1]}/stripe.js`

const file = (name: string) => readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8')

export function answerPage(
  accounts: readonly Account[],
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): void {
  const { pathname: path } = new URL(request.url ?? '', 'http://stand-in')
  const send = (status: number, type: string, text: string) =>
    response
      .writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', ...open })
      .end(text)
  if (request.method === 'GET' && path === script) send(200, 'text/javascript', file('script.js'))
  else if (request.method === 'GET' && path === '/v3/frame') send(200, 'text/html', file('frame.html'))
  else if (request.method === 'GET' && path === '/v3/frame.js') send(200, 'text/javascript', file('frame.js'))
  else if (request.method === 'GET' && path === '/v3/page') response.writeHead(204, open).end()
  else {
    const found = findAttempt(accounts, /^\/bank\/(\w+)$/.exec(path)?.[1])
    if (!found) send(404, 'text/plain', 'not found')
    else if (request.method === 'GET') send(200, 'text/html', bankPage(found.intent))
    else response.writeHead(303, { location: answerBank(found, parseForm(body).answer) }).end()
  }
}

// The script is loaded by pages of other origins.
const open = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

interface Found {
  books: Books
  intent: Stripe.PaymentIntent
  returnUrl: string
}

function findAttempt(accounts: readonly Account[], token: string | undefined): Found | undefined {
  for (const { test, live } of accounts)
    for (const { books } of [test, live])
      for (const [id, attempt] of books.attempts)
        if (attempt.token === token) return { books, intent: books.intent(id), returnUrl: attempt.returnUrl ?? '/' }
  return undefined
}

function bankPage({ amount, currency }: Stripe.PaymentIntent): string {
  return `<!doctype html><html lang="en"><title>Bank</title><link rel="icon" href="data:,"><h1>3-D Secure</h1><p>Pay ${amount} ${currency}?</p>
<form method="post"><button name="answer" value="accept">Accept</button><button name="answer" value="refuse">Refuse</button></form></html>`
}

// An intent that was cancelled meanwhile, or answered in another tab, cannot be moved by the bank any more.
function answerBank({ books, intent, returnUrl }: Found, answer: unknown): string {
  if (intent.status === 'requires_action') authenticateIntent(books, intent, answer === 'accept' ? 'accept' : 'refuse')
  return returnUrlFor(intent, returnUrl)
}

export function returnUrlFor({ id, client_secret: secret, status }: Stripe.PaymentIntent, returnUrl: string): string {
  const url = new URL(returnUrl)
  url.searchParams.set('payment_intent', id)
  url.searchParams.set('payment_intent_client_secret', secret ?? '')
  url.searchParams.set('redirect_status', status === 'succeeded' ? 'succeeded' : 'failed')
  return url.href
}
