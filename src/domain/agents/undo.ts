// Takes back changes of what agents may do.

import { type AgentLevel, agentLevels } from '../../contract/agents/settings.ts'
import { notUndoable, refuseOvertaken, reverseOf, type Undoer, valuesBefore } from '../../platform/audit/undo.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { agentSettingsOf, setAgentLevel } from './settings.ts'

export const agentUndoer: Undoer = {
  kinds: ['agents'],
  async undo({ tx, seller, changes, dryRun, context }) {
    await lockMerchantById(tx, seller.merchantId)
    for (const change of changes) {
      // An entry of one mode is taken back in this mode.
      if (change.kind !== 'change' || change.name !== seller.mode) throw notUndoable(change)
      refuseOvertaken(change, await agentSettingsOf(tx, seller))
      const { level } = valuesBefore<{ level: AgentLevel }>(change, ['level'])
      if (level === undefined || !agentLevels.includes(level)) throw notUndoable(change)
      if (!dryRun) await setAgentLevel(tx, seller, level, context.now)
    }
    return changes.map(reverseOf)
  },
}
