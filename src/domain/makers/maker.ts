// Makers of products: how the entries of a file change them, and which rules an entry must follow that a schema cannot express. Pure,
// except that a new maker gets an id.

import type { MakerEntry, PartyEntry } from '../../contract/entries.ts'
import { issueAt } from '../../contract/issues.ts'
import { membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import { isCountry } from '../../platform/kit/country.ts'
import { newId } from '../../platform/kit/ids.ts'
import { controlCharacterProblems, type EntryProblem, isBlank, problemsBelow } from '../../platform/kit/problems.ts'

export interface MakerRecord extends PartyEntry {
  slug: string
  responsible: PartyEntry | null
}

export interface MakerRow extends MakerRecord {
  id: string
  version: number
  createdAt: number
  updatedAt: number
}

export const makerMembers = ['name', 'address', 'country', 'contact', 'responsible'] as const

function partyOf({ name, address, country, contact }: PartyEntry): PartyEntry {
  return { name, address: [...address], country, contact }
}

export function makerRecord(entry: MakerEntry): MakerRecord {
  return { slug: entry.slug, ...partyOf(entry), responsible: entry.responsible ? partyOf(entry.responsible) : null }
}

export function newMakerRow(entry: MakerEntry, now: number): MakerRow {
  return { id: newId('mkr'), ...makerRecord(entry), version: 1, createdAt: now, updatedAt: now }
}

// Returns the same row if the entry changes nothing.
export function changedMakerRow(before: MakerRow, record: Omit<MakerRecord, 'slug'>, now: number): MakerRow {
  const after = { ...before, ...record, slug: before.slug, version: before.version + 1, updatedAt: now }
  return membersChanged(before, after, makerMembers).length > 0 ? after : before
}

export function* makerProblems(entry: MakerEntry): Generator<EntryProblem> {
  yield* controlCharacterProblems(entry, '')
  yield* partyProblems(entry)
  if (entry.responsible) yield* problemsBelow('/responsible', partyProblems(entry.responsible))
}

function* partyProblems({ name, address, country }: PartyEntry): Generator<EntryProblem> {
  if (isBlank(name)) yield issueAt('/name', 'blank')
  for (const [index, line] of address.entries()) if (isBlank(line)) yield issueAt(`/address/${index}`, 'blank')
  if (!isCountry(country)) yield issueAt('/country', 'unknown_country')
}

// A change of a maker, as the list of changes records it.
export type MakerChange = PlannedChange & { what: 'maker'; id: string }

// Records every value of a maker that is new or removed, so the change can be undone.
export function makerChange(before: MakerRow | undefined, after: MakerRow | undefined): MakerChange {
  const { id, slug: name } = (after ?? before) as MakerRow
  if (before && after)
    return { kind: 'change', what: 'maker', id, name, members: membersChanged(before, after, makerMembers) }
  const members = makerMembers.map((member) => ({
    member,
    from: before?.[member] ?? null,
    to: after?.[member] ?? null,
  }))
  return { kind: after ? 'create' : 'retire', what: 'maker', id, name, members }
}

export interface MakerPlan {
  newMakers: readonly MakerRow[]
  changedMakers: readonly { before: MakerRow; after: MakerRow }[]
  changes: readonly MakerChange[]
}

// The changes that a file makes to the stored makers. Makers that the file does not name stay.
export function planMakers(entries: readonly MakerEntry[], stored: readonly MakerRow[], now: number): MakerPlan {
  const bySlug = new Map(stored.map((maker) => [maker.slug, maker]))
  const newMakers = entries.filter(({ slug }) => !bySlug.has(slug)).map((entry) => newMakerRow(entry, now))
  const changedMakers = entries.flatMap((entry) => {
    const before = bySlug.get(entry.slug)
    const after = before && changedMakerRow(before, makerRecord(entry), now)
    return before && after && after !== before ? [{ before, after }] : []
  })
  return {
    newMakers,
    changedMakers,
    changes: [
      ...newMakers.map((maker) => makerChange(undefined, maker)),
      ...changedMakers.map(({ before, after }) => makerChange(before, after)),
    ],
  }
}
