// Holds values against declared schemas.

import type { Issue } from '../src/contract/issues.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { compileSchema } from '../src/contract/validator.ts'

// What is wrong with the value; nothing when it is as declared.
export function issuesOf(schema: TSchema, value: unknown): Issue[] {
  return compileSchema(schema)(value)
}
