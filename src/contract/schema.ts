// The builders for schemas. The types are TypeBox's, so a schema is also its TypeScript type. The values are plain JSON Schema made here:
// loading TypeBox's own builders took 160 to 230 ms of every start (Node 24, two shared cores), and these builders take none.

import type * as TypeBox from 'typebox'
import type { Static, TObjectOptions, TProperties, TSchema, TSchemaOptions } from 'typebox'

type Builders = Pick<
  typeof TypeBox.Type,
  'Array' | 'Boolean' | 'Integer' | 'Literal' | 'Null' | 'Object' | 'Optional' | 'String' | 'Union' | 'Unsafe'
>

// TypeBox marks an optional member by this property, which JSON output omits. With the same mark, schemas of both kinds of builders can
// be mixed.
const optional = '~optional'

// A copy with its own mark or description remembers the schema that it was made from, so the OpenAPI document can refer to a named part
// instead of repeating it. JSON output omits symbols, and a spread copies them.
const origin = Symbol('origin')

interface Copy {
  [origin]?: TSchema
}

export function originalSchemaOf(schema: TSchema): TSchema {
  return (schema as Copy)[origin] ?? schema
}

// The cast holds because these builders make what TypeBox's builders make; a test compares the two.
export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Object: (properties: TProperties, options?: object) => {
    const required = Object.keys(properties).filter((name) => !(optional in (properties[name] as object)))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional: (schema: TSchema) =>
    Object.defineProperty({ ...schema, [origin]: originalSchemaOf(schema) }, optional, { value: true }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: TSchema[], options?: object) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Builders

// An object schema that refuses unknown members.
export function object<const Members extends TProperties>(members: Members, options: TObjectOptions = {}) {
  return Type.Object(members, { ...options, additionalProperties: false })
}

export function nullable<const Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

export function oneOf<const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options })
}

// Returns a copy of a shared part with a description of what it means for one member.
export function withDescription<const Schema extends TSchema>(description: string, schema: Schema) {
  return Type.Unsafe<Static<Schema>>({ ...schema, description, [origin]: originalSchemaOf(schema) })
}

export type { Static, TSchema }
