// How a merchant's account at Stripe is connected, checked and disconnected. The operator enters its keys, which are stored encrypted; no
// message, log line or error contains one.

import { type Issue, issueAt } from '../../../../contract/issues.ts'
import type { Mode } from '../../../../contract/words.ts'
import { AccountRefused, type ConnectRequest, type DecryptedAccount, type ProviderAccounts } from '../../accountport.ts'
import { stripeMinimum } from './amounts.ts'
import { createStripeClient, type Stripe, type StripeClient, StripeFailure, stripeVersion } from './client.ts'
import { domainProblems, registerDomain } from './domains.ts'
import { eventTypes } from './events.ts'
import { createStripeProvider, stripeName } from './provider.ts'

export interface StripeAccountParts {
  clock: () => Date
  // For tests: URL of the stand-in for Stripe.
  url: string | undefined
}

const noticeSecret = 'noticeSecret'
const provider = 'Stripe'

export function createStripeAccounts({ clock, url }: StripeAccountParts): ProviderAccounts {
  function clientFor(key: string, onCall?: DecryptedAccount['onCall']): StripeClient {
    if (url !== undefined && modeOf(key) !== 'test')
      throw new AccountRefused(issueAt(secretPath, 'live_key_with_stand_in', { setting: 'CARTWRIGHT_STRIPE_URL' }))
    return createStripeClient(key, url, onCall)
  }

  return {
    name: stripeName,
    questions: [
      { name: 'publishableKey', label: 'Publishable key (pk_test_…, pk_live_…)' },
      { name: 'secretKey', label: 'Restricted or secret key (rk_test_…, rk_live_…, sk_…)' },
    ],
    accountFact: 'account',
    noticeSecret,

    async connect({ answers, mode, noticeUrl, pageHost }, signal) {
      const { publishableKey, secretKey } = keysIn(answers, mode)
      const client = clientFor(secretKey)
      const account = await asked(() => client.ask(signal, (api) => api.accounts.retrieveCurrent()))
      const [problem] = await problemsOf(client, { account, pageHost }, signal)
      if (problem !== undefined) throw new AccountRefused(problem)
      const foreign = await asked(async () => {
        const intent = await findIntent(client, signal)
        return intent
          ? publishableProblem(clientFor(publishableKey), intent, signal)
          : withPassingIntent(client, account, signal, (made) =>
              publishableProblem(clientFor(publishableKey), made, signal),
            )
      })
      if (foreign !== null) throw new AccountRefused(foreign)
      if (pageHost !== null) await asked(() => registerDomain(client, pageHost, signal))
      const facts = { account: account.id, ...shownFacts(account), publishableKey }
      if (noticeUrl === null) return { public: facts, secrets: { secretKey } }
      const endpoint = await asked(() =>
        client.ask(signal, (api) => api.webhookEndpoints.create(endpointAt(noticeUrl))),
      )
      return {
        public: { ...facts, endpoint: endpoint.id },
        secrets: { secretKey, [noticeSecret]: endpoint.secret ?? '' },
      }
    },

    async check({ account, secrets, noticeUrl, pageHost }, signal) {
      try {
        const client = clientFor(secrets.secretKey ?? '')
        const there = await client.ask(signal, (api) => api.accounts.retrieveCurrent())
        if (there.id !== account.public.account) return [issueAt('', 'key_of_other_account', { provider })]
        const { endpoint, publishableKey = '' } = account.public
        return [
          ...(await problemsOf(client, { account: there, pageHost }, signal)),
          ...(await unlessDenied(async () => {
            const intent = await findIntent(client, signal)
            const problem = intent && (await publishableProblem(clientFor(publishableKey), intent, signal))
            return problem ? [problem] : []
          })),
          ...(pageHost === null ? [] : await unlessDenied(() => domainProblems(client, pageHost, signal))),
          ...(endpoint === undefined || noticeUrl === null
            ? []
            : await unlessDenied(() => endpointProblems(client, endpoint, noticeUrl, signal))),
        ]
      } catch (error) {
        return [issueOf(error)]
      }
    },

    async disconnect({ account, secrets }, signal) {
      const { endpoint } = account.public
      if (endpoint === undefined) return
      try {
        await clientFor(secrets.secretKey ?? '').ask(signal, (api) => api.webhookEndpoints.del(endpoint))
      } catch (error) {
        if (error instanceof StripeFailure && error.reason === 'resource_missing') return
        throw new AccountRefused(issueAt('', 'endpoint_not_deleted', { provider, value: endpoint }))
      }
    },

    noticeHelp: (noticeUrl) =>
      `In Stripe's dashboard, under Developers, Webhooks, add the endpoint ${noticeUrl} with the events ${eventTypes.join(', ')}, and give its signing secret (whsec_…).`,

    open({ account, secrets, previous, onCall }: DecryptedAccount) {
      const { secretKey = '' } = secrets
      if (modeOf(secretKey) !== account.mode)
        throw new Error(`the key must be a key of ${account.mode} mode, as its account`)
      return createStripeProvider({
        client: clientFor(secretKey, onCall),
        mode: account.mode,
        publishableKey: account.public.publishableKey ?? '',
        account: account.public.account,
        descriptor: account.public.descriptor,
        // An empty secret is left out, because everyone could sign with it.
        noticeSecrets: [secrets, ...previous].flatMap((known) => known[noticeSecret] || []),
        clock,
        url,
      })
    },
  }
}

const publishablePath = '/keys/publishableKey'
const secretPath = '/keys/secretKey'

function modeOf(key: string): Mode | undefined {
  return /^(?:pk|rk|sk)_(test|live)_\w+$/.exec(key)?.[1] as Mode | undefined
}

function keysIn(answers: ConnectRequest['answers'], mode: Mode): { publishableKey: string; secretKey: string } {
  const [publishableKey, secretKey] = [answers.publishableKey?.trim() ?? '', answers.secretKey?.trim() ?? '']
  if (!publishableKey.startsWith('pk_') || modeOf(publishableKey) === undefined)
    throw new AccountRefused(issueAt(publishablePath, 'not_a_publishable_key'))
  if (secretKey.startsWith('pk_') || modeOf(secretKey) === undefined)
    throw new AccountRefused(issueAt(secretPath, 'not_a_secret_key'))
  for (const [path, key] of [
    [publishablePath, publishableKey],
    [secretPath, secretKey],
  ] as const) {
    const keyMode = modeOf(key)
    if (keyMode !== undefined && keyMode !== mode)
      throw new AccountRefused(issueAt(path, 'key_of_other_mode', { mode: keyMode }))
  }
  return { publishableKey, secretKey }
}

// The permissions of a restricted key, tested by reading one object of each kind. A missing permission to write is only reported by
// Stripe when something is written.
const needs: readonly { right: string; read: (api: Stripe) => Promise<unknown> }[] = [
  { right: 'PaymentIntents: write', read: (api) => api.paymentIntents.list({ limit: 1 }) },
  { right: 'Charges and Refunds: write', read: (api) => api.refunds.list({ limit: 1 }) },
  { right: 'Disputes: read', read: (api) => api.disputes.list({ limit: 1 }) },
  { right: 'Events: read', read: (api) => api.events.list({ limit: 1 }) },
  { right: 'Webhook Endpoints: write', read: (api) => api.webhookEndpoints.list({ limit: 1 }) },
]
// Only needed if there is a domain to register.
const needsOfPage: typeof needs = [
  { right: 'Payment Method Domains: write', read: (api) => api.paymentMethodDomains.list({ limit: 1 }) },
]

async function problemsOf(
  client: StripeClient,
  { account, pageHost }: { account: Stripe.Account; pageHost: string | null },
  signal: AbortSignal,
): Promise<Issue[]> {
  const missing: string[] = []
  for (const { right, read } of [...needs, ...(pageHost === null ? [] : needsOfPage)])
    try {
      await client.ask(signal, read)
    } catch (error) {
      if (!(error instanceof StripeFailure && error.status === 403)) return [issueOf(error)]
      missing.push(right)
    }
  return [
    ...(missing.length > 0 ? [issueAt(secretPath, 'permissions_missing', { members: missing })] : []),
    ...(account.charges_enabled === false ? [issueAt('', 'account_not_charging', { provider })] : []),
  ]
}

// If the key lacks the permission to read something, that is reported with the missing permissions.
async function unlessDenied(check: () => Promise<Issue[]>): Promise<Issue[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof StripeFailure && error.status === 403) return []
    throw error
  }
}

async function findIntent(client: StripeClient, signal: AbortSignal): Promise<Stripe.PaymentIntent | undefined> {
  return (await client.ask(signal, (api) => api.paymentIntents.list({ limit: 1 }))).data[0]
}

// A new account has no intent to read, so an intent is created and canceled. This also shows that the key may write intents.
async function withPassingIntent<Answer>(
  client: StripeClient,
  { default_currency: currency = 'usd' }: Stripe.Account,
  signal: AbortSignal,
  use: (intent: Stripe.PaymentIntent) => Promise<Answer>,
): Promise<Answer> {
  const description = 'Check of the keys by Cartwright; cancelled at once'
  const amount = stripeMinimum(currency.toUpperCase()) ?? 10_000
  const intent = await client.ask(signal, (api) => api.paymentIntents.create({ amount, currency, description }))
  try {
    return await use(intent)
  } finally {
    await client.ask(signal, (api) => api.paymentIntents.cancel(intent.id))
  }
}

// https://docs.stripe.com/api/payment_intents/retrieve: a publishable key can read an intent of its own account if the client secret is
// known. By itself, the key does not show to which account it belongs.
async function publishableProblem(
  shopper: StripeClient,
  { id, client_secret }: Stripe.PaymentIntent,
  signal: AbortSignal,
): Promise<Issue | null> {
  if (client_secret === null) return null
  try {
    await shopper.ask(signal, (api) => api.paymentIntents.retrieve(id, { client_secret }))
    return null
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error
    if (error.status === 401) return issueAt(publishablePath, 'key_not_accepted', { provider })
    if (error.reason === 'resource_missing') return issueAt(publishablePath, 'keys_of_two_accounts', { provider })
    throw error
  }
}

async function endpointProblems(
  client: StripeClient,
  endpoint: string,
  noticeUrl: string,
  signal: AbortSignal,
): Promise<Issue[]> {
  const named = { provider, value: endpoint }
  const all = await client.ask(signal, (api) => api.webhookEndpoints.list({ limit: 100 }))
  const found = all.data.find(({ id }) => id === endpoint)
  if (!found) return [issueAt('', 'endpoint_missing', named)]
  if (found.url !== noticeUrl) return [issueAt('', 'endpoint_moved', named)]
  if (found.status !== 'enabled') return [issueAt('', 'endpoint_off', named)]
  return []
}

function endpointAt(url: string): Stripe.WebhookEndpointCreateParams {
  // Events have the format of the API version that this code is compiled against.
  const api_version = stripeVersion as Stripe.WebhookEndpointCreateParams.ApiVersion
  return { url, enabled_events: [...eventTypes], api_version, description: 'Cartwright' }
}

// `descriptor`: the account's prefix on card statements.
function shownFacts(account: Stripe.Account): Record<string, string> {
  const { country, default_currency: currency, settings, business_profile: profile } = account
  const name = settings?.dashboard.display_name || profile?.name
  const descriptor =
    settings?.card_payments.statement_descriptor_prefix || settings?.payments.statement_descriptor || undefined
  return {
    ...(name && { name }),
    ...(country && { country }),
    ...(currency && { currency: currency.toUpperCase() }),
    ...(descriptor && { descriptor }),
  }
}

async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    throw new AccountRefused(issueOf(error))
  }
}

function issueOf(error: unknown): Issue {
  if (error instanceof AccountRefused) return error.issue
  if (!(error instanceof StripeFailure) || error.status === undefined)
    return issueAt('', 'provider_unreachable', { provider })
  if (error.status === 401) return issueAt(secretPath, 'key_not_accepted', { provider })
  if (error.status === 403) return issueAt(secretPath, 'permissions_missing')
  return issueAt('', 'provider_refused', { provider, reason: String(error.reason ?? error.status) })
}
