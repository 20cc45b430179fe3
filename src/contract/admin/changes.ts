// The list of changes: who did what, with each member's value before and after.

import { Instant, Mode, RequestId } from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { described, nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { actorKinds, changeKinds, changeSubjects, idPrefixes } from '../words.ts'
import type { AdminRows } from './row.ts'

export const ChangeId = Type.String({
  pattern: idPattern(idPrefixes.change).source,
  description: 'Id of an entry in the list of changes.',
})

export const AdminActor = object(
  {
    kind: oneOf(actorKinds, {
      description:
        'person: someone who signed in. key: an API key. app: an installed app. operator: at the command line. loop: the server by itself.',
    }),
    id: nullable(Type.String(), { description: 'Of the user, the key or the installation.' }),
    name: nullable(Type.String(), { description: 'null where it is not known any more.' }),
  },
  { description: 'Who did it.' },
)

export const AdminMemberChange = object({
  member: Type.String(),
  from: Type.Unsafe<unknown>({ description: 'The value before. null where there was none.' }),
  to: Type.Unsafe<unknown>({ description: 'The value after.' }),
})

export const AdminSubjectChange = object({
  kind: oneOf(changeKinds, { description: 'look: sealed data was shown, and nothing changed.' }),
  subject: object({
    type: oneOf(changeSubjects),
    id: Type.String(),
    name: Type.String({ description: 'What people call it: a number, a code, a name.' }),
  }),
  members: Type.Array(AdminMemberChange),
})

export const AdminChange = object({
  id: ChangeId,
  at: Instant,
  mode: nullable(Mode, { description: 'null where the thing is shared by both modes.' }),
  actor: AdminActor,
  operation: Type.String({ description: 'operationId, or the command of an operator.' }),
  requestId: nullable(RequestId),
  changes: Type.Array(AdminSubjectChange),
  undoes: nullable(ChangeId, { description: 'The entry that this one took back.' }),
  undoneBy: nullable(described('The entry that took this one back.', ChangeId)),
})

export const changeRows = {} as const satisfies AdminRows

export type AdminActor = Static<typeof AdminActor>
export type AdminSubjectChange = Static<typeof AdminSubjectChange>
export type AdminChange = Static<typeof AdminChange>
