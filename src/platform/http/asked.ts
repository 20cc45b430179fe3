// Performs an operation without HTTP for a known caller: for a page or a tool of this process, or for a command.

import type { Principal } from '../access/principal.ts'
import { newId } from '../kit/ids.ts'
import { refuse } from '../kit/refuse.ts'
import type { Checks } from './checks.ts'
import { cursorSubject, type Perform, type Performable, type PerformedAnswer, type PerformParts } from './perform.ts'

// A call of an operation. It is checked against the operation's row like any other request.
export interface OperationCall {
  principal: Principal | null
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  // The query string of a URL, including its cursor. Replaces `query` and `cursor`.
  search?: string
  // The cursor from the link in an earlier response.
  cursor?: string
  body?: unknown
  key?: string
  // Null if the operator calls.
  requestId?: string | null
}

export function createOperationCaller(
  { cursors, clock }: Pick<PerformParts, 'cursors'> & { clock: () => Date },
  perform: Perform,
): (performable: Performable & { checks: Checks }, asked: OperationCall) => Promise<PerformedAnswer> {
  return async (
    performable,
    {
      principal,
      path = {},
      query: given = {},
      search,
      cursor: point,
      body = null,
      key: named,
      requestId = newId('req'),
    },
  ) => {
    const { id, operation, checks } = performable
    if (!principal && operation.caller !== 'anyone') throw refuse('unauthenticated')
    checks.refuseMissingScope(principal)
    const { values: query, cursor } =
      search === undefined ? checkedQuery(checks, given, point) : checks.query.read(search)
    const after = cursors.read(cursorSubject(id, operation, { principal, query }), cursor)
    checks.refuseBadBody(body)
    checks.refuseBadTexts(body)
    checks.refuseScopesBeyond(principal, body)
    const key = checks.keyOf(body, named)
    return perform(performable, { principal, path, query, body, after, key, requestId, now: clock() })
  }
}

function checkedQuery(checks: Checks, given: Readonly<Record<string, unknown>>, point: string | undefined) {
  checks.query.check(given)
  return { values: given, cursor: point ?? null }
}
