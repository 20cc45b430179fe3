// Who calls the operations of the open surface, and the types of their handlers.

import type { OperationId, Operations } from '../../contract/open/operations.ts'
import type { Mode, Scope } from '../../contract/words.ts'
import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { Ask, Handler, Handlers } from './handler.ts'

export interface OpenCallers {
  key: KeyCaller
  visitor: VisitorCaller
  customer: CustomerCaller
  oauth: OAuthCaller
}

// The page of a storefront, or a server of it, before a shopper has signed in.
export interface VisitorCaller extends KeyCaller {
  // Empty where a server calls with a secret key.
  readonly origin: string
  // The network that the request comes from.
  readonly network: string
}

// A shopper at a storefront.
export interface CustomerCaller extends KeyCaller {
  readonly email: string
}

// An installed app with a DPoP-bound access token. Who that is, `domain/oauth/` finds out. Its id is that of the installation,
// and its scopes are those that the token carries: an app may ask for a lesser one than it was granted.
export interface OAuthCaller extends Principal {
  readonly kind: 'oauth'
  readonly installationId: string
  readonly merchantSlug: string
  readonly mode: Mode
  readonly appId: string
  readonly appName: string
  readonly grantedAt: number
  readonly grantedScopes: readonly Scope[]
  readonly scopes: readonly Scope[]
  readonly tokenExpiresAt: number
  // Thumbprint of the key that the token is bound to.
  readonly jkt: string
}

export type OpenAsk<Id extends OperationId> = Ask<Operations[Id], OpenCallers>
export type OpenHandler<Id extends OperationId> = Handler<Operations[Id], OpenCallers>
export type OpenHandlers = Handlers<Operations, OpenCallers>
