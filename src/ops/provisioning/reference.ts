// Writes the members of the shop file into docs/shop-file.md (`npm run shop-file`, after each change of shopfile.ts or
// contract/entries.ts).

import { readFileSync, writeFileSync } from 'node:fs'
import { patterns } from '../../contract/patterns.ts'
import { shopFileSchema } from './shopfile.ts'

// The keywords of JSON Schema that occur in the schema of shop files.
interface Schema {
  type?: string
  const?: unknown
  enum?: readonly string[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  maxProperties?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  description?: string
}

const [begin, end] = ['<!-- members: printed by npm run shop-file -->', '<!-- members end -->']

// Replaces the tables in the page.
export function withMemberTables(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/shop-file.md must contain the markers ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${memberTables()}\n${page.slice(to)}`
}

function memberTables(): string {
  const top = shopFileSchema as Schema
  return Object.entries(top.properties ?? {})
    .map(([name, schema]) => {
      const isNeeded = top.required?.includes(name) ? ' Required.' : ''
      const bound = schema.maxItems === undefined ? '' : ` At most ${numberText(schema.maxItems)}.`
      const rows = rowsOf(schema.items ?? schema, '')
      return [
        `### \`${name}\``,
        '',
        `${schema.description ?? ''}${isNeeded}${bound}`,
        '',
        '| member | | |',
        '|---|---|---|',
        ...rows,
        '',
      ].join('\n')
    })
    .join('\n')
}

// Nested members follow their parent and are named by their whole path. Required members are bold.
function rowsOf({ properties = {}, required = [] }: Schema, way: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${way}${name}`
    const shown = required.includes(name) ? `**\`${path}\`**` : `\`${path}\``
    const row = `| ${shown} | ${typeText(schema)} | ${schema.description ?? ''} |`
    const inner = schema.items?.properties ? schema.items : schema
    return [row, ...rowsOf(inner, schema.items ? `${path}[].` : `${path}.`)]
  })
}

function typeText(schema: Schema): string {
  const { type, anyOf, items, pattern, additionalProperties, maxProperties } = schema
  if (anyOf) return anyOf.map(typeText).join(' or ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(', ')
  if (type === 'array') return listText(schema, items ?? {})
  if (type === 'integer') return rangeText(schema)
  if (type === 'string')
    return pattern === undefined || pattern === patterns.line.source ? `text${lengthText(schema)}` : wordsOf(pattern)
  if (type === 'boolean') return 'true or false'
  if (typeof additionalProperties === 'object') return `up to ${maxProperties} names and texts`
  return type ?? ''
}

function listText({ minItems = 0, maxItems }: Schema, items: Schema): string {
  const what = items.properties || items.type === 'object' ? 'list' : `list of ${typeText(items)}`
  return maxItems === undefined ? what : `${what}, ${minItems}–${maxItems}`
}

function rangeText({ minimum, maximum }: Schema): string {
  return `${numberText(minimum ?? 0)}–${numberText(maximum ?? Number.MAX_SAFE_INTEGER)}`
}

function numberText(value: number): string {
  return value.toLocaleString('en')
}

function lengthText({ minLength = 0, maxLength }: Schema): string {
  return maxLength === undefined ? '' : ` of ${minLength}–${numberText(maxLength)}`
}

// Names of patterns, which the page explains.
const words: readonly (readonly [start: string, words: string])[] = [
  ['^[a-z0-9]+(-[a-z0-9]+)*$', 'slug'],
  ['^[a-z0-9]+([_-][a-z0-9]+)*$', 'word'],
  ['^[A-Z]{2}$', 'country'],
  ['^[A-Z]{3}$', 'currency'],
  ['^[A-Z0-9]{1,3}$', '1–3 letters or digits'],
  ['^(https://', 'picture'],
  ['^https://[', 'https address'],
  ['^https?://', 'http or https address'],
  ['^\\d{4}-', 'instant'],
  ['^[^\\s@]+@', 'e-mail address'],
  ['^([^\\s@]+@', 'e-mail or https address'],
  ['^#[0-9a-fA-F]', '`#rrggbb`'],
  ['^[A-Za-z0-9/-]*(\\{year', 'format of numbers'],
]

function wordsOf(pattern: string): string {
  const found = words.find(([start]) => pattern.startsWith(start))
  if (!found) throw new Error(`the pattern ${pattern} has no description`)
  return found[1]
}

if (import.meta.main) {
  const file = new URL('../../../docs/shop-file.md', import.meta.url)
  writeFileSync(file, withMemberTables(readFileSync(file, 'utf8')))
}
