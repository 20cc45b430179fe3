// Schemas as a model sees them. The list of tools is part of every conversation, so they say what to send and leave out what only
// refuses: patterns, lengths and closed objects. The operation checks all of that, and names what is wrong with its place. Pure.

type Schema = Readonly<Record<string, unknown>>

const checkedLater: ReadonlySet<string> = new Set([
  'additionalProperties',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'maxProperties',
  'propertyNames',
])

// Larger bounds are those of the storage, and the smallest ones go without saying.
const boundMin = 2
const boundMax = 10_000

export function shownSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shownSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, ...rest } = schema as Schema & { anyOf?: unknown }
  const merged = Array.isArray(anyOf) ? { ...rest, ...choiceOf(anyOf) } : rest
  const isShown = ([name, value]: [string, unknown]) =>
    !checkedLater.has(name) && !isWideBound(name, value) && !isLongList(name, value)
  const kept = Object.entries(merged).filter(isShown)
  return Object.fromEntries(kept.map(([name, value]) => [name, memberOf(name, value)]))
}

function memberOf(name: string, value: unknown): unknown {
  if (name === 'description' && typeof value === 'string') return firstSentence(value)
  if (name === 'properties') return propertiesOf(value as Schema)
  return name === 'enum' || name === 'const' || name === 'required' || name === 'default' ? value : shownSchema(value)
}

// What the name of a member says already, or the instructions of the server.
const saidAlready =
  /^(?:Id of |The version (?:that the change is based on|that was seen|the caller has seen)|true: answer what would change|What the caller was shown|How many rows to answer)/

// Names of members are not words of a schema.
function propertiesOf(properties: Schema): Schema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const { description, ...rest } = value as Schema
      const isSaid = typeof description === 'string' && saidAlready.test(description)
      return [name, shownSchema(isSaid ? rest : value)]
    }),
  )
}

// Something or null is one type with two names, where it is a simple one.
function choiceOf(choices: readonly unknown[]): Schema {
  const [first, second, ...more] = choices as readonly Schema[]
  const isNullable =
    second?.type === 'null' && more.length === 0 && typeof first?.type === 'string' && !('enum' in first)
  return isNullable ? { ...first, type: [first.type, 'null'] } : { anyOf: choices }
}

function isWideBound(name: string, value: unknown): boolean {
  return (
    (name === 'maximum' || name === 'minimum') && typeof value === 'number' && (value < boundMin || value > boundMax)
  )
}

// Such as all types of events: a wrong one is refused with those that there are.
const valuesMax = 16

function isLongList(name: string, value: unknown): boolean {
  return name === 'enum' && Array.isArray(value) && value.length > valuesMax
}

function firstSentence(text: string): string {
  return /^.*?[.](?= |$)/.exec(text)?.[0] ?? text
}
