// Undoes an entry of the list of changes. Domain folders define undoers for their kinds of things; a kind without an undoer, such as
// money, cannot be undone.

import { hasOwnEffect } from '../../contract/admin/changes.ts'
import { type AdminScope, type ChangeSubject, type UndoableSubject, undoScopes } from '../../contract/words.ts'
import type { MerchantMode } from '../kit/mode.ts'
import type { EntryProblem } from '../kit/problems.ts'
import { Refusal, refuse } from '../kit/refuse.ts'
import type { ChangeContext } from '../outbox/announce.ts'
import type { Tx } from '../storage/storage.ts'
import type { AuditedChange } from './change.ts'
import type { Actor } from './store.ts'

export interface UndoAsk {
  tx: Tx
  seller: MerchantMode
  // All changes in the entry of the kinds that the undoer handles. `from` has the values to restore.
  changes: readonly AuditedChange[]
  // Throws the same refusals, but writes nothing.
  dryRun: boolean
  actor: Actor
  context: ChangeContext
}

export interface Undoer {
  kinds: readonly UndoableSubject[]
  // Returns the changes that it made. Locks the things before it compares them, and refuses if a thing was changed after the entry.
  undo(ask: UndoAsk): Promise<readonly AuditedChange[]>
}

export type Undoers = readonly Undoer[]

// More than any operation changes. Only an entry of an earlier release may be larger.
const changesMax = 4_000

export interface EntryUndo extends UndoAsk {
  scopes: readonly string[]
}

export async function undoChanges(undoers: Undoers, { changes, scopes, ...ask }: EntryUndo): Promise<AuditedChange[]> {
  const effective = changes.filter(hasOwnEffect)
  const undoerOf = ({ what }: AuditedChange) => undoers.find(({ kinds }) => kinds.some((kind) => kind === what))
  const groups = [...Map.groupBy(effective, undoerOf)]
  const missing = effective.map(({ what }) => undoScopeOf(what)).find((scope) => scope && !scopes.includes(scope))
  if (missing) throw refuse('scope_missing', { current: { requiredScope: missing } })
  const stuck = effective.find((change) => !undoerOf(change))
  if (stuck || groups.length === 0 || effective.length > changesMax) throw notUndoable(stuck)
  const undone: AuditedChange[] = []
  for (const [undoer, group] of groups) undone.push(...((await undoer?.undo({ ...ask, changes: group })) ?? []))
  return undone
}

function undoScopeOf(subject: ChangeSubject): AdminScope | undefined {
  const scopes: Partial<Readonly<Record<ChangeSubject, AdminScope>>> = undoScopes
  return scopes[subject]
}

export function notUndoable(change?: AuditedChange): Refusal {
  return refuse('change_not_undoable', { current: { type: change?.what ?? null } })
}

// Refuses if the present values differ from those that the entry wrote.
export function refuseIfOvertaken(change: AuditedChange, present: object | undefined): void {
  if (!present) throw overtakenRefusal(change, `${change.name} was changed since.`)
  const values = new Map<string, unknown>(Object.entries(present))
  const member = change.members.find(
    ({ member, to }) => JSON.stringify(values.get(member) ?? null) !== JSON.stringify(to ?? null),
  )?.member
  if (member !== undefined)
    throw overtakenRefusal(change, `${change.name} was changed since.`, { member, present: values.get(member) ?? null })
}

// Returns the refusal of an undo, with the reason.
export function overtakenRefusal(
  { what, id, name }: AuditedChange,
  message: string,
  { member, present }: { member: string | null; present: unknown } = { member: null, present: null },
): Refusal {
  return refuse('change_overtaken', { message, current: { subject: { type: what, id, name }, member, present } })
}

// Values that were once valid may contradict later changes.
export function refuseInvalidUndo(change: AuditedChange, problems: Iterable<EntryProblem>): void {
  for (const { path, message } of problems)
    throw overtakenRefusal(
      change,
      `${change.name} was changed since and cannot take its former values: ${path} ${message}.`,
    )
}

// Other rules refuse with their own codes. In an undo, each such refusal means that later changes contradict the values.
export async function refuseAsOvertaken<Result>(
  change: AuditedChange,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'change_not_undoable') throw overtakenRefusal(change, error.message)
    throw error
  }
}

// Returns the values to restore. Throws if the change has a member that the undoer does not know.
export function valuesBefore<Thing extends object>(
  change: AuditedChange,
  members: readonly (keyof Thing & string)[],
): Partial<Thing> {
  const known: ReadonlySet<string> = new Set(members)
  if (!change.members.every(({ member }) => known.has(member))) throw notUndoable(change)
  // The cast holds: the values were recorded from a thing of this type.
  return Object.fromEntries(change.members.map(({ member, from }) => [member, from ?? null])) as Partial<Thing>
}

// Returns `updatedAt` after an undo: the value before the entry if nothing was changed since, otherwise now.
export function updatedAtAfter({ updatedAt }: AuditedChange, present: number, now: number): number {
  return updatedAt && updatedAt.from !== null && updatedAt.to === present ? updatedAt.from : now
}

// Returns the change that an undo records.
export function reverseChange({ what, id, name, kind, members }: AuditedChange): AuditedChange {
  return {
    ...{ kind: oppositeKind[kind], what, id, name },
    members: members.map(({ member, from, to }) => ({ member, from: to, to: from })),
  }
}

export const oppositeKind = { create: 'retire', retire: 'create', change: 'change', look: 'look' } as const
