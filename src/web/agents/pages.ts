// The page about what a server offers to agents: as HTML for developers, and as text for models.

import { acpVersion } from '../../contract/agents/settings.ts'
import { agentBaseUrl } from '../../domain/agents/address.ts'
import type { AgentShop } from '../../domain/agents/store.ts'
import { assistantAudience } from '../../domain/oauth/metadata.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Outgoing } from '../../platform/http/message.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { codeBlock, jsonCode } from '../docs/example.ts'
import { renderSiteFrame, siteHeaders } from '../docs/frame.ts'

export function agentsText(shops: readonly AgentShop[], origin: string): Outgoing {
  if (shops.length === 0) throw refuse('route_not_found')
  const lines = [
    '# Shops for agents',
    '',
    '> Each shop can be searched and bought from by the Model Context Protocol (MCP) and the Universal Commerce Protocol (UCP), and bought from by the Agentic Commerce Protocol (ACP).',
    '',
    `- [How to connect](${origin}/agents)`,
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
  const base = agentBaseUrl(origin, shop)
  return [
    `- MCP: ${base}/mcp`,
    `- UCP profile: ${base}/.well-known/ucp`,
    `- UCP REST: ${base}`,
    `- ACP, with a key of the merchant: ${agentBaseUrl(origin, shop, 'acp')}`,
    `- ${paying(shop)}`,
  ]
}

function paying({ level, mode, who }: AgentShop): string {
  if (level === 'browse') return 'Buyers pay on the checkout page.'
  if (mode === 'test' && who === 'anyone') return 'Agents may pay with test cards.'
  return who === 'approved' ? 'Agents that the merchant approved may pay.' : 'Agents that prove who they are may pay.'
}

// Describes all shops that are open to agents, or one shop.
export function agentsPage(shops: readonly AgentShop[], origin: string, path: string): Outgoing {
  const body = html`<main id="main">
<div class="start">
<section><h1>For agents</h1>
<p>
  Software that shops for people finds products, opens carts and checkouts, and pays where the merchant allows it, by
  open protocols: the
<a href="https://modelcontextprotocol.io">Model Context Protocol</a> (MCP) for chat programs,
  the <a href="https://ucp.dev">Universal Commerce Protocol</a> (UCP) and the
<a href="https://www.agenticcommerce.dev">Agentic Commerce Protocol</a> (ACP) for platforms. Except by ACP, no key is
  needed to look and to open a checkout: the buyer pays on the page that the answer
  names. <a href="/llms.txt">The same as text</a>.</p></section>
${
  shops.length === 0
    ? html`<section>
    <h2>No shop is open to agents</h2>
    <p>A merchant opens one under <em>Settings, Agents</em>.</p>
  </section>`
    : shops.map((shop) => shopSection(shop, origin))
}
<section><h2>For merchants</h2>
<p>
  An assistant can also run a shop. Enter this address in a chat program: it opens a page where you sign in and choose
  what it may do.</p>
<ol class="calls"><li>${codeBlock('MCP for merchants', assistantAudience(origin))}</li></ol></section>
</div>
</main>`
  const text = renderSiteFrame({
    title: 'For agents – Cartwright',
    description: 'Addresses and first calls for software that shops for people: MCP, UCP and ACP.',
    path,
    body,
  })
  return { status: 200, body: text, headers: { ...siteHeaders, ...cached } }
}

function shopSection(shop: AgentShop, origin: string): Html {
  const base = agentBaseUrl(origin, shop)
  const config = { mcpServers: { [shop.slug]: { type: 'http', url: `${base}/mcp` } } }
  return html`<section id="${shop.mode === 'test' ? `${shop.slug}-test` : shop.slug}">
    <h2><span dir="auto">${shop.name}</span></h2>
${
  shop.mode === 'test' &&
  html`<p class="test"><strong>Test mode.</strong> Nothing that is bought here is sent or charged.</p>`
}
<p>${paying(shop)}</p>
<ol class="calls">
<li>
  <h3>A chat program</h3>
  <p>The settings of an MCP client:</p>
  ${codeBlock('Settings of an MCP client', jsonCode(config))}</li>
<li>
  <h3>A platform</h3>
  <p>The profile says what the shop can do; REST is below the same address.</p>
  ${codeBlock('UCP profile', `curl ${base}/.well-known/ucp`)}
${codeBlock(
  'Search',
  `curl ${base}/catalog/search -H 'content-type: application/json' \\\n  -H 'ucp-agent: profile="https://your-platform.example/profile.json"' \\\n  -d '{"query":"mug"}'`,
)}</li>
<li>
  <h3>A platform with a key</h3>
  <p>The merchant makes the key. Items are those of the catalog.</p>
  ${codeBlock(
    'ACP',
    `curl ${agentBaseUrl(origin, shop, 'acp')}/checkout_sessions -H 'authorization: Bearer cwk_…' \\\n  -H 'api-version: ${acpVersion}' -H 'content-type: application/json' -H 'idempotency-key: …' \\\n  -d '{"line_items":[{"id":"sku_…"}],"currency":"${shop.currency.toLowerCase()}","capabilities":{}}'`,
  )}</li>
</ol></section>`
}
