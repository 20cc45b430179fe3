// Where a list goes on, as it stands in a signed cursor. A signature says that we once wrote it, not that this version of
// the program still reads it, so what does not read is refused like a cursor that was never given.

import { issueAt } from '../../contract/issues.ts'
import type { IdPrefix } from '../../contract/words.ts'
import { isId } from './ids.ts'
import { type Refusal, refuse } from './refuse.ts'

export function badCursor(): Refusal {
  return refuse('invalid_request', { issues: [issueAt('/query/cursor', 'bad_cursor')] })
}

// Behind the row with this id, in a list that is ordered by an instant and the id.
export interface CursorPosition {
  at: number
  id: string
}

export function writePlace({ at, id }: CursorPosition): string {
  return `${at} ${id}`
}

export function readPlace(after: string, prefix: IdPrefix): CursorPosition {
  const [at = '', id = '', ...rest] = after.split(' ')
  // A product may have been published before 1970.
  if (!isWhole(at.replace(/^-/, '')) || !isId(prefix, id) || rest.length > 0) throw badCursor()
  return { at: Number(at), id }
}

// Behind so many rows.
export function readOffset(after: string): number {
  if (!isWhole(after)) throw badCursor()
  return Number(after)
}

function isWhole(text: string): boolean {
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
}
