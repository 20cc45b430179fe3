// Handles the items of a bulk operation. All items share one transaction, so an item must be refused before it writes anything.

import type { BulkOutcome, BulkResponse } from '../../contract/admin/bulk.ts'
import { Refusal } from '../kit/refuse.ts'
import type { AuditedChange } from './change.ts'
import { subjectChangeView } from './view.ts'

export interface BulkItem {
  id: string
  changes: readonly AuditedChange[]
  refusal: Refusal | null
}

// Handles items in the order of their ids, since rows are locked in that order. The outcomes are in the order of the items.
export async function handleBulkItems<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  work: (item: Item) => Promise<readonly AuditedChange[]>,
): Promise<BulkItem[]> {
  const outcomes: (BulkItem | undefined)[] = items.map(() => undefined)
  const inOrder = [...items.entries()].sort(([, one], [, other]) => (idOf(one) < idOf(other) ? -1 : 1))
  for (const [index, item] of inOrder) {
    const id = idOf(item)
    try {
      outcomes[index] = { id, changes: await work(item), refusal: null }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcomes[index] = { id, changes: [], refusal: error }
    }
  }
  return outcomes.filter((outcome) => outcome !== undefined)
}

export function bulkReply(items: readonly BulkItem[], dryRun: boolean): BulkResponse {
  const data = items.map(outcomeView)
  const count = (wanted: BulkOutcome['outcome']) => data.filter(({ outcome }) => outcome === wanted).length
  return { data, meta: { done: count('done'), unchanged: count('unchanged'), refused: count('refused'), dryRun } }
}

function outcomeView({ id, changes, refusal }: BulkItem): BulkOutcome {
  const outcome = refusal ? 'refused' : changes.length > 0 ? 'done' : 'unchanged'
  const { code = null, message = null } = refusal ?? {}
  return { id, outcome, code, message, changes: changes.map(subjectChangeView) }
}

// Returns the changes to record: those of all items, or none in a dry run.
export function bulkChanges(items: readonly BulkItem[], dryRun: boolean): AuditedChange[] {
  return dryRun ? [] : items.flatMap(({ changes }) => [...changes])
}
