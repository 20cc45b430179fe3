// What a server offers to agents, as text for models.

import { agentBase } from '../../domain/agents/address.ts'
import type { AgentShop } from '../../domain/agents/store.ts'
import type { Outgoing } from '../../platform/http/message.ts'
import { refuse } from '../../platform/kit/refuse.ts'

export function agentsText(shops: readonly AgentShop[], origin: string): Outgoing {
  if (shops.length === 0) throw refuse('route_not_found')
  const lines = [
    '# Shops for agents',
    '',
    '> Each shop can be searched and bought from by the Model Context Protocol (MCP) and the Universal Commerce Protocol (UCP).',
    '',
    ...shops.flatMap((shop) => [
      `## ${shop.name}${shop.mode === 'test' ? ' (test)' : ''}`,
      '',
      ...linesOf(shop, origin),
      '',
    ]),
  ]
  return { status: 200, body: lines.join('\n'), headers: { 'content-type': 'text/plain; charset=utf-8', ...cached } }
}

const cached = { 'cache-control': 'public, max-age=300' }

function linesOf(shop: AgentShop, origin: string): string[] {
  const base = agentBase(origin, shop)
  return [
    `- MCP: ${base}/mcp`,
    `- UCP profile: ${base}/.well-known/ucp`,
    `- UCP REST: ${base}`,
    `- ${shop.level === 'buy' && shop.mode === 'test' ? 'Agents may pay with test cards.' : 'Buyers pay on the checkout page.'}`,
  ]
}
