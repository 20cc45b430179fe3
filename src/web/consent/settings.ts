// The library's settings: what apps may do, lifetimes and storage.

import type { IncomingMessage } from 'node:http'
import Provider, {
  type Client,
  type Configuration,
  errors,
  interactionPolicy,
  type Adapter as LibraryAdapter,
} from 'oidc-provider'
import { createAdapters, grantSeconds, type OAuthRefusalCode } from '../../domain/oauth/adapter.ts'
import { findApp, type OAuthApp } from '../../domain/oauth/apps.ts'
import { hashArtifactId, type Payload } from '../../domain/oauth/artifacts.ts'
import { assistantScopes, type ClientDocument, findAssistant, hasApprover } from '../../domain/oauth/assistants.ts'
import { cookieKeys, signingKeys } from '../../domain/oauth/keys.ts'
import {
  apiResourceId,
  assistantAudience,
  clientAuthMethods,
  clientSigningAlgorithms,
  grantTypes,
  oauthPaths,
} from '../../domain/oauth/metadata.ts'
import { proofAlgorithms, readProofThumbprint } from '../../domain/oauth/proof.ts'
import { findUser } from '../../domain/users/users.ts'
import { isId } from '../../platform/kit/ids.ts'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { ClientDocuments, FoundDocument } from './documents.ts'

const sessionSeconds = 8 * 3_600
const assertionSecondsMax = 24 * 3_600

const lifetimes = { code: 60, accessToken: 600, refreshToken: 30 * 24 * 3_600, interaction: 900 } as const

export interface SettingsParts {
  // The public origin of this server.
  origin: string
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
  log: Log
  // The secret from which DPoP nonces are derived.
  nonceSecret: Buffer
  documents: ClientDocuments
  // Returns the client's IP address, as far as proxies are trusted.
  addressOf: (request: IncomingMessage) => string
}

export function settingsFor(parts: SettingsParts): Configuration {
  const { origin, storage, rootSecret, clock, log, nonceSecret, documents } = parts
  const isSecure = origin.startsWith('https:')
  const resource = apiResourceId(origin)
  const assistantResource = assistantAudience(origin)
  const cookie = { httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true } as const
  const adapters = createAdapters({
    storage,
    rootSecret,
    clock,
    log,
    findProvedKey,
    findClient: async (id) => {
      if (isId('app', id)) return clientFrom(await storage.read((db) => findApp(db, id)))
      return documents.isAddress(id) ? findAssistantClient(parts, id) : undefined
    },
    refusal: (code, detail) => new refusals[code](detail),
  })

  return {
    // The cast holds: payloads are written and read by the library only, and are opaque to this server.
    adapter: (kind: string) => adapters(kind) as unknown as LibraryAdapter,
    jwks: { keys: signingKeys(rootSecret) },
    routes: {
      authorization: oauthPaths.authorization,
      token: oauthPaths.token,
      pushed_authorization_request: oauthPaths.pushedAuthorization,
      revocation: oauthPaths.revocation,
      jwks: oauthPaths.jwks,
      end_session: oauthPaths.endSession,
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
        defaultResource: async (_ctx, client) => (isAssistant(client) ? assistantResource : resource),
        useGrantedResource: async () => true,
        // Enforces the app's own list of scopes, against which the library does not check the scopes of a resource.
        getResourceServerInfo: async (_ctx, identifier, client) => {
          if (identifier !== (isAssistant(client) ? assistantResource : resource)) throw new errors.InvalidTarget()
          return {
            scope: String(client.scopes_of_app),
            audience: identifier,
            accessTokenTTL: lifetimes.accessToken,
            accessTokenFormat: 'opaque',
          }
        },
      },
    },
    extraClientMetadata: { properties: ['scopes_of_app'] },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // An assistant's refresh token is rotated at every use, and using an old one ends the installation (`consume` in
    // domain/oauth/adapter.ts). An app's refresh token is never rotated: it is bound to a key (RFC 9700, 2.2.2), and a client that lost
    // the response with a new token would be locked out. The library calls this after all checks, so an app's token is extended here.
    rotateRefreshToken: async (ctx) => {
      const token = ctx.oidc.entities.RefreshToken
      if (!token) throw new Error('the refresh request has no refresh token')
      if (isAssistant(ctx.oidc.client)) return true
      token.exp = Math.floor(clock().getTime() / 1000) + lifetimes.refreshToken
      await token.save()
      return false
    },
    // The audience must be exactly the issuer, as one string: an assertion with several audiences could be replayed to each of them.
    assertJwtClientAuthClaimsAndHeader: async (ctx, claims) => {
      if (claims.aud !== ctx.oidc.issuer) throw new errors.InvalidClientAuth('aud must be the issuer')
      // The id of the assertion is stored until the assertion expires, so the expiry must be near (RFC 7523, 3).
      if (Number(claims.exp) > clock().getTime() / 1000 + assertionSecondsMax)
        throw new errors.InvalidClientAuth('exp must be at most a day in the future')
    },
    // Tokens outlive the browser session in which they were approved.
    expiresWithSession: async () => false,
    // Each installation is approved separately: only the grant approved in this interaction counts.
    loadExistingGrant: async (ctx) => {
      const id = ctx.oidc.result?.consent?.grantId
      return id === undefined ? undefined : ctx.oidc.provider.Grant.find(id)
    },
    // A disabled user cannot approve anything. Apps that the user approved continue to work; assistants do not, because they act for the
    // user.
    findAccount: async (ctx, id, token) => {
      const user = await storage.read((db) => findUser(db, rootSecret, id))
      if (!user) return undefined
      // An app's grant no longer needs the user who approved it. Sessions and assistants end when the password changes.
      const signedInAt = signedInAtFrom(ctx.oidc.session?.loginTs ?? Number.POSITIVE_INFINITY)
      if (!token && (user.disabledAt !== null || signedInAt <= user.sessionsFrom)) return undefined
      if (token && isAssistant(ctx.oidc.client) && !(await isApproverThere(storage, token.grantId))) return undefined
      return { accountId: user.id, claims: async () => ({ sub: user.id }) }
    },
    interactions: {
      url: (_ctx, { uid }) => `${oauthPaths.interaction}/${uid}`,
      policy: policy(),
    },
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.code,
      RefreshToken: lifetimes.refreshToken,
      Interaction: lifetimes.interaction,
      Grant: grantSeconds,
      IdToken: lifetimes.accessToken,
      // The lifetime of a session is counted from the sign-in, and is not extended by use.
      Session: (_ctx, session) => {
        const nowSeconds = Math.floor(clock().getTime() / 1000)
        const signedIn = Math.min(session.loginTs ?? nowSeconds, nowSeconds)
        return Math.max(1, signedIn + sessionSeconds - nowSeconds)
      },
    },
    cookies: {
      keys: cookieKeys(rootSecret),
      // Browsers accept cookies with these prefixes over https only. Localhost has no https.
      names: isSecure
        ? { session: '__Host-as_session', interaction: '__Secure-as_interaction', resume: '__Secure-as_resume' }
        : { session: 'as_session', interaction: 'as_interaction', resume: 'as_resume' },
      long: { ...cookie, path: '/' },
      short: cookie,
    },
  }
}

// loginTs has a resolution of seconds; the end of its second counts.
export function signedInAtFrom(loginTs: number | undefined): number {
  return ((loginTs ?? -1) + 1) * 1000
}

// The library has verified the proof before it calls this.
async function findProvedKey(): Promise<string | null> {
  const proof = Provider.ctx?.get('DPoP') ?? ''
  return proof === '' ? null : readProofThumbprint(proof)
}

const refusals: Readonly<Record<OAuthRefusalCode, new (detail: string) => Error>> = {
  invalid_grant: errors.InvalidGrant,
  invalid_request: errors.InvalidRequest,
  invalid_request_uri: errors.InvalidRequestUri,
  session_not_found: errors.SessionNotFound,
}

// Converts an app to a client of the library. Requirements for all apps are set here, independent of the library's defaults.
function clientFrom(app: OAuthApp | undefined): Payload | undefined {
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

// Converts an assistant to a client of the library. Requirements for all assistants are set here, whatever their documents say.
// Exchanging codes and tokens only needs the approved app, so it works while the document is unreachable.
async function findAssistantClient(parts: SettingsParts, url: string): Promise<Payload | undefined> {
  const app = await parts.storage.read((db) => findAssistant(db, url))
  if (app && app.disabledAt !== null) return undefined
  const { ctx } = Provider
  const isExchange = [oauthPaths.token, oauthPaths.revocation].some((path) => ctx?.path === path)
  // Tokens of assistants are not bound to keys, and nothing would accept a bound token. A proof that the client sends is therefore
  // ignored (RFC 9449, 5).
  if (isExchange) delete ctx?.req.headers.dpop
  const found = isExchange ? app : await documentFor(parts, url)
  if (!found) return undefined
  if (found === 'busy') throw new errors.TemporarilyUnavailable('too many client metadata documents are being read')
  if ('problem' in found) throw new errors.InvalidClient(found.problem, found.problem)
  return {
    client_id: url,
    client_name: found.name,
    redirect_uris: found.redirectUris,
    // `native` accepts loopback addresses with any port (RFC 8252, 7.3). A person must approve every time.
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    dpop_bound_access_tokens: false,
    scopes_of_app: assistantScopes.join(' '),
  }
}

// A flow continues with the document with which it began.
async function documentFor({ documents, addressOf }: SettingsParts, url: string): Promise<FoundDocument> {
  const { ctx } = Provider
  const begun = storedDocumentOf(ctx?.oidc.entities.Interaction?.prompt.details, url)
  return begun ?? documents.documentAt(url, ctx ? addressOf(ctx.req) : '')
}

// Returns the document of an assistant from the details of an interaction's prompt.
export function storedDocumentOf(details: unknown, url: string): ClientDocument | undefined {
  const { document } = (details ?? {}) as { document?: ClientDocument }
  return document?.url === url ? document : undefined
}

function documentOf(client: Client | undefined): { document: ClientDocument } | undefined {
  if (!client || !isAssistant(client)) return undefined
  const { clientId: url, clientName, redirectUris = [] } = client
  const { host } = new URL(url)
  return { document: { url, host, name: clientName ?? host, redirectUris } }
}

export function isAssistant(client: { clientId: string } | undefined): boolean {
  return client !== undefined && !isId('app', client.clientId)
}

async function isApproverThere(storage: Storage, grantId: unknown): Promise<boolean> {
  return typeof grantId === 'string' && (await storage.read((db) => hasApprover(db, hashArtifactId(grantId))))
}

// The library's policy, with one more reason to sign in: the session's user no longer exists. Interactions of assistants store the
// assistant's document.
function policy(): interactionPolicy.DefaultPolicy {
  const base = interactionPolicy.base()
  for (const prompt of base) {
    const { details } = prompt
    prompt.details = async (ctx) => ({ ...(await details(ctx)), ...documentOf(ctx.oidc.client) })
  }
  base.get('login')?.checks.add(
    new interactionPolicy.Check('account_gone', 'End-User authentication is required', (ctx) => {
      return ctx.oidc.session?.accountId !== undefined && !ctx.oidc.account
    }),
  )
  return base
}
