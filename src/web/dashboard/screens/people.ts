// People: members of the shop, invitations by a link that is shown once, roles, and removal. All of these actions ask for the password
// again.

import type { AdminMember } from '../../../contract/admin/people.ts'
import { type AdminScope, adminScopes, type Role, roles } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { renderCheckboxGroup } from '../controls.ts'
import { dialog } from '../dialog.ts'
import {
  type Field,
  type FieldValues,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { linkButton, renderCard, renderTime, statusPill } from '../parts.ts'
import { rowWithId } from '../rows.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { secretSheet } from '../secret.ts'
import { renderSections, settingSections } from '../sections.ts'
import { renderTable } from '../table.ts'
import { redirectWithToast } from '../toast.ts'

export const peopleScreen: Screen = {
  path: 'settings/people',
  name: 'dashboard people',
  place: 'settings',
  needs: 'listAdminMembers',
  async get(visit) {
    const { words, to, query, may } = visit
    const [{ data, meta }, demand] = await Promise.all([
      visit.ask('listAdminMembers', { cursor: query.get('cursor') ?? undefined }),
      visit.ask('getAdminPeople'),
    ])
    return {
      title: words.say('settings.title'),
      actions: may('inviteAdminMember')
        ? linkButton({
            label: words.say('people.invite'),
            href: to('settings/people/invite'),
            kind: 'first',
            isDialog: true,
          })
        : undefined,
      body: html`${renderSections(visit, settingSections, 'people')}
${renderTable(visit, {
  label: words.say('settings.people'),
  columns: [
    { head: words.say('people.person'), cell: (member) => personCell(visit, member), isMain: true },
    { head: words.say('people.role'), cell: (member) => roleCell(visit, member) },
    { head: words.say('people.status'), cell: ({ status }) => statusPill(words, 'member', status) },
    {
      head: words.say('people.factor'),
      cell: ({ hasSecondFactor, status }) =>
        status === 'invited'
          ? html`<span class="soft">–</span>`
          : words.say(hasSecondFactor ? 'people.factorOn' : 'people.factorOff'),
    },
    {
      head: words.say('people.since'),
      cell: ({ addedAt, expiresAt }) =>
        html`<span class="stack">${renderTime(words, addedAt)}${
          expiresAt !== null &&
          html`<span class="soft small">${words.say('apiKeys.until', { date: words.day(expiresAt) })}</span>`
        }</span>`,
    },
    { head: words.say('developers.actions'), align: 'end', cell: (member) => rowActions(visit, member) },
  ],
  rows: data,
  idOf: ({ id }) => id,
  next: meta.next,
  empty: { title: words.say('people.empty') },
})}
<p class="foot-note">${words.say('people.rolesText')}</p>
${demandCard(visit, demand.data)}`,
    }
  },
}

interface Demand {
  secondFactorRequired: boolean
  membersWithoutSecondFactor: number
}

function demandCard(
  { words, to, may }: ScreenVisit,
  { secondFactorRequired, membersWithoutSecondFactor }: Demand,
): Html {
  return html`<div class="apart-card">
    ${renderCard({
      title: words.say('people.demand'),
      aside:
        may('updateAdminPeople') &&
        linkButton({
          label: words.say(secondFactorRequired ? 'people.demandStop' : 'people.demandBegin'),
          href: to('settings/people/second-factor'),
          isDialog: true,
        }),
      body: html`<p>
        ${words.say(secondFactorRequired ? 'people.demandOn' : 'people.demandOff')} <span class="soft">
          ${words.say('people.demandWithout', { count: membersWithoutSecondFactor })}
        </span>
      </p>`,
    })}
  </div>`
}

export const demandSecondFactorScreen: Screen = {
  path: 'settings/people/second-factor',
  name: 'dashboard demand second factor',
  place: 'settings',
  needs: 'updateAdminPeople',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const { data } = await visit.ask('getAdminPeople')
    const back = backOf(visit)
    return dialog({
      title: words.say('people.demand'),
      back,
      lead: words.say(data.secondFactorRequired ? 'people.demandStopLead' : 'people.demandBeginLead'),
      body: renderForm(visit, {
        action: to('settings/people/second-factor'),
        fields: [],
        hidden: { required: data.secondFactorRequired ? 'no' : 'yes' },
        submit: words.say(data.secondFactorRequired ? 'people.demandStop' : 'people.demandBegin'),
        cancel: back.href,
      }),
    })
  },
  async post({ ask, to, form: sent }) {
    const secondFactorRequired = sent.get('required') === 'yes'
    await ask('updateAdminPeople', { body: { secondFactorRequired }, key: readKey(sent) })
    return redirectWithToast(to('settings/people'), secondFactorRequired ? 'done.demanded' : 'done.notDemanded')
  },
}

export const memberPasswordScreen: Screen = {
  path: 'settings/people/:memberId/password',
  name: 'dashboard password link',
  place: 'settings',
  needs: 'resetAdminMemberPassword',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const { id, email } = await memberOf(visit)
    const back = backOf(visit)
    return dialog({
      title: words.say('people.passwordTitle'),
      back,
      lead: words.say('people.passwordLead', { email }),
      body: renderForm(visit, {
        action: to(`settings/people/${id}/password`),
        fields: [],
        submit: words.say('people.passwordMake'),
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    const { words, path, form: sent } = posted
    const memberId = path.memberId ?? ''
    const { data } = await posted.ask('resetAdminMemberPassword', { path: { memberId }, body: {}, key: readKey(sent) })
    return secretSheet(posted, {
      title: words.say('people.passwordTitle'),
      lead: words.say('people.invitedLead'),
      label: words.say('people.passwordLink'),
      // The link is always in the answer if the caller is a person.
      secret: data.link ?? '',
      back: backOf(posted),
    })
  },
}

function personCell({ words, userId }: ScreenVisit, { id, email, name }: AdminMember): Html {
  const you = id === userId && html` <span class="soft">${words.say('people.you')}</span>`
  if (name === null) return html`<span dir="ltr">${email}</span>${you}`
  return html`<span class="stack">
    <span><span dir="auto">${name}</span>${you}</span>
    <span class="soft small" dir="ltr">${email}</span>
  </span>`
}

function roleCell({ words }: ScreenVisit, { role, scopes }: AdminMember): Html | string {
  if (role !== 'custom') return words.say(`role.${role}`)
  const areas = scopes.filter((scope) => scope !== 'admin:read').map((scope) => words.say(`area.${scope}`))
  return html`<span class="stack">${words.say('role.custom')}<span class="soft small">${areas.join(', ')}</span></span>`
}

function rowActions({ words, to, may }: ScreenVisit, { id, email, status }: AdminMember): Html {
  const link = (path: string, text: string, isSensitive = false) =>
    html`<a${isSensitive && html` class="danger-link"`} href="${to(`settings/people/${id}/${path}`)}" data-dialog>
      ${text}
      <span class="hidden"> ${email}</span>
    </a>`
  if (status === 'invited')
    return html`<span class="row-actions">${may('removeAdminMember') && link('remove', words.say('people.takeBack'), true)}</span>`
  return html`<span class="row-actions">${may('updateAdminMember') && link('role', words.say('people.edit'))}</span>`
}

// More actions on a member's account. They are not in the list of members, where the wrong row could be pressed.
function accountActions({ words, to, may, userId }: ScreenVisit, { id, status }: AdminMember): Html {
  const link = (path: string, label: string, kind: 'second' | 'danger' = 'second') =>
    linkButton({ label, href: to(`settings/people/${id}/${path}`), kind })
  return html`<div class="apart-actions">
    ${status === 'active' && may('resetAdminMemberPassword') && link('password', words.say('people.password'))}
    ${
      status === 'active' &&
      id !== userId &&
      may('endAdminMemberSessions') &&
      link('sessions', words.say('people.signOut'))
    }
    ${may('removeAdminMember') && link('remove', words.say('people.remove'), 'danger')}
  </div>`
}

async function memberOf(visit: ScreenVisit): Promise<AdminMember> {
  const found = await rowWithId((cursor) => visit.ask('listAdminMembers', { cursor }), visit.path.memberId)
  if (!found) throw refuse('member_not_found')
  return found
}

function roleField({ words }: ScreenVisit): Field {
  return {
    name: 'role',
    label: words.say('people.role'),
    kind: 'choice',
    isRequired: true,
    help: words.say('people.rolesText'),
    options: rolesOffered.map((role) => ({ value: role, label: words.say(`role.${role}`) })),
  }
}

const rolesOffered: readonly Role[] = ['viewer', 'staff', 'owner', 'custom']

// These boxes are only shown (style.css) and read for the custom role.
function areaBoxes(visit: ScreenVisit, chosen: readonly string[], problems: Problems | undefined): Html {
  const { words } = visit
  return html`<div class="areas">${renderCheckboxGroup({
    name: 'scope',
    legend: words.say('people.areas'),
    help: words.say('people.areasHelp'),
    options: adminScopes
      .filter((scope) => scope !== 'admin:read')
      .map((scope) => ({ value: scope, label: words.say(`area.${scope}`), help: words.say(`scope.${scope}`) })),
    chosen,
    problem: problems?.at['/scopes'],
  })}</div>`
}

function rightsTyped(sent: FormFields): { role: Role; scopes?: AdminScope[] } {
  const role = roles.find((known) => known === sent.get('role')) ?? 'viewer'
  if (role !== 'custom') return { role }
  const chosen = sent.getAll('scope')
  return { role, scopes: adminScopes.filter((scope) => scope === 'admin:read' || chosen.includes(scope)) }
}

const backOf = ({ words, to }: ScreenVisit) => ({ href: to('settings/people'), label: words.say('settings.people') })

function inviteFields(visit: ScreenVisit): Field[] {
  const { words } = visit
  return [
    { name: 'email', label: words.say('people.email'), kind: 'email', lengthMax: 254, isRequired: true, isFirst: true },
    roleField(visit),
  ]
}

interface InviteShown {
  values?: FieldValues
  chosen?: readonly string[]
  problems?: Problems
}

function inviteSheet(
  visit: ScreenVisit,
  { values = { role: 'staff' }, chosen = [], problems }: InviteShown = {},
): ScreenSheet {
  const { words, to, server } = visit
  const back = backOf(visit)
  return dialog({
    title: words.say('people.inviteTitle'),
    back,
    lead: words.say(server.sendsMail ? 'people.inviteLeadMail' : 'people.inviteLead'),
    status: problems ? 400 : 200,
    body: renderForm(visit, {
      action: to('settings/people/invite'),
      fields: inviteFields(visit),
      values,
      more: areaBoxes(visit, chosen, problems),
      problems,
      submit: words.say('people.invite'),
      cancel: back.href,
    }),
  })
}

export const inviteMemberScreen: Screen = {
  path: 'settings/people/invite',
  name: 'dashboard invite',
  place: 'settings',
  needs: 'inviteAdminMember',
  asksAgain: true,
  get: async (visit) => inviteSheet(visit),
  async post(posted) {
    const { words, form: sent } = posted
    const body = { email: (sent.get('email') ?? '').trim(), ...rightsTyped(sent) }
    const outcome = await catchRefusal(posted.ask('inviteAdminMember', { body, key: readKey(sent) }))
    if ('refusal' in outcome) {
      const fields = inviteFields(posted)
      return inviteSheet(posted, {
        values: readTypedValues(fields, sent),
        chosen: sent.getAll('scope'),
        problems: problemsFromRefusal(words, outcome.refusal, fields),
      })
    }
    const { member, link } = outcome.reply.data
    return secretSheet(posted, {
      title: words.say('people.invited', { email: member.email }),
      lead: words.say('people.invitedLead'),
      label: words.say('people.link'),
      secret: link ?? '',
      back: backOf(posted),
    })
  },
}

async function roleSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const member = await memberOf(visit)
  const { id, email, name, role, scopes } = member
  const back = backOf(visit)
  return dialog({
    title: name ?? email,
    back,
    lead: words.say('people.roleLead', { email }),
    status: problems ? 409 : 200,
    body: html`${renderForm(visit, {
      action: to(`settings/people/${id}/role`),
      fields: [roleField(visit)],
      values: { role },
      more: areaBoxes(visit, role === 'custom' ? scopes : [], problems),
      problems,
      submit: words.say('action.save'),
      cancel: back.href,
    })}
${accountActions(visit, member)}`,
  })
}

export const memberRoleScreen: Screen = {
  path: 'settings/people/:memberId/role',
  name: 'dashboard role',
  place: 'settings',
  needs: 'updateAdminMember',
  asksAgain: true,
  get: (visit) => roleSheet(visit),
  async post(posted) {
    const { words, to, path, form: sent } = posted
    const memberId = path.memberId ?? ''
    const outcome = await catchRefusal(
      posted.ask('updateAdminMember', { path: { memberId }, body: rightsTyped(sent), key: readKey(sent) }),
    )
    if ('refusal' in outcome) return roleSheet(posted, problemsFromRefusal(words, outcome.refusal))
    return redirectWithToast(to('settings/people'), 'done.role')
  },
}

export const memberSessionsScreen: Screen = {
  path: 'settings/people/:memberId/sessions',
  name: 'dashboard sign out',
  place: 'settings',
  needs: 'endAdminMemberSessions',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const { id, email } = await memberOf(visit)
    const back = backOf(visit)
    return dialog({
      title: words.say('people.signOutTitle'),
      back,
      lead: words.say('people.signOutLead', { email }),
      body: renderForm(visit, {
        action: to(`settings/people/${id}/sessions`),
        fields: [],
        submit: words.say('people.signOut'),
        cancel: back.href,
      }),
    })
  },
  async post({ ask, to, path, form: sent }) {
    await ask('endAdminMemberSessions', { path: { memberId: path.memberId ?? '' }, body: {}, key: readKey(sent) })
    return redirectWithToast(to('settings/people'), 'done.signedOut')
  },
}

async function removeSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { id, email, status } = await memberOf(visit)
  const back = backOf(visit)
  const kind = status === 'invited' ? 'takeBack' : 'remove'
  return dialog({
    title: words.say(`people.${kind}Title`),
    back,
    lead: words.say(`people.${kind}Lead`, { email }),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`settings/people/${id}/remove`),
      fields: [],
      problems,
      submit: words.say(`people.${kind}`),
      kind: 'danger',
      cancel: back.href,
    }),
  })
}

export const removeMemberScreen: Screen = {
  path: 'settings/people/:memberId/remove',
  name: 'dashboard remove member',
  place: 'settings',
  needs: 'removeAdminMember',
  asksAgain: true,
  get: (visit) => removeSheet(visit),
  async post(posted) {
    const { words, to, path, form: sent } = posted
    const outcome = await catchRefusal(
      posted.ask('removeAdminMember', { path: { memberId: path.memberId ?? '' }, body: {}, key: readKey(sent) }),
    )
    if ('refusal' in outcome) return removeSheet(posted, problemsFromRefusal(words, outcome.refusal))
    return redirectWithToast(to('settings/people'), 'done.memberRemoved')
  },
}
