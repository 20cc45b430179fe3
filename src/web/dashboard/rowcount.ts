// The page size of lists: chosen below the list, and stored in a cookie. Links to further pages contain it, since a cursor is only valid
// for the query for which it was made.

import { limits } from '../../contract/limits.ts'
import { type CookieKind, findCookie, setCookie } from '../../platform/html/cookies.ts'

// The first number of each list is the default. With the second as the default, the first paint would reach its time limit
// (docs/benchmarks.md). A sheet shows at most as many rows as one save may change.
export const rowCounts = {
  list: [20, 50, 100],
  sheet: [20, 50, 100, limits.bulkItemsMax],
} as const
export type Rows = keyof typeof rowCounts
export type RowCounts = Readonly<Record<Rows, number>>

export function readRowCounts(query: URLSearchParams, cookies: string | undefined, origin: string): RowCounts {
  const countOf = (rows: Rows): number =>
    readRowCount(rows, query.get('rows')) ??
    readRowCount(rows, findCookie(cookies, cookieOf(rows), origin)) ??
    rowCounts[rows][0]
  return { list: countOf('list'), sheet: countOf('sheet') }
}

export function readRowCount(rows: Rows, text: string | null | undefined): number | undefined {
  return rowCounts[rows].find((count) => String(count) === text)
}

export function rememberRowCount(rows: Rows, count: number, origin: string): string {
  return setCookie(cookieOf(rows), String(count), origin)
}

function cookieOf(rows: Rows): CookieKind {
  return { name: `${rows}_rows`, path: '/admin', maxAgeSeconds: 365 * 86_400 }
}
