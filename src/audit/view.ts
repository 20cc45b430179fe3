// An entry of the list of changes as the admin surface shows it. Pure.

import type { AdminChange, AdminSubjectChange } from '../contract/admin/changes.ts'
import { toInstant } from '../kit/instant.ts'
import type { AuditedChange } from './change.ts'
import type { Entry } from './store.ts'

export function changeView(entry: Entry, names: ReadonlyMap<string, string>): AdminChange {
  const { id, at, mode, actor, operation, requestId, changes, undoes, undoneBy } = entry
  return {
    id,
    at: toInstant(at),
    mode,
    actor: { kind: actor.kind, id: actor.id, name: actor.id === null ? null : (names.get(actor.id) ?? null) },
    operation,
    requestId,
    changes: changes.map(subjectChangeView),
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
