// What answering an agent needs.

import type { Platforms } from '../../domain/agents/platforms.ts'
import type { AgentShop, PlatformRow } from '../../domain/agents/store.ts'
import type { Identify } from '../../platform/access/identify.ts'
import type { Receive } from '../../platform/http/limiter.ts'
import type { Incoming, Trace } from '../../platform/http/message.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import type { PlatformProfile } from './ucp/negotiate.ts'
import type { UcpParts } from './ucp/perform.ts'

export interface AgentParts extends UcpParts {
  receive: Receive
  // Keys that were made for platforms.
  identify: Identify['identify']
  // Whether platforms may be called at private addresses.
  allowPrivate: boolean
  // Whether callers are limited.
  isLimited: boolean
  // By protocol, tool and outcome; and of profiles that were read.
  calls: Counts
  profileReads: Counts
  version: string
  // The shop whose profile is that of the whole server: `tea` or `tea/test`. Null: the only one that is open.
  mainShop: string | null
}

// What answering one shop needs.
export interface ShopContext {
  parts: AgentParts
  platforms: Platforms<PlatformProfile>
  shop: AgentShop
  // The profile in the header of the request, and the platform that called with it before. Null: it names none.
  named: { profileUrl: string | null; platform: PlatformRow | undefined }
  // The address of the shop for agents.
  base: string
  request: Incoming
  trace: Trace
  now: Date
  // How long the caller waits before it may open another cart or checkout; 0 for not at all.
  openWaitMs: () => number
  // The same for a profile that was not seen before, for one that has to be read, and for a call of a platform.
  newProfileWaitMs: () => number
  profileReadWaitMs: () => number
  callWaitMs: (platformId: string, standing: 'claimed' | 'proven' | 'approved') => number
  // Keys by which this process pays now.
  paying: Set<string>
}
