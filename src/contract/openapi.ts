// The OpenAPI 3.1 document, printed from the rows. The same rows make the same text, byte for byte.

import { componentSchemas, schemaRef } from './components.ts'
import { PublicErrorResponse } from './errors.ts'
import { eventSchemas, events } from './open/events.ts'
import { eventExamples, examples } from './open/examples.ts'
import { type Operation, type OperationId, operationIds, operations, tags } from './open/operations.ts'
import { sampleId } from './open/samples.ts'
import { type RefusalCode, type RefusalStatus, refusalCodes, refusals } from './refusals.ts'
import { type EventKind, eventKinds } from './words.ts'

export function openApiDocument({ serverUrl = '/', version }: { serverUrl?: string; version: string }): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cartwright',
      version,
      description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [...tags, { name: 'Events', description: 'What webhook endpoints are told.' }],
    paths: pathsFrom(operationIds),
    webhooks: Object.fromEntries(eventKinds.map((kind) => [kind, { post: webhookFor(kind) }])),
    components: {
      schemas: componentSchemas(),
      responses: Object.fromEntries(errorStatuses.map((status) => [errorNames[status], errorResponse(status)])),
      parameters: webhookHeaders,
      securitySchemes,
    },
  }
}

// The neutral document, as it is kept in the repository.
export function printOpenApi({ version }: { version: string }): string {
  return `${JSON.stringify(openApiDocument({ version }), null, 2)}\n`
}

const description = `A storefront and checkout installation over HTTP: catalog, carts, hosted checkout, orders, webhooks.

**Credentials.** Send an API key as \`Authorization: Bearer cwk_…\`. \`x-scope\` names the scope an operation needs.

**Money** is an integer in minor units. **Instants** are RFC 3339 in UTC with milliseconds. **Presence:** an answer carries all members of its schema; what has no value is null.

**Repeating safely.** Where \`x-idempotency\` is \`required\`, send \`idempotencyKey\` in the body or the header \`Idempotency-Key\`. The same key with the same request gets the first answer again, marked \`Idempotency-Replayed: true\`; with another request it is a 409.

**Lists** answer at most 100 rows, and a link to the next where there are more. Follow the link as it is; no other query parameter exists.

**Strictness.** Unknown members and parameters are a 400 that names the place. Nothing is coerced.

**Stability.** \`x-stability\`: \`stable\` only grows; \`candidate\` may still change with notice; \`extension\` is an addition of this server to the interface.`

const errorNames = {
  400: 'InvalidRequest',
  401: 'Unauthenticated',
  403: 'ScopeMissing',
  404: 'NotFound',
  409: 'Conflict',
  429: 'RateLimited',
} as const satisfies Partial<Record<RefusalStatus, string>>

type ErrorStatus = keyof typeof errorNames

const errorStatuses = [400, 401, 403, 404, 409, 429] as const satisfies readonly ErrorStatus[]

const errorMeanings: Record<ErrorStatus, string> = {
  400: 'Request does not match the public contract.',
  401: 'Authentication failed.',
  403: 'Insufficient authorization scope.',
  404: 'Public resource not found.',
  409: 'Idempotency or state conflict.',
  429: 'Rate limited.',
}

function pathsFrom(ids: readonly OperationId[]): Record<string, object> {
  const paths: Record<string, Record<string, object>> = {}
  for (const id of ids) {
    const { method, path } = operations[id]
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = operationFor(id)
  }
  return paths
}

function operationFor(id: OperationId): object {
  const row: Operation = operations[id]
  const { body, reply } = examples[id]
  const values: Readonly<Record<string, string>> = examples[id].path
  const parameters = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name, values[name]))
  return {
    operationId: id,
    tags: [row.tag],
    summary: row.summary,
    description: row.description + refusalWords(row),
    'x-stability': row.stability,
    'x-idempotency': row.idempotency,
    'x-scope': row.scope,
    'x-refusals': row.refusals,
    security: securityFor(row),
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: { required: true, content: json(schemaRef(row.body), body) } }),
    responses: {
      200: { description: 'Done.', content: json(schemaRef(row.reply), reply) },
      ...Object.fromEntries(
        errorStatuses.map((status) => [status, { $ref: `#/components/responses/${errorNames[status]}` }]),
      ),
    },
  }
}

// The refusals of the operation's own, told where people read. The common ones are told once, in their responses.
function refusalWords({ refusals: own }: Operation): string {
  if (own.length === 0) return ''
  const words = own.map((code) => `${refusals[code].status} \`${code}\``)
  return `\n\nRefuses with ${words.join(', ')}.`
}

function securityFor({ caller }: Operation): object[] {
  if (caller === 'anyone') return []
  return caller === 'key' ? [{ apiKey: [] }] : [{ oauth: [] }]
}

const parameterWords: Readonly<Record<string, string>> = {
  id: 'Id of the webhook endpoint or delivery that the path names.',
  sessionId: 'Id of the checkout session.',
  slug: 'Slug of the product.',
  merchantSlug: 'Slug of the merchant.',
  productSlug: 'Slug of the product.',
  orderId: 'Id of the order.',
  cartId: 'Id of the cart.',
  skuId: 'Id of the SKU.',
  keyId: 'Id of the key; not the key itself.',
}

function pathParameter(name: string, example: string | undefined) {
  return { name, in: 'path', required: true, description: parameterWords[name], schema: { type: 'string' }, example }
}

function errorResponse(status: ErrorStatus): object {
  const codes = refusalCodes.filter((code) => refusals[code].status === status)
  const list = codes.map((code) => `\`${code}\``).join(', ')
  return {
    description: `${errorMeanings[status]} Codes: ${list}.`,
    content: {
      'application/json': {
        schema: schemaRef(PublicErrorResponse),
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  }
}

export function errorExample(code: RefusalCode): PublicErrorResponse {
  const { status, sentence } = refusals[code]
  const requestId = sampleId('request')
  return { error: { code, message: sentence, status, requestId, issues: [], current: null, ...errorDetails[code] } }
}

// Only the codes that carry more than their sentence.
const errorDetails: Partial<Record<RefusalCode, Partial<PublicErrorResponse['error']>>> = {
  invalid_request: { issues: [{ path: '/quantity', message: 'must be an integer from 0 to 999' }] },
  scope_missing: { current: { requiredScope: 'checkout:quote' } },
  version_conflict: { current: { version: 8 } },
  cart_not_open: { current: { status: 'converted', version: 9 } },
  insufficient_stock: { current: { available: 3, skuId: sampleId('sku') } },
  quantity_limit_exceeded: { current: { limit: 10, skuId: sampleId('sku') } },
  checkout_session_not_open: { current: { status: 'completed', version: 4 } },
  order_not_cancellable: { current: { status: 'completed', version: 3, reason: 'The order is completed.' } },
  delivery_not_final: { current: { status: 'retrying' } },
}

function webhookFor(kind: EventKind): object {
  const schema = eventSchemas.get(kind)
  if (!schema) throw new Error(`${kind} has no schema`)
  const example = eventExamples[kind]
  return {
    operationId: kind.replaceAll('.', '-'),
    tags: ['Events'],
    summary: events[kind].says,
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: json(schemaRef(schema), example) },
    responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
  }
}

// Standard Webhooks 1.0. These are headers of our calls; the operations of the interface declare none.
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

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'cwk_…',
    description: 'An API key of an installation. The key without a scheme word is accepted too.',
  },
  oauth: {
    type: 'oauth2',
    description:
      'Authorization code with PKCE (method S256), both required. Tokens are bound to a key by DPoP: send `Authorization: DPoP <token>` and a `DPoP` proof.',
    flows: {
      authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token', scopes: {} },
    },
  },
}

function json(schema: object, example: unknown): object {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } }
}
