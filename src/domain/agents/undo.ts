// Undoes changes of the settings for agents and of platforms.

import { agentLevels, agentPayers, platformStatuses } from '../../contract/agents/settings.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import {
  notUndoable,
  refuseIfOvertaken,
  reverseChange,
  type UndoAsk,
  type Undoer,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { loadPlatformWebhook, type PlatformWithWebhook, setPlatformWebhook } from './endpoints.ts'
import { type AgentSettings, agentSettingMembers, loadAgentSettings, setAgentSettings } from './settings.ts'
import { lockPlatform, savePlatform } from './store.ts'

export const agentUndoer: Undoer = {
  kinds: ['agents', 'agent_platform'],
  async undo(ask) {
    await lockMerchantById(ask.tx, ask.seller.merchantId)
    for (const change of ask.changes) {
      if (change.kind !== 'change') throw notUndoable(change)
      await (change.what === 'agents' ? undoSettings(ask, change) : undoPlatform(ask, change))
    }
    return ask.changes.map(reverseChange)
  },
}

async function undoSettings({ tx, seller, dryRun, context }: UndoAsk, change: AuditedChange): Promise<void> {
  // A change is undone only in the mode in which it was made.
  if (change.name !== seller.mode) throw notUndoable(change)
  refuseIfOvertaken(change, await loadAgentSettings(tx, seller))
  const before = valuesBefore<AgentSettings>(change, agentSettingMembers)
  const { level, who } = before
  const isKnown =
    (level === undefined || agentLevels.includes(level)) && (who === undefined || agentPayers.includes(who))
  if (!isKnown) throw notUndoable(change)
  if (!dryRun) await setAgentSettings(tx, seller, before, context.now)
}

async function undoPlatform({ tx, seller, dryRun, context }: UndoAsk, change: AuditedChange): Promise<void> {
  const platform = await lockPlatform(tx, seller, change.id)
  const present = platform && (await loadPlatformWebhook(tx, platform))
  refuseIfOvertaken(change, present)
  const { status, webhook } = valuesBefore<Pick<PlatformWithWebhook, 'status' | 'webhook'>>(change, [
    'status',
    'webhook',
  ])
  const isKnown = status === undefined || platformStatuses.includes(status)
  // The webhook was disabled or did not exist before the change: undoing restores neither.
  if (!platform || !isKnown || webhook === 'disabled' || webhook === null) throw notUndoable(change)
  if (dryRun) return
  await savePlatform(tx, { ...platform, status: status ?? platform.status, version: platform.version + 1 })
  if (webhook !== undefined && present?.endpoint) await setPlatformWebhook(tx, present.endpoint, webhook, context.now)
}
