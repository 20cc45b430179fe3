// The people who run the shop: schemas and operations. No operation changes how a person signs in: only the person can.

import { IdempotencyKey, Instant } from '../parts.ts'
import { idPattern, patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { okReply } from '../surface.ts'
import { adminScopes, idPrefixes, memberStatuses, roles } from '../words.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

export const AdminRole = oneOf(roles, {
  description:
    'owner: everything. staff: catalog, orders, refunds and customers. viewer: look at everything but customers. custom: the scopes that were chosen.',
})

const ChosenScopes = Type.Optional(
  Type.Array(oneOf(adminScopes), {
    minItems: 1,
    maxItems: adminScopes.length,
    uniqueItems: true,
    description: 'Of the role custom, and required for it. Everyone has admin:read.',
  }),
)

export const MemberId = Type.String({
  pattern: `${idPattern(idPrefixes.user).source}|${idPattern(idPrefixes.invitation).source}`,
  description: 'Id of a person, or of an invitation that was not accepted yet.',
})

export const AdminMember = object({
  id: MemberId,
  status: oneOf(memberStatuses, { description: 'invited: has not accepted yet. disabled: cannot sign in.' }),
  email: Type.String(),
  name: nullable(Type.String(), { description: 'As the person gave it.' }),
  role: AdminRole,
  scopes: Type.Array(oneOf(adminScopes), { description: 'What the person may do.' }),
  hasSecondFactor: Type.Boolean(),
  addedAt: Instant,
  expiresAt: nullable(Instant, { description: 'Of an invitation: until when its link works.' }),
})

export const AdminMemberListResponse = listOf(AdminMember, 'Those who joined first come first, invitations last.')

export const AdminMemberInviteRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  email: Type.String({ minLength: 3, maxLength: 254, pattern: patterns.email.source }),
  role: AdminRole,
  scopes: ChosenScopes,
})

export const AdminInvitationResponse = object({
  data: object({
    member: AdminMember,
    link: nullable(Type.String(), {
      description:
        'The person opens it to join. Shown this once, to a person; null for a key or an app. Also sent by mail where mail is set up. Works once, for seven days.',
    }),
  }),
})

export const AdminMemberUpdateRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  role: AdminRole,
  scopes: ChosenScopes,
})

export const AdminMemberResponse = object({ data: AdminMember })

export const AdminMemberRemoveRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

export const AdminMemberRemovedResponse = object({ data: object({ id: MemberId, removed: Type.Literal(true) }) })

export const AdminPeople = object({
  secondFactorRequired: Type.Boolean({
    description:
      'Whether everyone of the shop signs in with a second factor. Who has none sets one up first, and can do nothing else.',
  }),
  membersWithoutSecondFactor: Type.Integer({ minimum: 0 }),
})

export const AdminPeopleResponse = object({ data: AdminPeople })

export const AdminPeopleUpdateRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  secondFactorRequired: Type.Boolean(),
})

export const AdminPasswordResetRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

export const AdminPasswordResetResponse = object({
  data: object({
    memberId: MemberId,
    link: nullable(Type.String(), {
      description:
        'The person opens it to set a password. Shown this once, to a person; null for a key or an app: then it is in an e-mail to the member. Works once, for seven days.',
    }),
    expiresAt: Instant,
  }),
})

export const AdminSessionsEndRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

export const AdminSessionsEndedResponse = object({
  data: object({
    memberId: MemberId,
    ended: Type.Integer({ minimum: 0, description: 'How many sessions of the dashboard were open.' }),
  }),
})

// biome-ignore format: a row reads best as a few lines
export const peopleOperationRows = {
  getAdminPeople: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/people',
    scope: 'admin:people', idempotency: 'none', audit: 'none', tag: 'People',
    summary: 'See what is demanded of members',
    description: 'Whether a second factor is demanded, and how many have none.',
    body: null, reply: okReply(AdminPeopleResponse),
    refusals: [],
  },
  updateAdminPeople: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/people',
    scope: 'admin:people', idempotency: 'required', audit: 'change', tag: 'People',
    summary: 'Demand a second factor of everyone',
    description: 'Or no longer: that is for a person, not for a key or an app (403 `person_required`). It holds from the next click of each person.',
    body: AdminPeopleUpdateRequest, reply: okReply(AdminPeopleResponse),
    refusals: ['person_required'],
  },
  listAdminMembers: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/members',
    scope: 'admin:people', idempotency: 'none', audit: 'none', tag: 'People', paged: true,
    summary: 'List members',
    description: 'The people who act for the merchant, and invitations that were not accepted yet.',
    body: null, reply: okReply(AdminMemberListResponse),
    refusals: [],
  },
  inviteAdminMember: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/members',
    scope: 'admin:people', idempotency: 'required', audit: 'change', tag: 'People',
    summary: 'Invite a member',
    description: 'Sends a link with which the person joins, and shows it to a person who asks. A key or an app does not see it, and is refused where the server sends no mail (409 `mail_off`). Inviting the same address again makes a new link, and the one before no longer works. A role is given only by a caller who has all of its scopes, and one with `admin:people` only by a person. The invitation of a key or an app ends with it.',
    body: AdminMemberInviteRequest, reply: { ...okReply(AdminInvitationResponse), isSecret: true },
    refusals: ['member_exists', 'invitation_limit', 'mail_off'],
  },
  updateAdminMember: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/members/{memberId}',
    scope: 'admin:people', idempotency: 'required', audit: 'change', tag: 'People',
    summary: 'Change the role of a member',
    description: 'Takes effect with the person’s next request. The person is told by mail. A role is given or taken away only by a caller who has all of its scopes; one with `admin:people` is given only by a person.',
    body: AdminMemberUpdateRequest, reply: okReply(AdminMemberResponse),
    refusals: ['member_not_found', 'last_owner'],
  },
  removeAdminMember: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/members/{memberId}',
    scope: 'admin:people', idempotency: 'required', audit: 'change', tag: 'People',
    summary: 'Remove a member or take an invitation back',
    description: 'Signs the person out everywhere. The request has a body, for its idempotency key.',
    body: AdminMemberRemoveRequest, reply: okReply(AdminMemberRemovedResponse),
    refusals: ['member_not_found', 'last_owner'],
  },
  resetAdminMemberPassword: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/members/{memberId}/password-resets',
    scope: 'admin:people', idempotency: 'required', audit: 'change', tag: 'People',
    summary: 'Make a link for a new password',
    description: 'For a member who cannot sign in. A person sees the link; what a key or an app makes is only in an e-mail to the member, and ends with the key or app (409 `mail_off` where the server sends no mail). The member is told by mail when a link was made and when it was used. The one before no longer works. The second factor stays. Not for a person who also acts for another merchant, nor for a role with a scope that the caller does not have; for a role with `admin:people` only by a person.',
    body: AdminPasswordResetRequest, reply: { ...okReply(AdminPasswordResetResponse), isSecret: true },
    refusals: ['member_not_found', 'person_of_others', 'mail_off'],
  },
  endAdminMemberSessions: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/members/{memberId}/sessions',
    scope: 'admin:people', idempotency: 'required', audit: 'change', tag: 'People',
    summary: 'Sign a member out',
    description: 'Everywhere, also where the person acts for other merchants. The next click asks to sign in. Only by a caller who has all scopes of the member’s role. The request has a body, for its idempotency key.',
    body: AdminSessionsEndRequest, reply: okReply(AdminSessionsEndedResponse),
    refusals: ['member_not_found'],
  },
} as const satisfies AdminOperationRows

export type AdminMember = Static<typeof AdminMember>
export type AdminPeople = Static<typeof AdminPeople>
