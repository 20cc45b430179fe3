// Why a value does not fit its schema, as a list of places and broken rules. Walks the parts of JSON Schema that the
// contract uses; whether a single value fits is always asked of the engine, so the two cannot disagree.

import { limits } from './limits.ts'
import { wordsFor } from './patterns.ts'
import type { TSchema } from './schema.ts'

export interface Issue {
  // JSON Pointer to the place in the value, which for a request is its body; `/query/…` and `/headers/…` are outside of it.
  path: string
  message: string
}

export type Fits = (schema: TSchema, value: unknown) => boolean

export function explain(schema: TSchema, value: unknown, fits: Fits): Issue[] {
  const issues: Issue[] = []
  visit({ fits, issues }, schema, value, '', '')
  // A keyword that this walk does not know must not turn a refusal into a silent pass.
  if (issues.length === 0) issues.push({ path: '', message: 'does not match the contract' })
  return issues
}

// The keywords in use here. TypeBox types a schema by its builder; here it is read as the JSON it is.
interface Node {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Node[]
  oneOf?: readonly Node[]
  properties?: Readonly<Record<string, Node>>
  required?: readonly string[]
  additionalProperties?: false | Node
  propertyNames?: Node
  maxProperties?: number
  dependentRequired?: Readonly<Record<string, readonly string[]>>
  items?: Node
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
}

interface Walk {
  fits: Fits
  issues: Issue[]
}

// `orElse` ends the sentence where the schema also allows something simpler, such as null.
function visit(walk: Walk, node: Node, value: unknown, path: string, orElse: string): void {
  if (walk.issues.length >= limits.issuesMax || walk.fits(node as TSchema, value)) return
  if (node.anyOf) visitUnion(walk, node.anyOf, value, path)
  else if (node.type === 'object' && isObject(value)) visitObject(walk, node, value, path)
  else if (node.type === 'array' && Array.isArray(value)) visitArray(walk, node, value, path)
  else report(walk, path, `must be ${ruleOf(node)}${orElse}`)
}

function visitUnion(walk: Walk, branches: readonly Node[], value: unknown, path: string): void {
  const meant = branches.filter((branch) => branch.type !== 'null')
  const orNull = meant.length < branches.length ? ' or null' : ''
  const tag = tagOf(meant)
  const branch = meant.length === 1 ? meant[0] : branchOf(meant, tag, value)
  if (branch) visit(walk, branch, value, path, orNull)
  else if (tag && isObject(value)) {
    const words = meant.map(({ properties }) => JSON.stringify(properties?.[tag]?.const)).join(', ')
    report(walk, pointer(path, tag), Object.hasOwn(value, tag) ? `must be one of ${words}` : 'is required')
  } else report(walk, path, `must be ${[...new Set(meant.map(ruleOf))].join(' or ')}${orNull}`)
}

// The member that is a constant in every branch, and so tells the branches apart.
function tagOf(branches: readonly Node[]): string | undefined {
  const names = Object.keys(branches[0]?.properties ?? {})
  return names.find((name) => branches.every((branch) => branch.properties?.[name]?.const !== undefined))
}

function branchOf(branches: readonly Node[], tag: string | undefined, value: unknown): Node | undefined {
  if (!tag || !isObject(value)) return undefined
  return branches.find(({ properties }) => properties?.[tag]?.const === value[tag])
}

function visitObject(walk: Walk, node: Node, value: Record<string, unknown>, path: string): void {
  const properties = node.properties ?? {}
  for (const [name, member] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) visit(walk, member, value[name], pointer(path, name), '')
    else if (node.required?.includes(name)) report(walk, pointer(path, name), 'is required')
  }
  visitChoice(walk, node.oneOf ?? [], value, path)
  for (const [name, needs] of Object.entries(node.dependentRequired ?? {})) {
    const missing = Object.hasOwn(value, name) ? needs.filter((need) => !Object.hasOwn(value, need)) : []
    if (missing.length > 0) report(walk, pointer(path, name), `is only allowed together with ${missing.join(', ')}`)
  }
  const names = Object.keys(value)
  if (node.maxProperties !== undefined && names.length > node.maxProperties) {
    report(walk, path, `must have at most ${node.maxProperties} members`)
  }
  for (const name of names) {
    if (walk.issues.length >= limits.issuesMax) return
    if (Object.hasOwn(properties, name)) continue
    const place = pointer(path, name)
    if (node.additionalProperties === false) report(walk, place, 'is not a known member')
    else if (node.propertyNames && !walk.fits(node.propertyNames as TSchema, name)) {
      report(walk, place, `must have a name that is ${ruleOf(node.propertyNames)}`)
    } else if (node.additionalProperties) visit(walk, node.additionalProperties, value[name], place, '')
  }
}

// Exactly one of several members: each branch names one that it requires.
function visitChoice(walk: Walk, branches: readonly Node[], value: Record<string, unknown>, path: string): void {
  const names = branches.flatMap((branch) => branch.required ?? [])
  const present = names.filter((name) => Object.hasOwn(value, name))
  const [first, ...rest] = names
  if (first && present.length === 0) report(walk, pointer(path, first), `is required, or ${rest.join(' or ')} instead`)
  for (const name of present.slice(1)) {
    report(walk, pointer(path, name), `is not allowed together with ${present[0]}`)
  }
}

function visitArray(walk: Walk, node: Node, value: unknown[], path: string): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node
  if (value.length < minItems || value.length > maxItems) report(walk, path, `must be ${ruleOf(node)}`)
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    if (walk.issues.length >= limits.issuesMax) return
    if (node.items) visit(walk, node.items, item, `${path}/${index}`, '')
    if (!node.uniqueItems) continue
    const text = JSON.stringify(item)
    if (seen.has(text)) report(walk, `${path}/${index}`, 'must not repeat an earlier item')
    seen.add(text)
  }
}

function report(walk: Walk, path: string, message: string): void {
  if (walk.issues.length >= limits.issuesMax) return
  // A long list of words would not fit its own schema.
  const whole = message.length <= limits.issueLengthMax
  walk.issues.push({ path, message: whole ? message : `${message.slice(0, limits.issueLengthMax - 1)}…` })
}

// The rule as it follows "must be".
function ruleOf(node: Node): string {
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum) return `one of ${node.enum.map((word) => JSON.stringify(word)).join(', ')}`
  switch (node.type) {
    case 'integer':
      return `an integer${bounds(node.minimum, node.maximum, '')}`
    case 'string':
      return stringRule(node)
    case 'array':
      return `an array${bounds(node.minItems, node.maxItems, ' items')}`
    case 'boolean':
      return 'true or false'
    case 'object':
      return 'an object'
    default:
      return 'null'
  }
}

function stringRule({ minLength, maxLength, pattern }: Node): string {
  if (pattern === undefined) return `a string${bounds(minLength, maxLength, ' characters')}`
  const words = wordsFor(pattern) ?? `a string that matches ${pattern}`
  return maxLength === undefined ? words : `${words} (${minLength ?? 0} to ${maxLength} characters)`
}

function bounds(low: number | undefined, high: number | undefined, unit: string): string {
  if (low !== undefined && high !== undefined) return ` ${unit ? 'of' : 'from'} ${low} to ${high}${unit}`
  if (low !== undefined) return ` of at least ${low}${unit}`
  return high === undefined ? '' : ` of at most ${high}${unit}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// A member's name is cut, so an issue cannot grow with what was sent.
function pointer(path: string, name: string): string {
  return `${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
