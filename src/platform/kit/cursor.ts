// Positions of lists in signed cursors. A signature shows that this server once wrote the cursor, not that this release still understands
// it, so an unreadable one is refused like an invented one.

import { issueAt } from '../../contract/issues.ts'
import type { IdPrefix } from '../../contract/words.ts'
import { isId } from './ids.ts'
import { type Refusal, refuse } from './refuse.ts'

export function badCursorRefusal(): Refusal {
  return refuse('invalid_request', { issues: [issueAt('/query/cursor', 'bad_cursor')] })
}

// The position after the row with this id, in a list that is ordered by an instant and the id.
export interface CursorPosition {
  at: number
  id: string
}

export function writeCursorPosition({ at, id }: CursorPosition): string {
  return `${at} ${id}`
}

export function readCursorPosition(after: string, prefix: IdPrefix): CursorPosition {
  const [at = '', id = '', ...rest] = after.split(' ')
  // The instant may be negative: a product may have been published before 1970.
  if (!isWhole(at.replace(/^-/, '')) || !isId(prefix, id) || rest.length > 0) throw badCursorRefusal()
  return { at: Number(at), id }
}

// Reads a position that is a number of rows to skip.
export function readOffset(after: string): number {
  if (!isWhole(after)) throw badCursorRefusal()
  return Number(after)
}

function isWhole(text: string): boolean {
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
}
