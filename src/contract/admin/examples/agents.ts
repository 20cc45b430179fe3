import { sampleId } from '../../sampleid.ts'
import type { AdminAgents, agentRows } from '../agents.ts'
import type { AdminExamples } from '../row.ts'

const base = 'https://commerce.example/ucp/bloom/test'

const agents: AdminAgents = {
  version: 1,
  level: 'buy',
  addresses: { profile: `${base}/.well-known/ucp`, rest: base, mcp: `${base}/mcp` },
}

export const agentExamples: AdminExamples<typeof agentRows> = {
  getAdminAgents: { path: {}, body: undefined, reply: { data: agents } },
  updateAdminAgents: {
    path: {},
    body: { idempotencyKey: 'b2a1f2be-7f4a-4f51-8a0d-0d5a0f6d7e44', expectedVersion: 0, level: 'buy' },
    reply: {
      data: agents,
      changes: [
        {
          kind: 'change',
          subject: { type: 'agents', id: sampleId('merchant'), name: 'test' },
          members: [{ member: 'level', from: 'off', to: 'buy' }],
        },
      ],
    },
  },
}
