// The named schemas of the OpenAPI document, and the replacing of each named part by a reference to it.

import * as errors from './errors.ts'
import * as carts from './open/carts.ts'
import * as catalog from './open/catalog.ts'
import * as checkout from './open/checkout.ts'
import * as events from './open/events.ts'
import * as identity from './open/identity.ts'
import * as oauth from './open/oauth.ts'
import { operationIds, operations } from './open/operations.ts'
import * as orders from './open/orders.ts'
import * as webhooks from './open/webhooks.ts'
import * as parts from './parts.ts'
import { originOf, type TSchema } from './schema.ts'
import { eventKinds } from './words.ts'

// A schema is exported under its public name, so the exports are the register. Names of schemas begin with a capital.
const named = [parts, errors, catalog, identity, carts, checkout, orders, webhooks, oauth]
  .flatMap((room): [string, unknown][] => Object.entries(room))
  .filter(([name]) => /^[A-Z]/.test(name)) as [string, TSchema][]

const eventNamed = [
  ...Object.entries(events).filter(([name]) => /^[A-Z]/.test(name)),
  ...eventKinds.map((kind) => [events.eventSchemaName(kind), events.eventSchemas.get(kind)]),
] as [string, TSchema][]

const names = new Map([...named, ...eventNamed].map(([name, schema]) => [schema, name]))

export function schemaName(schema: TSchema): string {
  const name = names.get(schema)
  if (!name) throw new Error(`a schema of the contract has no name: ${JSON.stringify(schema).slice(0, 200)}`)
  return name
}

export function schemaRef(schema: TSchema) {
  return { $ref: `#/components/schemas/${schemaName(schema)}` }
}

// What an operation or an event uses, directly or through other parts, in alphabetical order.
export function componentSchemas(): Record<string, object> {
  const found = new Map<string, object>()
  function collect(schema: TSchema): void {
    const name = schemaName(schema)
    if (found.has(name)) return
    found.set(name, {})
    found.set(name, withRefs(schema, collect, schema) as object)
  }
  collect(errors.PublicErrorResponse)
  for (const id of operationIds) {
    const { body, reply } = operations[id]
    if (body) collect(body)
    collect(reply)
  }
  for (const schema of events.eventSchemas.values()) collect(schema)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

interface Described {
  description?: string
}

// A copy in which each named part below `root` is a reference. A part that is described anew keeps its own words, which
// OpenAPI 3.1 allows beside a reference.
function withRefs(value: unknown, onPart: (part: TSchema) => void, root: TSchema): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withRefs(item, onPart, root))
  const part = originOf(value)
  if (value !== root && names.has(part)) {
    onPart(part)
    const { description } = value as Described
    return { ...schemaRef(part), ...(description !== (part as Described).description && { description }) }
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withRefs(member, onPart, root)]))
}
