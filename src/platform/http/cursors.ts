// Cursors of lists, as signed links: each continues only its own list, for the caller who got it and with the same filters.

import { hash, type KeyObject } from 'node:crypto'
import { fillPath, type Operation } from '../../contract/surface.ts'
import { canonicalJson } from '../kit/canonical.ts'
import { badCursorRefusal } from '../kit/cursor.ts'
import { signToken, verifyToken } from '../secrets/secrets.ts'
import type { QueryValues } from './query.ts'

export interface CursorSubject {
  id: string
  operation: Operation
  claimant: string
  query: QueryValues
}

export interface Cursors {
  // Returns the position in the cursor, or null if no cursor was sent.
  read(subject: CursorSubject, cursor: string | null): string | null
  link(subject: CursorSubject, path: Readonly<Record<string, string>>, position: string): string
}

// The first key signs. Cursors signed with any of the keys are accepted, since another node may sign with another version of the root
// secret.
export function createCursors(keys: readonly [KeyObject, ...KeyObject[]]): Cursors {
  function payloadOf(cursor: string): string | undefined {
    for (const key of keys) {
      const payload = verifyToken(key, cursor)
      if (payload !== undefined) return payload
    }
    return undefined
  }

  return {
    read(subject, cursor) {
      if (cursor === null) return null
      const prefix = prefixFor(subject)
      const payload = payloadOf(cursor)
      if (!payload?.startsWith(prefix)) throw badCursorRefusal()
      return payload.slice(prefix.length)
    },
    // Uses the path of the operation's row, since the request line may contain another host.
    link(subject, path, position) {
      const parameters = new URLSearchParams()
      for (const [name, value] of Object.entries(subject.query))
        for (const item of [value].flat()) parameters.append(name, String(item))
      parameters.append('cursor', signToken(keys[0], prefixFor(subject) + position))
      return `${fillPath(subject.operation.path, path)}?${parameters}`
    },
  }
}

function prefixFor({ id, operation, claimant, query }: CursorSubject): string {
  const filters = operation.query ? `${hash('sha256', canonicalJson(query), 'base64url')} ` : ''
  return `${id} ${claimant} ${filters}`
}
