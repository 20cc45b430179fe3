// Holds values against declared schemas.

import type { Issue } from '../src/contract/issues.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { compile } from '../src/contract/validator.ts'

// What is wrong with the value; nothing when it is as declared.
export function issuesOf(schema: TSchema, value: unknown): Issue[] {
  return compile(schema)(value)
}
