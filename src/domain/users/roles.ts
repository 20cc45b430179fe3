// The rights of a merchant's people: a role with its scopes, or scopes that were chosen one by one. Pure.

import { type AdminScope, adminScopes, openInterfaceScopes, type Role, type Scope } from '../../contract/words.ts'

// A role with fixed scopes, as it is stored.
export type NamedRole = Exclude<Role, 'custom'>

export interface Rights {
  role: Role
  scopes: readonly AdminScope[]
}

// biome-ignore format: a table is read by its rows
export const scopesOfRole: Readonly<Record<NamedRole, readonly AdminScope[]>> = {
  owner:  adminScopes,
  staff:  ['admin:read', 'admin:catalog', 'admin:orders', 'admin:refunds', 'admin:customers'],
  viewer: ['admin:read'],
}

// Every role may read. Scopes are in the order of `adminScopes`, so equal rights are stored as equal text.
export function rightsFor(role: Role, chosen: readonly string[] = []): Rights {
  if (role !== 'custom') return { role, scopes: scopesOfRole[role] }
  return { role, scopes: adminScopes.filter((scope) => scope === 'admin:read' || chosen.includes(scope)) }
}

export interface RightsRow {
  role: NamedRole
  // Chosen scopes, separated by spaces; null for a named role.
  scopes: string | null
}

export function rightsFromRow({ role, scopes }: RightsRow): Rights {
  return scopes === null ? rightsFor(role) : rightsFor('custom', scopes.split(' '))
}

export function rightsToRow({ role, scopes }: Rights): RightsRow {
  return role === 'custom' ? { role: 'viewer', scopes: scopes.join(' ') } : { role, scopes: null }
}

export function isSameRights(one: Rights, other: Rights): boolean {
  return one.role === other.role && one.scopes.join(' ') === other.scopes.join(' ')
}

// Returns whether a person with these scopes may give these rights to a member, or remove them. The person must have all scopes of these
// rights.
export function mayGrantRights(held: readonly string[], { scopes }: Pick<Rights, 'scopes'>): boolean {
  return scopes.every((scope) => held.includes(scope))
}

// Whether a member may install apps, which act for the merchant from then on.
export function mayInstall({ scopes }: Pick<Rights, 'scopes'>): boolean {
  return scopes.includes('admin:developers')
}

// Whether a member may grant these scopes to an app. Scopes of the open interface come with the right to install it.
export function mayGrantScopes({ scopes }: Pick<Rights, 'scopes'>, granted: readonly Scope[]): boolean {
  const held: readonly string[] = [...openInterfaceScopes, ...scopes]
  return granted.every((scope) => held.includes(scope))
}
