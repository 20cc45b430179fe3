// Refuses an entry of a shop file. The path is the JSON Pointer to the entry.

import type { BrokenRule } from '../../contract/issues.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'

export function invalidEntry(code: RefusalCode, path: string, rule: BrokenRule): Refusal {
  return refuse(code, { message: `${path}: ${rule.message}`, issues: [{ path, ...rule }] })
}
