// Installing an app on a shop: OAuth 2.0 with PKCE (RFC 7636), pushed requests (RFC 9126) and DPoP (RFC 9449). What it hands out to be
// stored is plain JSON with secrets in it: encrypt it where you store it.

import { baseOf, type Credential, methodsFrom, type Request, send, type TransportOptions } from './call.ts'
import { CartwrightError } from './error.ts'
import { type Jwk, newSigningKey, proofFor, publicPart, random, sha256, signed, signingKey, thumbprint } from './jwt.ts'
import type { InstallationClient } from './printed/open.ts'
import { installationTable } from './printed/openTable.ts'

export { CartwrightError } from './error.ts'
export type { Jwk } from './jwt.ts'
export type { InstallationClient } from './printed/open.ts'

export interface OAuthOptions extends TransportOptions {
  /** `app_…`, as the operator of the server gave it to you. */
  clientId: string
  /** Where the browser returns to; one of those that the operator knows. */
  redirectUri: string
  /** What the app asks for. The merchant may grant less. */
  scopes: readonly string[]
  /** The private key of a confidential app: an ES256 key with its `kid`. */
  clientKey?: Jwk | undefined
  /** Stores a grant after each refresh, before it is used. */
  onGrant?: ((grant: Grant, before: Grant) => Promise<void> | void) | undefined
}

/** What to store between sending the merchant to the shop and their return, for one browser. */
export interface Flow {
  state: string
  verifier: string
  key: Jwk
}

/** What to store of an installation. The tokens are useless without the key, so it is as secret as they are. */
export interface Grant {
  key: Jwk
  accessToken: string
  refreshToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
  /** What the merchant granted. */
  scopes: string[]
}

export interface Installation {
  /** Describes the authorization and issues API keys. Everything else is called with such a key. */
  client: InstallationClient
  /** As it is now; refreshing replaces it. */
  grant(): Grant
  /** Renews the access token. Calls do so by themselves; two at once are one. */
  refresh(): Promise<Grant>
  /** Ends the installation on the shop, with its tokens and its keys. */
  uninstall(): Promise<void>
}

export interface OAuth {
  /** Where to send the merchant's browser, and what to store until it returns. */
  begin(): Promise<{ url: string; flow: Flow }>
  /** Checks the address at which the browser returned and exchanges the code. Throws `oauth_failed` when the merchant declined. */
  finish(flow: Flow, returnedTo: string | URL): Promise<Installation>
  /** An installation from before. */
  resume(grant: Grant): Installation
}

interface Metadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  pushed_authorization_request_endpoint: string
  revocation_endpoint: string
}

// A token that expires within this time is renewed before it is used.
const renewBeforeMs = 60_000

export function createOAuth(given: OAuthOptions): OAuth {
  const { clientId, redirectUri, scopes, clientKey, onGrant, ...transport } = given
  const issuer = baseOf(transport.baseUrl)
  // The same nonce works for every endpoint of the server.
  let nonce: string | undefined
  let found: Promise<Metadata> | undefined

  // At the first use, so an app can start before the shop does.
  function metadata(): Promise<Metadata> {
    found ??= discover().catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }

  async function discover(): Promise<Metadata> {
    const url = `${issuer}/.well-known/oauth-authorization-server`
    const known = (await send(transport, { method: 'GET', url, options: {} })) as Metadata
    if (known.issuer !== issuer) throw failed(`the server names itself ${known.issuer}: use that as baseUrl`)
    return known
  }

  function proving(key: Jwk, token?: () => Promise<string>): Credential {
    return {
      async headers(method, url) {
        const accessToken = await token?.()
        const dpop = await proofFor(key, { method, url, nonce, accessToken })
        return { dpop, ...(accessToken !== undefined && { authorization: `DPoP ${accessToken}` }) }
      },
      // A refusal with a new nonce asks for a proof with that nonce.
      isAskedAgain({ status, headers }) {
        const next = headers.get('dpop-nonce')
        const isNew = next !== null && next !== nonce
        nonce = next ?? nonce
        return isNew && (status === 400 || status === 401)
      },
    }
  }

  // A form of the app itself. A new assertion for each attempt, since each is good for one.
  async function post(url: string, fields: Record<string, string>, key?: Jwk): Promise<Record<string, unknown>> {
    const request: Request = {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: async () => new URLSearchParams({ ...fields, client_id: clientId, ...(await assertion()) }).toString(),
      credential: key && proving(key),
      options: {},
    }
    return ((await send(transport, request)) ?? {}) as Record<string, unknown>
  }

  async function assertion(): Promise<Record<string, string>> {
    if (!clientKey) return {}
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti: random(), iat: now, exp: now + 60 }
    const header = { alg: 'ES256', ...(clientKey.kid !== undefined && { kid: clientKey.kid }) }
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signed(header, claims, await signingKey(clientKey)),
    }
  }

  async function tokensFor(fields: Record<string, string>, key: Jwk): Promise<Grant> {
    const tokens = await post((await metadata()).token_endpoint, fields, key)
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, token_type: type } = tokens
    if (typeof accessToken !== 'string' || typeof refreshToken !== 'string' || String(type).toLowerCase() !== 'dpop')
      throw failed('the token endpoint sent no tokens that are bound to the key')
    return {
      key,
      accessToken,
      refreshToken,
      expiresAt: Date.now() + Number(seconds) * 1000,
      scopes: String(tokens.scope ?? '')
        .split(' ')
        .filter(Boolean),
    }
  }

  function resume(stored: Grant): Installation {
    let grant = stored
    let refreshing: Promise<Grant> | undefined

    async function renew(): Promise<Grant> {
      const fields = { grant_type: 'refresh_token', refresh_token: grant.refreshToken }
      const next = await tokensFor(fields, grant.key)
      await onGrant?.(next, grant)
      grant = next
      return grant
    }

    function refresh(): Promise<Grant> {
      refreshing ??= renew().finally(() => {
        refreshing = undefined
      })
      return refreshing
    }

    async function token(): Promise<string> {
      if (grant.expiresAt - Date.now() < renewBeforeMs) await refresh()
      return grant.accessToken
    }

    return {
      // The table and the type are printed from the same rows.
      client: methodsFrom(installationTable, transport, proving(grant.key, token)) as InstallationClient,
      grant: () => grant,
      refresh,
      async uninstall() {
        const { revocation_endpoint: url } = await metadata()
        await post(url, { token: grant.refreshToken, token_type_hint: 'refresh_token' })
      },
    }
  }

  return {
    async begin() {
      const flow: Flow = { state: random(), verifier: random(), key: await newSigningKey() }
      const known = await metadata()
      const pushed = await post(
        known.pushed_authorization_request_endpoint,
        {
          response_type: 'code',
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          state: flow.state,
          code_challenge: await sha256(flow.verifier),
          code_challenge_method: 'S256',
          // The code, too, only works with the key.
          dpop_jkt: await thumbprint(publicPart(flow.key)),
        },
        flow.key,
      )
      const url = new URL(known.authorization_endpoint)
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('request_uri', String(pushed.request_uri))
      return { url: url.href, flow }
    },

    async finish({ state, verifier, key }, returnedTo) {
      const answer = new URL(returnedTo, redirectUri).searchParams
      // Another browser's answer, or one of another server (RFC 9207).
      if (answer.get('state') !== state || answer.get('iss') !== issuer)
        throw failed('this is not the answer to this request')
      const code = answer.get('code')
      if (code === null) throw failed(answer.get('error') ?? 'no code', answer.get('error_description'))
      const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
      return resume(await tokensFor(fields, key))
    },

    resume,
  }
}

function failed(error: string, description: string | null = null): CartwrightError {
  return new CartwrightError({
    code: 'oauth_failed',
    message: description === null ? error : `${error}: ${description}`,
    current: { error },
  })
}
