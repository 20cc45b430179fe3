// All of OAuth: asking the merchant, exchanging the code, and using, refreshing and revoking the token. openid-client implements the
// protocol; this file decides what is stored, and for how long.

import * as client from 'openid-client'

export interface InstallerParts {
  // Where the shop is: the issuer, exactly as the server knows itself.
  shopUrl: string
  clientId: string
  redirectUri: string
  // No more than the app uses. The merchant may grant less.
  scopes: readonly string[]
}

// Stored between sending the merchant to the shop and their return. It belongs to one browser.
export interface Flow {
  state: string
  verifier: string
  // Holds the private key that the tokens will be bound to.
  dpop: client.DPoPHandle
}

// What the app stores of one installation. The tokens are useless without the key in `dpop`.
export interface Grant {
  dpop: client.DPoPHandle
  accessToken: string
  refreshToken: string
  expiresAt: number
  refreshes: number
  // The refresh in progress.
  refreshing: Promise<void> | null
}

export type Installer = ReturnType<typeof createInstaller>

// A token that expires within this time is refreshed before use.
const renewBeforeMs = 60_000

export function createInstaller({ shopUrl, clientId, redirectUri, scopes }: InstallerParts) {
  let found: Promise<client.Configuration> | undefined

  // Discovered at the first use, so the app can start before the shop does.
  function configuration(): Promise<client.Configuration> {
    const isPlain = shopUrl.startsWith('http:')
    found ??= client.discovery(new URL(shopUrl), clientId, undefined, client.None(), {
      algorithm: 'oauth2',
      // Only for a shop on the same machine; the server itself refuses plain http anywhere else.
      execute: isPlain ? [client.allowInsecureRequests] : [],
    })
    found.catch(() => {
      found = undefined
    })
    return found
  }

  // One at a time: two answers would overwrite each other.
  function refresh(grant: Grant): Promise<void> {
    grant.refreshing ??= renew(grant).finally(() => {
      grant.refreshing = null
    })
    return grant.refreshing
  }

  async function renew(grant: Grant): Promise<void> {
    const config = await configuration()
    const tokens = await client.refreshTokenGrant(config, grant.refreshToken, undefined, { DPoP: grant.dpop })
    // Stored before anything else is done.
    Object.assign(grant, kept(tokens))
    grant.refreshes += 1
  }

  return {
    // Where to send the merchant, and what to store until they return.
    async begin(): Promise<{ url: URL; flow: Flow }> {
      const config = await configuration()
      // A separate, non-extractable key for each installation.
      const dpop = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
      const flow: Flow = { state: client.randomState(), verifier: client.randomPKCECodeVerifier(), dpop }
      const parameters = {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: flow.state,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        // The code, too, only works with the key.
        dpop_jkt: await dpop.calculateThumbprint(),
      }
      const canPush = config.serverMetadata().pushed_authorization_request_endpoint !== undefined
      const url = canPush
        ? await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP: dpop })
        : client.buildAuthorizationUrl(config, parameters)
      return { url, flow }
    },

    // Checks the answer against the request (state, issuer, code verifier) and exchanges the code. Throws
    // AuthorizationResponseError when the merchant declined.
    async finish({ state, verifier, dpop }: Flow, answer: URL): Promise<Grant> {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      const tokens = await client.authorizationCodeGrant(await configuration(), answer, checks, undefined, {
        DPoP: dpop,
      })
      return { dpop, ...kept(tokens), refreshes: 0, refreshing: null }
    },

    refresh,

    // Calls an operation that needs the token: GET without a body, POST with one. The library creates a proof for each call, and
    // another one when the server sends a new nonce.
    async call<Reply>(grant: Grant, path: string, body?: object): Promise<Reply> {
      if (grant.expiresAt - Date.now() < renewBeforeMs) await refresh(grant)
      const [method, text] = body ? ['POST', JSON.stringify(body)] : ['GET', undefined]
      const headers = new Headers(body && { 'content-type': 'application/json' })
      const config = await configuration()
      const { accessToken, dpop } = grant
      const url = new URL(path, shopUrl)
      const response = await client.fetchProtectedResource(config, accessToken, url, method, text, headers, {
        DPoP: dpop,
      })
      const answer: unknown = await response.json()
      if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${JSON.stringify(answer)}`)
      // The answer is trusted to match its published schema.
      return answer as Reply
    },

    // Revoking the refresh token ends the installation, with all its tokens and keys.
    async revoke({ refreshToken }: Grant): Promise<void> {
      await client.tokenRevocation(await configuration(), refreshToken, { token_type_hint: 'refresh_token' })
    },
  }
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

function kept(tokens: Tokens): Pick<Grant, 'accessToken' | 'refreshToken' | 'expiresAt'> {
  const { access_token: accessToken, refresh_token: refreshToken } = tokens
  if (refreshToken === undefined) throw new Error('the shop gave no refresh token')
  return { accessToken, refreshToken, expiresAt: Date.now() + (tokens.expiresIn() ?? 0) * 1000 }
}

export function isDeclined(error: unknown): boolean {
  return error instanceof client.AuthorizationResponseError && error.error === 'access_denied'
}

// The protocol's error code, if there is one.
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return error.error
  return error instanceof client.ClientError ? error.message : undefined
}
