// The list of changes: who changed what, with each member's value before and after.

import { limits } from '../limits.ts'
import { IdempotencyKey, Instant, Mode, RequestId } from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { actorKinds, changeKinds, changeSubjects, idPrefixes } from '../words.ts'
import { DryRun } from './dryrun.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

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
  changes: Type.Array(AdminSubjectChange, {
    maxItems: limits.changesShownMax,
    description: `At most ${limits.changesShownMax}; with \`subjectId\` those of that thing come first. The rest of an entry: \`changeId\` of the list.`,
  }),
  changesCount: Type.Integer({ minimum: 0, description: 'How many things changed.' }),
  undoes: nullable(ChangeId, { description: 'The entry that this one took back.' }),
  undoneBy: nullable(withDescription('The entry that took this one back.', ChangeId)),
})

export const AdminChangeListQuery = object({
  changeId: Type.Optional(
    withDescription(
      `Only this entry, with ${limits.changesShownMax} of its changes on each page; \`meta.next\` leads to the following ones.`,
      ChangeId,
    ),
  ),
  subjectId: Type.Optional(Type.String({ maxLength: 64, description: 'Only changes of the thing with this id.' })),
  actorId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only changes by this user, key or installation.' }),
  ),
  operation: Type.Optional(Type.String({ maxLength: 64, description: 'Only changes by this operationId.' })),
  from: Type.Optional(withDescription('Only changes then or later.', Instant)),
  to: Type.Optional(withDescription('Only changes before.', Instant)),
})
export const AdminChangeListResponse = listOf(AdminChange, 'Newest first. A page of large entries has fewer of them.')

export const AdminUndoRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  dryRun: Type.Optional(DryRun),
})
export const AdminUndoResponse = object({
  data: object({
    changes: Type.Array(AdminSubjectChange, { description: 'What was put back; with dryRun, what would be.' }),
  }),
})

// biome-ignore format: a row reads best as a few lines
export const changeOperationRows = {
  listAdminChanges: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/changes',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Changes', paged: true,
    summary: 'List changes',
    description: 'Who changed what, and who looked at data of customers, in the mode of the caller.',
    query: AdminChangeListQuery, body: null, reply: okReply(AdminChangeListResponse),
    refusals: [],
  },
  undoAdminChange: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/changes/{changeId}/undo',
    scope: 'admin:read', idempotency: 'required', audit: 'change', tag: 'Changes',
    summary: 'Take a change back',
    description: 'Puts each member back to what it was. What was changed since is refused with change_overtaken, and nothing is put back. Needs the scope of the change too. What was created is archived (products), disabled (promotions), retired (SKUs) or removed (categories). Stock goes back by the difference, so a sale stays. Money, parcels, keys and people are not taken back.',
    body: AdminUndoRequest, reply: okReply(AdminUndoResponse),
    refusals: ['change_not_found', 'change_not_undoable', 'change_already_undone', 'change_overtaken'],
  },
} as const satisfies AdminOperationRows

export type AdminActor = Static<typeof AdminActor>
export type AdminSubjectChange = Static<typeof AdminSubjectChange>
export type AdminChange = Static<typeof AdminChange>

// Members that show that an order or a return waits for a draft. The entry also names the draft, and undoing the change of the draft
// resets these members.
const followingMembers = ['openChange', 'openExchange']

export function hasOwnEffect(change: { kind: string; members: readonly { member: string }[] }): boolean {
  return change.kind !== 'change' || change.members.some(({ member }) => !followingMembers.includes(member))
}
