// Settings for agents in a shop file, per mode. A mode that the file does not contain does not change.

import { issue } from '../../contract/issues.ts'
import { agentSettingMembers, loadAgentSettings, setAgentSettings } from '../../domain/agents/settings.ts'
import { lockMerchantById } from '../../domain/merchants/store.ts'
import { membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { invalidEntry } from './entry.ts'
import type { Recorder } from './record.ts'
import type { AgentsEntry } from './shopfile.ts'

// Checked before anything is written.
export function refuseAgents(entries: readonly AgentsEntry[]): void {
  for (const [index, { mode, who }] of entries.entries()) {
    if (entries.findIndex((other) => other.mode === mode) < index)
      throw invalidEntry('invalid_request', `/agents/${index}/mode`, issue('duplicate'))
    if (mode === 'live' && who === 'anyone')
      throw invalidEntry('invalid_request', `/agents/${index}/who`, issue('test_mode_only'))
  }
}

export async function planAgents(
  db: Reader,
  entries: readonly AgentsEntry[],
  merchantId: string,
): Promise<PlannedChange[]> {
  const changes: PlannedChange[] = []
  for (const { mode, ...wanted } of entries) {
    const before = await loadAgentSettings(db, { merchantId, mode })
    const members = membersChanged(before, { ...before, ...wanted }, agentSettingMembers)
    if (members.length > 0) changes.push({ kind: 'change', what: 'agents', name: mode, members })
  }
  return changes
}

export async function saveAgents(
  tx: Tx,
  entries: readonly AgentsEntry[],
  merchantId: string,
  { now, record }: { now: number; record?: Recorder | undefined },
): Promise<PlannedChange[]> {
  await lockMerchantById(tx, merchantId)
  const changes = await planAgents(tx, entries, merchantId)
  for (const { mode, ...wanted } of entries) {
    const members = changes.find(({ name }) => name === mode)?.members
    if (!members) continue
    await setAgentSettings(tx, { merchantId, mode }, wanted, now)
    record?.(tx, merchantId, [
      { mode, changes: [{ kind: 'change', what: 'agents', id: merchantId, name: mode, members }] },
    ])
  }
  return changes
}
