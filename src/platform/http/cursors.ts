// Where a list goes on, as a link that only we can have made: it leads on in the list it came from, for the caller it was
// given to, with the filters it was made with, and nowhere else.

import { hash, type KeyObject } from 'node:crypto'
import { type Operation, pathWith } from '../../contract/surface.ts'
import { canonicalJson } from '../kit/canonical.ts'
import { badCursor } from '../kit/cursor.ts'
import { readToken, signToken } from '../secrets/secrets.ts'
import type { QueryValues } from './query.ts'

export interface CursorSubject {
  id: string
  operation: Operation
  claimant: string
  query: QueryValues
}

export interface Cursors {
  // The position behind a cursor; null where none was sent.
  read(subject: CursorSubject, cursor: string | null): string | null
  link(subject: CursorSubject, path: Readonly<Record<string, string>>, position: string): string
}

// The first key signs. A cursor by any of them is read, since another node may sign with another version of the root secret.
export function createCursors(keys: readonly [KeyObject, ...KeyObject[]]): Cursors {
  function payloadOf(cursor: string): string | undefined {
    for (const key of keys) {
      const payload = readToken(key, cursor)
      if (payload !== undefined) return payload
    }
    return undefined
  }

  return {
    read(subject, cursor) {
      if (cursor === null) return null
      const prefix = prefixFor(subject)
      const payload = payloadOf(cursor)
      if (!payload?.startsWith(prefix)) throw badCursor()
      return payload.slice(prefix.length)
    },
    // By the row's own path: what stood in the request line may have named another host.
    link(subject, path, position) {
      const parameters = new URLSearchParams()
      for (const [name, value] of Object.entries(subject.query))
        for (const item of [value].flat()) parameters.append(name, String(item))
      parameters.append('cursor', signToken(keys[0], prefixFor(subject) + position))
      return `${pathWith(subject.operation.path, path)}?${parameters}`
    },
  }
}

function prefixFor({ id, operation, claimant, query }: CursorSubject): string {
  const filters = operation.query ? `${hash('sha256', canonicalJson(query), 'base64url')} ` : ''
  return `${id} ${claimant} ${filters}`
}
