// Answers agents: finds the shop in the path, and dispatches to the profile, UCP, ACP or MCP.

import { createHash } from 'node:crypto'
import { type Mode, modes } from '../../contract/words.ts'
import { agentBaseUrl } from '../../domain/agents/address.ts'
import { listPublishedKeys } from '../../domain/agents/keys.ts'
import { createPlatformDirectory, unknownPlatformId } from '../../domain/agents/platforms.ts'
import { type AgentShop, findAgentShop, listAgentShops } from '../../domain/agents/store.ts'
import { addressBucket, createThrottle, networkBucket, type Throttle } from '../../platform/access/throttle.ts'
import { matchesIfNoneMatch } from '../../platform/http/conditional.ts'
import { type Incoming, jsonType, type Outgoing, type Trace } from '../../platform/http/message.ts'
import { Lru } from '../../platform/kit/lru.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import { answerAcp } from './acp/rest.ts'
import { createCalledShops } from './called.ts'
import type { AgentParts, ShopContext } from './context.ts'
import { answerMcp } from './mcp/shop.ts'
import { agentsPage, agentsText } from './pages.ts'
import { createStandings } from './standing.ts'
import { listPaymentHandlers } from './ucp/handlers.ts'
import { newestUcpVersion, readPlatformProfile, type UcpVersion, ucpVersions } from './ucp/negotiate.ts'
import { buildProfile, type ProfileFacts } from './ucp/profile.ts'
import { answerRest, parseProfileHeader } from './ucp/rest.ts'

// All calls from an address. Checked before anything is read or fetched.
const callsOfAddress = { perSecond: 20, burst: 60 } as const
// Carts and checkouts opened. Each is stored for hours, even if it is never paid.
const opensOfAddress = { perSecond: 0.5, burst: 30 } as const
// New profiles. Each is stored.
const profilesOfNetwork = { perSecond: 10 / 60, burst: 10 } as const
// Profiles read, also those of known platforms: a platform chooses how long its profile is cached.
const readsOfNetwork = { perSecond: 0.5, burst: 20 } as const
const callsOfPlatform = { perSecond: 20, burst: 60 } as const
const callsOfApproved = { perSecond: 100, burst: 300 } as const
const callsOfNameless = { perSecond: 5, burst: 30 } as const

export function createAgentServer(parts: AgentParts): (request: Incoming, trace: Trace) => Promise<Outgoing> {
  const { tools } = parts
  const platforms = createPlatformDirectory({ ...tools, profileReads: parts.profileReads }, readPlatformProfile)
  const calledShop = createCalledShops(tools.storage)
  const standingOf = createStandings(tools.storage, parts.sites)
  const throttle: Throttle | null = parts.isLimited ? createThrottle(callsOfAddress) : null
  const openThrottle: Throttle | null = parts.isLimited ? createThrottle(opensOfAddress) : null
  const profileThrottle: Throttle | null = parts.isLimited ? createThrottle(profilesOfNetwork) : null
  const readThrottle: Throttle | null = parts.isLimited ? createThrottle(readsOfNetwork) : null
  const platformThrottle: Throttle | null = parts.isLimited ? createThrottle(callsOfPlatform) : null
  const approvedThrottle: Throttle | null = parts.isLimited ? createThrottle(callsOfApproved) : null
  const namelessThrottle: Throttle | null = parts.isLimited ? createThrottle(callsOfNameless) : null

  const paying = new Set<string>()

  return async (request, trace) => {
    const now = tools.clock()
    const waitMs = throttle?.take(addressBucket(request.address), now.getTime()) ?? 0
    if (waitMs > 0) throw refuse('rate_limited', { retryAfterMs: waitMs })
    const path = (request.raw.url ?? '').split(/[?#]/, 1)[0] ?? ''
    if (path === '/llms.txt') return agentsText(await openShops(parts), tools.publicOrigin())
    if (path === '/agents' || path.startsWith('/agents/')) return peoplesPage(parts, path)
    if (path.startsWith('/.well-known/')) return mainProfile(parts, request, path)
    const { slug, mode, rest } = placeOf(path)
    if (!isSlug(slug)) throw refuse('route_not_found')
    const profileUrl = parseProfileHeader(request.raw.headers['ucp-agent']) ?? null
    const mark = tools.storage.commitMark()
    const { shop, platform } = await calledShop({ slug, mode }, profileUrl, mark)
    if (!shop) throw refuse('route_not_found')
    const base = agentBaseUrl(tools.publicOrigin(), shop)
    if (path.startsWith('/ucp/') && rest.startsWith('/.well-known/ucp'))
      return profileAnswer(parts, shop, request, rest)
    const bucket = addressBucket(request.address)
    const network = networkBucket(request.address)
    const context: ShopContext = {
      parts,
      platforms,
      shop,
      named: { profileUrl, platform },
      base,
      request,
      trace,
      now,
      paying,
      standing: () => standingOf(shop, mark),
      openWaitMs: () => openThrottle?.take(bucket, now.getTime()) ?? 0,
      newProfileWaitMs: () => profileThrottle?.take(network, now.getTime()) ?? 0,
      profileReadWaitMs: () => readThrottle?.take(network, now.getTime()) ?? 0,
      callWaitMs: (platformId, standing) => {
        if (platformId === unknownPlatformId) return namelessThrottle?.take(bucket, now.getTime()) ?? 0
        // Any caller can claim to be a platform, so unproven claims must not use up that platform's limit.
        const id = standing === 'claimed' ? `${platformId} ${bucket}` : platformId
        return (standing === 'approved' ? approvedThrottle : platformThrottle)?.take(id, now.getTime()) ?? 0
      },
    }
    if (path.startsWith('/acp/')) return answerAcp(context, rest)
    return rest === '/mcp' ? answerMcp(context) : answerRest(context, rest)
  }
}

const shopsShownMax = 50

function openShops({ tools }: AgentParts): Promise<AgentShop[]> {
  return tools.storage.read((db) => listAgentShops(db, shopsShownMax))
}

async function peoplesPage(parts: AgentParts, path: string): Promise<Outgoing> {
  const { storage, publicOrigin } = parts.tools
  const slug = path.split('/')[2]
  if (slug === undefined) return agentsPage(await openShops(parts), publicOrigin(), path)
  if (!isSlug(slug)) throw refuse('route_not_found')
  const found = await storage.read((db) => Promise.all(modes.map((mode) => findAgentShop(db, slug, mode))))
  const shops = found.filter((shop) => shop !== undefined)
  if (shops.length === 0) throw refuse('route_not_found')
  return agentsPage(shops, publicOrigin(), path)
}

// Parses a path. `/ucp/tea/test/carts` and `/acp/tea/test/checkout_sessions` belong to the test mode of a shop.
function placeOf(path: string): { slug: string; mode: Mode; rest: string } {
  const [, , slug = '', ...parts] = path.split('/')
  const isTest = parts[0] === 'test'
  return { slug, mode: isTest ? 'test' : 'live', rest: `/${(isTest ? parts.slice(1) : parts).join('/')}` }
}

async function mainProfile(parts: AgentParts, request: Incoming, path: string): Promise<Outgoing> {
  const shops = await openShops(parts)
  const named = parts.mainShop
  const live = shops.filter(({ mode }) => mode === 'live')
  const candidates = live.length > 0 ? live : shops
  const shop =
    named === null
      ? candidates.length === 1
        ? candidates[0]
        : undefined
      : shops.find(({ slug, mode }) => named === (mode === 'test' ? `${slug}/test` : slug))
  if (!shop) throw refuse('route_not_found')
  return profileAnswer(parts, shop, request, path)
}

async function profileAnswer(parts: AgentParts, shop: AgentShop, { raw }: Incoming, path: string): Promise<Outgoing> {
  const version = path.split('/')[3]
  const dialect: UcpVersion | undefined =
    version === undefined
      ? newestUcpVersion
      : ucpVersions.find((other) => other.version === version && other !== newestUcpVersion)
  if (!dialect || (raw.method !== 'GET' && raw.method !== 'HEAD')) throw refuse('route_not_found')
  const base = agentBaseUrl(parts.tools.publicOrigin(), shop)
  const mayBuy = shop.level === 'buy'
  const handlers = mayBuy ? await listPaymentHandlers(parts.tools, shop) : []
  const keys = await listPublishedKeys(parts.tools, shop, parts.tools.clock().getTime())
  const { body, etag } = renderProfile({ base, mayBuy, handlers, keys }, dialect)
  const headers = {
    'content-type': jsonType,
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    etag,
  }
  return matchesIfNoneMatch(raw, etag) ? { status: 304, body: '', headers } : { status: 200, body, headers }
}

interface RenderedProfile {
  body: string
  etag: string
}

// Cached by everything that a profile is made from.
const profiles = new Lru<string, RenderedProfile>(100)

function renderProfile(facts: ProfileFacts, dialect: UcpVersion): RenderedProfile {
  const name = JSON.stringify([dialect.version, facts])
  const known = profiles.get(name)
  if (known) return known
  const body = JSON.stringify(buildProfile(facts, dialect))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const rendered = { body, etag }
  profiles.set(name, rendered)
  return rendered
}
