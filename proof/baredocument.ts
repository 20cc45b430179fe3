// An OpenAPI document without what no type is made of, so neither another wording nor another bound changes the clients
// that are stored in proof/generators.

import { createHash } from 'node:crypto'

const dropped = /^(?:summary|examples?|pattern|minLength|maxLength|minimum|maximum|x-.*)$/
// The members of these have names of ours, not words of OpenAPI.
const named = /^(?:properties|schemas|paths|webhooks|responses|parameters|headers|securitySchemes)$/

export function bareDocument(text: string): string {
  const document = JSON.parse(text) as { info: object }
  return `${JSON.stringify(bare({ ...document, info: { title: 'Cartwright', version: '0.0.0' } }, false), null, 2)}\n`
}

export function digestOf(text: string): string {
  return createHash('sha256').update(bareDocument(text)).digest('hex')
}

function bare(value: unknown, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => bare(item, false))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => isNamed || !dropped.test(name))
  return Object.fromEntries(
    // An answer must have a description.
    members.map(([name, item]) =>
      !isNamed && name === 'description' ? [name, ''] : [name, bare(item, !isNamed && named.test(name))],
    ),
  )
}
