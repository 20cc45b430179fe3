// Identifies the caller and its rights: the platform's profile, the version and capabilities that both sides support, and whether the
// platform proved that it owns the profile that it names.

import type { UcpRow } from '../../../contract/agents/rows.ts'
import type { PlatformProof } from '../../../contract/agents/settings.ts'
import type { AgentCaller } from '../../../domain/agents/buying.ts'
import { ensureOrderEndpoint } from '../../../domain/agents/endpoints.ts'
import { addPlatformTag } from '../../../domain/agents/ids.ts'
import { type ProfileLookupContext, type ProfileResult, unknownPlatformId } from '../../../domain/agents/platforms.ts'
import { agentShopLinks, findPlatformOfKey, type PlatformRow } from '../../../domain/agents/store.ts'
import { isLoopback } from '../../../platform/kit/loopback.ts'
import { Lru } from '../../../platform/kit/lru.ts'
import type { ShopContext } from '../context.ts'
import { AgentError } from '../error.ts'
import { listPaymentHandlers } from './handlers.ts'
import { type NegotiationResult, negotiate, type PlatformProfile } from './negotiate.ts'
import { readPlatformKey, type ShownRequest, verifyPlatformSignature } from './prove.ts'
import type { ViewContext } from './view.ts'

export interface IntroducedCaller {
  // Undefined for a caller without a profile.
  platform: PlatformRow | undefined
  profile: PlatformProfile | undefined
  negotiated: Exclude<NegotiationResult, string>
  // The platform that the request's API key was made for.
  ofKey: PlatformRow | undefined
}

// Runs before the body is read. `named`: undefined if the request does not name a profile, which only MCP allows.
export async function identifyPlatform(
  context: ShopContext,
  row: Pick<UcpRow, 'capability'>,
  named: string | undefined,
): Promise<IntroducedCaller> {
  const { platforms, shop, trace } = context
  const ofKey = await platformOfKey(context) // 401, 403
  const profileUrl = named ?? ofKey?.profileUrl
  if (ofKey && ofKey.profileUrl !== profileUrl)
    throw new AgentError(403, 'profile_not_trusted', 'The key belongs to another agent platform.')
  // Developers begin without hosting a profile, so an unreadable profile is ignored in test mode if anyone may pay.
  const isLenient = shop.mode === 'test' && shop.who === 'anyone'
  const known = profileUrl === undefined ? undefined : await refuseBlocked(context, profileUrl)
  const profile = profileUrl === undefined ? undefined : await profileOf(context, profileUrl, { known, isLenient })
  const negotiated = negotiate(profile, { capability: row.capability, isLenient })
  if (negotiated === 'version_unsupported')
    throw new AgentError(
      422,
      'version_unsupported',
      'This server supports the protocol versions 2026-08-25 and 2026-04-08.',
    )
  const platform = profileUrl === undefined ? undefined : await platforms.see(shop, profileUrl, known)
  trace.callerId = platform?.id ?? unknownPlatformId
  return { platform, profile, negotiated, ofKey }
}

export interface AdmittedPlatform {
  caller: AgentCaller
  view: ViewContext
}

const checkout = 'dev.ucp.shopping.checkout'

// Runs after the body is read, because a signature covers the body.
export async function admitPlatform(
  context: ShopContext,
  introduced: IntroducedCaller,
  row: Pick<UcpRow, 'capability' | 'status' | 'kind'>,
  { protocol, body }: { protocol: string; body: Buffer },
): Promise<AdmittedPlatform> {
  const { parts, shop, request } = context
  const { platform, negotiated } = introduced
  const proof = await proofOf(context, introduced, body) // 401, 400
  const platformId = platform?.id ?? unknownPlatformId
  const proven = platform?.status === 'approved' ? 'approved' : 'proven'
  const waitMs = context.callWaitMs(platformId, proof === null ? 'claimed' : proven)
  if (waitMs > 0) throw tooManyRequests(waitMs, 'The agent platform has sent too many requests.')
  const openWaitMs = row.status === 201 ? context.openWaitMs() : 0
  if (openWaitMs > 0) throw tooManyRequests(openWaitMs, 'The agent platform has opened too many carts and checkouts.')
  const { dialect, active } = negotiated
  const { merchantId, mode, installationId } = shop
  const isTrusted = trusts(shop.who, platform, proof)
  if (row.kind !== 'read' && (proof !== null || isTrusted)) await listen(context, introduced)
  return {
    caller: { merchantId, mode, installationId, platformId, protocol, version: dialect.version, proof },
    view: {
      dialect,
      active,
      capability: row.capability,
      handlers: shop.level === 'buy' && row.capability === checkout ? await listPaymentHandlers(parts.tools, shop) : [],
      mayPay: shop.level === 'buy' && isTrusted,
      mayReadOrders: proof !== null || isTrusted,
      reviewFrom: shop.reviewFrom,
      accepted: request.raw.headers['accept-language'],
      links: agentShopLinks(shop),
      tag: (id) => addPlatformTag(parts.tools.rootSecret, platformId, id),
    },
  }
}

// Registers the URL from the platform's profile that is called when its orders change.
async function listen(
  { parts, shop, now }: ShopContext,
  { platform, profile, negotiated }: IntroducedCaller,
): Promise<void> {
  const url = profile?.webhookUrl
  if (!platform || url === undefined || shop.orderWebhooks === 0 || !negotiated.active.has('dev.ucp.shopping.order'))
    return
  await ensureOrderEndpoint(parts.tools, parts, { mode: shop.mode, platform, url }, now.getTime())
}

export function trusts(
  who: ShopContext['shop']['who'],
  platform: PlatformRow | undefined,
  proof: PlatformProof | null,
): boolean {
  if (!platform) return false
  if (who === 'anyone') return true
  return proof !== null && (who === 'signed' || platform.status === 'approved')
}

export function tooManyRequests(waitMs: number, sentence: string): AgentError {
  const seconds = Math.ceil(waitMs / 1_000)
  const content = `${sentence} Try again in ${seconds} seconds.`
  return new AgentError(429, 'rate_limited', content, { headers: { 'retry-after': String(seconds) } })
}

// Refuses blocked platforms. An unknown profile is fetched and stored, so each network may name only a limited number of them.
async function refuseBlocked(context: ShopContext, profileUrl: string): Promise<PlatformRow | undefined> {
  refuseBadUrl(context, profileUrl)
  const { named, platforms, shop } = context
  const known = named.profileUrl === profileUrl ? named.platform : await platforms.findAt(shop, profileUrl)
  if (known?.status === 'blocked')
    throw new AgentError(403, 'profile_not_trusted', 'The shop has blocked this agent platform.')
  const waitMs = known ? 0 : context.newProfileWaitMs()
  if (waitMs > 0) throw tooManyRequests(waitMs, 'Too many agent platforms have introduced themselves recently.')
  return known
}

// White space and control characters that a parser drops, characters that disguise the address, a password, and a fragment. They would
// give one document many URLs.
const isMisleading = /[\s\p{Cc}\p{Cf}\\#]|^[^/]*\/\/[^/?]*@/u

// URLs that passed the check. Parsing a URL takes as long as an SQL statement.
const goodUrls = new Lru<string, true>(500)

function refuseBadUrl({ parts }: ShopContext, url: string): void {
  const origin = parts.tools.publicOrigin()
  const name = `${origin} ${url}`
  if (goodUrls.get(name)) return
  const parsed = URL.parse(url)
  const isOpenly = parsed?.protocol === 'http:' && isLoopback(new URL(origin))
  if (!parsed || url.length > 2_000 || isMisleading.test(url) || (parsed.protocol !== 'https:' && !isOpenly))
    throw new AgentError(
      400,
      'invalid_profile_url',
      'The profile of an agent platform must be an https URL of at most 2,000 characters.',
    )
  goodUrls.set(name, true)
}

// Returns the platform that the request's key was made for, or undefined if the request has no key. Refuses other keys.
export async function platformOfKey(context: ShopContext): Promise<PlatformRow | undefined> {
  const { parts, shop, request, now } = context
  const key = readPlatformKey(request.raw)
  if (key === undefined) return undefined
  const principal = await parts.identify(`Bearer ${key}`, now.getTime())
  if (!principal) throw new AgentError(401, 'unauthorized', 'The key is unknown, expired or revoked.')
  const platform =
    principal.installationId === shop.installationId
      ? await parts.tools.storage.read((db) => findPlatformOfKey(db, shop, principal.id))
      : undefined
  if (!platform)
    throw new AgentError(403, 'profile_not_trusted', 'The key does not belong to an agent platform of this shop.')
  return platform
}

async function proofOf(
  context: ShopContext,
  { platform, profile, ofKey }: IntroducedCaller,
  body: Buffer,
): Promise<PlatformProof | null> {
  const claimed: ShownRequest = { keys: profile?.keys ?? [], body, now: context.now.getTime() }
  const again = async () => {
    const found = platform
      ? await context.platforms.profileAgain(platform.profileUrl, askerOf(context, platform))
      : 'unreachable'
    return keysOf(found)
  }
  if (await verifyPlatformSignature(context, claimed, again)) return 'signature'
  return ofKey ? 'key' : null
}

function keysOf(found: ProfileResult<PlatformProfile>): readonly unknown[] {
  return typeof found === 'string' ? [] : (found.profile?.keys ?? [])
}

function askerOf({ profileReadWaitMs }: ShopContext, platform: PlatformRow | undefined): ProfileLookupContext {
  return { readWaitMs: profileReadWaitMs, isApproved: platform?.status === 'approved' }
}

async function profileOf(
  context: ShopContext,
  url: string,
  { known, isLenient }: { known: PlatformRow | undefined; isLenient: boolean },
): Promise<PlatformProfile | undefined> {
  const found = await context.platforms.profileAt(url, askerOf(context, known))
  if (found === 'busy')
    throw new AgentError(503, 'busy', 'Too many profiles of agent platforms are being read.', {
      headers: { 'retry-after': '2' },
    })
  if (found === 'unreachable') {
    if (isLenient) return undefined
    throw new AgentError(424, 'profile_unreachable', 'The profile of the agent platform cannot be read.')
  }
  if (!found.profile && !isLenient)
    throw new AgentError(422, 'profile_malformed', 'The profile of the agent platform has no valid version.')
  return found.profile
}
