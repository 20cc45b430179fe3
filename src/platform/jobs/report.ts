// Log lines about failed rows: enough to act on, but limited in number.

import { toInstant } from '../kit/instant.ts'
import type { Log } from '../log/log.ts'
import type { LoopName } from './names.ts'
import type { RowFailure } from './rows.ts'

const rowLinesMax = 10
const rowLinesMs = 60_000

// Logs a few failed rows per minute, each with its error. The next line then says how many others were not logged.
export function rowLogger(loop: LoopName, log: Log): (failure: RowFailure) => void {
  let since = Number.NEGATIVE_INFINITY
  let lines = 0
  let unlogged = 0
  return ({ tenantId, rowId, failures, retryAt, error }) => {
    const now = performance.now()
    if (now - since >= rowLinesMs) [since, lines] = [now, 0]
    if (lines >= rowLinesMax) {
      unlogged += 1
      return
    }
    log.error('row could not be processed; retrying later', error, {
      loop,
      tenantId,
      rowId,
      failures,
      retryAt: toInstant(retryAt),
      ...(unlogged > 0 ? { unlogged } : {}),
    })
    lines += 1
    unlogged = 0
  }
}
