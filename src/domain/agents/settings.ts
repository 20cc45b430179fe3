// Opening a shop to agents and closing it, in one mode. What agents make belongs to an installation of its own, so it is seen and
// counted like that of any other.

import type { AgentLevel } from '../../contract/agents/settings.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { insertInstallation } from '../merchants/store.ts'
import { findSettings, hasInstallationNamed, insertSettings, saveSettings } from './store.ts'

export interface AgentSettings {
  level: AgentLevel
  // 0 where nothing was ever set.
  version: number
}

export async function agentSettingsOf(db: Reader, seller: MerchantMode): Promise<AgentSettings> {
  const row = await findSettings(db, seller)
  return { level: row?.level ?? 'off', version: row?.version ?? 0 }
}

// The caller has locked the merchant.
export async function setAgentLevel(tx: Tx, seller: MerchantMode, level: AgentLevel, now: number): Promise<void> {
  const row = await findSettings(tx, seller)
  if (row) {
    saveSettings(tx, { ...row, level, version: row.version + 1, updatedAt: now })
    return
  }
  const { merchantId, mode } = seller
  const installationId = newId('ins')
  const name = await freeName(tx, seller)
  await insertInstallation(
    tx,
    { id: installationId, merchantId, name, mode, redirectHosts: '[]', disabledAt: null },
    now,
  )
  insertSettings(tx, { merchantId, mode, level, installationId, version: 1, updatedAt: now })
}

async function freeName(db: Reader, { merchantId, mode }: MerchantMode): Promise<string> {
  const name = mode === 'live' ? 'Agents' : 'Agents (test)'
  return (await hasInstallationNamed(db, merchantId, name)) ? `${name} ${newId('ins').slice(-6)}` : name
}
