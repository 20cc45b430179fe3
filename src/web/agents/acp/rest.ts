// The Agentic Commerce Protocol by REST. The order of the statements in `answer` is the order of the checks; the comments beside them are
// the statuses of failed checks.

import { type AcpRow, type AcpRowId, acpRows } from '../../../contract/agents/acp.ts'
import { acpVersion } from '../../../contract/agents/settings.ts'
import { agentBaseUrl } from '../../../domain/agents/address.ts'
import { addPlatformTag } from '../../../domain/agents/ids.ts'
import { agentShopLinks, type PlatformRow } from '../../../domain/agents/store.ts'
import { jsonType, type Outgoing } from '../../../platform/http/message.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import type { ShopContext } from '../context.ts'
import { AgentError } from '../error.ts'
import { checkBody, findRowAt, parseJsonBody, readBodyBytes } from '../request.ts'
import { platformOfKey, tooManyRequests, trusts } from '../ucp/caller.ts'
import { listPaymentHandlers } from '../ucp/handlers.ts'
import { ucpCapabilities } from '../ucp/negotiate.ts'
import { acpError } from './error.ts'
import { performAcp } from './perform.ts'
import { type AcpViewContext, handlerSchema } from './view.ts'

export async function answerAcp(context: ShopContext, path: string): Promise<Outgoing> {
  try {
    const { status, body, headers } = await answer(context, path)
    return { status, body, headers: { ...headersOf(context), ...headers } }
  } catch (error) {
    if (!(error instanceof AgentError)) throw error
    context.trace.code = error.code
    const body = JSON.stringify(acpError(error))
    return { status: error.status, body, headers: { ...headersOf(context), ...error.headers } }
  }
}

const isPlain = /^[\x21-\x7e]{1,255}$/

// An answer repeats the request's headers Idempotency-Key and Request-Id, if they are valid.
function headersOf({ request: { raw } }: ShopContext): Record<string, string> {
  const echoed = ['idempotency-key', 'request-id'].flatMap((name) => {
    const value = raw.headers[name]
    return typeof value === 'string' && isPlain.test(value) ? [[name, value]] : []
  })
  return { 'content-type': jsonType, 'cache-control': 'no-store', ...Object.fromEntries(echoed) }
}

async function answer(context: ShopContext, path: string): Promise<Outgoing> {
  const { request, trace, parts, shop, now } = context
  if (path.startsWith('/handlers/')) return handlerDocument(context, path) // 404
  const { rowId, row, id } = findRowAt<AcpRowId, AcpRow>(acpRows, request.raw.method ?? '', path) // 404, 405
  trace.name = rowId
  const platform = await knownPlatform(context) // 401, 403
  refuseVersion(request.raw.headers['api-version']) // 400
  refuseOften(context, platform, row) // 429
  const bytes = await readBodyBytes(context, row) // 413, 400
  const key = row.method === 'GET' ? '' : keyIn(request.raw.headers['idempotency-key']) // 400
  const body = row.body === null ? null : checkBody(row, parseJsonBody(bytes)) // 400
  const { merchantId, mode, installationId, currency } = shop
  const caller = { merchantId, mode, installationId, platformId: platform.id, ...spoken }
  const view = await viewOf(context, platform)
  const moment = { now, cause: { operationId: rowId, requestId: trace.requestId } }
  const { paying } = context
  const done = await performAcp(parts, { rowId, caller, view, currency, id, body, key, moment, paying })
  const headers = done.isReplayed ? { 'idempotent-replayed': 'true' } : {}
  return { status: done.status, body: done.text, headers }
}

const spoken = { protocol: 'acp', version: acpVersion, proof: 'key' } as const

async function viewOf(
  { parts: { tools }, shop, request }: ShopContext,
  platform: PlatformRow,
): Promise<AcpViewContext> {
  const { mode, slug, level, who, reviewFrom } = shop
  const origin = tools.publicOrigin()
  const mayPay = level === 'buy' && trusts(who, platform, 'key')
  return {
    base: agentBaseUrl(origin, shop, 'acp'),
    page: `${origin}/agents/${slug}`,
    mode,
    active: new Set(Object.keys(ucpCapabilities)),
    handlers: mayPay ? await listPaymentHandlers(tools, shop) : [],
    mayPay,
    reviewFrom,
    accepted: request.raw.headers['accept-language'],
    links: agentShopLinks(shop),
    tag: (id) => addPlatformTag(tools.rootSecret, platform.id, id),
  }
}

// Serves the public schemas that a payment handler of this server links to.
async function handlerDocument({ parts, shop, trace }: ShopContext, path: string): Promise<Outgoing> {
  trace.name = 'acpGetHandler'
  const found = handlerSchema(path, shop.level === 'buy' ? await listPaymentHandlers(parts.tools, shop) : [])
  if (!found) throw refuse('route_not_found')
  return { status: 200, body: JSON.stringify(found), headers: { 'cache-control': 'public, max-age=300' } }
}

// Returns the platform that the request's key was made for. Refuses callers without such a key, and blocked platforms.
async function knownPlatform(context: ShopContext): Promise<PlatformRow> {
  const { platforms, shop, trace } = context
  const found = await platformOfKey(context)
  if (!found) {
    const headers = { 'www-authenticate': 'Bearer' }
    throw new AgentError(
      401,
      'unauthorized',
      'The key of the agent platform must be sent in the header Authorization: Bearer.',
      {
        headers,
      },
    )
  }
  trace.callerId = found.id
  if (found.status === 'blocked') throw new AgentError(403, 'forbidden', 'The shop has blocked this agent platform.')
  return platforms.see(shop, found.profileUrl, found)
}

function refuseVersion(header: string | string[] | undefined): void {
  if (header === acpVersion) return
  const code = header === undefined ? 'missing_api_version' : 'unsupported_api_version'
  throw new AgentError(400, code, `The header API-Version must be ${acpVersion}.`)
}

// Sessions are stored for hours even if they are never paid, so platforms that are not approved may open fewer.
function refuseOften(context: ShopContext, { id, status: standing }: PlatformRow, { status }: AcpRow): void {
  const isApproved = standing === 'approved'
  const waitMs = context.callWaitMs(id, isApproved ? 'approved' : 'proven')
  if (waitMs > 0) throw tooManyRequests(waitMs, 'The agent platform has sent too many requests.')
  const openWaitMs = status === 201 && !isApproved ? context.openWaitMs() : 0
  if (openWaitMs > 0) throw tooManyRequests(openWaitMs, 'The agent platform has opened too many checkout sessions.')
}

function keyIn(header: string | string[] | undefined): string {
  if (typeof header === 'string' && header.length >= 1 && header.length <= 255) return header
  throw new AgentError(400, 'idempotency_key_required', 'The header Idempotency-Key must have 1 to 255 characters.')
}
