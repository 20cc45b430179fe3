// The command `agents`: sets whether a shop is open to agents (software that buys for shoppers) and who may pay, and lists the agent
// platforms that called.

import { agentOperationRows } from '../../contract/admin/agents.ts'
import type { AgentLevel, PlatformStatus } from '../../contract/agents/settings.ts'
import { findAgentSettingsRow, findPlatformAt } from '../../domain/agents/store.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { type Command, merchantOption } from './command.ts'
import { type CommandTarget, chooseMode, operationVerbs } from './operation.ts'

const { one, list, perform } = operationVerbs(agentOperationRows, 'agents')

const ofMode: CommandTarget = {
  options: { test: { help: 'in test mode (default: in live mode)' }, merchant: merchantOption },
  async find(given, storage) {
    return { of: await chooseMode(given, storage) }
  },
}

function settings(level: AgentLevel | null): CommandTarget {
  return {
    ...ofMode,
    ...(level !== null && { finds: ['level'] }),
    async find(given, storage, config) {
      const of = await chooseMode(given, storage)
      const { version } = await perform({ storage, config }, 'getAdminAgents', of)
      return { of, members: { expectedVersion: version, ...(level !== null && { level }) } }
    },
  }
}

function platform(status: PlatformStatus): CommandTarget {
  return {
    ...ofMode,
    words: ['PROFILE'],
    finds: ['profileUrl', 'status'],
    async find(given, storage) {
      return { of: await chooseMode(given, storage), members: { profileUrl: given.word, status } }
    },
  }
}

// The agent platform with this profile: it has called, or was approved.
const knownPlatform: CommandTarget = {
  ...ofMode,
  words: ['PROFILE'],
  finds: ['platformId'],
  async find(given, storage) {
    const of = await chooseMode(given, storage)
    const platform = await storage.read(async (db) => {
      const settings = await findAgentSettingsRow(db, of)
      return settings && findPlatformAt(db, settings.installationId, given.word)
    })
    if (!platform) throw refuse('agent_platform_not_found')
    return { of, members: { platformId: platform.id } }
  },
}

export const agentsCommand: Command = {
  summary: 'Let software buy for shoppers.',
  verbs: {
    show: one('getAdminAgents', { summary: 'Show what agents may do, and where they find the shop.', target: ofMode }),
    open: one('updateAdminAgents', {
      summary: 'Open a shop to agents, or change what they may do.',
      target: settings(null),
    }),
    close: one('updateAdminAgents', {
      summary: 'Close a shop to agents. What was set stays for the next time.',
      target: settings('off'),
      omits: ['who', 'reviewFrom', 'orderWebhooks'],
    }),
    platforms: list('listAdminAgentPlatforms', {
      summary: 'List the platforms whose agents called.',
      target: ofMode,
      name: 'platforms',
      columns: ['status', 'host', 'lastSeenAt', 'profileUrl'],
    }),
    approve: one('createAdminAgentPlatform', {
      summary: 'Approve a platform by the address of its profile.',
      target: platform('approved'),
    }),
    block: one('createAdminAgentPlatform', {
      summary: 'Answer a platform no more, by the address of its profile.',
      target: platform('blocked'),
    }),
    key: one('createAdminAgentKey', {
      summary: 'Make a key for a platform, by the address of its profile. The one that it had ends.',
      target: knownPlatform,
    }),
    webhook: one('createAdminAgentWebhook', {
      summary: 'Enter where a platform that buys by ACP is called about its orders, and show the secret.',
      target: knownPlatform,
    }),
    rotate: one('rotateAdminAgentSigningKey', {
      summary: 'Sign with a new key. The former one stays published for 7 days.',
      target: ofMode,
    }),
  },
}
