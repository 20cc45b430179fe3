// Checks outside data against a schema, and explains in words what is wrong. TypeBox's compiled check decides; only if it fails does
// `explain` walk schema and value to find the places. Values are never coerced or echoed.

import { createRequire } from 'node:module'
import type * as Engine from 'typebox/schema'
import { explainMismatch } from './explain.ts'
import type { Issue } from './issues.ts'
import type { TSchema } from './schema.ts'

type Check = (value: unknown) => Issue[]

// One check per schema and process, because several cells, or several servers of a test, in one process have the same operations.
const checks = new WeakMap<TSchema, Check>()

// The engine is loaded and the schema compiled at first use, so a process that checks no value pays for neither (measured: about 100 ms
// for the engine, 1 to 5 ms for a schema).
export function compileSchema(schema: TSchema): Check {
  const known = checks.get(schema)
  if (known) return known
  let passes: ((value: unknown) => boolean) | undefined
  const check: Check = (value) => {
    if (!passes) {
      const validator = engine().Compile(schema)
      passes = (value) => validator.Check(value)
    }
    return passes(value) ? [] : explainMismatch(schema, value, engine().Check)
  }
  checks.set(schema, check)
  return check
}

// Loads the engine ahead of its first use, once a server has opened its port and is idle.
export function warmValidator(): void {
  engine()
}

let loaded: typeof Engine | undefined

function engine(): typeof Engine {
  loaded ??= createRequire(import.meta.url)('typebox/schema') as typeof Engine
  return loaded
}
