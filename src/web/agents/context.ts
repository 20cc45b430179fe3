// Dependencies of the handlers for agents.

import type { PlatformDirectory } from '../../domain/agents/platforms.ts'
import type { AgentShop, PlatformRow } from '../../domain/agents/store.ts'
import type { SiteContext } from '../../domain/sites/site.ts'
import type { Identify } from '../../platform/access/identify.ts'
import type { ReceiveBody } from '../../platform/http/limiter.ts'
import type { Incoming, Trace } from '../../platform/http/message.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import type { CatalogStanding } from './standing.ts'
import type { PlatformProfile } from './ucp/negotiate.ts'
import type { UcpParts } from './ucp/perform.ts'

export interface AgentParts extends UcpParts {
  sites: SiteContext
  receive: ReceiveBody
  // Identifies keys that were made for platforms.
  identify: Identify['identify']
  // Whether platforms may be called at private addresses.
  allowPrivate: boolean
  // Whether callers are limited.
  isLimited: boolean
  // `calls` counts by protocol, tool and outcome; `profileReads` counts profiles that were read.
  calls: Counts
  profileReads: Counts
  version: string
  // The shop whose profile is the profile of the whole server: `tea` or `tea/test`. Null: the only shop that is open to agents.
  mainShop: string | null
}

// Context of a request to one shop.
export interface ShopContext {
  parts: AgentParts
  platforms: PlatformDirectory<PlatformProfile>
  shop: AgentShop
  // The profile that the header of the request names, and the platform that called with it before. Null: the header names none.
  named: { profileUrl: string | null; platform: PlatformRow | undefined }
  // The address of the shop for agents.
  base: string
  request: Incoming
  trace: Trace
  now: Date
  standing: () => Promise<CatalogStanding>
  // How long the caller must wait before it may open another cart or checkout; 0: no wait.
  openWaitMs: () => number
  // Like `openWaitMs`, for a profile that was not seen before, for reading a profile, and for a call of a platform.
  newProfileWaitMs: () => number
  profileReadWaitMs: () => number
  callWaitMs: (platformId: string, standing: 'claimed' | 'proven' | 'approved') => number
  // Idempotency keys with a payment in progress in this process.
  paying: Set<string>
}
