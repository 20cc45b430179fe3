// The OpenAPI 3.1 document of a surface, generated from its operations. The same operations give the same text, byte for byte.

import { type Components, createComponents, type NamedSchemas } from './components.ts'
import { type RefusalCode, type RefusalStatus, refusals } from './refusals.ts'
import { sampleId } from './sampleid.ts'
import type { TSchema } from './schema.ts'
import type { ErrorFacts, Operation, Surface } from './surface.ts'

// What the documentation of a surface contains besides its operations.
export interface SurfaceDocument {
  surface: Surface
  title: string
  description: string
  tags: readonly { name: string; description: string }[]
  // Documentation pages in addition to one per tag.
  pages?: readonly { name: string; description: string }[]
  // Keyed by operation id.
  examples: Readonly<Record<string, OperationExample>>
  schemas: NamedSchemas
  errorSchema: TSchema
  // Refusal codes of the surface, and what the examples of their errors contain besides code and sentence.
  codes: readonly RefusalCode[]
  errorDetails: Readonly<Partial<Record<RefusalCode, Partial<ErrorFacts>>>>
  // The description of each path parameter.
  pathWords: Readonly<Record<string, string>>
  // Keyed by the `caller` of the operations.
  callers: Readonly<Record<string, CallerDocument>>
  events?: EventsDocument
}

export interface OperationExample {
  path: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body: unknown
  reply: unknown
}

export interface CallerDocument {
  title: string
  // Arguments by which curl sends the credential.
  curl: readonly string[]
  // A request needs all of these schemes together.
  security: readonly { name: string; scheme: object }[]
}

export interface EventsDocument {
  description: string
  schemas: Iterable<TSchema>
  parameters: Readonly<Record<string, object>>
  webhooks(schemaRef: Components['schemaRef']): Readonly<Record<string, object>>
}

export interface DocumentLocation {
  serverUrl?: string
  version: string
}

export function openApiDocument(document: SurfaceDocument, { serverUrl = '/', version }: DocumentLocation): object {
  const { surface, title, description, tags, errorSchema, events } = document
  const { schemaRef, componentsOf } = createComponents(document.schemas)
  const rows = Object.values(surface.operations)
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    tags: [...tags, ...(events ? [{ name: 'Events', description: events.description }] : [])],
    paths: pathsFrom(document, schemaRef),
    ...(events && { webhooks: events.webhooks(schemaRef) }),
    components: {
      schemas: componentsOf(
        [errorSchema, ...rows.flatMap(({ body, reply }) => [body, reply.schema]), ...(events?.schemas ?? [])].filter(
          (schema) => schema !== null,
        ),
      ),
      responses: Object.fromEntries(
        errorStatuses.map((status) => [errorNames[status], errorResponse(document, status, schemaRef)]),
      ),
      ...(events && { parameters: events.parameters }),
      securitySchemes: Object.fromEntries(
        Object.values(document.callers).flatMap(({ security }) => security.map(({ name, scheme }) => [name, scheme])),
      ),
    },
  }
}

export function printOpenApi(document: SurfaceDocument, place: DocumentLocation): string {
  return `${JSON.stringify(openApiDocument(document, place), null, 2)}\n`
}

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

function pathsFrom(document: SurfaceDocument, schemaRef: Components['schemaRef']): Record<string, object> {
  const paths: Record<string, Record<string, object>> = {}
  for (const [id, row] of Object.entries(document.surface.operations)) {
    paths[row.path] ??= {}
    Object.assign(paths[row.path] as object, { [row.method.toLowerCase()]: operationFor(document, id, row, schemaRef) })
  }
  return paths
}

function operationFor(
  document: SurfaceDocument,
  id: string,
  row: Operation,
  schemaRef: Components['schemaRef'],
): object {
  const example = requireOperationExample(document, id)
  const { status, schema } = row.reply
  const parameters = [...pathParameters(document, row, example), ...queryParameters(row, example)]
  const security = document.callers[row.caller]?.security ?? []
  return {
    operationId: id,
    tags: [row.tag],
    summary: row.summary,
    description: row.description + refusalWords(row),
    'x-stability': row.stability,
    'x-idempotency': row.idempotency,
    'x-scope': row.scope,
    ...(row.forPages && { 'x-publishable': true }),
    'x-refusals': row.refusals,
    security: security.length > 0 ? [Object.fromEntries(security.map(({ name }) => [name, []]))] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: { required: true, content: json(schemaRef(row.body), example.body) } }),
    responses: {
      [status]: { description: 'Done.', ...(schema && { content: json(schemaRef(schema), example.reply) }) },
      ...Object.fromEntries(
        errorStatuses.map((status) => [status, { $ref: `#/components/responses/${errorNames[status]}` }]),
      ),
    },
  }
}

export function requireOperationExample({ examples }: SurfaceDocument, id: string): OperationExample {
  const example = examples[id]
  if (!example) throw new Error(`the operation ${id} has no example`)
  return example
}

// The operation's own refusals, as text for people. The common refusals are listed once, in their responses.
function refusalWords({ refusals: own }: Operation): string {
  if (own.length === 0) return ''
  const words = own.map((code) => `${refusals[code].status} \`${code}\``)
  return `\n\nRefuses with ${words.join(', ')}.`
}

function pathParameters({ pathWords }: SurfaceDocument, { path }: Operation, { path: values }: OperationExample) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathWords[name],
    schema: { type: 'string' },
    example: values[name],
  }))
}

interface QuerySchema {
  properties?: Readonly<Record<string, TSchema & { description?: string }>>
  required?: readonly string[]
}

function queryParameters({ query }: Operation, { query: values }: OperationExample) {
  const { properties = {}, required = [] } = (query ?? {}) as QuerySchema
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    example: values?.[name],
  }))
}

function errorResponse(document: SurfaceDocument, status: ErrorStatus, schemaRef: Components['schemaRef']): object {
  const codes = document.codes.filter((code) => refusals[code].status === status)
  const list = codes.map((code) => `\`${code}\``).join(', ')
  return {
    description: `${errorMeanings[status]} Codes: ${list}.`,
    content: {
      'application/json': {
        schema: schemaRef(document.errorSchema),
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(document, code) }])),
      },
    },
  }
}

export function errorExample({ surface, errorDetails }: SurfaceDocument, code: RefusalCode): object {
  const { status, sentence } = refusals[code]
  const requestId = sampleId('request')
  return surface.errorBody({
    code,
    message: sentence,
    status,
    requestId,
    issues: [],
    current: null,
    ...errorDetails[code],
  })
}

function json(schema: object, example: unknown): object {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } }
}
