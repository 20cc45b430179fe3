// A stand-in for Stripe in tests: the API, the script of js.stripe.com and a shopper's bank, in one server on a free loopback
// port. It follows Stripe's documentation as far as a payment adapter can see it, and fails the test when it is asked for more. It is
// what we believe of Stripe: run the same flows with a Stripe test account before the first live key.
//
//   const stripe = await openStripe({ clock })
//   new Stripe(stripe.account.test.secretKey, stripe.clientOptions)      // or CARTWRIGHT_STRIPE_URL = stripe.url
//   stripe.account.test.pay(intentId, '4000002500003155')                // requires_action
//   stripe.account.test.authenticate(intentId)                           // succeeded
//   await stripe.account.test.webhooks.deliver({ order: 'reversed', times: 2 })
//   stripe.network.lose('after', { method: 'POST', path: '/v1/refunds' })
//   stripe.account.test.keys.forget()
//   stripe.account.test.books.totals()                                   // { charged: { eur: 1999 }, … }
//   await stripe.close()                                                 // throws if it was asked for something it does not support

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readBounded } from '../boundedBody.ts'
import { lasting } from '../lasting.ts'
import { Account } from './account.ts'
import { type ApiRequest, answerApi } from './api.ts'
import { Network } from './network.ts'
import { answerPage } from './pages.ts'

export interface StandIn {
  url: string
  // For the official client.
  clientOptions: { host: string; port: number; protocol: 'http'; telemetry: false }
  // The first account; a second one belongs to another merchant.
  account: Account
  addAccount(): Account
  network: Network
  // Every request to /v1/, in the order of the answers.
  requests: readonly ApiRequest[]
  // Every request at all, also of browsers: address, referrer and body.
  heard: readonly string[]
  // Requests that it does not support, and answers of its own that do not fit Stripe's types.
  defects: readonly string[]
  close(): Promise<void>
}

const bodyBytesMax = 1_000_000

export interface StandInOptions {
  clock?: () => Date
  // Whether `requests` and `heard` are filled (default: true). A long run has no room for them.
  isRecording?: boolean
}

export async function openStripe({
  clock = () => new Date(),
  isRecording = true,
}: StandInOptions = {}): Promise<StandIn> {
  const [accounts, requests, defects]: [Account[], ApiRequest[], string[]] = [[], [], []]
  const heard: string[] = []
  const network = new Network()
  const server = createServer(lasting, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client was killed while it sent its request.
      if (request.destroyed && !request.complete) return
      defects.push(String((error as Error)?.stack ?? error))
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBounded(request, bodyBytesMax)
    if (isRecording) heard.push(`${request.method} ${request.url} ${request.headers.referer ?? ''} ${body}`)
    if (request.url?.startsWith('/v1/'))
      await answerApi({ accounts, network, requests: isRecording ? requests : [], defects }, request, response, body)
    else answerPage(accounts, request, response, body)
  }

  function addAccount(): Account {
    const account = new Account({ origin: url, clock })
    accounts.push(account)
    return account
  }

  return {
    url,
    clientOptions: { host: '127.0.0.1', port, protocol: 'http', telemetry: false },
    account: addAccount(),
    addAccount,
    network,
    requests,
    heard,
    defects,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      const different = [...new Set(defects)].slice(0, 5)
      if (different.length > 0) throw new Error(`the stand-in for Stripe failed:\n${different.join('\n')}`)
    },
  }
}
