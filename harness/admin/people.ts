import type { peopleOperationRows } from '../../src/contract/admin/people.ts'
import { setSecondFactorRequired } from '../../src/domain/users/members.ts'
import { hashPassword } from '../../src/domain/users/password.ts'
import { scopesOfRole } from '../../src/domain/users/roles.ts'
import { createUser } from '../../src/domain/users/users.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { setMailSwitch } from '../../src/platform/outbox/emails.ts'
import { cheapCost, testSecret } from '../testServer.ts'
import type { Given } from './world.ts'

// A viewer of the caller's merchant: whoever may change people may change this one.
const member: Given = async ({ storage, clock, merchantId }) => {
  const passwordHash = await hashPassword('correct horse battery staple', cheapCost)
  const input = {
    email: `${newId('usr')}@people.example`,
    passwordHash,
    merchantIds: [merchantId],
    role: 'viewer',
  } as const
  const user = await storage.write((tx) => createUser(tx, testSecret, input, clock.now))
  return { path: { memberId: user.id } }
}

// A key reaches people by mail alone.
const withMail = ({ storage, clock }: Parameters<Given>[0]) => storage.write((tx) => setMailSwitch(tx, true, clock.now))

// Nobody gives or takes a role with a scope that they do not have.
export const peopleScopes = {
  inviteAdminMember: scopesOfRole.viewer,
  updateAdminMember: scopesOfRole.staff,
  removeAdminMember: scopesOfRole.viewer,
  resetAdminMemberPassword: scopesOfRole.viewer,
  endAdminMemberSessions: scopesOfRole.viewer,
} as const

export const peopleGivens: Readonly<Record<keyof typeof peopleOperationRows, Given>> = {
  getAdminPeople: async () => ({}),
  updateAdminPeople: async ({ storage, merchantId }) => {
    await storage.write((tx) => setSecondFactorRequired(tx, merchantId, false))
    return { body: { secondFactorRequired: true } }
  },
  listAdminMembers: async () => ({}),
  inviteAdminMember: async (testServer) => {
    await withMail(testServer)
    return { body: { email: `${newId('usr')}@people.example`, role: 'viewer' } }
  },
  updateAdminMember: async (testServer) => ({ ...(await member(testServer)), body: { role: 'staff' } }),
  removeAdminMember: async (testServer) => ({ ...(await member(testServer)), body: {} }),
  resetAdminMemberPassword: async (testServer) => {
    await withMail(testServer)
    return { ...(await member(testServer)), body: {} }
  },
  endAdminMemberSessions: async (testServer) => ({ ...(await member(testServer)), body: {} }),
}
