// The API reference, printed from the contract: complete without script, in one page that can be searched and printed.

import { methods } from '../contract/methods.ts'
import { eventSchemaName, events } from '../contract/open/events.ts'
import { eventExamples } from '../contract/open/examples.ts'
import {
  type CallerDocument,
  errorExample,
  exampleOf,
  type OperationExample,
  openApiDocument,
  type SurfaceDocument,
} from '../contract/openapi.ts'
import { type RefusalCode, type RefusalStatus, refusalCodes, refusals } from '../contract/refusals.ts'
import type { Operation } from '../contract/surface.ts'
import { type EventKind, eventKinds } from '../contract/words.ts'
import { type Html, html } from '../pages/html.ts'
import { clientCallFor, codeBlock, curlFor, fill, jsonCode } from './example.ts'
import { framed } from './frame.ts'
import { chaptersOf, codeLink, guide } from './guide.ts'
import {
  isPlain,
  memberTable,
  resolve,
  rulesOf,
  type Schema,
  type Schemas,
  schemaAnchor,
  schemaNameOf,
  typeOf,
} from './members.ts'
import { prose } from './prose.ts'

// The parts of the document that are read here. The contract types it as an object, since it is made to be printed.
interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  components: { schemas: Schemas }
}

interface DocumentOperation {
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, { content?: Content }>>
}

interface Content {
  'application/json': { schema: Schema }
}

export interface ReferencePlace {
  origin: string
  version: string
  // The address of the page.
  path: string
  openApiPath?: string
}

export function referencePage(
  about: SurfaceDocument,
  { origin, version, path, openApiPath = '/openapi.json' }: ReferencePlace,
): string {
  const errorSchemaName = about.schemas.find(([, schema]) => schema === about.errorSchema)?.[0] ?? ''
  const document = openApiDocument(about, { serverUrl: origin, version }) as unknown as Document
  const ids = Object.keys(about.surface.operations)
  const told = about.events ? `${ids.length} operations and ${eventKinds.length} events` : `${ids.length} operations`
  const { schemas } = document.components
  const body = html`<div class="reference">
${contents(about, schemas)}
<main id="main">
<div class="opening"><h1>${about.events ? 'API reference' : `${about.title}: API reference`}</h1>
<p>${told} of ${about.events ? 'Cartwright' : about.title} ${version}. This page is printed from the contract that the server checks every request against.</p></div>
${guide(about, { origin, openApiPath, errorSchemaName }, errorExample(about, 'version_conflict'))}
${about.tags.map(
  ({ name, description }) => html`<section class="chapter" id="${tagAnchor(name)}"><h2>${name}</h2>
<p>${description}</p>
${operationsOf(about, name).map(([id, row]) => operationSection({ about, id, row, told: documented(document, row), schemas, origin }))}</section>
`,
)}
${about.events && eventChapter(schemas)}
${schemaChapter(schemas)}
</main>
</div>`
  return framed({
    title: `API reference · ${about.title}`,
    description: about.events
      ? 'Every operation, event and schema of this Cartwright server.'
      : `Every operation and schema of ${about.title}.`,
    path,
    body,
  })
}

function operationsOf({ surface }: SurfaceDocument, tag: string): [string, Operation][] {
  return Object.entries(surface.operations).filter(([, row]) => row.tag === tag)
}

function documented({ paths }: Document, { path, method }: Operation): DocumentOperation {
  const found = paths[path]?.[method.toLowerCase()]
  if (!found) throw new Error(`${method} ${path} is not in the OpenAPI document`)
  return found
}

function tagAnchor(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`
}

function eventAnchor(kind: EventKind): string {
  return `event-${kind}`
}

function contents(about: SurfaceDocument, schemas: Schemas): Html {
  const link = (anchor: string, text: string | Html) => html`<li><a href="#${anchor}">${text}</a></li>`
  return html`<nav class="contents" aria-label="Reference"><details><summary>Contents</summary><div class="contents-inside">
<h2>Conventions</h2><ul>${chaptersOf(about).map(({ id, title }) => link(id, title))}</ul>
${about.tags.map(
  ({
    name,
  }) => html`<h2>${name}</h2><ul>${operationsOf(about, name).map(([id, row]) => link(id, html`<span>${row.summary}</span>${method(row.method)}`))}</ul>
`,
)}${about.events && html`<h2>Events</h2><ul>${link('events', `${eventKinds.length} kinds`)}</ul>`}
<h2>Schemas</h2><ul>${[...objectNames(schemas).map((name) => link(schemaAnchor(name), breakable(name))), link('values', 'Plain values')]}</ul>
</div></details></nav>`
}

// A long name may break before a capital rather than anywhere. One grid cell, so that the pieces stay one text.
function breakable(name: string): Html {
  return html`<span>${name.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => html`${index > 0 && html`<wbr>`}${word}`)}</span>`
}

function method(name: Operation['method']): Html {
  return html`<span class="method ${name.toLowerCase()}">${name}</span>`
}

interface Told {
  about: SurfaceDocument
  id: string
  row: Operation
  told: DocumentOperation
  schemas: Schemas
  origin: string
}

function operationSection({ about, id, row, told, schemas, origin }: Told): Html {
  const example = exampleOf(about, id)
  const caller = callerOf(about, row)
  const path = fill(row.path, example.path) + queryText(example)
  const curl = curlFor({ origin, method: row.method, path, credential: caller.curl, body: example.body })
  const requestSchema = told.requestBody?.content['application/json'].schema
  const replySchema = told.responses[row.reply.status]?.content?.['application/json'].schema
  const parametersIn = (place: string) => told.parameters?.filter((parameter) => parameter.in === place) ?? []
  return html`<article class="operation" id="${id}">
<header><h3><a href="#${id}">${row.summary}</a></h3>
<p class="address">${method(row.method)}<code>${pathWords(row.path)}</code></p></header>
<div class="told"><p>${prose(row.description)}</p>
${terms(id, row, caller)}
${parameterTable(`Path`, id, parametersIn('path'), schemas)}
${parameterTable('Query', id, parametersIn('query'), schemas)}
${requestSchema && requestTable(id, requestSchema, schemas)}
${replySchema && replyTable(id, replySchema, example.reply, schemas)}
${statusTable(id, row)}</div>
<div class="shown"><div><h4>Request</h4>${codeBlock(`Example request of ${id}`, curl)}</div>
${clientBlock(about, id, row, example)}
${replySchema && html`<div><h4>Answer</h4>${codeBlock(`Example answer of ${id}`, jsonCode(example.reply))}</div>`}</div>
</article>
`
}

// The typed client knows the open and the admin surface.
function clientBlock(
  { surface }: SurfaceDocument,
  id: string,
  row: Operation,
  example: OperationExample,
): Html | undefined {
  const method = new Map(Object.entries(methods)).get(surface.name)?.get(id)
  if (method === undefined) return undefined
  const call = clientCallFor({
    client: row.caller === 'oauth' ? 'client' : surface.name === 'open' ? 'shop' : 'admin',
    method,
    path: [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => example.path[name] ?? ''),
    input: row.body ? example.body : row.query ? example.query : undefined,
    isList: row.paged,
  })
  return html`<div><h4>Client</h4>${codeBlock(`The same with the typed client`, call)}</div>`
}

function pathWords(path: string): Html[] {
  return path.split(/(\{\w+\})/).map((piece) => (piece.startsWith('{') ? html`<var>${piece}</var>` : html`${piece}`))
}

function callerOf({ callers }: SurfaceDocument, { caller }: Operation): CallerDocument {
  const found = callers[caller]
  if (!found) throw new Error(`the caller ${caller} is not documented`)
  return found
}

function queryText({ query }: OperationExample): string {
  const parameters = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  )
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`
}

function terms(
  id: string,
  { caller, scope, idempotency, stability, paged }: Operation,
  { title }: CallerDocument,
): Html {
  return html`<dl class="terms"><dt>Operation</dt><dd><code>${id}</code></dd>
<dt>Credential</dt><dd>${title}${scope !== null && html` with scope <code>${scope}</code>`}${caller === 'key' && scope === null && ', any scope'}</dd>
${idempotency === 'required' && html`<dt>Idempotency</dt><dd><a href="#idempotency">Key required</a></dd>`}
${paged && html`<dt>Paging</dt><dd><a href="#lists">By the link in <code>next</code></a></dd>`}
<dt>Stability</dt><dd><a href="#stability">${stability}</a></dd></dl>`
}

function parameterTable(
  title: 'Path' | 'Query',
  id: string,
  parameters: DocumentOperation['parameters'] & object,
  schemas: Schemas,
): Html | undefined {
  if (parameters.length === 0) return undefined
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  )
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  const table = memberTable({ properties, required }, `${title} parameters of ${id}`, {
    schemas,
    as: 'request',
    openLevels: 0,
  })
  return html`<section><h4>${title}</h4>${table}</section>`
}

function requestTable(id: string, schema: Schema, schemas: Schemas): Html {
  const name = schemaNameOf(schema) ?? ''
  const whole = resolve(schema, schemas)
  return html`<section><h4>Body: <a href="#${schemaAnchor(name)}">${name}</a></h4>
${[...(whole.description ? [whole.description] : []), ...rulesOf(whole)].map((rule) => html`<p class="note">${prose(rule)}</p>`)}
${memberTable(whole, `Members of the body of ${id}`, { schemas, as: 'request', openLevels: 2 })}</section>`
}

// The answer is folded: the example beside it shows the shape, and the fold has every member with its meaning.
function replyTable(id: string, schema: Schema, example: unknown, schemas: Schemas): Html {
  const name = schemaNameOf(schema) ?? ''
  const kind = kindOf(example)
  const table = memberTable(resolve(schema, schemas), `Members of the answer of ${id}`, {
    schemas,
    as: 'answer',
    openLevels: 1,
    kind,
  })
  return html`<section><h4>Answer: <a href="#${schemaAnchor(name)}">${name}</a></h4>
<details><summary>All members${kind !== undefined && html` of the kind <code>${kind}</code>`}</summary>${table}</details></section>`
}

// One schema serves four operations; the example tells which of its kinds this one answers.
function kindOf(example: unknown): string | undefined {
  const { data } = example as { data?: unknown }
  return typeof data === 'object' && data !== null && 'kind' in data ? String(data.kind) : undefined
}

function statusTable(id: string, row: Operation): Html {
  const codes = codesOf(row)
  const statuses = [...new Set(codes.map((code) => refusals[code].status))].sort((a, b) => a - b)
  return html`<section><h4>Refusals</h4><table class="codes"><caption class="hidden">Refusals of ${id}</caption><tbody>
${statuses.map((status) => statusRow(status, codes))}</tbody></table></section>`
}

function statusRow(status: RefusalStatus, codes: readonly RefusalCode[]): Html {
  const own = codes.filter((code) => refusals[code].status === status)
  return html`<tr><th scope="row">${status}</th><td>${own.map((code) => html`${codeLink(code)} `)}</td></tr>
`
}

// What every operation of its kind refuses, and what the operation refuses itself, in the contract's order.
export function codesOf({ body, idempotency, caller, scope, refusals: own }: Operation): RefusalCode[] {
  const known = new Set<RefusalCode>([
    'invalid_request',
    ...(body
      ? (['malformed_json', 'body_required', 'body_too_large', 'unsupported_media_type'] as const)
      : (['body_not_allowed'] as const)),
    ...(idempotency === 'required'
      ? ([
          'idempotency_key_required',
          'idempotency_key_invalid',
          'idempotency_key_ambiguous',
          'idempotency_key_reused',
        ] as const)
      : []),
    ...(caller === 'anyone' ? [] : (['unauthenticated'] as const)),
    ...(scope === null ? [] : (['scope_missing'] as const)),
    'rate_limited',
    'internal_error',
    'unavailable',
    ...own,
  ])
  return refusalCodes.filter((code) => known.has(code))
}

const eventNames = new Set(eventKinds.map(eventSchemaName))

function eventChapter(schemas: Schemas): Html {
  const [first] = eventKinds
  const envelope = schemas[eventSchemaName(first)] ?? {}
  return html`<section class="chapter prose" id="events"><h2>Events</h2>
<p>Webhook endpoints of the installation are told what happened, by the rules of <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> 1.0. Any of its libraries verifies our calls.</p>
<div class="operation"><div class="told">
<ul><li>A call is a POST with the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>. The signature is <code>v1,</code> and the base64 HMAC-SHA256 of id, timestamp and body, joined by full stops.</li>
<li>A 2xx within 20 seconds is success. Everything else is tried again, 12 times within about three days; a 410 disables the endpoint.</li>
<li>Delivery is at least once, with the same <code>webhook-id</code> and the same bytes at every attempt. <code>sequence</code> orders the events of one subject.</li>
<li>An endpoint subscribes by exact name, <code>subject.*</code> or <code>*</code>. <a href="#getInstallationWebhookSignatureFixture">The signature fixture</a> proves a receiver offline.</li></ul>
<section><h4>The envelope of every event</h4>${memberTable(withoutData(envelope), 'Members of an event', { schemas, as: 'answer', openLevels: 0 })}</section></div>
<div class="shown"><div><h4>Example: inventory.low</h4>${codeBlock('Example of an event', jsonCode(eventExamples['inventory.low']))}</div></div></div>
<table class="errors"><caption class="hidden">Kinds of events</caption><thead><tr><th scope="col">Kind</th><th scope="col">Data</th><th scope="col">What happened</th></tr></thead><tbody>
${eventKinds.map((kind) => eventRow(kind, schemas))}</tbody></table>
<h3>Examples</h3>
${eventKinds.map(eventFold)}
</section>`
}

// The first kind of each subject is shown whole, and the others by what they do not have in common with the one that is
// most like them: the orders of seven events would otherwise be a sixth of the page. The OpenAPI document has all whole.
function eventFold(kind: EventKind, index: number): Html {
  const example = eventExamples[kind]
  const [nearest] = eventKinds
    .slice(0, index)
    .filter((other) => events[other].data === events[kind].data)
    .map((other) => ({ other, code: jsonCode(differing(example, eventExamples[other])) }))
    .sort((one, two) => one.code.toString().length - two.code.toString().length)
  return html`<details><summary><code>${kind}</code>${nearest && html`, where it differs from <code>${nearest.other}</code>`}</summary>
<div id="${exampleAnchor(kind)}">${codeBlock(`Example of ${kind}`, nearest?.code ?? jsonCode(example))}</div></details>
`
}

function exampleAnchor(kind: EventKind): string {
  return `example-${kind}`
}

// The members of `shown` whose values `known` does not have, objects member by member.
function differing(shown: object, known: object): object {
  const others = new Map(Object.entries(known))
  const members = Object.entries(shown).flatMap(([name, value]: [string, unknown]) => {
    const other = others.get(name)
    if (JSON.stringify(value) === JSON.stringify(other)) return []
    const isInside = isMembers(value) && isMembers(other)
    return [[name, isInside ? differing(value, other) : value]]
  })
  return Object.fromEntries(members)
}

function isMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// The data differs by kind and is told in the catalogue, and so do the two constants.
function withoutData(envelope: Schema): Schema {
  const { data: _, ...properties } = envelope.properties ?? {}
  const any = { type: 'string', description: 'The kind of the event, from the list below.' }
  return {
    ...envelope,
    properties: {
      ...properties,
      type: any,
      subject: { type: 'object', description: 'What it is about: its `type` and its `id`.' },
      data: { type: 'object', description: 'The resource as the API shows it, by kind. At most 64 KiB.' },
    },
  }
}

function eventRow(kind: EventKind, schemas: Schemas): Html {
  const name = eventSchemaName(kind)
  const data = resolve(schemas[name]?.properties?.data ?? {}, schemas)
  const [meant] = data.anyOf ?? [data]
  return html`<tr id="${eventAnchor(kind)}"><th scope="row"><code>${kind}</code><small id="${schemaAnchor(name)}">${name}</small></th><td>${typeOf(meant ?? {}, schemas)}</td><td>${events[kind].says} <a href="#${exampleAnchor(kind)}">Example</a></td></tr>
`
}

function objectNames(schemas: Schemas): string[] {
  return Object.keys(schemas).filter((name) => !eventNames.has(name) && !isPlain(schemas[name] ?? {}))
}

function schemaChapter(schemas: Schemas): Html {
  const plain = Object.keys(schemas).filter((name) => !eventNames.has(name) && isPlain(schemas[name] ?? {}))
  return html`<section class="chapter" id="schemas"><h2>Schemas</h2>
<p>The named parts of requests and answers.</p>
<div class="schemas">${objectNames(schemas).map((name) => schemaSection(name, schemas))}
<article class="schema" id="values"><h3>Plain values</h3>
<table class="members"><caption class="hidden">Plain values</caption><tbody>
${plain.map((name) => plainRow(name, schemas))}</tbody></table></article></div></section>`
}

function schemaSection(name: string, schemas: Schemas): Html {
  const schema = schemas[name] ?? {}
  const as = name.endsWith('Request') || name.endsWith('Input') || name === 'Address' ? 'request' : 'answer'
  return html`<article class="schema" id="${schemaAnchor(name)}"><h3><a href="#${schemaAnchor(name)}">${name}</a></h3>
${[...(schema.description ? [schema.description] : []), ...rulesOf(schema)].map((rule) => html`<p class="note">${prose(rule)}</p>`)}
${schema.properties ? memberTable(schema, `Members of ${name}`, { schemas, as, openLevels: 0 }) : html`<p class="type">${typeOf(schema, schemas)}</p>`}</article>
`
}

function plainRow(name: string, schemas: Schemas): Html {
  const { description, ...schema } = schemas[name] ?? {}
  return html`<tr id="${schemaAnchor(name)}"><th scope="row"><code>${name}</code></th><td><span class="type">${typeOf(schema, schemas)}</span>${description && html`<p>${prose(description)}</p>`}</td></tr>
`
}
