// Simplifies schemas for models. The list of tools is part of every conversation, so schemas say what to send and omit what only causes
// refusals: patterns, lengths and closed objects. The operations check all of that, and their errors name the problem and its place.
// Pure.

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

// Bounds outside this range are omitted: larger ones are limits of storage, smaller ones are obvious.
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

// Matches descriptions that only repeat the member's name or the server's instructions.
const saidAlready =
  /^(?:Id of |The version (?:that the change is based on|that was seen|the caller has seen)|true: answer what would change|What the caller was shown|How many rows to answer)/

// Each property is handled alone, because its name could be a keyword of schemas, such as `pattern`.
function propertiesOf(properties: Schema): Schema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const { description, ...rest } = value as Schema
      const isSaid = typeof description === 'string' && saidAlready.test(description)
      return [name, shownSchema(isSaid ? rest : value)]
    }),
  )
}

// A union of a simple type and null becomes one schema with two type names.
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

// Longer enumerations, such as all types of events, are omitted: the error for a wrong value lists the allowed ones.
const valuesMax = 16

function isLongList(name: string, value: unknown): boolean {
  return name === 'enum' && Array.isArray(value) && value.length > valuesMax
}

function firstSentence(text: string): string {
  return /^.*?[.](?= |$)/.exec(text)?.[0] ?? text
}
