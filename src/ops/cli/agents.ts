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
  options: { test: { help: 'use test mode (default: live mode)' }, merchant: merchantOption },
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

// The agent platform with this profile. The shop knows it because it has called, or was approved or blocked.
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
  summary: 'Manage AI agents that buy for shoppers.',
  verbs: {
    show: one('getAdminAgents', {
      summary: 'Show what agents may do, and the addresses at which they find the shop.',
      target: ofMode,
    }),
    open: one('updateAdminAgents', {
      summary: 'Open a shop to agents, or change what agents may do.',
      target: settings(null),
    }),
    close: one('updateAdminAgents', {
      summary: 'Close a shop to agents; the settings are kept for the next `agents open`.',
      target: settings('off'),
      omits: ['who', 'reviewFrom', 'orderWebhooks'],
    }),
    platforms: list('listAdminAgentPlatforms', {
      summary: 'List the agent platforms that have called the shop.',
      target: ofMode,
      name: 'platforms',
      columns: ['status', 'host', 'lastSeenAt', 'profileUrl'],
    }),
    approve: one('createAdminAgentPlatform', {
      summary: 'Approve an agent platform by the address of its profile.',
      target: platform('approved'),
    }),
    block: one('createAdminAgentPlatform', {
      summary: 'Block an agent platform by the address of its profile.',
      target: platform('blocked'),
    }),
    key: one('createAdminAgentKey', {
      summary: 'Create a key for an agent platform by the address of its profile, and revoke its former key.',
      target: knownPlatform,
    }),
    webhook: one('createAdminAgentWebhook', {
      summary: 'Set the webhook address of an agent platform that buys by ACP, and print the signing secret.',
      target: knownPlatform,
    }),
    rotate: one('rotateAdminAgentSigningKey', {
      summary: 'Replace the signing key; the former key stays published for 7 days.',
      target: ofMode,
    }),
  },
}
