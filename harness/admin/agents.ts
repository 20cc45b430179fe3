import { randomUUID } from 'node:crypto'
import type { agentOperationRows } from '../../src/contract/admin/agents.ts'
import { unusedName } from './catalog.ts'
import type { AdminTestServer, Given } from './world.ts'

export const agentGivens: Readonly<Record<keyof typeof agentOperationRows, Given>> = {
  getAdminAgents: async () => ({}),
  updateAdminAgents: async (testServer) => {
    const { version, level } = (await testServer.askAdmin('getAdminAgents')).body.data
    return { body: { expectedVersion: version, level: level === 'buy' ? 'browse' : 'buy' } }
  },
  rotateAdminAgentSigningKey: async () => ({ body: {} }),
  listAdminAgentPlatforms: async () => ({}),
  createAdminAgentPlatform: async (testServer) => {
    await openToAgents(testServer)
    return { body: { profileUrl: `https://${unusedName('platform')}.example/.well-known/ucp` } }
  },
  updateAdminAgentPlatform: async (testServer) => {
    const { id, version, status } = await enteredPlatform(testServer)
    return {
      path: { platformId: id },
      body: { expectedVersion: version, status: status === 'blocked' ? 'approved' : 'blocked' },
    }
  },
  createAdminAgentKey: async (testServer) => ({
    path: { platformId: (await enteredPlatform(testServer)).id },
    body: {},
  }),
  createAdminAgentWebhook: async (testServer) => ({
    path: { platformId: (await enteredPlatform(testServer)).id },
    body: { url: `https://${unusedName('platform')}.example/orders` },
  }),
}

async function openToAgents(testServer: AdminTestServer): Promise<void> {
  const { version } = (await testServer.askAdmin('getAdminAgents')).body.data
  if (version === 0)
    await testServer.askAdmin('updateAdminAgents', {
      body: { idempotencyKey: randomUUID(), expectedVersion: version, level: 'browse' },
    })
}

async function enteredPlatform(testServer: AdminTestServer): Promise<{ id: string; version: number; status: string }> {
  await openToAgents(testServer)
  const body = { idempotencyKey: randomUUID(), profileUrl: 'https://other.example/.well-known/ucp' }
  return (await testServer.askAdmin('createAdminAgentPlatform', { body })).body.data
}
