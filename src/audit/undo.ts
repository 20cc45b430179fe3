// Taking back what an entry of the list of changes says. Each room knows how to put its own things back, and names the kinds of
// things in its undoers; a kind without one, such as money, is not taken back.

import type { AdminScope, ChangeSubject } from '../contract/words.ts'
import type { Moment } from '../events/announce.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { refuse } from '../kit/refuse.ts'
import type { Tx } from '../storage/storage.ts'
import type { AuditedChange } from './change.ts'
import type { Actor } from './store.ts'

export interface UndoAsk {
  tx: Tx
  seller: MerchantMode
  // All changes of one kind of thing, as the entry has them: to put back is `from`.
  changes: readonly AuditedChange[]
  // Refuse what would be refused, and write nothing.
  dryRun: boolean
  actor: Actor
  moment: Moment
}

export interface Undoer {
  // Needed beside the right to see the entry.
  scope: AdminScope
  // Answers with what changed. Locks before it compares, and refuses what was changed since with `refuseOvertaken`.
  undo(ask: UndoAsk): Promise<readonly AuditedChange[]>
}

export type Undoers = Readonly<Partial<Record<ChangeSubject, Undoer>>>

// What the entry made of it must be what is there now.
export function refuseOvertaken(change: AuditedChange, present: object | undefined): void {
  const values = new Map(Object.entries(present ?? {}))
  const overtaken = present
    ? change.members.find(({ member, to }) => JSON.stringify(values.get(member) ?? null) !== JSON.stringify(to ?? null))
    : change.members[0]
  if (present && !overtaken) return
  const { what, id, name } = change
  const member = overtaken?.member ?? null
  throw refuse('change_overtaken', {
    message: `${name} was changed since.`,
    current: {
      subject: { type: what, id, name },
      member,
      present: member === null ? null : (values.get(member) ?? null),
    },
  })
}

// The change as it is written down once it is taken back.
export function reverseOf({ kind, members, ...change }: AuditedChange): AuditedChange {
  const opposite = { create: 'retire', retire: 'create', change: 'change', look: 'look' } as const
  return {
    ...change,
    kind: opposite[kind],
    members: members.map(({ member, from, to }) => ({ member, from: to, to: from })),
  }
}

export interface EntryUndo extends Omit<UndoAsk, 'changes'> {
  changes: readonly AuditedChange[]
  scopes: readonly string[]
}

// The last change of the entry is taken back first.
export async function undoChanges(undoers: Undoers, { changes, scopes, ...ask }: EntryUndo): Promise<AuditedChange[]> {
  const effective = changes.filter(({ kind, members }) => kind !== 'change' || members.length > 0)
  const groups = [...Map.groupBy(effective, ({ what }) => what)].reverse()
  const missing = groups.map(([what]) => undoers[what]?.scope).find((scope) => scope && !scopes.includes(scope))
  if (missing) throw refuse('scope_missing', { current: { requiredScope: missing } })
  const stuck = groups.find(([what]) => !undoers[what])
  if (stuck || groups.length === 0) throw refuse('change_not_undoable', { current: { type: stuck?.[0] ?? null } })
  const undone: AuditedChange[] = []
  for (const [what, group] of groups) undone.push(...((await undoers[what]?.undo({ ...ask, changes: group })) ?? []))
  return undone
}
