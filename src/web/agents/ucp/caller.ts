// Who calls, and what it may do: the platform's profile, the version that both speak, and the capabilities that both have.

import type { UcpRow } from '../../../contract/agents/rows.ts'
import type { AgentCaller } from '../../../domain/agents/buying.ts'
import { taggedId } from '../../../domain/agents/ids.ts'
import { noPlatform } from '../../../domain/agents/platforms.ts'
import { isLoopback } from '../../../platform/kit/loopback.ts'
import type { ShopContext } from '../context.ts'
import { handlersOf } from './handlers.ts'
import { negotiate, type PlatformProfile, readPlatformProfile } from './negotiate.ts'
import { UcpError } from './perform.ts'
import type { ViewContext } from './view.ts'

export interface Introduced {
  caller: AgentCaller
  view: ViewContext
}

// `profileUrl`: undefined for a caller without a profile, which only MCP allows.
export async function introduce(
  context: ShopContext,
  row: Pick<UcpRow, 'capability' | 'status'>,
  profileUrl: string | undefined,
  protocol: string,
): Promise<Introduced> {
  const { parts, platforms, shop, trace } = context
  const { rootSecret } = parts.tools
  // In test mode a profile that cannot be read says nothing: one begins without hosting one.
  const isLenient = shop.mode === 'test'
  const profile = profileUrl === undefined ? undefined : await profileOf(context, profileUrl, isLenient)
  const negotiated = negotiate(profile, { capability: row.capability, isLenient })
  if (negotiated === 'version_unsupported')
    throw new UcpError(422, 'version_unsupported', 'This server speaks 2026-08-25 and 2026-04-08.')
  const platformId = profileUrl === undefined ? noPlatform : await platforms.idOf(shop, profileUrl)
  trace.callerId = platformId
  const waitMs = row.status === 201 ? context.openWaitMs() : 0
  if (waitMs > 0) throw tooMany(waitMs)
  const { dialect, active } = negotiated
  const { merchantId, mode, installationId } = shop
  return {
    caller: { merchantId, mode, installationId, platformId, protocol, version: dialect.version },
    view: {
      dialect,
      active,
      capability: row.capability,
      handlers: shop.level === 'buy' ? await handlersOf(parts.tools, shop) : [],
      mayPay: mayPay(shop, profileUrl),
      tag: (id) => taggedId(rootSecret, platformId, id),
    },
  }
}

function tooMany(waitMs: number): UcpError {
  const seconds = Math.ceil(waitMs / 1_000)
  const content = `Too many carts and checkouts were opened. Try again in ${seconds} seconds.`
  return new UcpError(429, 'rate_limited', content, { headers: { 'retry-after': String(seconds) } })
}

// In live mode buyers pay on the page.
function mayPay({ level, mode }: ShopContext['shop'], profileUrl: string | undefined): boolean {
  return level === 'buy' && mode === 'test' && profileUrl !== undefined
}

async function profileOf(
  { platforms, parts }: ShopContext,
  url: string,
  isLenient: boolean,
): Promise<PlatformProfile | undefined> {
  const parsed = URL.parse(url)
  const isOpenly = parsed?.protocol === 'http:' && isLoopback(new URL(parts.tools.publicOrigin()))
  if (!parsed || url.length > 2_000 || (parsed.protocol !== 'https:' && !isOpenly))
    throw new UcpError(400, 'invalid_profile_url', 'The profile of a platform is an https address.')
  const found = await platforms.profileAt(url)
  if (found === 'busy')
    throw new UcpError(503, 'busy', 'Too many profiles are being read.', { headers: { 'retry-after': '2' } })
  if (found === 'unreachable') {
    if (isLenient) return undefined
    throw new UcpError(424, 'profile_unreachable', 'The profile of the platform cannot be read.')
  }
  const profile = readPlatformProfile(found.value)
  if (!profile && !isLenient)
    throw new UcpError(422, 'profile_malformed', 'The profile of the platform has no version.')
  return profile
}
