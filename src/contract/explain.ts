// Explains why a value does not fit its schema, as a list of places and broken rules. Walks the parts of JSON Schema that the contract
// uses. The validator decides whether each value fits, so the explanation cannot contradict it.

import { type BrokenRule, type Issue, issue, withShortMessage } from './issues.ts'
import { limits } from './limits.ts'
import { idPrefixOfPattern, patterns } from './patterns.ts'
import type { TSchema } from './schema.ts'

export type MatchesSchema = (schema: TSchema, value: unknown) => boolean

export function explainMismatch(schema: TSchema, value: unknown, fits: MatchesSchema): Issue[] {
  const issues: Issue[] = []
  visit({ fits, issues }, schema, value, '', '')
  // If the walk finds no issue, for example because it does not support a keyword, the value is still refused.
  if (issues.length === 0) report({ fits, issues }, '', issue('does_not_match'))
  return issues
}

// The keywords that the contract uses. TypeBox types a schema by its builder; this walk reads a schema as plain JSON.
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
  fits: MatchesSchema
  issues: Issue[]
}

// `orElse`: end of the message if the schema also allows null.
function visit(walk: Walk, node: Node, value: unknown, path: string, orElse: string): void {
  if (walk.issues.length >= limits.issuesMax) return
  // An object is not checked as a whole, because its members are checked: with nested objects, each text would be counted several times.
  if (!node.anyOf && node.type === 'object' && isObject(value)) visitObject(walk, node, value, path)
  else if (walk.fits(node as TSchema, value)) return
  else if (node.anyOf) visitUnion(walk, node.anyOf, value, path)
  else if (node.type === 'array' && Array.isArray(value)) visitArray(walk, node, value, path)
  else report(walk, path, ruleOf(node), orElse)
}

function visitUnion(walk: Walk, branches: readonly Node[], value: unknown, path: string): void {
  const meant = branches.filter((branch) => branch.type !== 'null')
  const orNull = meant.length < branches.length ? ' or null' : ''
  const tag = tagOf(meant)
  const branch = meant.length === 1 ? meant[0] : branchOf(meant, tag, value)
  if (branch) visit(walk, branch, value, path, orNull)
  else if (tag && isObject(value)) {
    const allowed = meant.map(({ properties }) => String(properties?.[tag]?.const))
    const isGiven = Object.hasOwn(value, tag)
    report(walk, pointer(path, tag), isGiven ? issue('not_one_of', { allowed }) : issue('required'))
  } else {
    const rule = [...new Set(meant.map((one) => wordsOf(ruleOf(one))))].join(' or ')
    report(walk, path, issue('no_rule_met', { rule }), orNull)
  }
}

// The discriminator of the union: a member that is a constant in every branch.
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
    else if (node.required?.includes(name)) report(walk, pointer(path, name), issue('required'))
  }
  visitChoice(walk, node.oneOf ?? [], value, path)
  for (const [name, needs] of Object.entries(node.dependentRequired ?? {})) {
    const members = Object.hasOwn(value, name) ? needs.filter((need) => !Object.hasOwn(value, need)) : []
    if (members.length > 0) report(walk, pointer(path, name), issue('needs_members', { members }))
  }
  const names = Object.keys(value)
  if (node.maxProperties !== undefined && names.length > node.maxProperties) {
    report(walk, path, issue('too_many_members', { max: node.maxProperties }))
  }
  for (const name of names) {
    if (walk.issues.length >= limits.issuesMax) return
    if (Object.hasOwn(properties, name)) continue
    const place = pointer(path, name)
    if (node.additionalProperties === false) report(walk, place, issue('unknown_member'))
    else if (node.propertyNames && !walk.fits(node.propertyNames as TSchema, name)) {
      const rule = wordsOf(ruleOf({ ...node.propertyNames, type: 'string' }))
      report(walk, place, issue('bad_member_name', { rule }))
    } else if (node.additionalProperties) visit(walk, node.additionalProperties, value[name], place, '')
  }
}

// Exactly one of several members must be present: each branch requires one of them.
function visitChoice(walk: Walk, branches: readonly Node[], value: Record<string, unknown>, path: string): void {
  const names = branches.flatMap((branch) => branch.required ?? [])
  const present = names.filter((name) => Object.hasOwn(value, name))
  const [first, ...alternatives] = names
  if (first && present.length === 0) report(walk, pointer(path, first), issue('required_unless', { alternatives }))
  const [member = '', ...others] = present
  for (const name of others) report(walk, pointer(path, name), issue('excluded_by', { member }))
}

function visitArray(walk: Walk, node: Node, value: unknown[], path: string): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node
  if (value.length < minItems || value.length > maxItems) report(walk, path, ruleOf(node))
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    if (walk.issues.length >= limits.issuesMax) return
    if (node.items) visit(walk, node.items, item, `${path}/${index}`, '')
    if (!node.uniqueItems) continue
    const text = JSON.stringify(item)
    if (seen.has(text)) report(walk, `${path}/${index}`, issue('repeated_item'))
    seen.add(text)
  }
}

// `orElse` is only in the message, not in the values: a form that shows the rule has an empty field for null.
function report(walk: Walk, path: string, rule: BrokenRule, orElse = ''): void {
  if (walk.issues.length >= limits.issuesMax) return
  walk.issues.push(withShortMessage({ path, ...rule, message: `${rule.message}${orElse}` }))
}

// The rule without its leading "must be".
function wordsOf({ message }: BrokenRule): string {
  return message.replace(/^must be /, '')
}

function ruleOf(node: Node): BrokenRule {
  if (node.const !== undefined) return issue('not_exactly', { value: JSON.stringify(node.const) })
  if (node.enum) return issue('not_one_of', { allowed: node.enum.map(String) })
  switch (node.type) {
    case 'integer':
      return boundRule(node.minimum, node.maximum, {
        none: 'not_an_integer',
        both: 'integer_out_of_range',
        min: 'integer_too_low',
        max: 'integer_too_high',
      })
    case 'string':
      return stringRule(node)
    case 'array':
      return boundRule(node.minItems, node.maxItems, {
        none: 'not_an_array',
        both: 'array_length',
        min: 'array_too_short',
        max: 'array_too_long',
      })
    case 'boolean':
      return issue('not_a_boolean')
    case 'object':
      return issue('not_an_object')
    default:
      return issue('not_null')
  }
}

// If the schema has a pattern and a maximum length, the sentence states both.
function stringRule({ minLength, maxLength, pattern }: Node): BrokenRule {
  if (pattern === undefined)
    return boundRule(minLength, maxLength, {
      none: 'not_a_string',
      both: 'string_length',
      min: 'string_too_short',
      max: 'string_too_long',
    })
  const length = maxLength === undefined ? {} : { min: minLength ?? 0, max: maxLength }
  const known = Object.values(patterns).find(({ source }) => source === pattern)
  if (known) return issue(known.code, length)
  const prefix = idPrefixOfPattern(pattern)
  return prefix === undefined
    ? issue('pattern_mismatch', { pattern, ...length })
    : issue('not_an_id', { prefix, ...length })
}

interface BoundCodes {
  none: 'not_an_integer' | 'not_a_string' | 'not_an_array'
  both: 'integer_out_of_range' | 'string_length' | 'array_length'
  min: 'integer_too_low' | 'string_too_short' | 'array_too_short'
  max: 'integer_too_high' | 'string_too_long' | 'array_too_long'
}

function boundRule(min: number | undefined, max: number | undefined, codes: BoundCodes): BrokenRule {
  if (min !== undefined && max !== undefined) return issue(codes.both, { min, max })
  if (min !== undefined) return issue(codes.min, { min })
  return max === undefined ? issue(codes.none) : issue(codes.max, { max })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// The member's name is cut, so the size of an issue does not depend on the request.
function pointer(path: string, name: string): string {
  return `${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
