// API keys: the list, and creating, rotating and revoking a key. Changing keys asks for the password again.

import type { AdminKey } from '../../../contract/admin/developers.ts'
import { adminScopes, scopes as allScopes, keyKinds, openInterfaceScopes, type Scope } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { type Refusal, refuse } from '../../../platform/kit/refuse.ts'
import { renderCheckboxGroup } from '../controls.ts'
import { dialog } from '../dialog.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { emptyState, linkButton, renderNotice, renderTime, statusPill } from '../parts.ts'
import { allRows, rowWithId } from '../rows.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { secretSheet } from '../secret.ts'
import { developerSections, renderSections } from '../sections.ts'
import { renderTable } from '../table.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'

export const keysScreen: Screen = {
  path: 'developers/keys',
  name: 'dashboard keys',
  place: 'developers',
  needs: 'listAdminKeys',
  async get(visit) {
    const { words, to, query, may } = visit
    const { data, meta } = await visit.ask('listAdminKeys', { cursor: query.get('cursor') ?? undefined })
    const create = may('createAdminKey') && newKeyButton(visit)
    return {
      title: words.say('developers.title'),
      actions: data.length > 0 && create ? create : undefined,
      body: html`${renderSections(visit, developerSections, 'keys')}
${renderTable(visit, {
  label: words.say('developers.keys'),
  columns: [
    { head: words.say('apiKeys.name'), cell: ({ name }) => name, isMain: true },
    {
      head: words.say('apiKeys.key'),
      cell: ({ prefix, last4 }) => html`<code>${prefix}…${last4}</code>`,
    },
    { head: words.say('apiKeys.installation'), cell: ({ installation }) => installation.name },
    {
      head: words.say('apiKeys.scopes'),
      cell: ({ kind, origins, scopes }) => (kind === 'publishable' ? summary(origins) : summary(scopes)),
      isMinor: true,
    },
    {
      head: words.say('apiKeys.lastUsed'),
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? softText(words.say('apiKeys.never')) : renderTime(words, lastUsedAt),
    },
    {
      head: words.say('apiKeys.status'),
      cell: ({ status, expiresAt }) =>
        html`<span class="stack">
    ${statusPill(words, 'key', status)}
    ${
      expiresAt !== null &&
      status !== 'revoked' &&
      html`<span class="soft small">${words.say('apiKeys.until', { date: words.day(expiresAt) })}</span>`
    }
  </span>`,
    },
    {
      head: words.say('developers.actions'),
      align: 'end',
      cell: (key) => keyActions(visit, key),
    },
  ],
  rows: data,
  idOf: ({ id }) => id,
  next: meta.next,
  empty: {
    title: words.say('apiKeys.empty'),
    text: words.say('apiKeys.emptyText'),
    action: create,
  },
})}
<p class="foot-note">
  ${words.say('apiKeys.docs')} <a href="/docs/admin">${words.say('apiKeys.docsLink')}</a> · <a
    href="${to('developers/apps')}">
    ${words.say('developers.apps')}
  </a></p>`,
    }
  },
}

function newKeyButton({ words, to }: ScreenVisit): Html {
  return linkButton({
    label: words.say('apiKeys.new'),
    href: to('developers/keys/new'),
    kind: 'first',
    shortcut: 'edit',
  })
}

function softText(text: string): Html {
  return html`<span class="soft">${text}</span>`
}

function summary(all: readonly string[]): Html {
  const [first = '', ...rest] = all
  return html`<span title="${all.join(', ')}">
    <code>${first}</code>
    ${rest.length > 0 && html` <span class="soft">+${rest.length}</span>`}
  </span>`
}

function keyActions({ words, to, may }: ScreenVisit, { id, status, name }: AdminKey): Html | false {
  if (status === 'revoked' || status === 'expired') return false
  const named = (text: string) => html`${text}<span class="hidden"> ${name}</span>`
  return html`<span class="row-actions">${
    may('rotateAdminKey') &&
    status === 'active' &&
    html`<a href="${to(`developers/keys/${id}/rotate`)}" data-dialog>${named(words.say('apiKeys.rotate'))}</a>`
  }${
    may('revokeAdminKey') &&
    html`<a class="danger-link" href="${to(`developers/keys/${id}/revoke`)}" data-dialog>${named(words.say('apiKeys.revoke'))}</a>`
  }</span>`
}

const lifetimes = ['never', '30', '90', '365'] as const

function keyFields({ words }: ScreenVisit, installations: readonly { id: string; name: string }[]): Field[] {
  return [
    {
      name: 'name',
      label: words.say('apiKeys.name'),
      kind: 'line',
      help: words.say('apiKeys.nameHelp'),
      lengthMax: 200,
      isRequired: true,
      isFirst: true,
    },
    {
      name: 'installationId',
      label: words.say('apiKeys.installation'),
      kind: 'choice',
      help: words.say('apiKeys.installationHelp'),
      options: installations.map(({ id, name }) => ({ value: id, label: name })),
      isRequired: true,
      isHalf: true,
    },
    {
      name: 'lifetime',
      label: words.say('apiKeys.lifetime'),
      kind: 'choice',
      options: lifetimes.map((value) => ({ value, label: words.say(`apiKeys.lifetime.${value}`) })),
      isRequired: true,
      isHalf: true,
    },
    {
      name: 'kind',
      label: words.say('apiKeys.kind'),
      kind: 'choice',
      help: words.say('apiKeys.kindHelp'),
      options: keyKinds.map((value) => ({ value, label: words.say(`apiKeys.kind.${value}`) })),
      isRequired: true,
    },
    {
      name: 'origins',
      label: words.say('apiKeys.origins'),
      kind: 'text',
      help: words.say('apiKeys.originsHelp'),
      rows: 2,
      lengthMax: 2_000,
    },
  ]
}

interface KeyForm {
  values?: FieldValues
  chosen?: readonly string[]
  problems?: Problems
}

async function newKeySheet(
  visit: ScreenVisit,
  { values, chosen = ['catalog:read'], problems }: KeyForm = {},
): Promise<ScreenSheet> {
  const { words, to } = visit
  const back = { href: to('developers/keys'), label: words.say('developers.keys') }
  const title = words.say('apiKeys.newTitle')
  const installations = (await allRows((cursor) => visit.ask('listAdminInstallations', { cursor }))).filter(
    ({ status }) => status === 'active',
  )
  if (installations.length === 0)
    return {
      title,
      back,
      width: 'narrow',
      body: html`<div class="card">${emptyState({
        title: words.say('apiKeys.noInstallation'),
        text: words.say('apiKeys.noInstallationText'),
        action: linkButton({ label: words.say('apps.new'), href: to('developers/apps/new'), kind: 'first' }),
      })}</div>`,
    }
  const boxes = (name: string, legend: string, scopes: readonly Scope[], help?: string) =>
    renderCheckboxGroup({
      name,
      legend,
      ...(help !== undefined && { help }),
      options: scopes.map((scope) => ({ value: scope, label: scope, help: words.say(`scope.${scope}`) })),
      chosen,
    })
  return {
    title,
    back,
    width: 'narrow',
    status: problems ? 400 : 200,
    body: html`<div class="card"><div class="card-body"><p class="lead">${words.say('apiKeys.newLead')}</p>${renderForm(
      visit,
      {
        action: to('developers/keys/new'),
        fields: keyFields(visit, installations),
        ...(values && { values }),
        problems,
        submit: words.say('apiKeys.create'),
        cancel: back.href,
        more: html`${problems?.at['/scopes'] !== undefined && renderNotice('bad', problems.at['/scopes'], 'alert')}
${boxes('scope', words.say('apiKeys.scopesOpen'), openInterfaceScopes)}
${boxes('scope', words.say('apiKeys.scopesAdmin'), adminScopes, words.say('apiKeys.scopesAdminHelp'))}`,
      },
    )}</div></div>`,
  }
}

// Rounded to the day, so posting the form twice sends the same body.
function expiryOf(now: Date, lifetime: string | null): string | undefined {
  const days = Number(lifetime)
  if (!lifetimes.some((known) => known === lifetime) || !(days > 0)) return undefined
  return `${new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`
}

export const newKeyScreen: Screen = {
  path: 'developers/keys/new',
  name: 'dashboard new key',
  place: 'developers',
  needs: 'createAdminKey',
  asksAgain: true,
  get: (visit) => newKeySheet(visit),
  async post(posted) {
    const { words, form: sent, now } = posted
    const chosen = allScopes.filter((scope) => sent.getAll('scope').includes(scope))
    const fields = keyFields(posted, [])
    const expiresAt = expiryOf(now, sent.get('lifetime'))
    const again = (problems: Problems) =>
      newKeySheet(posted, { values: readTypedValues(fields, sent), chosen, problems })
    const isForPages = sent.get('kind') === 'publishable'
    if (chosen.length === 0 && !isForPages)
      return again({ summary: words.say('form.problem'), at: { '/scopes': words.say('apiKeys.noScope') } })
    const body = {
      name: (sent.get('name') ?? '').trim(),
      installationId: sent.get('installationId') ?? '',
      scopes: isForPages ? [] : chosen,
      ...(isForPages && { kind: 'publishable' as const, origins: originsIn(sent.get('origins')) }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
    const outcome = await catchRefusal(posted.ask('createAdminKey', { body, key: readKey(sent) }), [
      'installation_not_found',
    ])
    if ('refusal' in outcome) return again(problemsIn(words, outcome.refusal, fields))
    const { key, secret } = outcome.reply.data
    const lead = words.say(isForPages ? 'apiKeys.madeForPages' : 'apiKeys.madeLead')
    return keySheet(posted, { title: words.say('apiKeys.made', { name: key.name }), lead, secret })
  },
}

// Reads origins, separated by white space.
function originsIn(text: string | null): string[] {
  return (text ?? '').split(/\s+/).filter(Boolean)
}

// All origins are in one field, so only the first of their problems is shown.
function problemsIn(words: DashboardWords, refusal: Refusal, fields: readonly Field[]): Problems {
  const wrong = refusal.details.issues?.find(({ path }) => path.startsWith('/origins/'))
  if (!wrong) return problemsFromRefusal(words, refusal, fields)
  return { summary: words.say('form.problem'), at: { '/origins': words.issue(wrong) } }
}

function keySheet(
  { words, to, ...visit }: PostedScreen,
  { title, lead, secret }: { title: string; lead: string; secret: string },
): ScreenSheet {
  return secretSheet(
    { words, to, ...visit },
    {
      title,
      lead,
      label: words.say('apiKeys.key'),
      secret,
      back: { href: to('developers/keys'), label: words.say('developers.keys') },
    },
  )
}

async function keyOf(visit: ScreenVisit): Promise<AdminKey> {
  const key = await rowWithId((cursor) => visit.ask('listAdminKeys', { cursor }), visit.path.keyId)
  if (!key) throw refuse('credential_not_found')
  return key
}

const overlaps = ['24', '168', '0'] as const

function rotateFields({ words }: ScreenVisit): Field[] {
  return [
    {
      name: 'overlapHours',
      label: words.say('apiKeys.overlap'),
      kind: 'choice',
      help: words.say('apiKeys.overlapHelp'),
      options: overlaps.map((value) => ({ value, label: words.say(`apiKeys.overlap.${value}`) })),
      isRequired: true,
    },
  ]
}

async function rotateSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { id, name } = await keyOf(visit)
  const back = { href: to('developers/keys'), label: words.say('developers.keys') }
  return dialog({
    title: words.say('apiKeys.rotateTitle', { name }),
    back,
    lead: words.say('apiKeys.rotateLead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`developers/keys/${id}/rotate`),
      fields: rotateFields(visit),
      problems,
      submit: words.say('apiKeys.rotate'),
      cancel: back.href,
    }),
  })
}

export const rotateKeyScreen: Screen = {
  path: 'developers/keys/:keyId/rotate',
  name: 'dashboard rotate key',
  place: 'developers',
  needs: 'rotateAdminKey',
  asksAgain: true,
  get: (visit) => rotateSheet(visit),
  async post(posted) {
    const { words, path, form: sent } = posted
    const asked = buildBody(words, [{ ...rotateFields(posted)[0], kind: 'whole' } as Field], sent)
    if ('problems' in asked) return rotateSheet(posted, asked.problems)
    const outcome = await catchRefusal(
      posted.ask('rotateAdminKey', { path: { keyId: path.keyId ?? '' }, body: asked.body, key: readKey(sent) }),
    )
    if ('refusal' in outcome) return rotateSheet(posted, problemsFromRefusal(words, outcome.refusal))
    const { key, secret } = outcome.reply.data
    const lead = words.say(key.kind === 'publishable' ? 'apiKeys.madeForPages' : 'apiKeys.madeLead')
    return keySheet(posted, { title: words.say('apiKeys.rotated', { name: key.name }), lead, secret })
  },
}

export const revokeKeyScreen: Screen = {
  path: 'developers/keys/:keyId/revoke',
  name: 'dashboard revoke key',
  place: 'developers',
  needs: 'revokeAdminKey',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const { id, name } = await keyOf(visit)
    const back = { href: to('developers/keys'), label: words.say('developers.keys') }
    return dialog({
      title: words.say('apiKeys.revokeTitle', { name }),
      back,
      lead: words.say('apiKeys.revokeLead'),
      body: renderForm(visit, {
        action: to(`developers/keys/${id}/revoke`),
        fields: [],
        submit: words.say('apiKeys.revoke'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post({ ask, path, form: sent, to }) {
    await ask('revokeAdminKey', { path: { keyId: path.keyId ?? '' }, body: {}, key: readKey(sent) })
    return redirectWithToast(to('developers/keys'), 'done.keyRevoked')
  },
}
