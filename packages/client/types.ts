// TypeScript types from the schemas of the contract. It knows the few forms of JSON Schema that the contract uses, and throws at
// any other.

interface Schema {
  $ref?: string
  type?: string
  enum?: readonly string[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly { required: readonly string[] }[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  description?: string
}

// Named strings and numbers are printed in place: `id: string` says more than `id: OrderId`, and their words go with the member.
export function typesFrom(schemas: Readonly<Record<string, object>>): {
  types: string
  refs: (schema: object) => string
} {
  const isNamed = ({ enum: words, type, anyOf, properties }: Schema) =>
    Boolean(words || anyOf || (type === 'object' && properties))
  const named = new Set(
    Object.keys(schemas).filter((name) => isNamed(schemas[name] as Schema) && !isNullable(schemas[name] as Schema)),
  )
  const refs = (schema: object): string => {
    const name = nameIn(schema)
    return named.has(name) ? name : typeOf(schemas[name] ?? {}, refs)
  }
  const types = [...named].map((name) => {
    const schema = schemas[name] as Schema
    const says = schema.description ? `/** ${comment(schema.description)} */\n` : ''
    return schema.properties && !schema.oneOf
      ? `${says}export interface ${name} ${typeOf(schema, refs, describedBy(schemas))}`
      : `${says}export type ${name} = ${typeOf(schema, refs, describedBy(schemas))}`
  })
  return { types: types.join('\n\n'), refs }
}

type Refs = (schema: object) => string
type Describe = (schema: Schema) => string | undefined

export function typeOf(
  value: object,
  refs: Refs,
  describe: Describe = ({ description }) => description,
  depth = 0,
): string {
  const schema = value as Schema
  if (schema.$ref) return refs(schema)
  if (schema.anyOf) return unionOf(schema.anyOf.map((part) => typeOf(part, refs, describe, depth)))
  if (schema.enum) return unionOf(schema.enum.map((word) => `'${word}'`))
  if (schema.const !== undefined) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const)
  if (schema.type === 'array') return arrayOf(typeOf(schema.items ?? {}, refs, describe, depth))
  if (schema.type === 'object') return objectOf(schema, refs, describe, depth)
  if (schema.type === undefined && !('oneOf' in schema)) return 'unknown'
  const plain = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[
    schema.type ?? ''
  ]
  if (!plain) throw new Error(`no type is known for ${JSON.stringify(schema).slice(0, 200)}`)
  return plain
}

function objectOf(
  { properties, required = [], additionalProperties, oneOf }: Schema,
  refs: Refs,
  describe: Describe,
  depth: number,
): string {
  if (!properties) {
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties, refs, describe, depth) : 'unknown'
    return `Record<string, ${values}>`
  }
  const choices = oneOf?.map(({ required: [name = ''] }) => name) ?? []
  const pad = '  '.repeat(depth + 1)
  const lines = Object.entries(properties)
    .filter(([name]) => !choices.includes(name))
    .flatMap(([name, schema]) => {
      const says = describe(schema)
      const optional = required.includes(name) ? '' : '?'
      const type = typeOf(schema, refs, describe, depth + 1) + (optional && ' | undefined')
      return [...(says ? [`${pad}/** ${comment(says)} */`] : []), `${pad}${key(name)}${optional}: ${type}`]
    })
  const members = lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
  if (choices.length === 0) return members
  // Exactly one of these.
  const alternatives = choices.map((chosen) => {
    const others = choices.filter((name) => name !== chosen).map((name) => `; ${key(name)}?: never`)
    return `{ ${key(chosen)}: ${typeOf(properties[chosen] ?? {}, refs, describe, depth + 1)}${others.join('')} }`
  })
  return `${members} & (${alternatives.join(' | ')})`
}

// A member says what it means there, or else what its shared part says everywhere.
function describedBy(schemas: Readonly<Record<string, object>>): Describe {
  return (schema) => {
    const part = schema.$ref ? (schemas[nameIn(schema)] as Schema | undefined) : undefined
    const isPrintedInPlace = part && !part.properties && !part.enum
    return schema.description ?? (isPrintedInPlace ? part.description : undefined)
  }
}

const isNullable = ({ anyOf }: Schema) => Boolean(anyOf?.some(({ type }) => type === 'null'))
const nameIn = (schema: object) => (schema as Schema).$ref?.split('/').at(-1) ?? ''
const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ')
const arrayOf = (type: string) => (/^[\w.]+$/.test(type) ? `${type}[]` : `(${type})[]`)
const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)
const comment = (text: string) => text.replaceAll('*/', '* /').replaceAll('\n', ' ')
