// The authorization server: its routes, and the checks of tokens for other code.

import type { ServerResponse } from 'node:http'
import { createAssistantGate } from '../../domain/oauth/bearer.ts'
import { createOAuthGate } from '../../domain/oauth/caller.ts'
import { clientErrorFor } from '../../domain/oauth/clienterror.ts'
import { createNonceKey } from '../../domain/oauth/keys.ts'
import { assistantMetadata, oauthPaths, resourceMetadata } from '../../domain/oauth/metadata.ts'
import { createDpopNonces } from '../../domain/oauth/proof.ts'
import type { PasswordCost } from '../../domain/users/password.ts'
import { addressBucket, type Throttle } from '../../platform/access/throttle.ts'
import type { Gate } from '../../platform/http/gates.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { OAuthCaller } from '../../platform/http/open.ts'
import type { HandOffFailure, HandOffRoute, HtmlPage, PageAnswer } from '../../platform/http/pages.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import { createClientDocuments } from './documents.ts'
import { style } from './page/assets.ts'
import { errorPage } from './page/error.ts'
import { answerPage } from './page/frame.ts'
import type { AuthorizationServer, ServerParts } from './provider.ts'

export interface OAuthPagesParts extends Omit<ServerParts, 'nonceSecret' | 'documents'> {
  // Null: no limit. Starting an installation stores data, so its limit is tighter.
  throttle: Throttle | null
  beginThrottle: Throttle | null
  // Limits reads of assistants' documents, per network.
  documentThrottle: Throttle | null
  passwordCost?: PasswordCost | undefined
  signIns?: Counts | undefined
}

export interface OAuthPages {
  handOffs: readonly HandOffRoute[]
  pages: readonly HtmlPage[]
  gate: Gate<OAuthCaller>
  // Checks access tokens of assistants, for the MCP server for merchants.
  assistantGate: Gate<OAuthCaller>
}

export function createOAuthPages(parts: OAuthPagesParts): OAuthPages {
  const { storage, throttle, beginThrottle, publicOrigin, clock } = parts
  const nonceKey = createNonceKey(parts.rootSecret)
  const nonceSecret = loadOnce(async () => (await storage.write((tx) => nonceKey(tx, clock().getTime()))).export())
  const documents = createClientDocuments(parts)
  const server = lateServer({ ...parts, nonceSecret, documents })
  const interactions = loadOnce(async () => {
    const { Interactions } = await import('./interaction.ts')
    return new Interactions({ ...parts, server })
  })
  const gate = createOAuthGate({ ...parts, nonces: loadOnce(async () => createDpopNonces(await nonceSecret())) })

  // The caller is unknown until the library has run, so calls are limited per IP address.
  function admit({ address }: Incoming, by = throttle): void {
    const waitMs = by?.take(addressBucket(address), clock().getTime()) ?? 0
    if (waitMs > 0) throw refuse('rate_limited', { retryAfterMs: waitMs })
  }

  const toServer = (name: string, path: string, method: 'GET' | 'POST', by = throttle): HandOffRoute => ({
    name,
    path,
    methods: [method],
    async handle(request, response) {
      admit(request, by)
      await server.handle(request.raw, response, request.address)
    },
    failed: clientError,
  })
  const forBrowsers = (handOff: HandOffRoute): HandOffRoute => ({ ...handOff, failed: failedPage })

  return {
    gate,
    assistantGate: createAssistantGate(parts),
    handOffs: [
      forBrowsers(toServer('oauth authorize', oauthPaths.authorization, 'GET', beginThrottle)),
      forBrowsers(toServer('oauth resume', `${oauthPaths.authorization}/:uid`, 'GET')),
      toServer('oauth token', oauthPaths.token, 'POST'),
      toServer('oauth par', oauthPaths.pushedAuthorization, 'POST', beginThrottle),
      toServer('oauth revoke', oauthPaths.revocation, 'POST'),
      toServer('oauth jwks', oauthPaths.jwks, 'GET'),
      toServer('oauth metadata', oauthPaths.metadata, 'GET'),
      // The form that ends the session of another user (`signOutOf` in provider.ts) is posted here.
      forBrowsers(toServer('oauth end session', `${oauthPaths.endSession}/confirm`, 'POST')),
      {
        name: 'oauth interaction',
        path: `${oauthPaths.interaction}/:uid`,
        methods: ['GET', 'POST'],
        async handle(request, response, requestId) {
          admit(request)
          write(response, await (await interactions()).answer(request, response, requestId))
        },
        failed: failedPage,
      },
    ],
    pages: [
      style.page,
      metadataPage('oauth resource metadata', oauthPaths.resourceMetadata, () => resourceMetadata(publicOrigin())),
      metadataPage('assistant resource metadata', oauthPaths.assistantMetadata, () =>
        assistantMetadata(publicOrigin()),
      ),
    ],
  }
}

function metadataPage(name: string, path: string, contents: () => object): HtmlPage {
  return {
    name,
    path,
    answer: async () => ({
      status: 200,
      body: JSON.stringify(contents()),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      },
    }),
  }
}

function failedPage({ status, requestId }: HandOffFailure): PageAnswer {
  const kind = status === 429 ? 'limited' : status < 500 ? 'unreadable' : 'server'
  return answerPage(status, errorPage({ kind, requestId }))
}

function clientError({ status, reason }: HandOffFailure): Omit<PageAnswer, 'status'> {
  return {
    body: JSON.stringify(clientErrorFor(status, reason)),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  }
}

// Loaded with the first request: the library takes a tenth of a second and 20 MB, which a server without apps does not need.
function lateServer(parts: ServerParts): AuthorizationServer {
  const server = loadOnce(async () => {
    const { createAuthorizationServer } = await import('./provider.ts')
    return createAuthorizationServer(parts)
  })
  return {
    handle: async (request, response, address) => (await server()).handle(request, response, address),
    findInteraction: async (request, response) => (await server()).findInteraction(request, response),
    finishInteraction: async (request, response, result, granted) =>
      (await server()).finishInteraction(request, response, result, granted),
  }
}

function write(response: ServerResponse, { status, body, headers }: PageAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
