// What software may do that buys for shoppers: schemas and rows.

import { agentLevels } from '../agents/settings.ts'
import { IdempotencyKey } from '../parts.ts'
import { object, oneOf, type Static, Type } from '../schema.ts'
import { ok } from '../surface.ts'
import { AdminSubjectChange } from './changes.ts'
import { type AdminRows, adminRow } from './row.ts'

const Level = oneOf(agentLevels, {
  description:
    'off: agents get no answer. browse: they find products and open checkouts, which buyers pay on the page. buy: they may also pay, in test mode.',
})

export const AdminAgents = object({
  version: Type.Integer({ minimum: 0, description: '0 where nothing was ever set.' }),
  level: Level,
  addresses: object(
    { profile: Type.String(), rest: Type.String(), mcp: Type.String() },
    { description: 'Where agents find the shop, in the mode of the caller: the UCP profile, UCP by REST, and MCP.' },
  ),
})

export const AdminAgentsResponse = object({ data: AdminAgents })
export const AdminAgentsChangeResponse = object({
  data: AdminAgents,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed.' }),
})

export const UpdateAdminAgentsRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Integer({ minimum: 0, description: 'The version that the change is based on.' }),
  level: Level,
})

// biome-ignore format: a row reads best as a few lines
export const agentRows = {
  getAdminAgents: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/agents',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Shop',
    summary: 'Get what agents may do',
    description: 'Agents are software that buys for shoppers. In the mode of the caller.',
    body: null, reply: ok(AdminAgentsResponse),
    refusals: [],
  },
  updateAdminAgents: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/agents',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Change what agents may do',
    description: 'In the mode of the caller. Orders of agents belong to an installation of their own, which is made when agents are let in first.',
    body: UpdateAdminAgentsRequest, reply: ok(AdminAgentsChangeResponse),
    refusals: ['version_conflict'],
  },
} as const satisfies AdminRows

export type AdminAgents = Static<typeof AdminAgents>
