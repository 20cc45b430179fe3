// What the documentation of the open surface contains besides its operations: texts, examples, named schemas.

import { collectNamedSchemas } from '../components.ts'
import * as errors from '../errors.ts'
import { issueAt } from '../issues.ts'
import type { CallerDocument, EventsDocument, SurfaceDocument } from '../openapi.ts'
import * as parts from '../parts.ts'
import { openInterfaceRefusalCodes } from '../refusals.ts'
import { sampleId } from '../sampleid.ts'
import * as siteContent from '../sitecontent.ts'
import { type EventKind, eventKinds } from '../words.ts'
import * as carts from './carts.ts'
import * as catalog from './catalog.ts'
import * as checkout from './checkout.ts'
import * as customers from './customers.ts'
import * as events from './events.ts'
import { eventExamples, openInterfaceExamples } from './examples.ts'
import * as identity from './identity.ts'
import * as oauth from './oauth.ts'
import { openInterface, operationTags, pages } from './operations.ts'
import * as orders from './orders.ts'
import * as returns from './returns.ts'
import * as search from './search.ts'
import * as site from './site.ts'
import * as webhooks from './webhooks.ts'

const description = `A storefront and checkout installation over HTTP: catalog, carts, hosted checkout, orders, webhooks.

**Credentials.** Send an API key as \`Authorization: Bearer cwk_…\`. \`x-scope\` names the scope an operation needs. The pages of a storefront use a publishable key, \`cwp_…\`, for the operations with \`x-publishable\`: it is bound to the origins of the pages, finds only carts and sessions that such keys made, and shows no stock numbers of products.

**Money** is an integer in minor units. **Instants** are RFC 3339 in UTC with milliseconds. **Presence:** an answer carries all members of its schema; what has no value is null.

**Repeating safely.** Where \`x-idempotency\` is \`required\`, send \`idempotencyKey\` in the body or the header \`Idempotency-Key\`. The same key with the same request gets the first answer again, marked \`Idempotency-Replayed: true\`; with another request it is a 409.

**Lists** answer at most 100 rows, and a link to the next where there are more. Follow the link as it is. Only a search has other query parameters.

**Strictness.** Unknown members and parameters are a 400 that names the place. Nothing is coerced.

**Stability.** \`x-stability\`: \`stable\` only grows; \`candidate\` may still change with notice; \`extension\` is an addition of this server to the interface.`

// Only the codes whose errors contain more than code and sentence.
const errorDetails: SurfaceDocument['errorDetails'] = {
  invalid_request: { issues: [issueAt('/quantity', 'integer_out_of_range', { min: 0, max: 999 })] },
  scope_missing: { current: { requiredScope: 'checkout:quote' } },
  version_conflict: { current: { version: 8 } },
  cart_not_open: { current: { status: 'converted', version: 9 } },
  insufficient_stock: { current: { available: 3, skuId: sampleId('sku') } },
  quantity_limit_exceeded: { current: { limit: 10, skuId: sampleId('sku') } },
  checkout_session_not_open: { current: { status: 'completed', version: 4 } },
  order_not_cancellable: { current: { status: 'completed', version: 3, reason: 'The order is completed.' } },
  delivery_not_final: { current: { status: 'retrying' } },
}

const pathWords: Readonly<Record<string, string>> = {
  id: 'Id of the webhook endpoint or delivery that the path names.',
  sessionId: 'Id of the checkout session.',
  slug: 'Slug of the product.',
  merchantSlug: 'Slug of the merchant.',
  productSlug: 'Slug of the product.',
  orderId: 'Id of the order.',
  cartId: 'Id of the cart.',
  skuId: 'Id of the SKU.',
  keyId: 'Id of the key; not the key itself.',
  addressId: 'Id of the saved address.',
}

const apiKey: CallerDocument = {
  title: 'API key',
  curl: [`-H "Authorization: Bearer $CARTWRIGHT_KEY"`],
  security: [
    {
      name: 'apiKey',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'cwk_…',
        description: 'An API key of an installation. The key without a scheme word is accepted too.',
      },
    },
  ],
}

const callers: SurfaceDocument['callers'] = {
  key: apiKey,
  visitor: apiKey,
  customer: {
    title: 'API key and customer session',
    curl: [...apiKey.curl, `-H "Customer-Session: $CUSTOMER_SESSION"`],
    security: [
      ...apiKey.security,
      {
        name: 'customerSession',
        scheme: {
          type: 'apiKey',
          in: 'header',
          name: 'Customer-Session',
          description:
            'The token of `openCustomerSession`, sent beside the API key, at the origin at which it was opened.',
        },
      },
    ],
  },
  oauth: {
    title: 'OAuth access token with DPoP',
    curl: [`-H "Authorization: DPoP $ACCESS_TOKEN"`, `-H "DPoP: $DPOP_PROOF"`],
    security: [
      {
        name: 'oauth',
        scheme: {
          type: 'oauth2',
          description:
            'Authorization code with PKCE (method S256), both required. Tokens are bound to a key by DPoP: send `Authorization: DPoP <token>` and a `DPoP` proof.',
          flows: {
            authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token', scopes: {} },
          },
        },
      },
    ],
  },
  anyone: { title: 'None', curl: [], security: [] },
}

// Headers of Standard Webhooks 1.0. This server sends them; the operations of the interface declare no headers.
const webhookHeaders = {
  WebhookId: webhookHeader('webhook-id', 'The id of the event: the same at every attempt and replay.'),
  WebhookTimestamp: webhookHeader('webhook-timestamp', 'Seconds since 1970 of this attempt.'),
  WebhookSignature: webhookHeader(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by full stops. Several are separated by spaces.',
  ),
}

function webhookHeader(name: string, description: string) {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}

const eventsDocument: EventsDocument = {
  description: 'What webhook endpoints are told.',
  schemas: events.eventSchemas.values().toArray(),
  parameters: webhookHeaders,
  webhooks: (schemaRef) =>
    Object.fromEntries(eventKinds.map((kind) => [kind, { post: webhookFor(kind, schemaRef(schemaOf(kind))) }])),
}

function schemaOf(kind: EventKind) {
  const schema = events.eventSchemas.get(kind)
  if (!schema) throw new Error(`the event ${kind} has no schema`)
  return schema
}

function webhookFor(kind: EventKind, schema: object): object {
  return {
    operationId: kind.replaceAll('.', '-'),
    tags: ['Events'],
    summary: events.eventDefinitions[kind].says,
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example: eventExamples[kind] } } },
    responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
  }
}

export const openInterfaceDocument: SurfaceDocument = {
  surface: openInterface,
  title: 'Cartwright',
  description,
  tags: operationTags,
  pages,
  examples: openInterfaceExamples,
  schemas: [
    ...collectNamedSchemas(
      parts,
      errors,
      catalog,
      identity,
      carts,
      customers,
      checkout,
      orders,
      returns,
      webhooks,
      oauth,
      search,
      site,
      siteContent,
      events,
    ),
    ...eventKinds.map((kind) => [events.eventSchemaName(kind), schemaOf(kind)] as const),
  ],
  errorSchema: errors.PublicErrorResponse,
  codes: openInterfaceRefusalCodes,
  errorDetails,
  pathWords,
  callers,
  events: eventsDocument,
}
