// The admin operations on people.

import type { AdminMember, AdminPeople, peopleOperationRows } from '../../contract/admin/people.ts'
import { issueAt } from '../../contract/issues.ts'
import type { Role } from '../../contract/words.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { type AdminCaller, type AdminHandler, isMachine } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { pageOfRows } from '../../platform/http/paging.ts'
import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isMailOn } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import {
  createInvitation,
  createResetForMember,
  listInvitations,
  mailResetToMember,
  type OpenInvitation,
  type ResetForMember,
  removeInvitation,
} from './invitations.ts'
import {
  endSessionsOfMember,
  findMember,
  isSecondFactorRequired,
  listMembers,
  type Member,
  removeMember,
  secondFactorChange,
  setRole,
  setSecondFactorRequired,
} from './members.ts'
import { notifyUser } from './notices.ts'
import { isSameRights, type Rights, rightsFor } from './roles.ts'
import { emailProblem } from './users.ts'

export interface AdminPeopleParts {
  rootSecret: RootSecret
  publicOrigin: () => string
}

export function adminPeopleOperations({ rootSecret, publicOrigin }: AdminPeopleParts): {
  [Id in keyof typeof peopleOperationRows]: AdminHandler<Id>
} {
  return {
    async getAdminPeople({ db, caller: { merchantId } }) {
      return { data: await peopleView(db, merchantId) }
    },

    // A key or an app may not stop requiring a second factor. A person may: the dashboard asks for the password again first.
    async updateAdminPeople({ db, caller, body: { secondFactorRequired: isRequired } }) {
      const { merchantId } = caller
      if (isMachine(caller) && !isRequired)
        throw refuse('person_required', { message: 'Only a signed-in owner can stop requiring a second factor.' })
      const isChanged = await setSecondFactorRequired(db, merchantId, isRequired)
      const changes = isChanged ? [secondFactorChange(merchantId, isRequired)] : []
      return new AuditedReply({ data: await peopleView(db, merchantId) }, changes)
    },

    // Members and invitations together are few, so all are read and the page is taken from them.
    async listAdminMembers({ db, caller: { merchantId }, paging, now }) {
      const [members, invitations] = await Promise.all([
        listMembers(db, rootSecret, merchantId),
        listInvitations(db, rootSecret, merchantId, now.getTime()),
      ])
      const all = [...members.map(memberView), ...invitations.map(invitationView)]
      const { rows, meta } = pageOfRows(all.slice(startOf(all, paging.after)), paging, ({ id }) => id)
      return { data: rows, meta }
    },

    async inviteAdminMember({ db, caller, body: { email, role, scopes }, now }) {
      const problem = emailProblem(email)
      if (problem !== undefined) throw refuse('invalid_request', { issues: [{ path: '/email', ...problem }] })
      refuseUnchosen(role, scopes)
      const rights = rightsFor(role, scopes)
      refusePeopleByMachine(caller, rights)
      if (isMachine(caller)) await refuseWithoutMail(db)
      const { merchantId, scopes: held } = caller
      const createdBy = caller.kind === 'operator' ? null : caller.id
      const input = { merchantId, email, role, scopes, held, createdBy }
      const link = await createInvitation(db, rootSecret, input, now.getTime())
      const made = (await listInvitations(db, rootSecret, merchantId, now.getTime())).find(({ id }) => id === link.id)
      if (!made) throw new Error(`the created invitation ${link.id} does not exist`)
      // A viewer of the link could accept it and keep access after the key has ended, so a machine does not get the link.
      const shown = isMachine(caller) ? null : publicOrigin() + link.path
      return new AuditedReply({ data: { member: invitationView(made), link: shown } }, [
        changeOf('create', 'invitation', link.id, [null, rights]),
      ])
    },

    async updateAdminMember({ db, caller, path: { memberId }, body: { role, scopes }, now }) {
      if (!isId('usr', memberId)) throw refuse('member_not_found')
      refuseUnchosen(role, scopes)
      const rights = rightsFor(role, scopes)
      refusePeopleByMachine(caller, rights)
      const { merchantId, scopes: held } = caller
      const before = await setRole(db, { merchantId, userId: memberId, role, scopes, held }, now.getTime())
      const member = await findMember(db, rootSecret, merchantId, memberId)
      if (!member) throw refuse('member_not_found')
      if (isSameRights(before, rights)) return new AuditedReply({ data: memberView(member) }, [])
      if (memberId !== caller.id)
        await notifyUser(
          db,
          rootSecret,
          { userId: memberId, merchantId, kind: 'role_changed', facts: { role } },
          now.getTime(),
        )
      return new AuditedReply({ data: memberView(member) }, [changeOf('change', 'member', memberId, [before, rights])])
    },

    async removeAdminMember({ db, caller, path: { memberId }, now }) {
      const { merchantId, scopes: held } = caller
      if (isId('inv', memberId)) {
        const rights = await removeInvitation(db, { merchantId, id: memberId, held })
        return removed(memberId, changeOf('retire', 'invitation', memberId, [rights, null]))
      }
      if (!isId('usr', memberId)) throw refuse('member_not_found')
      const rights = await removeMember(db, { merchantId, userId: memberId, held }, now.getTime())
      return removed(memberId, changeOf('retire', 'member', memberId, [rights, null]))
    },

    async resetAdminMemberPassword({ db, caller, path: { memberId }, now }) {
      const { merchantId, scopes: held, id: createdBy } = caller
      const member = isId('usr', memberId) ? await findMember(db, rootSecret, merchantId, memberId) : undefined
      if (!member) throw refuse('member_not_found')
      refusePeopleByMachine(caller, member)
      const reset = { merchantId, userId: memberId, held, createdBy }
      const { link, expiresAt } = isMachine(caller)
        ? await mailReset(db, reset, now.getTime())
        : await showReset(db, reset, now.getTime())
      const members = [{ member: 'passwordReset', from: null, to: expiresAt }]
      return new AuditedReply({ data: { memberId, link, expiresAt } }, [
        { kind: 'change', what: 'member', id: memberId, name: member.role, members },
      ])
    },

    async endAdminMemberSessions({ db, caller: { merchantId, scopes: held }, path: { memberId }, now }) {
      if (!isId('usr', memberId)) throw refuse('member_not_found')
      const { role, ended } = await endSessionsOfMember(db, { merchantId, userId: memberId, held }, now.getTime())
      const members = [{ member: 'sessions', from: ended, to: 0 }]
      return new AuditedReply({ data: { memberId, ended } }, [
        { kind: 'change', what: 'member', id: memberId, name: role, members },
      ])
    },
  }

  async function mailReset(db: Tx, reset: ResetForMember, now: number) {
    await refuseWithoutMail(db)
    const { expiresAt } = await mailResetToMember(db, rootSecret, reset, now)
    return { link: null, expiresAt: toInstant(expiresAt) }
  }

  async function showReset(db: Tx, reset: ResetForMember, now: number) {
    const { path, expiresAt } = await createResetForMember(db, reset, now)
    const { userId, merchantId, createdBy } = reset
    if (userId !== createdBy) await notifyUser(db, rootSecret, { userId, merchantId, kind: 'reset_made' }, now)
    return { link: publicOrigin() + path, expiresAt: toInstant(expiresAt) }
  }

  async function peopleView(db: Reader, merchantId: string): Promise<AdminPeople> {
    const [secondFactorRequired, members] = await Promise.all([
      isSecondFactorRequired(db, merchantId),
      listMembers(db, rootSecret, merchantId),
    ])
    const without = members.filter(({ hasSecondFactor }) => !hasSecondFactor)
    return { secondFactorRequired, membersWithoutSecondFactor: without.length }
  }
}

function removed(id: string, change: AuditedChange) {
  return new AuditedReply({ data: { id, removed: true as const } }, [change])
}

async function refuseWithoutMail(db: Reader): Promise<void> {
  if (!(await isMailOn(db))) throw refuse('mail_off')
}

// Refuses to let a machine give the right to manage people: such a person could add more people, and stays after the key or app has
// ended.
function refusePeopleByMachine(caller: AdminCaller, { scopes }: Pick<Rights, 'scopes'>): void {
  if (isMachine(caller) && scopes.includes('admin:people'))
    throw refuse('scope_missing', {
      message: 'Only a signed-in person or the command line can grant a role that manages people.',
    })
}

// The role `custom` requires scopes; the other roles have fixed scopes.
function refuseUnchosen(role: Role, scopes: readonly string[] | undefined): void {
  if ((role === 'custom') === (scopes !== undefined)) return
  const issue =
    role === 'custom' ? issueAt('/scopes', 'required') : issueAt('/scopes', 'excluded_by', { member: 'role' })
  throw refuse('invalid_request', { issues: [issue] })
}

// The list of changes contains no e-mail address, so a person is named by the role.
function changeOf(
  kind: 'create' | 'change' | 'retire',
  what: 'member' | 'invitation',
  id: string,
  [from, to]: readonly [from: Rights | null, to: Rights | null],
): AuditedChange {
  const members = [{ member: 'role', from: from?.role ?? null, to: to?.role ?? null }, ...chosenChanged(from, to)]
  return { kind, what, id, name: to?.role ?? from?.role ?? '', members }
}

// Only the scopes of the role `custom` are recorded; those of a named role follow from its name.
function chosenChanged(from: Rights | null, to: Rights | null) {
  const [before, after] = [from, to].map((rights) => (rights?.role === 'custom' ? rights.scopes : null))
  return before?.join() === after?.join() ? [] : [{ member: 'scopes', from: before ?? null, to: after ?? null }]
}

function memberView({ userId, email, name, role, scopes, hasSecondFactor, addedAt, disabledAt }: Member): AdminMember {
  const status = disabledAt === null ? 'active' : 'disabled'
  return {
    id: userId,
    status,
    email,
    name,
    role,
    scopes: [...scopes],
    hasSecondFactor,
    addedAt: toInstant(addedAt),
    expiresAt: null,
  }
}

function invitationView({ id, email, role, scopes, createdAt, expiresAt }: OpenInvitation): AdminMember {
  return {
    id,
    status: 'invited',
    email,
    name: null,
    role,
    scopes: [...scopes],
    hasSecondFactor: false,
    addedAt: toInstant(createdAt),
    expiresAt: toInstant(expiresAt),
  }
}

// Returns the index after the row with which the previous page ended. If that row was removed in the meantime, the list starts again, so
// no person is left out.
function startOf(all: readonly AdminMember[], after: string | null): number {
  if (after === null) return 0
  if (!isId('usr', after) && !isId('inv', after)) throw badCursorRefusal()
  return all.findIndex(({ id }) => id === after) + 1
}
