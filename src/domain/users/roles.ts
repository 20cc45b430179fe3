// What the people of a merchant may do: three roles, each a set of scopes. Pure.

import { type AdminScope, adminScopes, openScopes, type Role, type Scope } from '../../contract/words.ts'

// biome-ignore format: a table is read by its rows
export const scopesOfRole: Readonly<Record<Role, readonly AdminScope[]>> = {
  owner:  adminScopes,
  staff:  ['admin:read', 'admin:catalog', 'admin:orders', 'admin:refunds', 'admin:customers'],
  viewer: ['admin:read'],
}

// Whether someone with these scopes may give the role to a member, or take it away. Nobody gives a scope that they do not have.
export function mayGive(held: readonly string[], role: Role): boolean {
  return scopesOfRole[role].every((scope) => held.includes(scope))
}

// Whether a member with this role may install apps, which act for the merchant from then on.
export function mayInstall(role: Role): boolean {
  return scopesOfRole[role].includes('admin:developers')
}

// Whether a member with this role may grant these scopes to an app. Those of the open interface go with installing it.
export function mayGrant(role: Role, granted: readonly Scope[]): boolean {
  const held: readonly string[] = [...openScopes, ...scopesOfRole[role]]
  return granted.every((scope) => held.includes(scope))
}
