// The authorization server: a library behind this server's interface, pinned to the public URL. settings.ts contains its settings,
// domain/oauth/adapter.ts its storage, interaction.ts its pages.

import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { ClientDocument } from '../../domain/oauth/assistants.ts'
import { clientErrorFor } from '../../domain/oauth/clienterror.ts'
import {
  apiResourceId,
  assistantAudience,
  oauthPaths,
  originProblem,
  serverMetadata,
} from '../../domain/oauth/metadata.ts'
import { toRefusal } from '../../platform/http/refusal.ts'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { ClientDocuments } from './documents.ts'
import { errorPage, errorStatus } from './page/error.ts'
import { consentHeaders } from './page/frame.ts'
import { signOutPage } from './page/signin.ts'
import type { ErrorKind, SignOutView } from './page/views.ts'
import { isAssistant, type SettingsParts, settingsFor, signedInAtFrom, storedDocumentOf } from './settings.ts'

export interface ServerParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  clock: () => Date
  log: Log
  // The secret from which DPoP nonces are derived.
  nonceSecret: () => Promise<Buffer>
  documents: ClientDocuments
}

// The authorization flow that a page belongs to.
export interface Interaction {
  // 0 before the user has signed in.
  signedInAt: number
  uid: string
  step: 'login' | 'consent'
  clientId: string
  // An assistant's document as it was read when this flow began, so the person approves exactly what was shown.
  document: ClientDocument | null
  redirectUri: string
  userId: string | null
  // Whether the user signed in with a second factor: a code or a passkey.
  hasSecondFactor: boolean
  // Requested scopes of this server's API, or of the MCP server for merchants.
  scopes: readonly string[]
  // OpenID scopes that are also requested.
  words: readonly string[]
}

export type InteractionResult =
  | { login: { accountId: string; remember: false; amr: string[]; ts?: number } }
  | { consent: { grantId: string } }
  | { error: 'access_denied'; error_description: string }

// The authentication method reference (RFC 8176) of a sign-in with a second factor.
export const secondFactor = 'mfa'

export interface AuthorizationServer {
  // `address`: the client's IP address, as far as proxies are trusted.
  handle(request: IncomingMessage, response: ServerResponse, address: string): Promise<void>
  // Returns undefined if the interaction does not exist, has expired, or was started in another browser.
  findInteraction(request: IncomingMessage, response: ServerResponse): Promise<Interaction | undefined>
  // Returns the URL at which the flow continues, or undefined if the interaction has ended. `granted` replaces the requested scopes,
  // since a person may grant an assistant more.
  finishInteraction(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResult,
    granted?: readonly string[],
  ): Promise<string | undefined>
}

// The library's provider is created at first use, since the public origin may be unknown before the port is open.
export function createAuthorizationServer(parts: ServerParts): AuthorizationServer {
  const addresses = new WeakMap<IncomingMessage, string>()
  const addressOf = (request: IncomingMessage) => addresses.get(request) ?? ''
  let made: { origin: string; provider: Provider; callback: ReturnType<Provider['callback']> } | undefined

  async function at(request: IncomingMessage) {
    const origin = parts.publicOrigin()
    const nonceSecret = await parts.nonceSecret()
    if (made?.origin !== origin) {
      const provider = createProvider(origin, { ...parts, addressOf }, nonceSecret)
      made = { origin, provider, callback: provider.callback() }
    }
    pin(request, origin)
    return made
  }

  return {
    async handle(request, response, address) {
      const { callback } = await at(request)
      addresses.set(request, address)
      await callback(request, response)
    },
    async findInteraction(request, response) {
      const { provider, origin } = await at(request)
      const details = await provider.interactionDetails(request, response).catch(lost)
      if (!details) return undefined
      const { uid } = details.session ?? {}
      const session = uid === undefined ? undefined : await provider.Session.findByUid(uid)
      const hasSecondFactor = session?.amr?.includes(secondFactor) ?? false
      return interactionFrom(details, origin, { signedInAt: signedInAtFrom(session?.loginTs), hasSecondFactor })
    },
    async finishInteraction(request, response, result, granted) {
      const { provider } = await at(request)
      if (granted === undefined) return provider.interactionResult(request, response, result).catch(lost)
      const details = await provider.interactionDetails(request, response).catch(lost)
      if (!details) return undefined
      details.params.scope = granted.join(' ')
      // An assistant's token is not bound to a key, so its code must not be bound either.
      delete details.params.dpop_jkt
      details.result = { ...details.lastSubmission, ...result }
      const isSaved = await details.save(details.exp - Math.floor(parts.clock().getTime() / 1000)).catch(lost)
      return isSaved === undefined ? undefined : details.returnTo
    },
  }
}

function lost(error: unknown): undefined {
  if (error instanceof errors.SessionNotFound) return undefined
  throw error
}

// From these headers the library derives all URLs that it writes, and those that it expects in proofs.
function pin({ headers }: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin)
  headers.host = host
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

function interactionFrom(
  { uid, prompt, params, session }: Details,
  origin: string,
  signIn: Pick<Interaction, 'signedInAt' | 'hasSecondFactor'>,
): Interaction | undefined {
  if (prompt.name !== 'login' && prompt.name !== 'consent') return undefined
  const { missingResourceScopes, missingOIDCScope } = prompt.details as {
    missingResourceScopes?: Record<string, string[]>
    missingOIDCScope?: string[]
  }
  const clientId = String(params.client_id)
  return {
    uid,
    ...signIn,
    step: prompt.name,
    clientId,
    document: storedDocumentOf(prompt.details, clientId) ?? null,
    redirectUri: String(params.redirect_uri),
    userId: session?.accountId ?? null,
    scopes: missingResourceScopes?.[apiResourceId(origin)] ?? missingResourceScopes?.[assistantAudience(origin)] ?? [],
    words: missingOIDCScope ?? [],
  }
}

function createProvider(
  origin: string,
  parts: ServerParts & Pick<SettingsParts, 'addressOf'>,
  nonceSecret: Buffer,
): Provider {
  const problem = originProblem(origin)
  if (problem !== undefined) throw new Error(problem)
  // Contexts whose body is a page of this server.
  const drawn = new WeakSet<object>()
  function show(
    ctx: Pick<KoaContextWithOIDC, 'status' | 'set' | 'body'>,
    status: number,
    page: string,
    leadsTo?: string,
  ) {
    ctx.status = status
    for (const [name, value] of Object.entries(consentHeaders(leadsTo))) ctx.set(name, value)
    ctx.body = page
    drawn.add(ctx)
  }

  const provider = new PlainProvider(origin, {
    ...settingsFor({ ...parts, origin, nonceSecret }),
    renderError: (ctx, out, error) => {
      const kind = kindOf(error)
      const requestId = String(ctx.response.get('x-request-id'))
      const page = errorPage({ kind, code: out.error, detail: out.error_description, requestId })
      show(ctx, errorStatus(kind), page)
    },
  })

  // This is only safe because the headers are pinned.
  provider.proxy = true
  provider.use(async (ctx, next) => {
    ctx.set('referrer-policy', 'no-referrer')
    ctx.set('x-frame-options', 'DENY')
    await next()
    if (ctx.response.is('html') && !ctx.response.get('location') && !drawn.has(ctx)) {
      const { form, leadsTo } = signOutOf(ctx as KoaContextWithOIDC)
      // The library has no other page of its own. If a later release has one, with script and without a policy, it must not be served.
      if (!form) throw new Error(`the OAuth library must not serve its own page at ${ctx.path}`)
      show(ctx, 200, signOutPage(form), leadsTo)
    }
    // The library reports outages as defects (500). Clients and load balancers must see that a retry may succeed.
    if (outages.has(ctx)) {
      if (typeof ctx.body === 'object') ctx.body = clientErrorFor(503)
      ctx.status = 503
      ctx.set('retry-after', '1')
    }
    if (ctx.status >= 400) ctx.set('cache-control', 'no-store')
    correct(ctx as KoaContextWithOIDC, origin)
    const refusal = refusalOfAssistant(ctx as KoaContextWithOIDC, origin)
    if (refusal !== undefined) show(ctx, errorStatus('request'), refusal)
  })
  const outages = new WeakSet<object>()
  tellLog(provider, parts.log, (ctx) => outages.add(ctx))
  return provider
}

// Corrects answers of the library that are misleading or incomplete.
function correct(ctx: KoaContextWithOIDC, origin: string): void {
  // The library reports a missing proof as an invalid grant, which misleads developers (RFC 9449, 5).
  const isBound = ctx.oidc?.client?.dpopBoundAccessTokens === true
  if (isBound && ctx.get('DPoP') === '' && ctx.path === oauthPaths.token && isInvalidGrant(ctx.body))
    ctx.body = { error: 'invalid_dpop_proof', error_description: 'a DPoP proof is required, in the header DPoP' }
  if (asksOtherResponseType(ctx)) sayOtherResponseType(ctx)
  if (ctx.path !== oauthPaths.metadata || ctx.status !== 200) return
  ctx.body = serverMetadata(origin, ctx.body as Record<string, unknown>)
  ctx.set('cache-control', 'public, max-age=300')
}

// Anyone can publish a client metadata document with any redirect URIs, so an error must not redirect a browser there before a person has
// seen whose assistant it is (RFC 9700, 4.11.2). Returns the error page to show instead.
function refusalOfAssistant(ctx: KoaContextWithOIDC, origin: string): string | undefined {
  if (ctx.path !== oauthPaths.authorization || !isAssistant(ctx.oidc?.client)) return undefined
  const target = URL.parse(ctx.response.get('location'), origin)
  if (!target || target.origin === origin) return undefined
  ctx.remove('location')
  const answer = new URLSearchParams(target.hash === '' ? target.search : target.hash.slice(1))
  const [code, detail] = [answer.get('error') ?? '', answer.get('error_description') ?? '']
  return errorPage({ kind: 'request', code, detail, requestId: String(ctx.response.get('x-request-id')) })
}

// Returns the form by which the library first ends the session of another user.
function signOutOf({ oidc }: KoaContextWithOIDC): { form?: SignOutView; leadsTo?: string } {
  const secret = oidc.route === 'resume' ? oidc.session?.state?.secret : undefined
  if (typeof secret !== 'string') return {}
  return {
    form: { action: oidc.urlFor('end_session_confirm'), fields: { xsrf: secret, logout: 'yes' } },
    leadsTo: String(oidc.entities.Interaction?.params.redirect_uri),
  }
}

// Omits the response mode form_post, whose page needs script. An app that requests it gets an error at its redirect URI.
class PlainProvider extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
    if (name !== 'form_post') super.registerResponseMode(name, handler)
  }
}

// The library checks the response mode first, and for an unsupported response type it then reports the mode (RFC 6749, 4.1.2.1).
function asksOtherResponseType({ oidc }: KoaContextWithOIDC): boolean {
  const type = oidc?.params?.response_type
  return typeof type === 'string' && type !== 'code'
}

const otherResponseType = { error: 'unsupported_response_type', error_description: 'the only response_type is code' }
const otherResponseMode = 'requested response_mode is not allowed for this client or request'

function sayOtherResponseType(ctx: Pick<KoaContextWithOIDC, 'body' | 'response' | 'set'>): void {
  const { body } = ctx
  if (typeof body === 'object' && body !== null && 'error_description' in body) {
    if (body.error_description === otherResponseMode) ctx.body = otherResponseType
    return
  }
  const target = URL.parse(ctx.response.get('location'))
  const answer = new URLSearchParams(target?.hash.slice(1))
  if (!target || answer.get('error_description') !== otherResponseMode) return
  for (const [name, value] of Object.entries(otherResponseType)) answer.set(name, value)
  target.hash = answer.toString()
  ctx.set('location', target.href)
}

function isInvalidGrant(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'invalid_grant'
}

function kindOf(error: Error): ErrorKind {
  if (error instanceof errors.SessionNotFound) return 'lost'
  return error instanceof errors.OIDCProviderError && error.statusCode < 500 ? 'request' : 'server'
}

const detailLengthMax = 200

// Clients get little detail, so the reason is logged here. The library's messages contain neither codes nor tokens.
function tellLog(provider: Provider, log: Log, onOutage: (ctx: KoaContextWithOIDC) => void): void {
  function refused(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void {
    const { error: code, error_detail: detail = error.error_description } = error
    const requestId = ctx.response.get('x-request-id')
    log.info('OAuth request refused', {
      requestId,
      endpoint: ctx.oidc.route,
      code,
      detail: detail?.slice(0, detailLengthMax),
    })
  }
  provider.on('authorization.error', refused)
  provider.on('pushed_authorization_request.error', refused)
  provider.on('grant.error', refused)
  provider.on('revocation.error', refused)
  provider.on('server_error', (ctx, error) => {
    const refusal = toRefusal(error, log, { requestId: ctx.response.get('x-request-id'), page: 'oauth' })
    if (refusal.code === 'unavailable') onOutage(ctx)
  })
  // Errors that the library does not handle, such as those of a client that disconnects.
  const emitter: EventEmitter = provider
  emitter.on('error', (error: unknown) => {
    if (error instanceof Error && 'code' in error && ['EPIPE', 'ECONNRESET'].includes(String(error.code))) return
    toRefusal(error, log, { page: 'oauth' })
  })
}
