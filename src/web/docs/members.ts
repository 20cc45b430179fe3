// Renders a JSON Schema for people: a row for each member with its type, bounds and meaning. Named parts are links, or are shown in place
// on the first levels (`openLevels`).

import { patternDescription } from '../../contract/patterns.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { renderProse } from './prose.ts'

// JSON Schema keywords that the contract uses. A `$ref` may stand beside a description of its own.
export interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  maxProperties?: number
  dependentRequired?: Readonly<Record<string, readonly string[]>>
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  description?: string
}

export type Schemas = Readonly<Record<string, Schema>>

export interface MemberTableContext {
  schemas: Schemas
  // In a request required members are marked; in an answer the few optional members are.
  as: 'request' | 'answer'
  // Number of levels at which named parts are shown in place rather than linked.
  openLevels: number
  // Value of the union's discriminator, if the answer is always the same branch.
  kind?: string | undefined
}

export function memberTable(schema: Schema, caption: string, telling: MemberTableContext): Html {
  const rows = rowsFor(schema, telling, 0, telling.openLevels)
  if (rows.length === 0) return html`<p class="note">No members.</p>`
  return html`<table class="members">
    <caption class="hidden">${caption}</caption>
    <thead class="hidden"><tr><th scope="col">Member</th><th scope="col">Type and meaning</th></tr></thead>
    <tbody>
${rows}</tbody></table>`
}

// Returns the rules between members as sentences.
export function schemaRules(schema: Schema): string[] {
  const choice = (schema.oneOf ?? []).flatMap((branch) => branch.required ?? [])
  const together = Object.entries(schema.dependentRequired ?? {})
  return [
    ...(choice.length > 0 ? [`Exactly one of ${choice.map((name) => `\`${name}\``).join(' and ')} is sent.`] : []),
    ...together.map(
      ([name, needs]) => `\`${name}\` only together with ${needs.map((need) => `\`${need}\``).join(', ')}.`,
    ),
  ]
}

export function schemaNameFromRef({ $ref }: Schema): string | undefined {
  return $ref?.slice('#/components/schemas/'.length)
}

export function schemaAnchor(name: string): string {
  return `schema-${name}`
}

export function resolveSchema(schema: Schema, schemas: Schemas): Schema {
  const name = schemaNameFromRef(schema)
  if (name === undefined) return schema
  const part = schemas[name]
  if (!part) throw new Error(`the contract has no schema ${name}`)
  return schema.description === undefined ? part : { ...part, description: schema.description }
}

export function isPlain(schema: Schema): boolean {
  return !schema.properties && !schema.anyOf
}

const levelMax = 4

function rowsFor(schema: Schema, telling: MemberTableContext, level: number, openLevels: number): Html[] {
  const required = schema.required ?? []
  const choice = (schema.oneOf ?? []).flatMap((branch) => branch.required ?? [])
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const { inner, isList, isNullable } = unwrap(member)
    const chosen = branchFor(inner, telling)
    const opened = openable(chosen, telling.schemas, openLevels)
    const need = required.includes(name) ? 'always' : choice.includes(name) ? 'one of' : 'maybe'
    const row = html`<tr${level > 0 && html` class="d${Math.min(level, levelMax)}"`}>
      <th scope="row"><code>${name}</code>${needWords(need, telling)}</th>
      <td>
        ${
          opened
            ? html`<span class="type">
            ${isList ? 'array of objects' : 'object'}
            ${schemaNameFromRef(chosen) && html`, ${renderType(chosen, telling.schemas)}`}
            ${isList && boundsOf(member)}
            ${isNullable && ' or null'}
          </span>`
            : html`<span class="type">${renderType(member, telling.schemas)}</span>`
        }
        ${meaningOf(member, inner, telling)}
      </td>
    </tr>
`
    return opened ? [row, ...rowsFor(opened, telling, level + 1, openLevels - 1)] : [row]
  })
}

function needWords(need: 'always' | 'one of' | 'maybe', { as }: MemberTableContext): Html | false {
  if (as === 'answer') return need === 'maybe' && html`<small>may be missing</small>`
  if (need === 'always') return html`<small class="must">required</small>`
  return need === 'one of' && html`<small class="must">one of these</small>`
}

// Returns the schema inside a list or a union with null.
function unwrap(member: Schema): { inner: Schema; isList: boolean; isNullable: boolean } {
  const bare = nonNull(member)
  const isNullable = bare !== member
  return bare.type === 'array' && bare.items
    ? { inner: nonNull(bare.items), isList: true, isNullable }
    : { inner: bare, isList: false, isNullable }
}

function nonNull(schema: Schema): Schema {
  const meant = schema.anyOf?.filter((branch) => branch.type !== 'null') ?? []
  const [only] = meant
  return only && meant.length === 1 && meant.length < (schema.anyOf?.length ?? 0) ? only : schema
}

function branchFor(schema: Schema, { kind, schemas }: MemberTableContext): Schema {
  if (kind === undefined || !schema.anyOf) return schema
  return schema.anyOf.find((branch) => resolveSchema(branch, schemas).properties?.kind?.const === kind) ?? schema
}

// Returns the schema if it is shown in place: an unnamed object always, a named object down to `openLevels`.
function openable(schema: Schema, schemas: Schemas, openLevels: number): Schema | undefined {
  if (!schema.$ref) return schema.properties ? schema : undefined
  const part = resolveSchema(schema, schemas)
  return openLevels > 0 && part.properties ? part : undefined
}

// In a request, a member without a description has that of its named part. In an answer, the part's own table has it.
function meaningOf(member: Schema, inner: Schema, { as, schemas }: MemberTableContext): Html | false {
  const own = member.description ?? (as === 'request' ? resolveSchema(inner, schemas).description : inner.description)
  return own !== undefined && html`<p>${renderProse(own)}</p>`
}

export function renderType(schema: Schema, schemas: Schemas): Html {
  const name = schemaNameFromRef(schema)
  if (name !== undefined) {
    const part = resolveSchema(schema, schemas)
    const link = html`<a href="#${schemaAnchor(name)}">${name}</a>`
    if (part.enum && part.enum.length <= 6) return html`${link}: ${wordsOf(part.enum)}`
    // For an object the name suffices; a plain value also needs its JSON type.
    return isPlain(part) && part.type ? html`${link}, ${part.type}` : link
  }
  if (schema.anyOf)
    return html`${joinHtml(
      schema.anyOf.map((branch) => renderType(branch, schemas)),
      ' or ',
    )}`
  if (schema.const !== undefined) return html`always <code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return html`one of ${wordsOf(schema.enum)}`
  if (schema.type === 'array' && schema.items)
    return html`array of ${renderType(schema.items, schemas)}${boundsOf(schema)}`
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    return html`object: any names, each ${renderType(schema.additionalProperties, schemas)}${boundsOf(schema)}`
  }
  return html`${schema.type ?? 'any'}${boundsOf(schema)}`
}

function boundsOf(schema: Schema): string {
  const { pattern, uniqueItems, maxProperties } = schema
  const words = pattern === undefined ? undefined : (patternDescription(pattern) ?? `matches ${pattern}`)
  const bounds = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, schema.maxLength === 1 ? ' character' : ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    maxProperties === undefined ? '' : `at most ${maxProperties} names`,
    uniqueItems ? 'each once' : '',
    words ?? '',
  ]
  return bounds
    .filter((text) => text !== '')
    .map((text) => `, ${text}`)
    .join('')
}

function range(low: number | undefined, high: number | undefined, unit: string): string {
  // The largest safe integer bounds all numbers, so this bound is omitted.
  const top = high === Number.MAX_SAFE_INTEGER ? undefined : high
  if (low !== undefined && low === top) return `${low}${unit}`
  if (low !== undefined && top !== undefined) return `${low} to ${top}${unit}`
  if (top !== undefined) return `at most ${top}${unit}`
  return low === undefined || (unit !== '' && low === 0) ? '' : `${low}${unit} or more`
}

function wordsOf(values: readonly unknown[]): Html {
  return html`${joinHtml(
    values.map((value) => html`<code>${String(value)}</code>`),
    ' ',
  )}`
}

export function joinHtml(parts: readonly Html[], between: string): Html[] {
  return parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))
}
