// A refusal of one entry of a shop file. It names the place in the file as a JSON Pointer.

import type { BrokenRule } from '../../contract/issues.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'

export function invalidEntry(code: RefusalCode, path: string, rule: BrokenRule): Refusal {
  return refuse(code, { message: `${path}: ${rule.message}`, issues: [{ path, ...rule }] })
}
