// Changes of a request or a shop file: one change per thing, with the members that differ. Pure.

import type { ChangeSubject } from '../../contract/words.ts'

export interface PlannedChange {
  kind: 'create' | 'change' | 'retire'
  what:
    | 'merchant'
    | 'category'
    | 'maker'
    | 'product'
    | 'sku'
    | 'taxes'
    | 'shipping'
    | 'promotion'
    | 'payment method'
    | 'e-mails'
    | 'installation'
    | 'webhook'
    | 'app'
    | 'agents'
  name: string
  members: readonly MemberChange[]
}

// A change in the list of changes. It identifies the thing by its id, since names may change. `look`: encrypted data was shown.
export interface AuditedChange {
  kind: PlannedChange['kind'] | 'look'
  what: ChangeSubject
  id: string
  name: string
  members: readonly MemberChange[]
  // `updatedAt` of the product or category before and after the change. Not shown; an undo restores it if nothing was changed since.
  updatedAt?: { from: number | null; to: number }
}

export interface MemberChange {
  member: string
  from: unknown
  to: unknown
}

// Kinds of things that belong to one mode. All others are shared by both modes.
const inOneMode: ReadonlySet<ChangeSubject> = new Set([
  'order',
  'order_note',
  'withdrawal',
  'customer',
  'customer_note',
  'draft',
  'fulfillment',
  'refund',
  'payment',
  'return',
  'document',
  'stock',
  'payment_method',
  'payment_account',
  'site',
  'installation',
  'key',
  'webhook',
  'webhook_delivery',
  'transfer',
  'agents',
  'agent_platform',
])

export function isOfOneMode(changes: readonly AuditedChange[]): boolean {
  return changes.some(({ what }) => inOneMode.has(what))
}

// Returns the members that differ. Values are small and plain JSON.
export function membersChanged<Thing extends object>(
  from: Thing,
  to: Thing,
  members: readonly (keyof Thing & string)[],
): MemberChange[] {
  return members
    .filter((member) => JSON.stringify(from[member]) !== JSON.stringify(to[member]))
    .map((member) => ({ member, from: from[member], to: to[member] }))
}

const sign = { create: '+', change: '~', retire: '-' } as const

export function changeLines(change: PlannedChange): string[] {
  const head = `${sign[change.kind]} ${change.what} ${change.name}`
  if (change.kind !== 'change') return [head]
  return [head, ...change.members.map(({ member, from, to }) => `    ${member}: ${short(from)} → ${short(to)}`)]
}

// Escapes control characters for a terminal: foreign text must not move the cursor or change colours.
export function escapeControlCharacters(line: string): string {
  return line.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? '–'
  return text.length <= 70 ? text : `${text.slice(0, 67)}…`
}
