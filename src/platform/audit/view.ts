// An entry of the list of changes as the admin API returns it. Pure.

import type { AdminChange, AdminSubjectChange } from '../../contract/admin/changes.ts'
import { limits } from '../../contract/limits.ts'
import { toInstant } from '../kit/instant.ts'
import type { AuditedChange } from './change.ts'
import type { AuditEntry } from './store.ts'

export interface ChangeViewOptions {
  names: ReadonlyMap<string, string>
  // Changes of this thing come first, since a page may not show all changes of a bulk operation.
  subjectId?: string | undefined
  // Number of changes on the pages before.
  skipped: number
}

export function changeView(entry: AuditEntry, { names, subjectId, skipped }: ChangeViewOptions): AdminChange {
  const { id, at, mode, actor, operation, requestId, changes, cutCount, undoes, undoneBy } = entry
  const isOwn = (change: AuditedChange) => change.id === subjectId
  const inOrder = [...changes.filter(isOwn), ...changes.filter((change) => !isOwn(change))]
  return {
    id,
    at: toInstant(at),
    mode,
    actor: { kind: actor.kind, id: actor.id, name: actor.id === null ? null : (names.get(actor.id) ?? null) },
    operation,
    requestId,
    changes: inOrder.slice(skipped, skipped + limits.changesShownMax).map(subjectChangeView),
    changesCount: cutCount ?? changes.length,
    undoes,
    undoneBy,
  }
}

export function subjectChangeView({ kind, what, id, name, members }: AuditedChange): AdminSubjectChange {
  return {
    kind,
    subject: { type: what, id, name },
    members: members.map(({ member, from, to }) => ({ member, from: from ?? null, to: to ?? null })),
  }
}
