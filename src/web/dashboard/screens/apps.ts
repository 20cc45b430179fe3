// Apps and other installations that act for the shop. Apps are installed with OAuth; the merchant's own installations are created here.

import type { AdminInstallation } from '../../../contract/admin/developers.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { splitTypedWords } from '../controls.ts'
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
import { linkButton, renderTime, statusPill } from '../parts.ts'
import { rowWithId } from '../rows.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { developerSections, renderSections } from '../sections.ts'
import { renderTable } from '../table.ts'
import { redirectWithToast } from '../toast.ts'

export const appsScreen: Screen = {
  path: 'developers/apps',
  name: 'dashboard apps',
  place: 'developers',
  needs: 'listAdminInstallations',
  async get(visit) {
    const { words, to, query, may } = visit
    const { data, meta } = await visit.ask('listAdminInstallations', { cursor: query.get('cursor') ?? undefined })
    const create =
      may('createAdminInstallation') &&
      linkButton({ label: words.say('apps.new'), href: to('developers/apps/new'), kind: 'first', isDialog: true })
    return {
      title: words.say('developers.title'),
      actions: data.length > 0 && create ? create : undefined,
      body: html`${renderSections(visit, developerSections, 'apps')}
${renderTable(visit, {
  label: words.say('developers.apps'),
  columns: [
    { head: words.say('apps.name'), cell: ({ name }) => name, isMain: true },
    {
      head: words.say('apps.kind'),
      cell: ({ app }) => (app === null ? words.say('apps.own') : words.say('apps.app', { name: app.name })),
    },
    {
      head: words.say('apps.may'),
      cell: ({ grantedScopes }) => (grantedScopes === null ? words.say('apps.byKeys') : grantedScopes.join(', ')),
      isMinor: true,
    },
    { head: words.say('apps.status'), cell: ({ status }) => statusPill(words, 'installation', status) },
    { head: words.say('apps.since'), cell: ({ createdAt }) => renderTime(words, createdAt) },
    { head: words.say('developers.actions'), align: 'end', cell: (row) => rowActions(visit, row) },
  ],
  rows: data,
  idOf: ({ id }) => id,
  next: meta.next,
  empty: { title: words.say('apps.empty'), text: words.say('apps.emptyText'), action: create },
})}`,
    }
  },
}

function rowActions({ words, to, may }: ScreenVisit, { id, name, status }: AdminInstallation): Html | false {
  if (status !== 'active' || !may('endAdminInstallation')) return false
  return html`<span class="row-actions">
    <a class="danger-link" href="${to(`developers/apps/${id}/end`)}" data-dialog>
      ${words.say('apps.end')}
      <span class="hidden"> ${name}</span>
    </a>
  </span>`
}

function fieldsOf({ words }: ScreenVisit): Field[] {
  return [
    {
      name: 'name',
      label: words.say('apps.name'),
      kind: 'line',
      help: words.say('apps.nameHelp'),
      lengthMax: 200,
      isRequired: true,
      isFirst: true,
    },
    {
      name: 'redirectHosts',
      label: words.say('apps.hosts'),
      kind: 'text',
      help: words.say('apps.hostsHelp'),
      rows: 3,
      lengthMax: 10_000,
    },
  ]
}

function newSheet(
  visit: ScreenVisit,
  { values, problems }: { values?: FieldValues; problems?: Problems } = {},
): ScreenSheet {
  const { words, to } = visit
  const back = { href: to('developers/apps'), label: words.say('developers.apps') }
  return dialog({
    title: words.say('apps.newTitle'),
    back,
    lead: words.say('apps.newLead'),
    status: problems ? 400 : 200,
    body: renderForm(visit, {
      action: to('developers/apps/new'),
      fields: fieldsOf(visit),
      ...(values && { values }),
      problems,
      submit: words.say('apps.create'),
      cancel: back.href,
    }),
  })
}

export const newAppScreen: Screen = {
  path: 'developers/apps/new',
  name: 'dashboard new installation',
  place: 'developers',
  needs: 'createAdminInstallation',
  get: async (visit) => newSheet(visit),
  async post(posted) {
    const { words, to, form: sent } = posted
    const body = {
      name: (sent.get('name') ?? '').trim(),
      redirectHosts: splitTypedWords(sent.get('redirectHosts'), 100),
    }
    const outcome = await catchRefusal(posted.ask('createAdminInstallation', { body, key: readKey(sent) }))
    if ('refusal' in outcome) {
      const fields = fieldsOf(posted)
      const { refusal } = outcome
      const hosts = refusal.details.issues?.find(({ path }) => path.startsWith('/redirectHosts/'))
      const problems = problemsFromRefusal(words, refusal, fields)
      const at = hosts ? { ...problems.at, '/redirectHosts': words.issue(hosts) } : problems.at
      return newSheet(posted, { values: readTypedValues(fields, sent), problems: { ...problems, at } })
    }
    return redirectWithToast(to('developers/apps'), 'done.appMade')
  },
}

export const endAppScreen: Screen = {
  path: 'developers/apps/:installationId/end',
  name: 'dashboard end installation',
  place: 'developers',
  needs: 'endAdminInstallation',
  asksAgain: true,
  async get(visit) {
    const { words, to, path } = visit
    const found = await rowWithId((cursor) => visit.ask('listAdminInstallations', { cursor }), path.installationId)
    if (!found) throw refuse('installation_not_found')
    const back = { href: to('developers/apps'), label: words.say('developers.apps') }
    return dialog({
      title: words.say('apps.endTitle', { name: found.name }),
      back,
      lead: words.say('apps.endLead'),
      body: renderForm(visit, {
        action: to(`developers/apps/${found.id}/end`),
        fields: [],
        submit: words.say('apps.end'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post({ ask, to, path, form: sent }) {
    await ask('endAdminInstallation', {
      path: { installationId: path.installationId ?? '' },
      body: {},
      key: readKey(sent),
    })
    return redirectWithToast(to('developers/apps'), 'done.appEnded')
  },
}
