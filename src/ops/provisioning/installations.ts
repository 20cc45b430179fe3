// Plans the changes of a shop's installations by a shop file. Pure, except for the ids of new installations.

import { normalizeRedirectHost } from '../../domain/merchants/redirects.ts'
import type { Installation } from '../../domain/merchants/store.ts'
import { membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ShopFile } from './shopfile.ts'

export interface InstallationPlan {
  newInstallations: readonly Installation[]
  changedInstallations: readonly Installation[]
  // Ids of the installations in the file, by their names.
  installationIds: ReadonlyMap<string, string>
  changes: readonly PlannedChange[]
}

export function planInstallations(
  { installations = [] }: Pick<ShopFile, 'installations'>,
  merchantId: string,
  kept: readonly Installation[],
): InstallationPlan {
  const changes: PlannedChange[] = []
  const byName = new Map(kept.map((installation) => [installation.name, installation]))
  const newInstallations: Installation[] = []
  const changedInstallations: Installation[] = []
  const installationIds = new Map<string, string>()
  for (const entry of installations) {
    const before = byName.get(entry.name)
    if (before && before.mode !== entry.mode) {
      const message = `Installation ${entry.name} is in ${before.mode} mode, and a mode never changes: name a new installation.`
      throw refuse('mode_not_changeable', { message, current: { mode: before.mode } })
    }
    const redirectHosts = JSON.stringify((entry.redirectHosts ?? []).map((host) => normalizeRedirectHost(host) ?? host))
    const after: Installation = before
      ? { ...before, redirectHosts }
      : {
          id: newId('ins'),
          merchantId,
          name: entry.name,
          mode: entry.mode,
          redirectHosts,
          disabledAt: null,
        }
    installationIds.set(entry.name, after.id)
    const members = before ? membersChanged(before, after, ['redirectHosts']) : []
    if (!before) {
      newInstallations.push(after)
      changes.push({ kind: 'create', what: 'installation', name: entry.name, members: [] })
    } else if (members.length > 0) {
      changedInstallations.push(after)
      changes.push({ kind: 'change', what: 'installation', name: entry.name, members })
    }
  }
  return { newInstallations, changedInstallations, installationIds, changes }
}
