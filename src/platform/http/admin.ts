// Callers of the admin API, and the types of its handlers.

import type { AdminOperationId, AdminOperations } from '../../contract/admin/operations.ts'
import { type AdminScope, adminScopes, type Mode } from '../../contract/words.ts'
import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { MerchantMode } from '../kit/mode.ts'
import type { Gate } from './gates.ts'
import type { Handler, Handlers } from './handler.ts'
import type { OAuthCaller } from './open.ts'

// A caller of the admin API acts for one merchant in one mode.
export type AdminCaller = KeyCaller | OAuthCaller | PersonCaller | OperatorCaller

export interface AdminCallers {
  key: AdminCaller
}

// A person who is signed in. Pages perform operations for the person without HTTP; the session cookie does not authenticate API calls.
export interface PersonCaller extends Principal {
  readonly kind: 'person'
  readonly installationId: null
  readonly userId: string
  readonly mode: Mode
  readonly scopes: readonly AdminScope[]
}

export interface Person {
  userId: string
  merchantId: string
  mode: Mode
  scopes: readonly AdminScope[]
}

// `claimant` separates a person's idempotency keys and cursors by merchant and mode.
export function personCaller({ userId, merchantId, mode, scopes }: Person): PersonCaller {
  return {
    kind: 'person',
    id: userId,
    userId,
    merchantId,
    installationId: null,
    mode,
    claimant: `${userId} ${merchantId} ${mode}`,
    throttleKey: userId,
    scopes,
  }
}

// The operator of the server, at the command line. Commands perform operations without HTTP.
export interface OperatorCaller extends Principal {
  readonly kind: 'operator'
  readonly installationId: null
  readonly mode: Mode
  readonly scopes: readonly AdminScope[]
}

export function operatorCaller({ merchantId, mode }: MerchantMode): OperatorCaller {
  return {
    kind: 'operator',
    id: 'operator',
    merchantId,
    installationId: null,
    mode,
    claimant: `operator ${merchantId} ${mode}`,
    throttleKey: 'operator',
    scopes: adminScopes,
  }
}

// Returns whether the caller is a program (a key or an app), not a person or the operator.
export function isMachine({ kind }: AdminCaller): boolean {
  return kind === 'key' || kind === 'oauth'
}

// The scheme DPoP marks an access token. Everything else is read as an API key.
export function createAdminGate(gates: { key: Gate<KeyCaller>; oauth: Gate<OAuthCaller> }): Gate<AdminCaller> {
  return (request, now) => {
    const { authorization = '' } = request.raw.headers
    return /^dpop /i.test(authorization) ? gates.oauth(request, now) : gates.key(request, now)
  }
}

export type AdminHandler<Id extends AdminOperationId> = Handler<AdminOperations[Id], AdminCallers>
export type AdminHandlers = Handlers<AdminOperations, AdminCallers>
