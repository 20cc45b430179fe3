// Apps as a shop file names them. They belong to the server and not to the shop: two files that name one app mean the same.

import { scopes } from '../contract/words.ts'
import { type App, type AppProblem, type AppWish, appProblem, createApp, findAppByName, setApp } from '../oauth/apps.ts'
import { readClientKeys } from '../oauth/clientkeys.ts'
import type { Reader, Tx } from '../storage/storage.ts'
import { type Change, type MemberChange, membersChanged } from './difference.ts'
import type { AppEntry } from './shopfile.ts'

export async function planApps(db: Reader, entries: readonly AppEntry[]): Promise<Change[]> {
  const changes: Change[] = []
  for (const entry of entries) {
    const wish = wishOf(entry)
    const before = await findAppByName(db, wish.name)
    const members = before ? differences(before, wish) : []
    if (!before || members.length > 0)
      changes.push({ kind: before ? 'change' : 'create', what: 'app', name: wish.name, members })
  }
  return changes
}

// An app that the operator has disabled stays so.
export async function saveApps(tx: Tx, entries: readonly AppEntry[], now: number): Promise<Change[]> {
  const changes = await planApps(tx, entries)
  const changed = new Set(changes.map(({ name }) => name))
  for (const wish of entries.map(wishOf).filter(({ name }) => changed.has(name))) {
    // Another process may have made it meanwhile, from another file.
    if (!(await createApp(tx, wish, now))) await setApp(tx, wish, now)
  }
  return changes
}

// What a schema cannot say of an entry. The path leads into it.
export function entryProblem(entry: AppEntry): AppProblem | undefined {
  const read = entry.jwks === undefined ? undefined : readClientKeys(entry.jwks)
  if (read && 'problem' in read) return { ...read.problem, path: `/jwks${read.problem.path}` }
  return appProblem(wishOf(entry))
}

function wishOf({ name, description = '', redirectUris, scopes: wanted, mode = 'test', jwks }: AppEntry): AppWish {
  const keys = jwks === undefined ? null : readClientKeys(jwks)
  if (keys && 'problem' in keys) throw new TypeError(`the keys of ${name} were not checked`)
  return {
    name,
    description,
    redirectUris,
    scopes: scopes.filter((scope) => wanted.includes(scope)),
    mode,
    jwks: keys,
  }
}

function differences(before: App, wish: AppWish): MemberChange[] {
  const is: AppWish = before
  return membersChanged(is, wish, ['description', 'redirectUris', 'scopes', 'mode', 'jwks'])
}
