// Holds the contract and the OpenAPI document against the interface, both ways, and has the document judged by others.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { TypeID } from 'typeid-js'
import { PublicErrorResponse } from '../src/contract/errors.ts'
import { openInterfaceDocument } from '../src/contract/open/document.ts'
import { eventSchemas } from '../src/contract/open/events.ts'
import { eventExamples, openInterfaceExamples } from '../src/contract/open/examples.ts'
import {
  type OpenInterfaceOperation,
  type OperationId,
  operationIds,
  operations,
} from '../src/contract/open/operations.ts'
import { errorExample, openApiDocument, printOpenApi } from '../src/contract/openapi.ts'
import { openInterfaceRefusalCodes, refusals } from '../src/contract/refusals.ts'
import { compileSchema } from '../src/contract/validator.ts'
import { type EventKind, eventKinds, idPrefixes, scopes } from '../src/contract/words.ts'
import { interfaceErrorMeanings, interfaceRows, interfaceSchemas, interfaceStatuses } from './interface.ts'

interface Media {
  'application/json': { schema: { $ref: string }; example?: unknown; examples?: Record<string, { value: unknown }> }
}

interface DocumentedOperation {
  operationId: string
  tags: string[]
  'x-stability': string
  'x-idempotency': string
  'x-scope': string | null
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; schema: { type: string } }[]
  requestBody?: { required: boolean; content: Media }
  responses: Record<string, { $ref?: string; content?: Media }>
}

interface Discriminator {
  mapping: Record<string, string>
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, { post: { requestBody: { content: Media } } }>
  components: {
    schemas: Record<string, object> & { OperationResponse: { properties: { data: { discriminator: Discriminator } } } }
    responses: Record<string, { description: string; content: Media; headers?: object }>
    securitySchemes: Record<string, { type: string; scheme?: string; flows?: Record<string, { scopes: object }> }>
  }
}

const text = printOpenApi(openInterfaceDocument, { version: '0' })
const document = JSON.parse(text) as Document
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
)
const twenty = documented.filter((operation) => operation['x-stability'] !== 'extension')
const extensions = documented.filter((operation) => operation['x-stability'] === 'extension')

const extensionRows = [
  ['createPublicCart', 'POST', '/api/v1/open/storefront/carts', 'checkout:quote'],
  ['putPublicCartItem', 'PUT', '/api/v1/open/storefront/carts/{cartId}/items/{skuId}', 'checkout:quote'],
  ['setPublicCartShipping', 'PUT', '/api/v1/open/storefront/carts/{cartId}/shipping', 'checkout:quote'],
  ['estimatePublicCartShipping', 'GET', '/api/v1/open/storefront/carts/{cartId}/shipping-estimate', 'catalog:read'],
  ['createInstallationKey', 'POST', '/api/v1/oauth/installation-keys', null],
  ['listInstallationKeys', 'GET', '/api/v1/oauth/installation-keys', null],
  ['revokeInstallationKey', 'DELETE', '/api/v1/oauth/installation-keys/{keyId}', null],
  ['searchCatalogProducts', 'GET', '/api/v1/open/catalog/search', 'catalog:read'],
  ['searchMerchantProducts', 'GET', '/api/v1/catalog/merchants/{merchantSlug}/search', null],
  ['listMerchantProducts', 'GET', '/api/v1/catalog/merchants/{merchantSlug}/products', null],
  ['listMerchantCategories', 'GET', '/api/v1/catalog/merchants/{merchantSlug}/categories', null],
  ['listRelatedProducts', 'GET', '/api/v1/open/catalog/products/{slug}/related', null],
  ['listSearchSuggestions', 'GET', '/api/v1/open/catalog/suggestions', null],
  ['getSite', 'GET', '/api/v1/open/site', null],
  ['getPage', 'GET', '/api/v1/open/site/pages/{slug}', null],
  ['resolvePath', 'GET', '/api/v1/open/site/path', null],
  ['getMerchantSite', 'GET', '/api/v1/catalog/merchants/{merchantSlug}/site', null],
  ['requestCustomerCode', 'POST', '/api/v1/open/customer/codes', 'checkout:quote'],
  ['openCustomerSession', 'POST', '/api/v1/open/customer/sessions', 'checkout:quote'],
  ['endCustomerSession', 'POST', '/api/v1/open/customer/sessions/end', 'checkout:quote'],
  ['getCustomer', 'GET', '/api/v1/open/customer', 'catalog:read'],
  ['listCustomerOrders', 'GET', '/api/v1/open/customer/orders', 'catalog:read'],
  ['listCustomerAddresses', 'GET', '/api/v1/open/customer/addresses', 'catalog:read'],
  ['addCustomerAddress', 'POST', '/api/v1/open/customer/addresses', 'checkout:quote'],
  ['replaceCustomerAddress', 'PUT', '/api/v1/open/customer/addresses/{addressId}', 'checkout:quote'],
  ['removeCustomerAddress', 'DELETE', '/api/v1/open/customer/addresses/{addressId}', 'checkout:quote'],
]

describe('the operations', () => {
  it('are the twenty of the interface, in its order, then the extensions', () => {
    const expected = [...interfaceRows.map((row) => row.operationId), ...extensionRows.map(([id]) => id)]
    assert.deepEqual(operationIds, expected)
  })

  for (const expected of interfaceRows) {
    it(`${expected.operationId} matches the interface`, () => {
      const row: OpenInterfaceOperation = operations[expected.operationId as OperationId]
      assert.deepEqual(
        { method: row.method, path: row.path, idempotency: row.idempotency, stability: row.stability },
        {
          method: expected.method,
          path: expected.path,
          idempotency: expected.idempotency,
          stability: expected.stability,
        },
      )
      assert.equal(scopeWords(row), expected.scope)
      assert.equal(row.body !== null, expected.idempotency === 'required')
    })
  }

  it('that are extensions match the contract, and only they have the tag Extensions', () => {
    const found = extensions.map(({ operationId, method, path, 'x-scope': scope }) => [
      operationId,
      method,
      path,
      scope,
    ])
    assert.deepEqual(sorted(found), sorted(extensionRows))
    for (const operation of documented) {
      assert.equal(
        operation.tags.includes('Extensions'),
        operation['x-stability'] === 'extension',
        operation.operationId,
      )
    }
  })

  it('are paginated exactly for the lists of the catalog and of orders, and for searches', () => {
    const paged = operationIds.filter((id) => operations[id].paged)
    assert.deepEqual(paged, [
      ...['listApiKeyCatalogCategories', 'listApiKeyCatalogProducts', 'listStorefrontOrders'],
      ...['searchCatalogProducts', 'searchMerchantProducts', 'listMerchantProducts', 'listMerchantCategories'],
      'listCustomerOrders',
    ])
  })

  it('accept, but do not require, an idempotency key in every body', () => {
    for (const id of operationIds) {
      const { body } = operations[id] as OpenInterfaceOperation
      if (!body) continue
      const { properties, required } = body as { properties?: Record<string, unknown>; required?: string[] }
      assert.ok(properties?.idempotencyKey, id)
      assert.ok(!required?.includes('idempotencyKey'), id)
    }
  })
})

describe('the OpenAPI document', () => {
  it('contains the twenty operations and the extensions, and no others', () => {
    assert.deepEqual(
      twenty.map(({ operationId }) => operationId).sort(),
      interfaceRows.map(({ operationId }) => operationId).sort(),
    )
    assert.equal(documented.length, operationIds.length)
  })

  for (const expected of interfaceRows) {
    it(`${expected.operationId} is declared as in the interface`, () => {
      const found = twenty.find(({ operationId }) => operationId === expected.operationId)
      assert.ok(found)
      assert.deepEqual(
        {
          method: found.method,
          path: found.path,
          stability: found['x-stability'],
          idempotency: found['x-idempotency'],
          request: nameOf(found.requestBody?.content),
          bodyRequired: found.requestBody?.required ?? false,
          response: nameOf(found.responses['200']?.content),
          parameters: found.parameters ?? [],
        },
        {
          method: expected.method,
          path: expected.path,
          stability: expected.stability,
          idempotency: expected.idempotency,
          request: expected.request,
          bodyRequired: expected.idempotency === 'required',
          response: expected.response,
          parameters: expected.parameters.map((name) => {
            const own = found.parameters?.find((parameter) => parameter.name === name)
            return { ...own, name, in: 'path', required: true, schema: { type: 'string' } }
          }),
        },
      )
      assert.deepEqual(found.security, securityOf(expected.scope))
      assert.equal(found['x-scope'], scopes.find((scope) => scope === expected.scope) ?? null)
    })
  }

  it('declares the seven responses on every operation, each error as PublicErrorResponse', () => {
    for (const { operationId, responses } of documented) {
      assert.deepEqual(Object.keys(responses).sort(), interfaceStatuses, operationId)
      for (const [status, response] of Object.entries(responses)) {
        if (status === '200') continue
        const shared = document.components.responses[response.$ref?.split('/').at(-1) ?? '']
        assert.ok(shared, `${operationId} ${status}`)
        assert.equal(nameOf(shared.content), 'PublicErrorResponse')
        assert.ok(shared.description.startsWith(interfaceErrorMeanings[status] ?? '?'))
      }
    }
  })

  it('declares the path parameters, and for searches and lookups the query parameters', () => {
    for (const { operationId, path, parameters: declared = [] } of documented) {
      const { query } = operations[operationId as OperationId] as OpenInterfaceOperation
      const { properties = {}, required = [] } = (query ?? {}) as { properties?: object; required?: string[] }
      const inQuery = Object.keys(properties)
      assert.equal(
        inQuery.length > 0,
        /^(?:search|resolve|estimate)|Related|Suggestions/.test(operationId),
        operationId,
      )
      const asked = declared.filter((parameter) => parameter.in === 'query')
      assert.deepEqual(
        asked.map(({ name, required }) => [name, required]),
        inQuery.map((name) => [name, required.includes(name)]),
      )
      const parameters = declared.filter((parameter) => parameter.in !== 'query')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        parameters.map(({ name }) => name),
        inPath,
        operationId,
      )
      assert.ok(parameters.every((parameter) => parameter.in === 'path' && parameter.required))
    }
    assert.ok(!text.includes('Retry-After'))
  })

  it('uses each of the 21 schema names exactly where the interface does', () => {
    assert.equal(Object.keys(interfaceSchemas).length, 21)
    for (const [name, uses] of Object.entries(interfaceSchemas)) {
      assert.ok(document.components.schemas[name], name)
      if (uses === 'every error response') continue
      const found = documented.filter(({ requestBody, responses }) =>
        [nameOf(requestBody?.content), nameOf(responses['200']?.content)].includes(name),
      )
      assert.deepEqual(found.map(({ operationId }) => operationId).sort(), [...uses].sort(), name)
      assert.ok(!refsIn(document.components).includes(name), `${name} is a part of something else`)
    }
  })

  it('defines only schemas that an operation, an event or another schema uses', () => {
    const used = new Set(refsIn(document))
    for (const name of Object.keys(document.components.schemas)) assert.ok(used.has(name), name)
  })

  it('resolves every reference', () => {
    for (const ref of everyRef(document)) {
      const found = ref
        .slice(2)
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
      assert.ok(found, ref)
    }
    const { mapping } = document.components.schemas.OperationResponse.properties.data.discriminator
    for (const ref of Object.values(mapping)) assert.ok(document.components.schemas[ref.split('/').at(-1) ?? ''], ref)
  })

  it('repeats no long schema inside another one', () => {
    const whole = new Map(
      Object.entries(document.components.schemas)
        .filter(([, schema]) => JSON.stringify(schema).length > 150)
        .map(([name, schema]) => [JSON.stringify(schema), name]),
    )
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const inner of objectsIn(schema).slice(1)) assert.equal(whole.get(JSON.stringify(inner)), undefined, name)
    }
  })

  it('describes the two ways to authenticate, and no OAuth scope', () => {
    const { apiKey, oauth } = document.components.securitySchemes
    assert.equal(apiKey?.type, 'http')
    assert.equal(apiKey?.scheme, 'bearer')
    assert.deepEqual(Object.keys(oauth?.flows ?? {}), ['authorizationCode'])
    assert.deepEqual(oauth?.flows?.authorizationCode?.scopes, {})
  })

  it('declares every kind of event', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...eventKinds])
  })

  // Generators of clients take a member with a default for one that is always there, and make it required.
  it('gives no member of a request a default', () => {
    for (const id of operationIds) assert.doesNotMatch(JSON.stringify(operations[id].body), /"default":/, id)
  })

  it('is the same text each time, and names the address of its server', () => {
    assert.equal(printOpenApi(openInterfaceDocument, { version: '0' }), text)
    assert.ok(text.endsWith('}\n'))
    const placed = openApiDocument(openInterfaceDocument, {
      serverUrl: 'https://api.example.test',
      version: '2.3.4',
    }) as Placed
    assert.deepEqual(placed.servers, [{ url: 'https://api.example.test' }])
    assert.equal(placed.info.version, '2.3.4')
  })

  it('has no findings under the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const judge = async (source: string) => {
      const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
      return problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)
    }
    assert.deepEqual(await judge(text), [])
    // The judge is awake.
    assert.notDeepEqual(await judge('{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}'), [])
  })
})

describe('the examples', () => {
  for (const id of operationIds) {
    it(`for ${id} fit their schemas`, () => {
      const row: OpenInterfaceOperation = operations[id]
      const { body, reply } = openInterfaceExamples[id]
      if (row.body) assert.deepEqual(compileSchema(row.body)(body), [])
      assert.deepEqual(compileSchema(row.reply.schema)(reply), [])
    })
  }

  it('for every error fit PublicErrorResponse', () => {
    const check = compileSchema(PublicErrorResponse)
    for (const code of openInterfaceRefusalCodes)
      assert.deepEqual(check(errorExample(openInterfaceDocument, code)), [], code)
  })

  it('for events fit their schemas', () => {
    for (const [kind, example] of Object.entries(eventExamples)) {
      const schema = eventSchemas.get(kind as EventKind)
      assert.ok(schema)
      assert.deepEqual(compileSchema(schema)(example), [], kind)
    }
  })

  it('have ids that are TypeIDs of UUIDs of version 7', () => {
    const prefixes = Object.values(idPrefixes).join('|')
    const ids = new Set(text.match(new RegExp(`\\b(${prefixes})_[0-9a-z]{26}\\b`, 'g')))
    assert.ok(ids.size > 10)
    for (const id of ids) assert.equal(TypeID.fromString(id).toUUID().charAt(14), '7', id)
  })
})

describe('the error codes', () => {
  // Typed in from the contract, section 5.
  const expected = {
    400: 'invalid_request malformed_json body_required body_not_allowed body_too_large unsupported_media_type idempotency_key_required idempotency_key_invalid idempotency_key_ambiguous',
    401: 'unauthenticated',
    403: 'scope_missing',
    404: 'route_not_found product_not_found cart_not_found cart_item_not_found checkout_session_not_found order_not_found webhook_endpoint_not_found webhook_delivery_not_found',
    409: 'idempotency_key_reused version_conflict cart_not_open cart_locked cart_empty insufficient_stock item_unavailable quantity_limit_exceeded currency_mismatch address_undeliverable checkout_session_not_open payment_in_progress order_not_cancellable delivery_not_final delivery_already_succeeded replay_in_progress endpoint_disabled payload_expired',
    429: 'rate_limited',
    500: 'internal_error',
    503: 'unavailable',
  }
  // Extensions need four codes of their own.
  const ofExtensions = [
    ...['credential_not_found 404', 'merchant_not_found 404', 'page_not_found 404'],
    ...['customer_address_not_found 404', 'customer_address_limit 409'],
    'shipping_option_not_offered 409',
  ]

  it('are those of the contract and of the extensions, each once', () => {
    const codes = Object.entries(expected).flatMap(([status, words]) =>
      words.split(' ').map((word) => `${word} ${status}`),
    )
    const found = openInterfaceRefusalCodes.map((code) => `${code} ${refusals[code].status}`)
    assert.deepEqual(found.sort(), [...codes, ...ofExtensions].sort())
  })

  it('have one short sentence each', () => {
    for (const { sentence } of Object.values(refusals)) assert.match(sentence, /^[A-Z].{5,100}\.$/)
  })

  it('with status 404 or 409 are each used by an operation or by the routing, and every path with an id has a 404', () => {
    const ofRows = new Set<string>(operationIds.flatMap((id) => [...operations[id].refusals]))
    const ofRoad = ['route_not_found', 'idempotency_key_reused']
    for (const code of openInterfaceRefusalCodes) {
      const { status } = refusals[code]
      if ((status === 404 || status === 409) && !ofRoad.includes(code)) assert.ok(ofRows.has(code), code)
    }
    for (const id of operationIds) {
      const own: readonly string[] = operations[id].refusals
      assert.equal(new Set(own).size, own.length, id)
      assert.equal(
        own.some((code) => refusals[code as keyof typeof refusals].status === 404),
        operations[id].path.includes('{') || id === 'createHostedCheckoutSession',
        id,
      )
    }
  })
})

interface Placed {
  servers: { url: string }[]
  info: { version: string }
}

function scopeWords({ caller, scope }: OpenInterfaceOperation): string {
  if (caller === 'anyone') return 'no authentication'
  return caller === 'oauth' ? 'OAuth 2.0' : (scope ?? 'none')
}

function securityOf(scope: string): object[] {
  if (scope === 'no authentication') return []
  return scope === 'OAuth 2.0' ? [{ oauth: [] }] : [{ apiKey: [] }]
}

function nameOf(content: Media | undefined): string | null {
  return content?.['application/json'].schema.$ref.replace('#/components/schemas/', '') ?? null
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

function everyRef(value: unknown): string[] {
  return objectsIn(value).flatMap((node) => ('$ref' in node && typeof node.$ref === 'string' ? [node.$ref] : []))
}

function refsIn(value: unknown): string[] {
  return everyRef(value)
    .filter((ref) => ref.startsWith('#/components/schemas/') && !ref.endsWith('/PublicErrorResponse'))
    .map((ref) => ref.replace('#/components/schemas/', ''))
    .concat('PublicErrorResponse')
}

function sorted(rows: (string | null | undefined)[][]): string[] {
  return rows.map((row) => row.join(' ')).sort()
}
