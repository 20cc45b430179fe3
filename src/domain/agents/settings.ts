// Opens a shop to agents or closes it, in one mode. What agents create belongs to a separate installation, and is shown and counted like
// that of any other installation.

import type { AgentLevel, AgentPayers } from '../../contract/agents/settings.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { insertInstallation } from '../merchants/store.ts'
import {
  type AgentSettingsRow,
  findAgentSettingsRow,
  hasInstallationNamed,
  insertAgentSettings,
  saveAgentSettings,
} from './store.ts'

export interface AgentSettings {
  level: AgentLevel
  who: AgentPayers
  // The buyer must confirm orders of this total or more on the checkout page. Null: never.
  reviewFrom: number | null
  // Whether platforms receive webhooks when their orders change.
  orderWebhooks: boolean
}

export const agentSettingMembers = ['level', 'who', 'reviewFrom', 'orderWebhooks'] as const

const initial: AgentSettings = { level: 'off', who: 'approved', reviewFrom: null, orderWebhooks: true }

// `version`: 0 if the settings were never saved.
export async function loadAgentSettings(
  db: Reader,
  seller: MerchantMode,
): Promise<AgentSettings & { version: number }> {
  const row = await findAgentSettingsRow(db, seller)
  if (!row) return { ...initial, version: 0 }
  const { level, who, reviewFrom, orderWebhooks, version } = row
  return { level, who, reviewFrom, orderWebhooks: orderWebhooks === 1, version }
}

// The caller has locked the merchant. Settings that are missing in `wanted` stay unchanged.
export async function setAgentSettings(
  tx: Tx,
  seller: MerchantMode,
  wanted: Partial<AgentSettings>,
  now: number,
): Promise<void> {
  const row = await findAgentSettingsRow(tx, seller)
  const { orderWebhooks, ...values } = { ...(await loadAgentSettings(tx, seller)), ...wanted }
  const columns = { ...values, orderWebhooks: orderWebhooks ? 1 : 0, updatedAt: now }
  if (row) saveAgentSettings(tx, { ...row, ...columns, version: row.version + 1 })
  else insertAgentSettings(tx, { ...(await newRow(tx, seller, now)), ...columns, version: 1 })
}

// Creates the installation for agents, and returns its row of settings.
async function newRow(
  tx: Tx,
  seller: MerchantMode,
  now: number,
): Promise<Pick<AgentSettingsRow, 'merchantId' | 'mode' | 'installationId'>> {
  const { merchantId, mode } = seller
  const installationId = newId('ins')
  const name = await freeName(tx, seller)
  const installation = { id: installationId, merchantId, name, mode, redirectHosts: '[]', disabledAt: null }
  await insertInstallation(tx, installation, now)
  return { merchantId, mode, installationId }
}

async function freeName(db: Reader, { merchantId, mode }: MerchantMode): Promise<string> {
  const name = mode === 'live' ? 'Agents' : 'Agents (test)'
  return (await hasInstallationNamed(db, merchantId, name)) ? `${name} ${newId('ins').slice(-6)}` : name
}
