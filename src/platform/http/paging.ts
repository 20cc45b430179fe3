// Returns the rows of one page of a list. The handler's query must select one row more than the page size.

import { limits } from '../../contract/limits.ts'
import type { ListMeta } from '../../contract/parts.ts'
import type { Paging } from './handler.ts'

export const adminRowsAsked = limits.adminListRowsMax + 1

export function pageOfRows<Row>(
  rows: readonly Row[],
  paging: Paging,
  positionOf: (row: Row) => string,
  limit: number = limits.adminListRowsMax,
): { rows: Row[]; meta: ListMeta } {
  const shown = rows.slice(0, limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  return { rows: shown, meta: { count: shown.length, next: last ? paging.next(positionOf(last)) : null } }
}
