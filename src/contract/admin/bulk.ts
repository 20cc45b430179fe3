// Parts that the bulk operations share. Each item of a bulk operation has its own outcome.

import { limits } from '../limits.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { AdminSubjectChange } from './changes.ts'

export const bulkOutcomes = ['done', 'unchanged', 'refused'] as const

export const BulkOutcome = object({
  id: Type.String({ description: 'Of the thing that the item names.' }),
  outcome: oneOf(bulkOutcomes, {
    description: 'unchanged: it was so before. refused: by code, and nothing of it was done.',
  }),
  code: nullable(Type.String(), { description: 'Why it was refused.' }),
  message: nullable(Type.String()),
  changes: Type.Array(AdminSubjectChange, { description: 'What changed; with dryRun, what would.' }),
})

export const BulkResponse = object({
  data: Type.Array(BulkOutcome, { maxItems: limits.bulkItemsMax, description: 'In the order of the items.' }),
  meta: object({ done: Type.Integer(), unchanged: Type.Integer(), refused: Type.Integer(), dryRun: Type.Boolean() }),
})

export type BulkOutcome = Static<typeof BulkOutcome>
export type BulkResponse = Static<typeof BulkResponse>
