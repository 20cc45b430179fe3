import { sampleId } from '../../sampleid.ts'
import { adminScopes } from '../../words.ts'
import type { AdminMember, peopleOperationRows } from '../people.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '6f0c3c8e-1a5d-4e2c-8b5f-2d9a7c3e4b11'

const member: AdminMember = {
  id: sampleId('user'),
  status: 'active',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  role: 'owner',
  scopes: [...adminScopes],
  hasSecondFactor: true,
  addedAt: '2026-03-01T09:12:44.000Z',
  expiresAt: null,
}

const invited: AdminMember = {
  id: sampleId('invitation'),
  status: 'invited',
  email: 'grace@example.com',
  name: null,
  role: 'custom',
  scopes: ['admin:read', 'admin:orders'],
  hasSecondFactor: false,
  addedAt: '2026-03-03T08:02:11.000Z',
  expiresAt: '2026-03-10T08:02:11.000Z',
}

export const peopleExamples: AdminExamples<typeof peopleOperationRows> = {
  getAdminPeople: {
    path: {},
    body: undefined,
    reply: { data: { secondFactorRequired: false, membersWithoutSecondFactor: 2 } },
  },
  updateAdminPeople: {
    path: {},
    body: { idempotencyKey, secondFactorRequired: true },
    reply: { data: { secondFactorRequired: true, membersWithoutSecondFactor: 2 } },
  },
  listAdminMembers: {
    path: {},
    body: undefined,
    reply: { data: [member, invited], meta: { count: 2, next: null } },
  },
  inviteAdminMember: {
    path: {},
    body: { idempotencyKey, email: 'grace@example.com', role: 'custom', scopes: ['admin:read', 'admin:orders'] },
    reply: {
      data: {
        member: invited,
        link: null,
      },
    },
  },
  updateAdminMember: {
    path: { memberId: sampleId('user', 2) },
    body: { idempotencyKey, role: 'viewer' },
    reply: {
      data: { ...member, id: sampleId('user', 2), role: 'viewer', scopes: ['admin:read'], hasSecondFactor: false },
    },
  },
  removeAdminMember: {
    path: { memberId: sampleId('user', 2) },
    body: { idempotencyKey },
    reply: { data: { id: sampleId('user', 2), removed: true } },
  },
  resetAdminMemberPassword: {
    path: { memberId: sampleId('user', 2) },
    body: { idempotencyKey },
    reply: {
      data: {
        memberId: sampleId('user', 2),
        link: null,
        expiresAt: '2026-03-10T08:02:11.000Z',
      },
    },
  },
  endAdminMemberSessions: {
    path: { memberId: sampleId('user', 2) },
    body: { idempotencyKey },
    reply: { data: { memberId: sampleId('user', 2), ended: 2 } },
  },
}
