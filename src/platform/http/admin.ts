// Who calls the operations of the admin surface, and the types of their handlers.

import type { AdminOperationId, AdminOperations } from '../../contract/admin/operations.ts'
import type { AdminScope, Mode } from '../../contract/words.ts'
import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { Gate } from './gates.ts'
import type { Handler, Handlers } from './handler.ts'
import type { OAuthCaller } from './open.ts'

// Acts for one merchant in one mode.
export type AdminCaller = KeyCaller | OAuthCaller | PersonCaller

export interface AdminCallers {
  key: AdminCaller
}

// A person who signed in. Pages perform operations for them without HTTP; a cookie does not open the API.
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

// Keys and cursors of one person in two shops, or in two modes of one, must not be taken for each other.
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

// An access token comes with the scheme DPoP. Everything else is an API key, or nothing.
export function createAdminGate(gates: { key: Gate<KeyCaller>; oauth: Gate<OAuthCaller> }): Gate<AdminCaller> {
  return (request, now) => {
    const { authorization = '' } = request.raw.headers
    return /^dpop /i.test(authorization) ? gates.oauth(request, now) : gates.key(request, now)
  }
}

export type AdminHandler<Id extends AdminOperationId> = Handler<AdminOperations[Id], AdminCallers>
export type AdminHandlers = Handlers<AdminOperations, AdminCallers>
