// Searches several categories, in their order. A product in several of them is returned once.

import { badCursorRefusal } from '../../../platform/kit/cursor.ts'

export interface FoundPage<Row> {
  rows: readonly Row[]
  next: string | null
  // Null: the products are not counted.
  total: number | null
}

export type SearchOne<Row> = (page: {
  category: string
  cursor: string | undefined
  limit: number
}) => Promise<FoundPage<Row>>

// Products that an earlier category contains are omitted, so filling a page may take several searches. After this number of searches the
// page ends early.
const stepsMax = 20

// A cursor is the index of a category and the cursor within that category. The total is unknown, because products of several categories
// are not counted.
export async function searchEach<Row extends { categories: readonly string[] }>(
  categories: readonly string[],
  {
    cursor,
    limit,
    familyOf,
    searchOne,
  }: {
    cursor: string | undefined
    limit: number
    // Returns the slugs of a category and its descendants.
    familyOf: (category: string) => readonly string[]
    searchOne: SearchOne<Row>
  },
): Promise<FoundPage<Row>> {
  const rows: Row[] = []
  let { place, within } = readCursor(cursor, categories.length)
  for (let step = 0; step < stepsMax && rows.length < limit; step += 1) {
    const category = categories[place]
    if (category === undefined) break
    const shown = new Set(categories.slice(0, place).flatMap(familyOf))
    const page = await searchOne({ category, cursor: within, limit: limit - rows.length })
    rows.push(...page.rows.filter((row) => !row.categories.some((slug) => shown.has(slug))))
    if (page.next === null) place += 1
    within = page.next ?? undefined
  }
  return { rows, next: place < categories.length ? `${place}.${within ?? ''}` : null, total: null }
}

function readCursor(cursor: string | undefined, count: number): { place: number; within: string | undefined } {
  if (cursor === undefined) return { place: 0, within: undefined }
  const [, place, within] = /^(\d)\.(.*)$/.exec(cursor) ?? []
  if (place === undefined || Number(place) >= count) throw badCursorRefusal()
  return { place: Number(place), within: within || undefined }
}
