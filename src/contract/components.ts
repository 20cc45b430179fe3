// The named schemas of an OpenAPI document. Replaces each named part of a schema by a reference to the part.

import { originalSchemaOf, type TSchema } from './schema.ts'

export interface Components {
  schemaRef(schema: TSchema): { $ref: string }
  // Named parts that the given schemas use, directly or through other parts, in alphabetical order.
  componentsOf(schemas: Iterable<TSchema>): Record<string, object>
}

export type NamedSchemas = readonly (readonly [name: string, schema: TSchema])[]

// A schema is exported under its public name, which begins with a capital, so the exports of a module list its named schemas.
export function collectNamedSchemas(...modules: readonly object[]): NamedSchemas {
  return modules
    .flatMap((module): [string, unknown][] => Object.entries(module))
    .filter(([name]) => /^[A-Z]/.test(name)) as [string, TSchema][]
}

export function createComponents(named: NamedSchemas): Components {
  const names = new Map(named.map(([name, schema]) => [schema, name]))

  function nameOf(schema: TSchema): string {
    const name = names.get(schema)
    if (!name) throw new Error(`the contract has a schema without a name: ${JSON.stringify(schema).slice(0, 200)}`)
    return name
  }

  function schemaRef(schema: TSchema) {
    return { $ref: `#/components/schemas/${nameOf(schema)}` }
  }

  function componentsOf(schemas: Iterable<TSchema>): Record<string, object> {
    const found = new Map<string, object>()
    function collect(schema: TSchema): void {
      const name = nameOf(schema)
      if (found.has(name)) return
      found.set(name, {})
      found.set(name, withRefs(schema, collect, schema) as object)
    }
    for (const schema of schemas) collect(schema)
    return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  // Returns a copy in which each named part below `root` is a reference. A part with its own description keeps it: OpenAPI 3.1 allows a
  // description beside a reference.
  function withRefs(value: unknown, onPart: (part: TSchema) => void, root: TSchema): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => withRefs(item, onPart, root))
    const part = originalSchemaOf(value)
    if (value !== root && names.has(part)) {
      onPart(part)
      const { description } = value as Described
      return { ...schemaRef(part), ...(description !== (part as Described).description && { description }) }
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withRefs(member, onPart, root)]))
  }

  return { schemaRef, componentsOf }
}

interface Described {
  description?: string
}
