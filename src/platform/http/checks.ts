// Checks of a request against its row, over HTTP or not: the scope, the query, the body and the idempotency key.

import { issueAt } from '../../contract/issues.ts'
import type { Operation } from '../../contract/surface.ts'
import { compileSchema } from '../../contract/validator.ts'
import type { Principal } from '../access/principal.ts'
import { refuse } from '../kit/refuse.ts'
import { createQueryReader, type QueryReader } from './query.ts'

export interface Checks {
  query: QueryReader
  refuseMissingScope(principal: Principal | null): void
  refuseBadBody(body: unknown): void
  // Refuses texts that the database cannot store. For a body that was not parsed from JSON: the JSON parser makes this check itself.
  refuseBadTexts(body: unknown): void
  refuseScopesBeyond(principal: Principal | null, body: unknown): void
  // Returns null if the operation has no idempotency key. `given` is a key that was sent beside the body.
  keyOf(body: unknown, given: string | undefined): string | null
}

export function createChecks(operation: Operation): Checks {
  const validate = operation.body ? compileSchema(operation.body) : undefined
  const { scope, grantsScopes, idempotency } = operation
  return {
    query: createQueryReader(operation),

    refuseMissingScope(principal) {
      if (principal?.origins && !operation.forPages)
        throw refuse('scope_missing', {
          message: 'A publishable key cannot call this operation. Call it from a server.',
        })
      if (scope === null || principal?.scopes.includes(scope)) return
      throw refuse('scope_missing', { current: { requiredScope: scope } })
    },

    refuseBadBody(body) {
      const issues = validate?.(body) ?? []
      if (issues.length === 0) return
      const onlyTheKey = issues.every((issue) => issue.path === '/idempotencyKey')
      throw refuse(onlyTheKey ? 'idempotency_key_invalid' : 'invalid_request', { issues })
    },

    refuseBadTexts(body) {
      const path = badTextIn(body, '')
      if (path === undefined) return
      throw refuse('invalid_request', { issues: [issueAt(path, 'bad_text')] })
    },

    // A caller cannot grant a scope that its credential does not have. Checked here and not in the handler, which a replay does not run:
    // the stored response may contain a secret for a credential with more scopes.
    refuseScopesBeyond(principal, body) {
      if (!grantsScopes) return
      const { scopes = [] } = body as { scopes?: readonly string[] }
      const missing = scopes.find((wanted) => !principal?.scopes.includes(wanted))
      if (missing !== undefined) throw refuse('scope_missing', { current: { requiredScope: missing } })
    },

    // The key is a member of the body or sent beside it. If both are present, they must be equal.
    keyOf(body, given) {
      if (idempotency === 'none') return null
      const { idempotencyKey: member } = (body ?? {}) as { idempotencyKey?: string }
      if (member === undefined && given === undefined) throw refuse('idempotency_key_required')
      if (given !== undefined && !/^[\x21-\x7e]{1,255}$/.test(given)) {
        const issues = [issueAt('/headers/idempotency-key', 'ascii_length', { min: 1, max: 255 })]
        throw refuse('idempotency_key_invalid', { issues })
      }
      if (member !== undefined && given !== undefined && member !== given) throw refuse('idempotency_key_ambiguous')
      return member ?? given ?? null
    },
  }
}

// Returns the path of a text that the database cannot store. The depth is bounded, because the schema was checked before.
function badTextIn(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = badTextIn(name, path) ?? badTextIn(member, `${path}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
