// For resources that cannot be loaded one at a time: loads all rows of their list, or finds the row with an id.

import { cursorFromLink } from './table.ts'

interface ListReply<Row> {
  data: readonly Row[]
  meta: { next: string | null }
}

type AskPage<Row> = (cursor: string | undefined) => Promise<ListReply<Row>>

// More pages than the API keys, endpoints or people of any shop fill.
const pagesMax = 20

export async function allRows<Row>(askPage: AskPage<Row>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const { data, meta } = await askPage(cursor)
    rows.push(...data)
    cursor = cursorFromLink(meta.next)
    if (cursor === undefined) break
  }
  return rows
}

export async function rowWithId<Row extends { id: string }>(
  askPage: AskPage<Row>,
  id: string | undefined,
): Promise<Row | undefined> {
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const { data, meta } = await askPage(cursor)
    const found = data.find((row) => row.id === id)
    if (found) return found
    cursor = cursorFromLink(meta.next)
    if (cursor === undefined) return undefined
  }
  return undefined
}
