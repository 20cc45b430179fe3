// Positions of lists in signed cursors. A valid signature only shows that this server wrote the cursor, maybe in another release, so a
// position that cannot be parsed is refused like an invalid cursor.

import { issueAt } from '../../contract/issues.ts'
import type { IdPrefix } from '../../contract/words.ts'
import { isId } from './ids.ts'
import { type Refusal, refuse } from './refuse.ts'

export function badCursorRefusal(): Refusal {
  return refuse('invalid_request', { issues: [issueAt('/query/cursor', 'bad_cursor')] })
}

// The position after a row, in a list that is ordered by an instant and the id.
export interface CursorPosition {
  at: number
  id: string
}

export function writeCursorPosition({ at, id }: CursorPosition): string {
  return `${at} ${id}`
}

export function readCursorPosition(after: string, prefix: IdPrefix): CursorPosition {
  const [at = '', id = '', ...rest] = after.split(' ')
  // The instant may be negative: a product may have a publication date before 1970.
  if (!isWhole(at.replace(/^-/, '')) || !isId(prefix, id) || rest.length > 0) throw badCursorRefusal()
  return { at: Number(at), id }
}

// Parses a position that is the number of rows to skip.
export function readOffset(after: string): number {
  if (!isWhole(after)) throw badCursorRefusal()
  return Number(after)
}

function isWhole(text: string): boolean {
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
}
