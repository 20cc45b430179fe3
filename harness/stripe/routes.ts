// The operations of the API that the stand-in knows, with the schema of their parameters.

import { randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import type { Books } from './books.ts'
import { invalid } from './errors.ts'
import { findInstrument } from './instruments.ts'
import { cancelIntent, captureIntent, confirmIntent, createIntent, type IntentUpdate, updateIntent } from './intents.ts'
import { type ListParams, listed } from './lists.ts'
import {
  type EndpointParams,
  type IntentParams,
  newAccount,
  newDomain,
  newEndpoint,
  type RefundParams,
  walletNames,
} from './objects.ts'
import { createRefund } from './refunds.ts'

// Parameters were checked against the schema that the route names, so a route may say what they are.
export interface Call<Params = Record<string, unknown>> {
  books: Books
  id: string
  params: Params
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  // With `:id` for an id.
  path: string
  schema: string
  answer(call: Call): object
}

// biome-ignore format: a table is read by its rows
export const routes: readonly Route[] = [
  { method: 'GET', path: '/v1/account', schema: 'AccountRetrieve', answer: ({ books }) => newAccount(books.account) },
  { method: 'POST', path: '/v1/payment_intents', schema: 'PaymentIntentCreate', answer: postIntent },
  { method: 'GET', path: '/v1/payment_intents', schema: 'PaymentIntentList', answer: getIntents },
  { method: 'GET', path: '/v1/payment_intents/:id', schema: 'PaymentIntentRetrieve', answer: ({ books, id, params }) => expandedIntent(books, books.intent(id), params) },
  { method: 'POST', path: '/v1/payment_intents/:id', schema: 'PaymentIntentUpdate', answer: postUpdate },
  { method: 'POST', path: '/v1/payment_intents/:id/confirm', schema: 'PaymentIntentConfirm', answer: postConfirm },
  { method: 'POST', path: '/v1/payment_intents/:id/capture', schema: 'PaymentIntentCapture', answer: postCapture },
  { method: 'POST', path: '/v1/payment_intents/:id/cancel', schema: 'PaymentIntentCancel', answer: postCancel },
  { method: 'POST', path: '/v1/payment_method_domains', schema: 'PaymentMethodDomainCreate', answer: postDomain },
  { method: 'GET', path: '/v1/payment_method_domains', schema: 'PaymentMethodDomainList', answer: getDomains },
  { method: 'POST', path: '/v1/payment_method_domains/:id/validate', schema: 'PaymentMethodDomainValidate', answer: validateDomain },
  { method: 'POST', path: '/v1/refunds', schema: 'RefundCreate', answer: postRefund },
  { method: 'GET', path: '/v1/refunds', schema: 'RefundList', answer: getRefunds },
  { method: 'GET', path: '/v1/refunds/:id', schema: 'RefundRetrieve', answer: ({ books, id }) => books.refund(id) },
  { method: 'GET', path: '/v1/disputes', schema: 'DisputeList', answer: getDisputes },
  { method: 'GET', path: '/v1/events', schema: 'EventList', answer: getEvents },
  { method: 'POST', path: '/v1/webhook_endpoints', schema: 'WebhookEndpointCreate', answer: postEndpoint },
  { method: 'GET', path: '/v1/webhook_endpoints', schema: 'WebhookEndpointList', answer: ({ books, params }) => listed(books.endpoints.values(), params as ListParams, '/v1/webhook_endpoints') },
  { method: 'DELETE', path: '/v1/webhook_endpoints/:id', schema: 'WebhookEndpointDelete', answer: deleteEndpoint },
]

export function routeFor(method: string, path: string): { route: Route; id: string } | undefined {
  const given = path.split('/')
  for (const route of routes) {
    const wanted = route.path.split('/')
    if (route.method !== method || wanted.length !== given.length) continue
    if (wanted.every((part, i) => part === ':id' || part === given[i]))
      return { route, id: decodeURIComponent(given[wanted.indexOf(':id')] ?? '') }
  }
  return undefined
}

function postIntent({ books, params }: Call): object {
  const { expand: _, metadata, ...given } = params as unknown as IntentParams & { expand?: string[] }
  return expandedIntent(books, createIntent(books, { ...given, metadata: metadataOf(metadata) }), params)
}

function getIntents({ books, params }: Call): object {
  const { data, ...rest } = listed(books.intents.values(), params as ListParams, '/v1/payment_intents')
  const expand = (params as { expand?: string[] }).expand?.map((path) => path.replace(/^data\./, ''))
  return { ...rest, data: data.map((intent) => expandedIntent(books, intent, { expand })) }
}

function postUpdate({ books, id, params }: Call): object {
  const { expand: _, metadata, ...given } = params as IntentUpdate & { expand?: string[] }
  const intent = books.intent(id)
  // Names that are not given stay.
  const marked = metadata === undefined ? intent.metadata : metadataOf({ ...intent.metadata, ...metadata })
  return expandedIntent(books, updateIntent(intent, { ...given, metadata: marked }), params)
}

function postConfirm({ books, id, params }: Call): object {
  const { payment_method: token, return_url: returnUrl } = params as { payment_method?: string; return_url?: string }
  const instrument = findInstrument(token ?? '')
  if (!instrument)
    throw invalid(`No such PaymentMethod: '${token}'`, { code: 'resource_missing', param: 'payment_method' })
  return expandedIntent(books, confirmIntent(books, books.intent(id), instrument, returnUrl ?? null), params)
}

function postCapture({ books, id, params }: Call): object {
  const { amount_to_capture: amount } = params as { amount_to_capture?: number }
  return expandedIntent(books, captureIntent(books, books.intent(id), amount), params)
}

function postCancel({ books, id, params }: Call): object {
  const { cancellation_reason: reason } = params as Stripe.PaymentIntentCancelParams
  return expandedIntent(books, cancelIntent(books, books.intent(id), reason ?? null), params)
}

function postRefund({ books, params }: Call): object {
  const {
    charge,
    payment_intent: intent,
    amount,
    reason,
    metadata,
  } = params as Partial<RefundParams> & {
    charge?: string
    payment_intent?: string
  }
  if ((charge === undefined) === (intent === undefined))
    throw invalid('One of the following params should be provided for this request: payment_intent or charge.', {
      code: 'parameter_missing',
    })
  const found = charge === undefined ? books.chargeOf(books.intent(intent ?? '')) : books.charge(charge)
  return createRefund(books, found, {
    ...(amount === undefined ? {} : { amount }),
    ...(reason === undefined ? {} : { reason }),
    metadata: metadataOf(metadata),
  })
}

interface OfCharge extends ListParams {
  charge?: string
  payment_intent?: string
}

function getRefunds({ books, params }: Call): object {
  return listed(ofCharge(books.refunds.values(), params as OfCharge), params as OfCharge, '/v1/refunds')
}

function getDisputes({ books, params }: Call): object {
  return listed(ofCharge(books.disputes.values(), params as OfCharge), params as OfCharge, '/v1/disputes')
}

function ofCharge<Item extends Stripe.Refund | Stripe.Dispute>(items: Iterable<Item>, wanted: OfCharge): Item[] {
  return [...items].filter(
    (item) =>
      (wanted.charge === undefined || item.charge === wanted.charge) &&
      (wanted.payment_intent === undefined || item.payment_intent === wanted.payment_intent),
  )
}

// https://docs.stripe.com/api/events/list: events go back up to 30 days.
const eventSeconds = 30 * 86_400

function getEvents({ books, params }: Call): object {
  const { type, types, ...rest } = params as ListParams & { type?: string; types?: string[] }
  const wanted = type === undefined ? types : [type]
  const oldest = books.common.created - eventSeconds
  const found = [...books.events.values()].filter(
    ({ type, created }) => created >= oldest && (wanted === undefined || wanted.some(covers(type))),
  )
  return listed(found, rest, '/v1/events')
}

// `charge.*` means every event of charges.
const covers = (type: string) => (wanted: string) =>
  wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted

// https://docs.stripe.com/payments/payment-methods/pmd-registration: a host and no address, and one that the internet knows. Registering it
// again answers with what there is.
function postDomain({ books, params }: Call): object {
  const { domain_name: name, enabled } = params as { domain_name: string; enabled?: boolean }
  if (!/^([a-z0-9-]+\.)+[a-z][a-z0-9-]+$/i.test(name) || /(^|\.)localhost$/.test(name))
    throw invalid(`${name} is not a valid domain name.`, { param: 'domain_name' })
  const known = [...books.domains.values()].find(({ domain_name }) => domain_name === name)
  const domain = known ?? newDomain(books.common, { domain_name: name })
  if (enabled !== undefined) domain.enabled = enabled
  books.domains.set(domain.id, domain)
  return domain
}

function getDomains({ books, params }: Call): object {
  const { domain_name: name, enabled, ...rest } = params as ListParams & { domain_name?: string; enabled?: boolean }
  const found = [...books.domains.values()].filter(
    (one) => (name === undefined || one.domain_name === name) && (enabled === undefined || one.enabled === enabled),
  )
  return listed(found, rest, '/v1/payment_method_domains')
}

// What a test has mended is active now; the others stay as they are.
function validateDomain({ books, id }: Call): object {
  const domain = books.domains.get(id)
  if (!domain)
    throw invalid(`No such payment method domain: '${id}'`, {
      code: 'resource_missing',
      param: 'payment_method_domain',
    })
  for (const wallet of walletNames) if (!domain[wallet].status_details) domain[wallet] = { status: 'active' }
  return domain
}

function postEndpoint({ books, params }: Call): object {
  const { metadata, ...given } = params as unknown as EndpointParams
  const scheme = /^(https?):\/\//.exec(given.url)?.[1]
  if (scheme === undefined || (books.livemode && scheme !== 'https'))
    throw invalid('Invalid URL: An explicit scheme (such as https) must be provided.', {
      code: 'url_invalid',
      param: 'url',
    })
  const endpoint = newEndpoint(books.common, { ...given, metadata: metadataOf(metadata) })
  const secret = `whsec_${randomBytes(24).toString('hex')}`
  books.endpoints.set(endpoint.id, endpoint)
  books.endpointSecrets.set(endpoint.id, secret)
  // The only answer that has the secret.
  return { ...endpoint, secret }
}

function deleteEndpoint({ books, id }: Call): object {
  if (!books.endpoints.delete(id))
    throw invalid(`No such webhook endpoint: '${id}'`, { code: 'resource_missing', param: 'id' })
  books.endpointSecrets.delete(id)
  books.pending = books.pending.filter(({ endpoint }) => endpoint !== id)
  return { id, object: 'webhook_endpoint', deleted: true } satisfies Stripe.DeletedWebhookEndpoint
}

function expandedIntent(books: Books, intent: Stripe.PaymentIntent, params: { expand?: unknown }): object {
  const wanted = (params.expand ?? []) as string[]
  for (const path of wanted)
    if (path !== 'latest_charge') throw invalid(`This property cannot be expanded (${path}).`, { param: 'expand' })
  return wanted.length === 0 ? intent : { ...intent, latest_charge: books.chargeOf(intent) ?? null }
}

// https://docs.stripe.com/api/metadata
function metadataOf(given: Record<string, string> | '' | undefined): Record<string, string> {
  const entries = Object.entries(given || {}).filter(([, value]) => value !== '')
  if (entries.length > 50) throw invalid('Metadata can have at most 50 keys.', { param: 'metadata' })
  for (const [name, value] of entries)
    if (name.length > 40 || value.length > 500)
      throw invalid('Metadata keys can have up to 40 characters, values up to 500.', { param: 'metadata' })
  return Object.fromEntries(entries)
}
