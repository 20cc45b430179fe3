// The API reference, generated from the contract and complete without script: an overview, and a page for each group of operations, for
// the events and for the schemas.

import { clientMethodNames } from '../../contract/methods.ts'
import { eventDefinitions, eventSchemaName } from '../../contract/open/events.ts'
import { eventExamples } from '../../contract/open/examples.ts'
import {
  type CallerDocument,
  errorExample,
  type OperationExample,
  openApiDocument,
  requireOperationExample,
  type SurfaceDocument,
} from '../../contract/openapi.ts'
import { type RefusalCode, type RefusalStatus, refusalCodes, refusals } from '../../contract/refusals.ts'
import type { Operation } from '../../contract/surface.ts'
import { type EventKind, eventKinds } from '../../contract/words.ts'
import { type Html, html, trusted } from '../../platform/html/html.ts'
import { clientCallFor, codeBlock, curlFor, fillExamplePath, jsonCode } from './example.ts'
import { renderSiteFrame } from './frame.ts'
import { codeLink, guideChapters, renderGuide } from './guide.ts'
import {
  isPlain,
  memberTable,
  renderType,
  resolveSchema,
  type Schema,
  type Schemas,
  schemaAnchor,
  schemaNameFromRef,
  schemaRules,
} from './members.ts'
import { renderProse } from './prose.ts'

// The members of the document that this file reads. The contract types the document as a plain object, because it is made for printing.
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

export interface ReferenceContext {
  origin: string
  version: string
  // Path of the overview.
  path: string
  openApiPath?: string
}

// Returns the pages by path. The overview also contains the anchors of operations, events and schemas, each as a link to the page that
// describes it.
export function referencePages(about: SurfaceDocument, place: ReferenceContext): ReadonlyMap<string, string> {
  const { origin, version, path, openApiPath = '/openapi.json' } = place
  const errorSchemaName = about.schemas.find(([, schema]) => schema === about.errorSchema)?.[0] ?? ''
  const document = openApiDocument(about, { serverUrl: origin, version }) as unknown as Document
  const { schemas } = document.components
  const groups = groupsOf(about, document, origin)
  const chapters = renderGuide(about, { origin, openApiPath, errorSchemaName }, errorExample(about, 'version_conflict'))
  const homes = new Map([
    ...idsIn(chapters).map((id): [string, string] => [id, path]),
    ...groups.flatMap(({ slug, body }) => idsIn(body).map((id): [string, string] => [id, `${path}/${slug}`])),
  ])
  const named = about.events ? 'API reference' : `${about.title}: API reference`
  const pages: [path: string, title: string, description: string, body: Html][] = [
    [
      path,
      named,
      about.events
        ? 'Every operation, event and schema of this Cartwright server.'
        : `Every operation and schema of ${about.title}.`,
      html`${overviewContents(about, groups, path)}
<main id="main">
<div class="opening"><h1>${named}</h1>
<p>
  ${toldOf(about)} of ${about.events ? 'Cartwright' : about.title} ${version}. These pages are printed from the contract
  that the server checks every request against.</p></div>
${groups.map((group) => groupIndex(group, path))}
${chapters}
</main>`,
    ],
    ...groups.map((group): [string, string, string, Html] => [
      `${path}/${group.slug}`,
      `${group.title} · ${named}`,
      `${group.title}: ${group.description}`,
      html`${groupContents(groups, group, path)}
<main id="main">
<div class="opening"><p class="above"><a href="${path}">${named}</a></p><h1>${group.title}</h1>
<p>${renderProse(group.description)}</p></div>
${group.body}
</main>`,
    ]),
  ]
  return new Map(
    pages.map(([at, title, description, body]) => [
      at,
      renderSiteFrame({
        title: about.events ? `${title} · Cartwright` : title,
        description,
        path: at,
        body: html`<div class="reference">${trusted(linked(String(body), at, homes, schemas))}</div>`,
      }),
    ]),
  )
}

function toldOf({ surface, events: hasEvents }: SurfaceDocument): string {
  const count = Object.keys(surface.operations).length
  return hasEvents ? `${count} operations and ${eventKinds.length} events` : `${count} operations`
}

interface Group {
  slug: string
  title: string
  description: string
  entries: readonly { id: string; text: string | Html; method?: Operation['method'] }[]
  body: Html
}

function groupsOf(about: SurfaceDocument, document: Document, origin: string): Group[] {
  const { schemas } = document.components
  const ofOperations = [...about.tags, ...(about.pages ?? [])].map(({ name, description }): Group => {
    const rows = operationsOf(about, name)
    return {
      slug: name.toLowerCase().replaceAll(' ', '-'),
      title: name,
      description,
      entries: rows.map(([id, row]) => ({ id, text: row.summary, method: row.method })),
      body: html`${rows.map(([id, row]) => operationSection({ about, id, row, told: documented(document, row), schemas, origin }))}`,
    }
  })
  const ofEvents: Group = {
    slug: 'events',
    title: 'Events',
    description: 'What webhook endpoints are told.',
    entries: eventKinds.map((kind) => ({ id: eventAnchor(kind), text: kind })),
    body: eventChapter(schemas),
  }
  const names = objectNames(schemas)
  const entry = (name: string) => ({ id: schemaAnchor(name), text: breakable(name) })
  const ofBodies: Group = {
    slug: 'bodies',
    title: 'Bodies',
    description: 'Of requests and answers.',
    entries: names.filter(isBody).map(entry),
    body: html`<div class="schemas">${names.filter(isBody).map((name) => schemaSection(name, schemas))}</div>`,
  }
  const parts = names.filter((name) => !isBody(name))
  const ofSchemas: Group = {
    slug: 'schemas',
    title: 'Schemas',
    description: 'The named parts of requests and answers.',
    entries: [...parts.map(entry), { id: 'values', text: 'Plain values' }],
    body: schemaChapter(parts, schemas),
  }
  return [...ofOperations, ...(about.events ? [ofEvents] : []), ofBodies, ofSchemas]
}

function idsIn(body: Html): string[] {
  return [...String(body).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
}

// Adds the path to links whose anchor is on another page.
function linked(text: string, here: string, homes: ReadonlyMap<string, string>, schemas: Schemas): string {
  return text.replaceAll(/ href="#([^"]*)"/g, (link, id: string) => {
    const home = homes.get(id)
    if (home === undefined && id.startsWith('schema-') && id.slice('schema-'.length) in schemas)
      throw new Error(`the reference has no page with the schema ${id}`)
    return home === undefined || home === here ? link : ` href="${home}#${id}"`
  })
}

function entryLink({ id, text, method: verb }: Group['entries'][number], at: string): Html {
  return html`<li><a href="${at}#${id}"><span>${text}</span>${verb && method(verb)}</a></li>`
}

// Old links, from the time when the reference was one page, lead to this id. Only a text beside an HTTP method needs an element.
function indexLink({ id, text, method: verb }: Group['entries'][number], at: string): Html {
  return html`<li id="${id}"><a href="${at}#${id}">${verb ? html`<span>${text}</span>${method(verb)}` : text}</a></li>`
}

// Renders the contents of a group for the overview. Bodies are not listed, because their operations link to them.
function groupIndex(group: Group, path: string): Html {
  const at = `${path}/${group.slug}`
  const listClass = group.slug === 'schemas' ? 'plain columns' : group.slug === 'events' && 'plain'
  const list = html`
<ul${listClass && html` class="${listClass}"`}>${group.entries.map((entry) => indexLink(entry, at))}</ul>`
  return html`<section class="group" id="${tagAnchor(group.title)}"><h2><a href="${at}">${group.title}</a></h2>
<p>${renderProse(group.description)}</p>${group.slug !== 'bodies' && list}</section>
`
}

// Whether the overview's table of contents lists the page of the group but not its entries.
function isListed(slug: string): boolean {
  return ['events', 'bodies', 'schemas'].includes(slug)
}

function overviewContents(about: SurfaceDocument, groups: readonly Group[], path: string): Html {
  return contents(html`<h2>Conventions</h2>
  <ul>${guideChapters(about).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${groups
  .filter(({ slug }) => !isListed(slug))
  .map(
    (
      group,
    ) => html`<h2>${group.title}</h2><ul>${group.entries.map((entry) => entryLink(entry, `${path}/${group.slug}`))}</ul>
`,
  )}
  <h2>More</h2>
  <ul>
    ${groups
      .filter(({ slug }) => isListed(slug))
      .map(({ slug, title }) => html`<li><a href="${path}/${slug}">${title}</a></li>`)}
  </ul>`)
}

function groupContents(groups: readonly Group[], group: Group, path: string): Html {
  return contents(html`<h2>${group.title}</h2><ul>${group.entries.map((entry) => entryLink(entry, ''))}</ul>
<h2>Reference</h2><ul><li><a href="${path}">Overview</a></li>${groups
    .filter((other) => other !== group)
    .map(({ slug, title }) => html`<li><a href="${path}/${slug}">${title}</a></li>`)}</ul>`)
}

function contents(inside: Html): Html {
  return html`<nav class="contents" aria-label="Reference"><details><summary>Contents</summary><div class="contents-inside">
${inside}
</div></details></nav>`
}

function operationsOf({ surface }: SurfaceDocument, page: string): [string, Operation][] {
  return Object.entries(surface.operations).filter(([, row]) => (row.page ?? row.tag) === page)
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

// Allows a long name to break before capitals only.
function breakable(name: string): Html {
  return html`${name.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => html`${index > 0 && html`<wbr>`}${word}`)}`
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
  const example = requireOperationExample(about, id)
  const caller = callerOf(about, row)
  const path = fillExamplePath(row.path, example.path) + queryText(example)
  const curl = curlFor({ origin, method: row.method, path, credential: caller.curl, body: example.body })
  const requestSchema = told.requestBody?.content['application/json'].schema
  const replySchema = told.responses[row.reply.status]?.content?.['application/json'].schema
  const parametersIn = (place: string) => told.parameters?.filter((parameter) => parameter.in === place) ?? []
  return html`<article class="operation" id="${id}">
<header><h2><a href="#${id}">${row.summary}</a></h2>
<p class="address">${method(row.method)}<code>${pathWords(row.path)}</code></p></header>
<div class="told"><p>${renderProse(row.description)}</p>
${terms(id, row, caller)}
${parameterTable(`Path`, id, parametersIn('path'), schemas)}
${parameterTable('Query', id, parametersIn('query'), schemas)}
${requestSchema && requestTable(id, requestSchema, schemas)}
${replySchema && replyTable(id, replySchema, example.reply, schemas)}
${statusTable(id, row)}</div>
<div class="shown"><div><h3>Request</h3>${codeBlock(`Example request of ${id}`, curl)}</div>
${clientBlock(about, id, row, example)}
${replySchema && html`<div><h3>Answer</h3>${codeBlock(`Example answer of ${id}`, jsonCode(example.reply))}</div>`}</div>
</article>
`
}

// The typed client covers the open and the admin surface only.
function clientBlock(
  { surface }: SurfaceDocument,
  id: string,
  row: Operation,
  example: OperationExample,
): Html | undefined {
  const method = new Map(Object.entries(clientMethodNames)).get(surface.name)?.get(id)
  if (method === undefined) return undefined
  const call = clientCallFor({
    client: row.caller === 'oauth' ? 'client' : surface.name === 'open' ? 'shop' : 'admin',
    method,
    path: [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => example.path[name] ?? ''),
    input: row.body ? example.body : row.query ? example.query : undefined,
    isList: row.paged,
  })
  return html`<div><h3>Client</h3>${codeBlock(`The same with the typed client`, call)}</div>`
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
<dt>Credential</dt>
  <dd>
    ${title}
    ${scope !== null && html` with scope <code>${scope}</code>`}
    ${caller === 'key' && scope === null && ', any scope'}
  </dd>
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
  return html`<section><h3>${title}</h3>${table}</section>`
}

function requestTable(id: string, schema: Schema, schemas: Schemas): Html {
  const name = schemaNameFromRef(schema) ?? ''
  const whole = resolveSchema(schema, schemas)
  return html`<section><h3>Body: <a href="#${schemaAnchor(name)}">${name}</a></h3>
${[...(whole.description ? [whole.description] : []), ...schemaRules(whole)].map((rule) => html`<p class="note">${renderProse(rule)}</p>`)}
${memberTable(whole, `Members of the body of ${id}`, { schemas, as: 'request', openLevels: 2 })}</section>`
}

// The table of the answer is folded: the example beside it shows the shape, and the table describes every member.
function replyTable(id: string, schema: Schema, example: unknown, schemas: Schemas): Html {
  const name = schemaNameFromRef(schema) ?? ''
  const kind = kindOf(example)
  const table = memberTable(resolveSchema(schema, schemas), `Members of the answer of ${id}`, {
    schemas,
    as: 'answer',
    openLevels: 1,
    kind,
  })
  return html`<section><h3>Answer: <a href="#${schemaAnchor(name)}">${name}</a></h3>
<details><summary>All members${kind !== undefined && html` of the kind <code>${kind}</code>`}</summary>${table}</details></section>`
}

// Several operations share a schema with kinds. The example shows which kind this operation answers with.
function kindOf(example: unknown): string | undefined {
  const { data } = example as { data?: unknown }
  return typeof data === 'object' && data !== null && 'kind' in data ? String(data.kind) : undefined
}

function statusTable(id: string, row: Operation): Html {
  const codes = refusalCodesOf(row)
  const statuses = [...new Set(codes.map((code) => refusals[code].status))].sort((a, b) => a - b)
  return html`<section><h3>Refusals</h3><table class="codes"><caption class="hidden">Refusals of ${id}</caption><tbody>
${statuses.map((status) => statusRow(status, codes))}</tbody></table></section>`
}

function statusRow(status: RefusalStatus, codes: readonly RefusalCode[]): Html {
  const own = codes.filter((code) => refusals[code].status === status)
  return html`<tr><th scope="row">${status}</th><td>${own.map((code) => html`${codeLink(code)} `)}</td></tr>
`
}

// Returns the refusals of all operations like this one, and the operation's own, in the order of the contract.
export function refusalCodesOf({ body, idempotency, caller, scope, refusals: own }: Operation): RefusalCode[] {
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
  return html`<section class="prose" id="events">
<p>
  Webhook endpoints of the installation are told what happened, by the rules
  of <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> 1.0. Any of its libraries
  verifies our calls.</p>
<div class="operation"><div class="told">
<ul>
  <li>
    A call is a POST with the
    headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>. The signature
    is <code>v1,</code> and the base64 HMAC-SHA256 of id, timestamp and body, joined by full stops.
  </li>
<li>
  A 2xx within 20 seconds is success. Everything else is tried again, 12 times within about three days; a 410 disables
  the endpoint.</li>
<li>
  Delivery is at least once, with the same <code>webhook-id</code> and the same bytes at every
  attempt. <code>sequence</code> orders the events of one subject.</li>
<li>
  An endpoint subscribes by exact
  name, <code>subject.*</code> or <code>*</code>. <a href="#getInstallationWebhookSignatureFixture">
    The signature fixture
  </a> proves a receiver offline.</li></ul>
<section>
  <h2>The envelope of every event</h2>
  ${memberTable(withoutData(envelope), 'Members of an event', { schemas, as: 'answer', openLevels: 0 })}</section></div>
<div class="shown">
  <div>
    <h3>Example: inventory.low</h3>
    ${codeBlock('Example of an event', jsonCode(eventExamples['inventory.low']))}
  </div></div></div>
<table class="errors">
  <caption class="hidden">Kinds of events</caption>
  <thead><tr><th scope="col">Kind</th><th scope="col">Data</th><th scope="col">What happened</th></tr></thead>
  <tbody>
${eventKinds.map((kind) => eventRow(kind, schemas))}</tbody></table>
<h2>Examples</h2>
${eventKinds.map(eventFold)}
</section>`
}

// Among kinds whose data has the same schema, the first is shown completely, and each other one by its differences from the most similar
// one before it. Otherwise the orders of seven events would be a sixth of the page. The OpenAPI document contains all kinds completely.
function eventFold(kind: EventKind, index: number): Html {
  const example = eventExamples[kind]
  const [nearest] = eventKinds
    .slice(0, index)
    .filter((other) => eventDefinitions[other].data === eventDefinitions[kind].data)
    .map((other) => ({ other, code: jsonCode(differing(example, eventExamples[other])) }))
    .sort((one, two) => one.code.toString().length - two.code.toString().length)
  return html`<details><summary><code>${kind}</code>${nearest && html`, where it differs from <code>${nearest.other}</code>`}</summary>
<div id="${exampleAnchor(kind)}">${codeBlock(`Example of ${kind}`, nearest?.code ?? jsonCode(example))}</div></details>
`
}

function exampleAnchor(kind: EventKind): string {
  return `example-${kind}`
}

// Returns the members of `shown` whose values differ from `known`. Nested objects are compared by member.
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

// These members differ by kind, and the catalogue describes them.
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
  const data = resolveSchema(schemas[name]?.properties?.data ?? {}, schemas)
  const [meant] = data.anyOf ?? [data]
  return html`<tr id="${eventAnchor(kind)}">
    <th scope="row"><code>${kind}</code><small id="${schemaAnchor(name)}">${name}</small></th>
    <td>${renderType(meant ?? {}, schemas)}</td>
    <td>${eventDefinitions[kind].says} <a href="#${exampleAnchor(kind)}">Example</a></td>
  </tr>
`
}

function objectNames(schemas: Schemas): string[] {
  return Object.keys(schemas).filter((name) => !eventNames.has(name) && !isPlain(schemas[name] ?? {}))
}

function isBody(name: string): boolean {
  return /(?:Request|Response)$/.test(name)
}

function schemaChapter(names: readonly string[], schemas: Schemas): Html {
  const plain = Object.keys(schemas).filter((name) => !eventNames.has(name) && isPlain(schemas[name] ?? {}))
  return html`<section id="schemas">
<div class="schemas">${names.map((name) => schemaSection(name, schemas))}
<article class="schema" id="values"><h2>Plain values</h2>
<table class="members"><caption class="hidden">Plain values</caption><tbody>
${plain.map((name) => plainRow(name, schemas))}</tbody></table></article></div></section>`
}

function schemaSection(name: string, schemas: Schemas): Html {
  const schema = schemas[name] ?? {}
  const as = name.endsWith('Request') || name.endsWith('Input') || name === 'Address' ? 'request' : 'answer'
  return html`<article class="schema" id="${schemaAnchor(name)}"><h2><a href="#${schemaAnchor(name)}">${name}</a></h2>
${[...(schema.description ? [schema.description] : []), ...schemaRules(schema)].map(
  (rule) => html`<p class="note">${renderProse(rule)}</p>`,
)}
${
  schema.properties
    ? memberTable(schema, `Members of ${name}`, { schemas, as, openLevels: 0 })
    : html`<p class="type">${renderType(schema, schemas)}</p>`
}</article>
`
}

function plainRow(name: string, schemas: Schemas): Html {
  const { description, ...schema } = schemas[name] ?? {}
  return html`<tr id="${schemaAnchor(name)}">
    <th scope="row"><code>${name}</code></th>
    <td><span class="type">${renderType(schema, schemas)}</span>${description && html`<p>${renderProse(description)}</p>`}</td>
  </tr>
`
}
