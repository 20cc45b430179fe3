// How many rows a list shows: chosen at its foot and remembered by the browser. Links to further pages name the number, since a
// cursor belongs to the question that it was made for.

import { type CookieKind, cookieIn, setCookie } from '../pages/cookies.ts'

// The first is the default: the first paint of 25 orders comes 56 ms after that of an empty page, where the bar is 60, and that of 50
// orders 88 (docs/benchmarks.md).
export const rowCounts = [25, 50, 100] as const
export type RowCount = (typeof rowCounts)[number]

const rowsCookie: CookieKind = { name: 'list_rows', path: '/admin', maxAgeSeconds: 365 * 86_400 }

export function rowCountOf(query: URLSearchParams, cookies: string | undefined, origin: string): RowCount {
  return readRowCount(query.get('rows')) ?? readRowCount(cookieIn(cookies, rowsCookie, origin)) ?? rowCounts[0]
}

export function readRowCount(text: string | null | undefined): RowCount | undefined {
  return rowCounts.find((count) => String(count) === text)
}

export function rememberRowCount(count: RowCount, origin: string): string {
  return setCookie(rowsCookie, String(count), origin)
}
