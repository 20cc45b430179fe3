// Performs an operation without HTTP, for a caller who is known: a page of the process, or a command.

import type { Principal } from '../access/principal.ts'
import { newId } from '../kit/ids.ts'
import { refuse } from '../kit/refuse.ts'
import type { Checks } from './checks.ts'
import { type Answer, cursorSubject, type Perform, type Performable, type PerformParts } from './perform.ts'

// It is checked against the row like any other request.
export interface Asked {
  principal: Principal | null
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  // Of an earlier answer's link.
  cursor?: string
  body?: unknown
  key?: string
  // Null: the operator asks.
  requestId?: string | null
}

export function createPerformAsked(
  { cursors, clock }: Pick<PerformParts, 'cursors'> & { clock: () => Date },
  perform: Perform,
): (performable: Performable & { checks: Checks }, asked: Asked) => Promise<Answer> {
  return async (
    performable,
    { principal, path = {}, query = {}, cursor, body = null, key: given, requestId = newId('req') },
  ) => {
    const { id, operation, checks } = performable
    if (!principal && operation.caller !== 'anyone') throw refuse('unauthenticated')
    checks.refuseMissingScope(principal)
    checks.query.check(query)
    const after = cursors.read(cursorSubject(id, operation, { principal, query }), cursor ?? null)
    checks.refuseBadBody(body)
    checks.refuseBadTexts(body)
    checks.refuseScopesBeyond(principal, body)
    const key = checks.keyOf(body, given)
    return perform(performable, { principal, path, query, body, after, key, requestId, now: clock() })
  }
}
