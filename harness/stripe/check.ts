// Holds requests and answers against the schemas made from the types of the official package. A request that does not fit is
// refused as Stripe refuses it; an answer that does not fit is a defect of the stand-in.

import { readFileSync } from 'node:fs'
import { Compile, type Validator } from 'typebox/schema'
import { invalid } from './errors.ts'
import type { Form, FormValue } from './form.ts'

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
}

interface RequestSchema {
  schema: Schema
  // Parameters that Stripe knows and the stand-in does not.
  others: string[]
}

const { version, requests, answers } = JSON.parse(readFileSync(new URL('schemas.json', import.meta.url), 'utf8')) as {
  version: string
  requests: Record<string, RequestSchema>
  answers: Record<string, Schema>
}

// The version of the package that the schemas were made from.
export const schemasVersion = version

// Stripe would do this and the stand-in does not: the test that asked for it must fail.
export class Unsupported extends Error {}

// The parameters with numbers and truth values in place of their texts.
export function checkedRequest(name: string, form: Form): Record<string, unknown> {
  const found = requests[name]
  if (!found) throw new Unsupported(`there is no schema for ${name}`)
  const { schema, others } = found
  for (const param of Object.keys(form)) {
    if (others.includes(param)) throw new Unsupported(`${name}: the stand-in does not understand ${param}`)
    if (!schema.properties?.[param])
      throw invalid(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  for (const param of schema.required ?? [])
    if (!(param in form)) throw invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  const value = coerced(schema, form) as Record<string, unknown>
  const validator = validatorOf(`request ${name}`, schema)
  if (validator.Check(value)) return value
  const param = paramOf(validator, value)
  const given = param.split(/[[\]]+/)[0] ?? ''
  if (schema.properties?.[given]?.type === 'integer')
    throw invalid(`Invalid integer: ${String(form[given])}`, { code: 'parameter_invalid_integer', param })
  throw invalid(`Invalid ${param}`, { param })
}

const schemaNames: Readonly<Record<string, string>> = {
  account: 'Account',
  charge: 'Charge',
  dispute: 'Dispute',
  event: 'EventBase',
  payment_intent: 'PaymentIntent',
  payment_method_domain: 'PaymentMethodDomain',
  refund: 'Refund',
  webhook_endpoint: 'WebhookEndpoint',
}

// What is wrong with an answer, or nothing.
export function misfitOf(answer: object): string | undefined {
  const { object, data, deleted } = answer as { object?: string; data?: unknown; deleted?: true }
  if (object === 'list') return (data as object[]).map(misfitOf).find((misfit) => misfit !== undefined)
  const name = deleted ? 'DeletedWebhookEndpoint' : schemaNames[object ?? '']
  const schema = name === undefined ? undefined : answers[name]
  if (!schema) return `${object} has no schema`
  const validator = validatorOf(`answer ${name}`, { ...schema, ...{ $defs: { Charge: answers.Charge } } })
  if (!validator.Check(answer)) return `${object}: ${JSON.stringify(validator.Errors(answer)[1].slice(0, 3))}`
  return object === 'event' ? misfitOf((data as { object: object }).object) : undefined
}

const validators = new Map<string, Validator>()

// Compiled at first use: a test needs a few of them.
function validatorOf(key: string, schema: Schema): Validator {
  const known = validators.get(key)
  if (known) return known
  const made = Compile(schema)
  validators.set(key, made)
  return made
}

function paramOf(validator: Validator, value: unknown): string {
  const [first] = validator.Errors(value)[1]
  const [head = '', ...rest] = (first?.instancePath ?? '').split('/').slice(1)
  return head + rest.map((part) => `[${part}]`).join('')
}

function coerced(schema: Schema | undefined, value: FormValue): unknown {
  if (schema === undefined) return value
  if (schema.anyOf) return coerced(choiceOf(schema.anyOf, value), value)
  if (typeof value === 'string') {
    if (schema.type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
    if (schema.type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
    return value
  }
  if (Array.isArray(value)) return value.map((one) => coerced(schema.items, one))
  const { properties, additionalProperties } = schema
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, coerced(properties?.[name] ?? others, one)]),
  )
}

function choiceOf(choices: Schema[], value: FormValue): Schema | undefined {
  if (Array.isArray(value)) return choices.find(({ type }) => type === 'array')
  if (typeof value === 'object') return choices.find(({ type }) => type === 'object')
  return (
    choices.find((choice) => choice.enum?.includes(value) || choice.type === 'string') ??
    choices.find(({ type }) => type === 'integer' || type === 'boolean')
  )
}
