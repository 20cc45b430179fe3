import { sampleId } from '../../sampleid.ts'
import type { AdminAgentPlatform, AdminAgents, agentOperationRows } from '../agents.ts'
import type { AdminExamples } from '../row.ts'

const base = 'https://commerce.example/ucp/bloom/test'

const agents: AdminAgents = {
  version: 1,
  level: 'buy',
  who: 'approved',
  reviewFrom: null,
  orderWebhooks: true,
  signingKeys: [
    { kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', createdAt: '2026-09-24T08:30:00.000Z', retiredAt: null },
  ],
  addresses: {
    profile: `${base}/.well-known/ucp`,
    rest: base,
    acp: 'https://commerce.example/acp/bloom/test',
    mcp: `${base}/mcp`,
    assistants: 'https://commerce.example/api/v1/admin/mcp',
  },
}

const platform: AdminAgentPlatform = {
  id: sampleId('platform'),
  version: 2,
  profileUrl: 'https://platform.example/.well-known/ucp',
  host: 'platform.example',
  status: 'approved',
  hasKey: false,
  webhook: { status: 'enabled', lastSuccessAt: '2026-09-24T08:30:00.000Z', lastFailureAt: null },
  firstSeenAt: '2026-09-24T08:30:00.000Z',
  lastSeenAt: '2026-09-24T08:30:00.000Z',
}

const approval = {
  data: platform,
  changes: [
    {
      kind: 'change' as const,
      subject: { type: 'agent_platform' as const, id: platform.id, name: platform.host },
      members: [{ member: 'status', from: 'seen', to: 'approved' }],
    },
  ],
}

export const agentExamples: AdminExamples<typeof agentOperationRows> = {
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
  rotateAdminAgentSigningKey: {
    path: {},
    body: { idempotencyKey: '8a4f5cbe-1f4a-4d0e-9d0b-58a6f0f1c1de' },
    reply: {
      data: agents,
      changes: [
        {
          kind: 'change',
          subject: { type: 'agents', id: sampleId('merchant'), name: 'test' },
          members: [{ member: 'signingKey', from: null, to: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' }],
        },
      ],
    },
  },
  listAdminAgentPlatforms: {
    path: {},
    body: undefined,
    reply: { data: [platform], meta: { count: 1, next: null } },
  },
  createAdminAgentPlatform: {
    path: {},
    body: {
      idempotencyKey: '0b6f7a39-5a5f-4b6d-9c55-2f9d0a3c9f10',
      profileUrl: 'https://platform.example/.well-known/ucp',
      status: 'approved',
    },
    reply: approval,
  },
  updateAdminAgentPlatform: {
    path: { platformId: sampleId('platform') },
    body: { idempotencyKey: 'f1a8d2c4-3e5b-4a6f-8d7c-9b0a1c2d3e4f', expectedVersion: 1, status: 'approved' },
    reply: approval,
  },
  createAdminAgentKey: {
    path: { platformId: sampleId('platform') },
    body: { idempotencyKey: '5c0d6e7f-8a9b-4c1d-ae2f-3b4c5d6e7f80' },
    reply: {
      data: { platform: { ...platform, hasKey: true }, secret: `cwk_test_8Xq2LrNmWc4T${'EXAMPLE'.repeat(5)}0` },
    },
  },
  createAdminAgentWebhook: {
    path: { platformId: sampleId('platform') },
    body: {
      idempotencyKey: '6d1e7f80-9bac-4d2e-bf30-4c5d6e7f8091',
      url: 'https://platform.example/agentic_checkout/webhooks/order_events',
    },
    reply: { data: { platform: { ...platform, hasKey: true }, secret: `whsec_${'EXAMPLE'.repeat(6)}0=` } },
  },
}
