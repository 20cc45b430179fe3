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
  // Whether platforms may be called at private network addresses.
  allowPrivate: boolean
  // Whether callers are rate limited.
  isLimited: boolean
  // `calls` counts calls by protocol, tool and outcome; `profileReads` counts reads of platform profiles.
  calls: Counts
  profileReads: Counts
  version: string
  // The shop whose profile is served as the profile of the whole server: `tea` or `tea/test`. Null: the only live shop that is open to
  // agents, or without live ones the only one in test mode.
  mainShop: string | null
}

// Context of a request to one shop.
export interface ShopContext {
  parts: AgentParts
  platforms: PlatformDirectory<PlatformProfile>
  shop: AgentShop
  // The profile named in the request's header, and the platform known by that profile, if it called before. Null: the header does not
  // name a profile.
  named: { profileUrl: string | null; platform: PlatformRow | undefined }
  // Base URL of the shop for agents.
  base: string
  request: Incoming
  trace: Trace
  now: Date
  standing: () => Promise<CatalogStanding>
  // Milliseconds until the caller may open another cart or checkout; 0: now.
  openWaitMs: () => number
  // Like `openWaitMs`, until the caller may name a new profile, cause a profile to be read, and make another call.
  newProfileWaitMs: () => number
  profileReadWaitMs: () => number
  callWaitMs: (platformId: string, standing: 'claimed' | 'proven' | 'approved') => number
  // Idempotency keys with a payment in progress in this process.
  paying: Set<string>
}
