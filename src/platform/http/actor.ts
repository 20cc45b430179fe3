// Returns the actor of a request, as recorded in the list of changes.

import type { Principal } from '../access/principal.ts'
import type { Actor } from '../audit/store.ts'

export function actorOf({ kind, id }: Principal): Actor {
  if (kind === 'person' || kind === 'key') return { kind, id }
  if (kind === 'operator') return { kind, id: null }
  if (kind === 'oauth') return { kind: 'app', id }
  throw new Error(`a caller of the kind ${kind} made a change, but the list of changes has no actor of this kind`)
}
