import type { agentRows } from '../../src/contract/admin/agents.ts'
import type { Given } from './world.ts'

export const agentGivens: Readonly<Record<keyof typeof agentRows, Given>> = {
  getAdminAgents: async () => ({}),
  updateAdminAgents: async (testServer) => {
    const { version, level } = (await testServer.askAdmin('getAdminAgents')).body.data
    return { body: { expectedVersion: version, level: level === 'buy' ? 'browse' : 'buy' } }
  },
}
