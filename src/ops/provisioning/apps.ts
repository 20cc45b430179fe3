// Apps of a shop file. Names of apps are unique on the whole server: an app that two files name is the same app, and only the file that
// declared it may change it.

import { type Issue, issue } from '../../contract/issues.ts'
import { openInterfaceScopes } from '../../contract/words.ts'
import {
  type AppDefinition,
  appProblem,
  createApp,
  findAppByName,
  findForeignUse,
  type OAuthApp,
  setDeclaredApp,
} from '../../domain/oauth/apps.ts'
import { readClientKeys } from '../../domain/oauth/clientkeys.ts'
import { type MemberChange, membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { invalidEntry } from './entry.ts'
import type { AppEntry } from './shopfile.ts'

// `merchantId` is undefined if the merchant does not exist yet.
export async function planApps(
  db: Reader,
  entries: readonly AppEntry[],
  merchantId: string | undefined,
): Promise<PlannedChange[]> {
  const changes: PlannedChange[] = []
  for (const [index, entry] of entries.entries()) {
    const definition = definitionOf(entry)
    const before = await findAppByName(db, definition.name)
    const members = before ? differences(before, definition) : []
    const use = before && members.length > 0 ? await findForeignUse(db, before.id, merchantId ?? '') : null
    if (use) throw notChangeable(index, use)
    if (!before || members.length > 0)
      changes.push({ kind: before ? 'change' : 'create', what: 'app', name: definition.name, members })
  }
  return changes
}

const foreign = {
  declared: issue('app_of_other_file'),
  installed: issue('app_of_other_merchant'),
} as const

function notChangeable(index: number, use: keyof typeof foreign): Refusal {
  return invalidEntry('app_not_changeable', `/apps/${index}`, foreign[use])
}

// An app that the operator has disabled stays disabled.
export async function saveApps(
  tx: Tx,
  entries: readonly AppEntry[],
  merchantId: string,
  now: number,
): Promise<PlannedChange[]> {
  const changes = await planApps(tx, entries, merchantId)
  const changed = new Set(changes.map(({ name }) => name))
  for (const [index, definition] of entries.map(definitionOf).entries()) {
    if (!changed.has(definition.name) || (await createApp(tx, definition, now, merchantId))) continue
    // Another process has created the app from another file in the meantime.
    if (!(await setDeclaredApp(tx, definition, merchantId, now))) throw notChangeable(index, 'declared')
  }
  return changes
}

// Returns the first problem that a schema cannot detect. Its path is relative to the entry.
export function entryProblem(entry: AppEntry): Issue | undefined {
  const read = entry.jwks === undefined ? undefined : readClientKeys(entry.jwks)
  if (read && 'problem' in read) return { ...read.problem, path: `/jwks${read.problem.path}` }
  return appProblem(definitionOf(entry))
}

function definitionOf({
  name,
  description = '',
  redirectUris,
  scopes: wanted,
  mode = 'test',
  jwks,
}: AppEntry): AppDefinition {
  const keys = jwks === undefined ? null : readClientKeys(jwks)
  if (keys && 'problem' in keys) throw new TypeError(`the keys of app ${name} were not validated`)
  return {
    name,
    description,
    redirectUris,
    scopes: openInterfaceScopes.filter((scope) => wanted.includes(scope)),
    mode,
    jwks: keys,
  }
}

function differences(before: OAuthApp, definition: AppDefinition): MemberChange[] {
  const is: AppDefinition = before
  return membersChanged(is, definition, ['description', 'redirectUris', 'scopes', 'mode', 'jwks'])
}
