// The admin operations on agents.

import type { AdminAgents, agentRows } from '../../contract/admin/agents.ts'
import { membersChanged } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { versionConflict } from '../../platform/http/adminreply.ts'
import { Audited } from '../../platform/http/handler.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { findMerchantFace, lockMerchantById } from '../merchants/store.ts'
import { agentBase } from './address.ts'
import { agentSettingsOf, setAgentLevel } from './settings.ts'

export interface AdminAgentParts {
  publicOrigin: () => string
}

export function adminAgentOperations({ publicOrigin }: AdminAgentParts): {
  [Id in keyof typeof agentRows]: AdminHandler<Id>
} {
  async function shown(db: Reader, seller: MerchantMode): Promise<AdminAgents> {
    const [settings, merchant] = await Promise.all([
      agentSettingsOf(db, seller),
      findMerchantFace(db, seller.merchantId),
    ])
    const rest = agentBase(publicOrigin(), { slug: merchant?.slug ?? '', mode: seller.mode })
    return { ...settings, addresses: { profile: `${rest}/.well-known/ucp`, rest, mcp: `${rest}/mcp` } }
  }

  return {
    async getAdminAgents({ db, caller }) {
      return { data: await shown(db, caller) }
    },

    async updateAdminAgents({ db, caller, body: { expectedVersion, level }, now }) {
      await lockMerchantById(db, caller.merchantId)
      const before = await agentSettingsOf(db, caller)
      if (before.version !== expectedVersion) throw versionConflict(await shown(db, caller))
      const members = membersChanged(before, { ...before, level }, ['level'])
      if (members.length > 0) await setAgentLevel(db, caller, level, now.getTime())
      const { merchantId: id, mode: name } = caller
      const changes = members.length > 0 ? [{ kind: 'change', what: 'agents', id, name, members } as const] : []
      return new Audited({ data: await shown(db, caller), changes: changes.map(subjectChangeView) }, changes)
    },
  }
}
