// Holds values against declared schemas. Each schema is compiled once: compiling it for every answer took a fifth of the time of
// the tests of operations.

import type { Issue } from '../src/contract/issues.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { compile } from '../src/contract/validator.ts'

const checks = new WeakMap<TSchema, (value: unknown) => Issue[]>()

// What is wrong with the value; nothing when it is as declared.
export function issuesOf(schema: TSchema, value: unknown): Issue[] {
  let check = checks.get(schema)
  if (!check) {
    check = compile(schema)
    checks.set(schema, check)
  }
  return check(value)
}
