// Checks answers of the Universal Commerce Protocol against its published schemas, of the version that the answer names.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TSchema } from '../src/contract/schema.ts'
import { compileSchema } from '../src/contract/validator.ts'

type Name = 'Checkout' | 'Cart' | 'Order' | 'Search' | 'Lookup' | 'Product' | 'Error' | 'Profile'

const checks = new Map<string, ReturnType<typeof compileSchema>>()

export function assertUcp(name: Name, version: string, value: unknown): void {
  const key = `${version} ${name}`
  const check =
    checks.get(key) ?? compileSchema({ ...schemasOf(version), $ref: `#/$defs/${name}` } as unknown as TSchema)
  checks.set(key, check)
  assert.deepEqual(check(value), [], `${key}: ${JSON.stringify(value)}`)
}

function schemasOf(version: string): object {
  const { $defs } = JSON.parse(readFileSync(new URL(`../tests/data/ucp-${version}.json`, import.meta.url), 'utf8')) as {
    $defs: object
  }
  return { $defs }
}

// By what was asked for: the path of REST, or the name of a tool.
const names: readonly (readonly [asked: RegExp, name: Name])[] = [
  [/^\/catalog\/search|^search_catalog/, 'Search'],
  [/^\/catalog\/lookup|^lookup_catalog/, 'Lookup'],
  [/^\/catalog\/product|^get_product/, 'Product'],
  [/^\/carts|_cart$/, 'Cart'],
  [/^\/orders|^get_order/, 'Order'],
  [/^\/checkout-sessions|_checkout$/, 'Checkout'],
]

// An answer with the envelope of the protocol. Errors of a request itself have none.
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export function assertUcpAnswer(asked: string, body: any): void {
  const version: string | undefined = body?.ucp?.version
  if (version === undefined) return
  noteMembers(body)
  const name = body.ucp.status === 'error' ? 'Error' : names.find(([pattern]) => pattern.test(asked))?.[1]
  if (name) assertUcp(name, version, body)
}

// Names of members that were in answers, without those that are names of capabilities and handlers.
export const sentMembers = new Set<string>()
const named = new Set(['capabilities', 'payment_handlers'])

function noteMembers(value: unknown): void {
  if (Array.isArray(value)) for (const one of value) noteMembers(one)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      sentMembers.add(name)
      if (named.has(name)) for (const one of Object.values(member as object)) noteMembers(one)
      else noteMembers(member)
    }
}
