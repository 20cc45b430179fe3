// The authorization server's doorman: the library, told what we allow, and pinned to the one address that we are known
// under. Everything that it remembers is in the adapter; everything that a person sees is in interaction.ts.

import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, {
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  type Adapter as LibraryAdapter,
} from 'oidc-provider'
import { asRefusal } from '../http/answer.ts'
import { isId } from '../kit/ids.ts'
import type { RootSecret } from '../kit/secrets.ts'
import type { Log } from '../observe/log.ts'
import type { Storage } from '../storage/storage.ts'
import { createAdapters, grantSeconds, type RefusalCode } from './adapter.ts'
import { type App, findApp } from './apps.ts'
import type { Payload } from './artifacts.ts'
import { clientErrorFor } from './clienterror.ts'
import { cookieKeys, signingKeys } from './keys.ts'
import {
  clientAuthMethods,
  clientSigningAlgorithms,
  grantTypes,
  originProblem,
  paths,
  resourceOf,
  serverMetadata,
} from './metadata.ts'
import { errorPage, errorStatus } from './page/error.ts'
import { headersFor } from './page/frame.ts'
import { signOutPage } from './page/signin.ts'
import type { ErrorKind, SignOutView } from './page/views.ts'
import { proofAlgorithms, thumbprintIn } from './proof.ts'
import { findUser } from './users.ts'

export interface ServerParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  clock: () => Date
  log: Log
  // Of which DPoP nonces are made.
  nonceSecret: () => Promise<Buffer>
}

// What the page that is shown now is about.
export interface Interaction {
  // 0 before somebody has.
  signedInAt: number
  uid: string
  step: 'login' | 'consent'
  clientId: string
  redirectUri: string
  userId: string | null
  // What the app asks for of our interface.
  scopes: readonly string[]
  // Words of OpenID that it asks for as well.
  words: readonly string[]
}

export type InteractionResult =
  | { login: { accountId: string; remember: false; ts?: number } }
  | { consent: { grantId: string } }
  | { error: 'access_denied'; error_description: string }

export interface AuthorizationServer {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  // Undefined when there is none, it is over, or this browser is not the one that it was begun in.
  findInteraction(request: IncomingMessage, response: ServerResponse): Promise<Interaction | undefined>
  // Answers with the address at which the flow goes on; undefined when it went on already.
  settle(request: IncomingMessage, response: ServerResponse, result: InteractionResult): Promise<string | undefined>
}

const sessionSeconds = 8 * 3_600
const lifetimes = { code: 60, accessToken: 600, refreshToken: 30 * 24 * 3_600, interaction: 900 } as const

// Made at the first use, since before the port is open our origin may not be known.
export function createAuthorizationServer(parts: ServerParts): AuthorizationServer {
  let made: { origin: string; provider: Provider; callback: ReturnType<Provider['callback']> } | undefined

  async function at(request: IncomingMessage) {
    const origin = parts.publicOrigin()
    const nonceSecret = await parts.nonceSecret()
    if (made?.origin !== origin) {
      const provider = createProvider(origin, parts, nonceSecret)
      made = { origin, provider, callback: provider.callback() }
    }
    pin(request, origin)
    return made
  }

  return {
    async handle(request, response) {
      const { callback } = await at(request)
      await callback(request, response)
    },
    async findInteraction(request, response) {
      const { provider, origin } = await at(request)
      const details = await provider.interactionDetails(request, response).catch(lost)
      if (!details) return undefined
      const { uid } = details.session ?? {}
      const session = uid === undefined ? undefined : await provider.Session.findByUid(uid)
      return interactionFrom(details, origin, signedInBy(session?.loginTs))
    },
    async settle(request, response, result) {
      const { provider } = await at(request)
      return provider.interactionResult(request, response, result).catch(lost)
    },
  }
}

function lost(error: unknown): undefined {
  if (error instanceof errors.SessionNotFound) return undefined
  throw error
}

// All addresses that the library says, and those that it expects in proofs, are read from here.
function pin({ headers }: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin)
  headers.host = host
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

// To the second, and counted as its end.
function signedInBy(loginTs: number | undefined): number {
  return ((loginTs ?? -1) + 1) * 1000
}

function interactionFrom(
  { uid, prompt, params, session }: Details,
  origin: string,
  signedInAt: number,
): Interaction | undefined {
  if (prompt.name !== 'login' && prompt.name !== 'consent') return undefined
  const { missingResourceScopes, missingOIDCScope } = prompt.details as {
    missingResourceScopes?: Record<string, string[]>
    missingOIDCScope?: string[]
  }
  return {
    uid,
    signedInAt,
    step: prompt.name,
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    userId: session?.accountId ?? null,
    scopes: missingResourceScopes?.[resourceOf(origin)] ?? [],
    words: missingOIDCScope ?? [],
  }
}

function createProvider(
  origin: string,
  { storage, rootSecret, clock, log }: ServerParts,
  nonceSecret: Buffer,
): Provider {
  const problem = originProblem(origin)
  if (problem !== undefined) throw new Error(problem)
  const isSecure = origin.startsWith('https:')
  const resource = resourceOf(origin)
  const cookie = { httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true } as const
  const adapters = createAdapters({
    storage,
    rootSecret,
    clock,
    log,
    findProvedKey,
    findClient: async (id) => (isId('app', id) ? clientFrom(await storage.read((db) => findApp(db, id))) : undefined),
    refusal: (code, detail) => new refusals[code](detail),
  })

  // What was drawn by us.
  const drawn = new WeakSet<object>()
  function show(
    ctx: Pick<KoaContextWithOIDC, 'status' | 'set' | 'body'>,
    status: number,
    page: string,
    leadsTo?: string,
  ) {
    ctx.status = status
    for (const [name, value] of Object.entries(headersFor(leadsTo))) ctx.set(name, value)
    ctx.body = page
    drawn.add(ctx)
  }

  const provider = new PlainProvider(origin, {
    // Our payloads are what the library wrote and reads; to us they are sealed texts.
    adapter: (kind: string) => adapters(kind) as unknown as LibraryAdapter,
    jwks: { keys: signingKeys(rootSecret) },
    routes: {
      authorization: paths.authorization,
      token: paths.token,
      pushed_authorization_request: paths.pushedAuthorization,
      revocation: paths.revocation,
      jwks: paths.jwks,
      end_session: paths.endSession,
    },
    responseTypes: ['code'],
    scopes: [],
    claims: {},
    clientBasedCORS: () => false,
    clientAuthMethods: [...clientAuthMethods],
    clientDefaults: {
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: [...grantTypes],
      response_types: ['code'],
      response_modes: ['query'],
      dpop_bound_access_tokens: true,
      id_token_signed_response_alg: 'EdDSA',
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    enabledJWA: {
      dPoPSigningAlgValues: [...proofAlgorithms],
      clientAuthSigningAlgValues: [...clientSigningAlgorithms],
      idTokenSigningAlgValues: ['EdDSA'],
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: false },
      requestObjects: { enabled: false },
      pushedAuthorizationRequests: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      dPoP: { enabled: true, nonceSecret, requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource,
        useGrantedResource: async () => true,
        // An app's own list is enforced here: the library does not hold scopes of a resource against it.
        getResourceServerInfo: async (_ctx, identifier, client) => {
          if (identifier !== resource) throw new errors.InvalidTarget()
          return {
            scope: String(client.scopes_of_app),
            audience: resource,
            accessTokenTTL: lifetimes.accessToken,
            accessTokenFormat: 'opaque',
          }
        },
      },
    },
    extraClientMetadata: { properties: ['scopes_of_app'] },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Never replaced: it is bound to a key (RFC 9700, 2.2.2), and a client that lost the answer with its successor would be
    // locked out. Asked when all else is right, so this is where its life begins anew.
    rotateRefreshToken: async (ctx) => {
      const token = ctx.oidc.entities.RefreshToken
      if (!token) throw new Error('a refresh without its token')
      token.exp = Math.floor(clock().getTime() / 1000) + lifetimes.refreshToken
      await token.save()
      return false
    },
    // Exactly the issuer, as one text: an assertion that names several audiences could be shown to each of them.
    assertJwtClientAuthClaimsAndHeader: async (ctx, claims) => {
      if (claims.aud !== ctx.oidc.issuer) throw new errors.InvalidClientAuth('aud must be the issuer')
    },
    // Tokens do not end with the session of the browser in which they were approved.
    expiresWithSession: async () => false,
    // Each installation is approved anew: the only grant that counts is the one that was approved just now.
    loadExistingGrant: async (ctx) => {
      const id = ctx.oidc.result?.consent?.grantId
      return id === undefined ? undefined : ctx.oidc.provider.Grant.find(id)
    },
    // A user who was disabled approves nothing more; what was approved before goes on.
    findAccount: async (ctx, id, token) => {
      const user = await storage.read((db) => findUser(db, rootSecret, id))
      if (!user) return undefined
      // A grant goes on without its approver; a session ends with a new password.
      const signedInAt = signedInBy(ctx.oidc.session?.loginTs ?? Number.POSITIVE_INFINITY)
      if (!token && (user.disabledAt !== null || signedInAt <= user.sessionsFrom)) return undefined
      return { accountId: user.id, claims: async () => ({ sub: user.id }) }
    },
    interactions: {
      url: (_ctx, { uid }) => `${paths.interaction}/${uid}`,
      policy: policy(),
    },
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.code,
      RefreshToken: lifetimes.refreshToken,
      Interaction: lifetimes.interaction,
      Grant: grantSeconds,
      IdToken: lifetimes.accessToken,
      // Counted from the signing in, however much it is used.
      Session: (_ctx, session) => {
        const nowSeconds = Math.floor(clock().getTime() / 1000)
        const signedIn = Math.min(session.loginTs ?? nowSeconds, nowSeconds)
        return Math.max(1, signedIn + sessionSeconds - nowSeconds)
      },
    },
    cookies: {
      keys: cookieKeys(rootSecret),
      // Browsers hold cookies of these names to https and to our host alone; on the own machine there is no https.
      names: isSecure
        ? { session: '__Host-as_session', interaction: '__Secure-as_interaction', resume: '__Secure-as_resume' }
        : { session: 'as_session', interaction: 'as_interaction', resume: 'as_resume' },
      long: { ...cookie, path: '/' },
      short: cookie,
    },
    renderError: (ctx, out, error) => {
      const kind = kindOf(error)
      const requestId = String(ctx.response.get('x-request-id'))
      const page = errorPage({ kind, code: out.error, detail: out.error_description, requestId })
      show(ctx, errorStatus(kind), page)
    },
  })

  // Only together with the pinned headers.
  provider.proxy = true
  provider.use(async (ctx, next) => {
    ctx.set('referrer-policy', 'no-referrer')
    ctx.set('x-frame-options', 'DENY')
    await next()
    if (ctx.response.is('html') && !ctx.response.get('location') && !drawn.has(ctx)) {
      const { form, leadsTo } = signOutOf(ctx as KoaContextWithOIDC)
      // It has no other page of its own. Should it ever have one, it has script and no policy, and is shown to nobody.
      if (!form) throw new Error(`a page of the library at ${ctx.path}`)
      show(ctx, 200, signOutPage(form), leadsTo)
    }
    // The library knows defects only. A client, and a balancer, shall see that trying again helps.
    if (outages.has(ctx)) {
      if (typeof ctx.body === 'object') ctx.body = clientErrorFor(503)
      ctx.status = 503
      ctx.set('retry-after', '1')
    }
    if (ctx.status >= 400) ctx.set('cache-control', 'no-store')
    // The library calls a missing proof an invalid grant, which sends a developer to the wrong place (RFC 9449, 5).
    if (ctx.path === paths.token && ctx.get('DPoP') === '' && isInvalidGrant(ctx.body))
      ctx.body = { error: 'invalid_dpop_proof', error_description: 'a DPoP proof is required, in the header DPoP' }
    if (ctx.path !== paths.metadata || ctx.status !== 200) return
    ctx.body = serverMetadata(origin, ctx.body as Record<string, unknown>)
    ctx.set('cache-control', 'public, max-age=300')
  })
  const outages = new WeakSet<object>()
  tellLog(provider, log, (ctx) => outages.add(ctx))
  return provider
}

// Somebody has signed in where another is signed in: the library ends that session first, by a form of its own.
function signOutOf({ oidc }: KoaContextWithOIDC): { form?: SignOutView; leadsTo?: string } {
  const secret = oidc.route === 'resume' ? oidc.session?.state?.secret : undefined
  if (typeof secret !== 'string') return {}
  return {
    form: { action: oidc.urlFor('end_session_confirm'), fields: { xsrf: secret, logout: 'yes' } },
    leadsTo: String(oidc.entities.Interaction?.params.redirect_uri),
  }
}

// Without the mode that answers an app by a page with script; who asks for it is told so at the app's own address.
class PlainProvider extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
    if (name !== 'form_post') super.registerResponseMode(name, handler)
  }
}

function isInvalidGrant(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'invalid_grant'
}

// The library has verified the proof when this is asked.
async function findProvedKey(): Promise<string | null> {
  const proof = Provider.ctx?.get('DPoP') ?? ''
  return proof === '' ? null : thumbprintIn(proof)
}

const refusals: Readonly<Record<RefusalCode, new (detail: string) => Error>> = {
  invalid_grant: errors.InvalidGrant,
  invalid_request: errors.InvalidRequest,
  invalid_request_uri: errors.InvalidRequestUri,
  session_not_found: errors.SessionNotFound,
}

// An app as the library knows it. What no app may do without is said here, whatever the defaults become.
function clientFrom(app: App | undefined): Payload | undefined {
  if (!app || app.disabledAt !== null) return undefined
  const isConfidential = app.clientKind === 'confidential'
  return {
    client_id: app.id,
    client_name: app.name,
    redirect_uris: app.redirectUris,
    token_endpoint_auth_method: isConfidential ? 'private_key_jwt' : 'none',
    ...(isConfidential && { jwks: app.jwks, require_pushed_authorization_requests: true }),
    dpop_bound_access_tokens: true,
    scopes_of_app: app.scopes.join(' '),
  }
}

// The library's own, and one more reason to sign in: the user of the session is no longer there.
function policy(): interactionPolicy.DefaultPolicy {
  const base = interactionPolicy.base()
  base.get('login')?.checks.add(
    new interactionPolicy.Check('account_gone', 'End-User authentication is required', (ctx) => {
      return ctx.oidc.session?.accountId !== undefined && !ctx.oidc.account
    }),
  )
  return base
}

function kindOf(error: Error): ErrorKind {
  if (error instanceof errors.SessionNotFound) return 'lost'
  return error instanceof errors.OIDCProviderError && error.statusCode < 500 ? 'request' : 'server'
}

const detailLengthMax = 200

// Clients are told little; the operator finds the reason here. The library's own words hold no code and no token.
function tellLog(provider: Provider, log: Log, onOutage: (ctx: KoaContextWithOIDC) => void): void {
  function refused(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void {
    const { error: code, error_detail: detail = error.error_description } = error
    const requestId = ctx.response.get('x-request-id')
    log.info('oauth refused', { requestId, endpoint: ctx.oidc.route, code, detail: detail?.slice(0, detailLengthMax) })
  }
  provider.on('authorization.error', refused)
  provider.on('pushed_authorization_request.error', refused)
  provider.on('grant.error', refused)
  provider.on('revocation.error', refused)
  provider.on('server_error', (ctx, error) => {
    const refusal = asRefusal(error, log, { requestId: ctx.response.get('x-request-id'), page: 'oauth' })
    if (refusal.code === 'unavailable') onOutage(ctx)
  })
  // What escapes the library's own handling, such as a caller who went away.
  const emitter: EventEmitter = provider
  emitter.on('error', (error: unknown) => {
    if (error instanceof Error && 'code' in error && ['EPIPE', 'ECONNRESET'].includes(String(error.code))) return
    asRefusal(error, log, { page: 'oauth' })
  })
}
