// Callers of the open API, and the types of its handlers.

import type { OperationId, Operations } from '../../contract/open/operations.ts'
import type { Mode, Scope } from '../../contract/words.ts'
import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { Handler, HandlerInput, Handlers } from './handler.ts'

export interface OpenInterfaceCallers {
  key: KeyCaller
  visitor: VisitorCaller
  customer: CustomerCaller
  oauth: OAuthCaller
}

// A page of a storefront, or its server, before a shopper has signed in.
export interface VisitorCaller extends KeyCaller {
  // Empty if a server calls with a secret key.
  readonly origin: string
  // Network of the client address.
  readonly network: string
}

// A signed-in shopper of a storefront.
export interface CustomerCaller extends KeyCaller {
  readonly email: string
}

// An installed app with a DPoP-bound access token, identified by `domain/oauth/`. `id` is the id of the installation. `scopes` are those
// of the token: an app may request fewer than it was granted.
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
  // Thumbprint of the key to which the token is bound.
  readonly jkt: string
}

export type OpenInterfaceInput<Id extends OperationId> = HandlerInput<Operations[Id], OpenInterfaceCallers>
export type OpenInterfaceHandler<Id extends OperationId> = Handler<Operations[Id], OpenInterfaceCallers>
export type OpenInterfaceHandlers = Handlers<Operations, OpenInterfaceCallers>
