// Remarks about a file and its rows, as the admin API returns them and as they are stored. Sentences stored by earlier releases are shown
// unchanged.

import type { AdminRefusedRow, AdminRemark } from '../../contract/admin/transfers.ts'
import { type Remark, remark, remarkMessage } from '../../contract/remarks.ts'

export function remarkView(one: Remark): AdminRemark {
  const { line = null, code, values } = one
  return { line, code, values, message: remarkMessage(one) }
}

export function refusedRowView({
  line,
  name,
  reason,
}: {
  line: number
  name: string
  reason: Remark
}): AdminRefusedRow {
  const { code, values, moreRows = 0, leavesOut = false } = reason
  return { line, name, reason: remarkMessage(reason), code, values, moreRows, leavesOut }
}

export function storedNotes(json: string): AdminRemark[] {
  const stored = JSON.parse(json) as (AdminRemark | string)[]
  return stored.map((note) => (typeof note === 'string' ? earlierView(note) : note))
}

export function storedProblem(text: string | null): AdminRemark | null {
  if (text === null) return null
  // Stored remarks are JSON objects, and no sentence of an earlier release begins with a brace.
  return text.startsWith('{') ? (JSON.parse(text) as AdminRemark) : earlierView(text)
}

export function storedRefusedRows(json: string): AdminRefusedRow[] {
  const stored = JSON.parse(json) as (AdminRefusedRow | Pick<AdminRefusedRow, 'line' | 'name' | 'reason'>)[]
  return stored.map((row) => ('code' in row ? row : refusedRowView({ ...row, reason: earlier(row.reason) })))
}

function earlierView(sentence: string): AdminRemark {
  return remarkView(earlier(sentence))
}

function earlier(sentence: string): Remark {
  return remark('earlier', { sentence })
}
