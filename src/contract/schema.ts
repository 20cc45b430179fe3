// The small vocabulary in which schemas are written. The types are TypeBox's, so a schema is its TypeScript type
// too; the values are plain JSON Schema made here, because loading TypeBox's own builders took 160 to 230 ms of every
// start (Node 24, two shared cores) and these take none.

import type * as TypeBox from 'typebox'
import type { Static, TObjectOptions, TProperties, TSchema, TSchemaOptions } from 'typebox'

type Builders = Pick<
  typeof TypeBox.Type,
  'Array' | 'Boolean' | 'Integer' | 'Literal' | 'Null' | 'Object' | 'Optional' | 'String' | 'Union' | 'Unsafe'
>

// TypeBox marks an optional member by this property, which JSON does not show. The same mark lets both kinds mix.
const optional = '~optional'

// A copy with a mark or a description of its own remembers the schema it was made from, so the OpenAPI document can
// refer to a named part instead of repeating it. JSON does not show a symbol, and a spread copies it.
const origin = Symbol('origin')

interface Copy {
  [origin]?: TSchema
}

export function originOf(schema: TSchema): TSchema {
  return (schema as Copy)[origin] ?? schema
}

// The cast claims that these make what TypeBox makes; a test compares the two.
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
    Object.defineProperty({ ...schema, [origin]: originOf(schema) }, optional, { value: true }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: TSchema[], options?: object) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Builders

// An object that refuses members it does not name.
export function object<const Members extends TProperties>(members: Members, options: TObjectOptions = {}) {
  return Type.Object(members, { ...options, additionalProperties: false })
}

export function nullable<const Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

export function oneOf<const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options })
}

// A member that says in its own place what a shared part means there.
export function described<const Schema extends TSchema>(description: string, schema: Schema) {
  return Type.Unsafe<Static<Schema>>({ ...schema, description, [origin]: originOf(schema) })
}

export type { Static, TSchema }
