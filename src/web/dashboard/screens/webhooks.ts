// Webhook endpoints: the list with their health, an endpoint with its last deliveries, and the actions on an endpoint.

import type { AdminWebhookEndpoint } from '../../../contract/admin/developers.ts'
import { eventKinds } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { postButton, splitTypedWords } from '../controls.ts'
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
import {
  emptyState,
  exactTime,
  linkButton,
  renderCard,
  renderFacts,
  renderNotice,
  renderTime,
  statusPill,
} from '../parts.ts'
import { allRows, rowWithId } from '../rows.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { secretSheet } from '../secret.ts'
import { developerSections, renderSections } from '../sections.ts'
import { renderTable } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import { deliveryTable, replayAllButton } from './deliveries.ts'

export const webhooksScreen: Screen = {
  path: 'developers',
  name: 'dashboard webhooks',
  place: 'developers',
  needs: 'listAdminWebhookEndpoints',
  async get(visit) {
    const { words, to, query, may } = visit
    const { data, meta } = await visit.ask('listAdminWebhookEndpoints', { cursor: query.get('cursor') ?? undefined })
    const create =
      may('createAdminWebhookEndpoint') &&
      linkButton({ label: words.say('webhooks.new'), href: to('developers/webhooks/new'), kind: 'first' })
    return {
      title: words.say('developers.title'),
      actions: data.length > 0 && create ? create : undefined,
      body: html`${renderSections(visit, developerSections, 'webhooks')}
${renderTable(visit, {
  label: words.say('developers.webhooks'),
  columns: [
    {
      head: words.say('webhooks.url'),
      cell: ({ url, description, installation }) =>
        html`<span class="stack">
    <span dir="ltr">${url}</span>
    <span class="soft small">
      ${description !== '' && html`<bdi>${description}</bdi> · `}<bdi>${installation.name}</bdi>
    </span>
  </span>`,
      isMain: true,
    },
    { head: words.say('webhooks.health'), cell: (endpoint) => healthPill(visit, endpoint) },
    {
      head: words.say('webhooks.lastSuccess'),
      cell: ({ health }) =>
        health.lastSuccessAt === null
          ? html`<span class="soft">${words.say('webhooks.never')}</span>`
          : renderTime(words, health.lastSuccessAt),
    },
    { head: words.say('webhooks.waiting'), cell: ({ health }) => words.number(health.pending), align: 'end' },
    { head: words.say('webhooks.events'), cell: ({ events }) => eventSummary(visit, events), isMinor: true },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`developers/webhooks/${id}`),
  next: meta.next,
  empty: { title: words.say('webhooks.empty'), text: words.say('webhooks.emptyText'), action: create },
})}`,
    }
  },
}

// Shows whether deliveries succeed, which merchants must see at a glance.
function healthPill({ words }: ScreenVisit, { status, health }: AdminWebhookEndpoint): Html {
  if (status !== 'enabled') return statusPill(words, 'endpoint', status)
  if (health.consecutiveFailures > 0)
    return html`<span class="stack">
      ${statusPill(words, 'endpoint', 'failing')}
      <span class="soft small">${words.say('webhooks.inARow', { count: health.consecutiveFailures })}</span>
    </span>`
  return statusPill(words, 'endpoint', health.lastSuccessAt === null ? 'unused' : 'healthy')
}

function eventSummary({ words }: ScreenVisit, events: readonly string[]): Html | string {
  if (events.includes('*')) return words.say('webhooks.allEvents')
  const [first = '', ...rest] = events
  return html`<span title="${events.join(', ')}">
    <code>${first}</code>
    ${rest.length > 0 && html` <span class="soft">+${rest.length}</span>`}
  </span>`
}

async function endpointOf(visit: ScreenVisit): Promise<AdminWebhookEndpoint> {
  const found = await rowWithId((cursor) => visit.ask('listAdminWebhookEndpoints', { cursor }), visit.path.endpointId)
  if (!found) throw refuse('webhook_endpoint_not_found')
  return found
}

export const webhookScreen: Screen = {
  path: 'developers/webhooks/:endpointId',
  name: 'dashboard webhook',
  place: 'developers',
  needs: 'listAdminWebhookEndpoints',
  async get(visit) {
    const { words, to, may, query } = visit
    const endpoint = await endpointOf(visit)
    const { id, status, health, secretRotation } = endpoint
    const isFailedOnly = query.get('status') === 'failed'
    const deliveries = await visit.ask('listAdminWebhookDeliveries', {
      query: { endpointId: id, ...(isFailedOnly && { status: 'failed' }) },
      cursor: query.get('cursor') ?? undefined,
    })
    const at = (deed: string) => to(`developers/webhooks/${id}/${deed}`)
    const isOn = status === 'enabled'
    return {
      title: words.say('webhooks.one'),
      back: { href: to('developers'), label: words.say('developers.webhooks') },
      badge: healthPill(visit, endpoint),
      actions: html`${may('testAdminWebhookEndpoint') && isOn && postButton({ action: at('test'), label: words.say('webhooks.test') })}${
        may('updateAdminWebhookEndpoint') &&
        html`${postButton({
          action: at('status'),
          label: words.say(isOn ? 'webhooks.pause' : 'webhooks.resume'),
          hidden: { status: isOn ? 'paused' : 'enabled' },
          kind: isOn ? 'second' : 'first',
        })}${linkButton({ label: words.say('webhooks.edit'), href: at('edit'), isDialog: true, shortcut: 'edit' })}`
      }`,
      body: html`${
        status === 'disabled' &&
        html`<div class="gap">${renderNotice(
          'bad',
          words.sayKnown(`webhooks.disabled.${endpoint.disabledReason}`, words.say('webhooks.disabled.operator')),
        )}</div>`
      }
<div class="columns">
<div>
${renderCard({
  title: words.say('webhooks.calls'),
  aside: html`<div class="row-actions">${failedLink(visit)}${
    deliveries.data.some((row) => row.status === 'failed')
      ? replayAllButton(visit, { endpointId: id, back: to(`developers/webhooks/${id}`), isOn })
      : false
  }</div>`,
  isFlush: true,
  body: deliveryTable(visit, { rows: deliveries.data, next: deliveries.meta.next, isOfOne: true }),
})}
</div>
<div>
${renderCard({
  title: words.say('webhooks.details'),
  body: renderFacts([
    [words.say('webhooks.url'), html`<span dir="ltr">${endpoint.url}</span>`],
    endpoint.description !== '' && [words.say('webhooks.description'), endpoint.description],
    [words.say('apiKeys.installation'), endpoint.installation.name],
    endpoint.key !== null && [words.say('webhooks.endsWith'), endsWith(visit, endpoint.key)],
    [
      words.say('webhooks.events'),
      endpoint.events.includes('*')
        ? words.say('webhooks.allEvents')
        : html`<span class="tags">${endpoint.events.map((event) => html`<code>${event}</code> `)}</span>`,
    ],
    [words.say('webhooks.waiting'), words.number(health.pending)],
    [words.say('webhooks.lastSuccess'), whenOr(visit, health.lastSuccessAt)],
    [words.say('webhooks.lastFailure'), whenOr(visit, health.lastFailureAt)],
  ]),
})}
${renderCard({
  title: words.say('webhooks.secret'),
  body: html`<p><code>${endpoint.secretHint}</code></p>
${
  secretRotation.active &&
  secretRotation.previousExpiresAt !== null &&
  html`<p class="help">${words.say('webhooks.oldSecret', { date: words.moment(secretRotation.previousExpiresAt) })}</p>`
}
<div class="form-foot">${
    may('rotateAdminWebhookSecret') &&
    linkButton({ label: words.say('webhooks.rotate'), href: at('secret'), isDialog: true })
  }${
    may('removeAdminWebhookEndpoint') &&
    linkButton({ label: words.say('webhooks.remove'), href: at('remove'), isDialog: true, kind: 'plain' })
  }</div>`,
})}
</div>
</div>`,
    }
  },
}

// Warns that the endpoint gets no events once the API key that created it is revoked or has expired. Saving the endpoint makes it
// independent of the key.
function endsWith({ words, to, may }: ScreenVisit, { name }: NonNullable<AdminWebhookEndpoint['key']>): Html {
  const text = words.say('webhooks.endsWithKey', { name })
  return html`${may('listAdminKeys') ? html`<a href="${to('developers/keys')}">${text}</a>` : text}
  <br>
  <span class="help">${words.say('webhooks.endsWithHelp')}</span>`
}

function failedLink({ words, query, to, path }: ScreenVisit): Html {
  const isFailed = query.get('status') === 'failed'
  const href = to(`developers/webhooks/${path.endpointId}`, { status: isFailed ? undefined : 'failed' })
  return html`<a href="${href}">${words.say(isFailed ? 'webhooks.showAll' : 'webhooks.showFailed')}</a>`
}

function whenOr({ words }: ScreenVisit, instant: string | null): Html | string {
  return instant === null ? words.say('webhooks.never') : exactTime(words, instant)
}

function endpointFields(visit: ScreenVisit, installations?: readonly { id: string; name: string }[]): Field[] {
  const { words } = visit
  return [
    {
      name: 'url',
      label: words.say('webhooks.url'),
      kind: 'url',
      help: words.say('webhooks.urlHelp'),
      lengthMax: 2_000,
      isRequired: true,
      isFirst: true,
    },
    ...(installations
      ? [
          {
            name: 'installationId',
            label: words.say('apiKeys.installation'),
            kind: 'choice',
            help: words.say('webhooks.installationHelp'),
            options: installations.map(({ id, name }) => ({ value: id, label: name })),
            isRequired: true,
          } as const,
        ]
      : []),
    {
      name: 'events',
      label: words.say('webhooks.events'),
      kind: 'text',
      help: words.say('webhooks.eventsHelp'),
      rows: 3,
      lengthMax: 4_000,
    },
    { name: 'description', label: words.say('webhooks.description'), kind: 'line', lengthMax: 200 },
  ]
}

function eventList({ words }: ScreenVisit): Html {
  const names = eventKinds.filter((kind) => kind !== 'webhook.ping' && kind !== 'webhook.fixture')
  return html`<details>
    <summary>${words.say('webhooks.eventNames')}</summary>
    <p class="tags">${names.map((kind) => html`<code>${kind}</code> `)}</p>
  </details>`
}

interface EndpointForm {
  values?: FieldValues
  problems?: Problems
  shown?: ShownParts
}

async function newSheet(
  visit: ScreenVisit,
  { values = { events: '*' }, problems }: EndpointForm = {},
): Promise<ScreenSheet> {
  const { words, to } = visit
  const back = { href: to('developers'), label: words.say('developers.webhooks') }
  const title = words.say('webhooks.newTitle')
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
  return {
    title,
    back,
    width: 'narrow',
    status: problems ? 400 : 200,
    body: html`<div class="card"><div class="card-body"><p class="lead">${words.say('webhooks.newLead')}</p>${renderForm(
      visit,
      {
        action: to('developers/webhooks/new'),
        fields: endpointFields(visit, installations),
        values,
        problems,
        submit: words.say('webhooks.create'),
        cancel: back.href,
        more: eventList(visit),
      },
    )}</div></div>`,
  }
}

function endpointBody(sent: FormFields) {
  const events = splitTypedWords(sent.get('events'), 100)
  return {
    url: (sent.get('url') ?? '').trim(),
    description: (sent.get('description') ?? '').trim(),
    events: events.length === 0 ? ['*'] : [...new Set(events)],
  }
}

// Shows issues of an event, such as /events/2, at the field for all events.
function endpointProblems(
  { words }: ScreenVisit,
  refusal: Parameters<typeof problemsFromRefusal>[1],
  fields: readonly Field[],
) {
  const issues = (refusal.details.issues ?? []).map((issue) => ({
    ...issue,
    path: issue.path.replace(/^\/events\/.*/, '/events'),
  }))
  return problemsFromRefusal(
    words,
    Object.assign(Object.create(refusal), { details: { ...refusal.details, issues } }),
    fields,
  )
}

export const newWebhookScreen: Screen = {
  path: 'developers/webhooks/new',
  name: 'dashboard new webhook',
  place: 'developers',
  needs: 'createAdminWebhookEndpoint',
  get: (visit) => newSheet(visit),
  async post(posted) {
    const { words, form: sent } = posted
    const body = { ...endpointBody(sent), installationId: sent.get('installationId') ?? '' }
    const outcome = await catchRefusal(posted.ask('createAdminWebhookEndpoint', { body, key: readKey(sent) }), [
      'installation_not_found',
    ])
    if ('refusal' in outcome) {
      const fields = endpointFields(posted, [])
      const problems = endpointProblems(posted, outcome.refusal, fields)
      return newSheet(posted, { values: readTypedValues(fields, sent), problems })
    }
    const { endpoint, secret } = outcome.reply.data
    return hookSecret(posted, endpoint.id, words.say('webhooks.made'), secret)
  },
}

function hookSecret(posted: PostedScreen, id: string, title: string, secret: string): ScreenSheet {
  const { words, to } = posted
  return secretSheet(posted, {
    title,
    lead: words.say('webhooks.madeLead'),
    label: words.say('webhooks.secret'),
    secret,
    back: { href: to(`developers/webhooks/${id}`), label: words.say('webhooks.one') },
  })
}

// Values that the page showed. Only changed values are sent, because credentials in the shown URL may be masked and another person may
// have changed other values.
interface ShownParts {
  shownUrl: string
  shownDescription: string
  shownEvents: string
}

function shownParts({
  url,
  description,
  events,
}: {
  url: string
  description: string
  events: readonly string[]
}): ShownParts {
  return { shownUrl: url, shownDescription: description, shownEvents: events.join(' ') }
}

async function editSheet(visit: ScreenVisit, { values, problems, shown }: EndpointForm = {}): Promise<ScreenSheet> {
  const { words, to } = visit
  const { id, url, events, description } = await endpointOf(visit)
  const back = { href: to(`developers/webhooks/${id}`), label: words.say('webhooks.one') }
  return dialog({
    title: words.say('webhooks.editTitle'),
    back,
    status: problems ? 400 : 200,
    body: renderForm(visit, {
      action: to(`developers/webhooks/${id}/edit`),
      fields: endpointFields(visit),
      values: values ?? { url, description, events: events.join('\n') },
      hidden: { ...(shown ?? shownParts({ url, description, events })) },
      problems,
      submit: words.say('action.save'),
      cancel: back.href,
      more: eventList(visit),
    }),
  })
}

export const editWebhookScreen: Screen = {
  path: 'developers/webhooks/:endpointId/edit',
  name: 'dashboard edit webhook',
  place: 'developers',
  needs: 'updateAdminWebhookEndpoint',
  get: (visit) => editSheet(visit),
  async post(posted) {
    const { to, path, form: sent } = posted
    const shown = {
      shownUrl: sent.get('shownUrl') ?? '',
      shownDescription: sent.get('shownDescription') ?? '',
      shownEvents: sent.get('shownEvents') ?? '',
    }
    const typed = endpointBody(sent)
    const now = shownParts(typed)
    const body = {
      ...(now.shownUrl !== shown.shownUrl && { url: typed.url }),
      ...(now.shownDescription !== shown.shownDescription && { description: typed.description }),
      ...(now.shownEvents !== shown.shownEvents && { events: typed.events }),
    }
    // Saving an endpoint that a key created makes it independent of the key, so the save is sent even without changes.
    const isNothing = Object.keys(body).length === 0 && (await endpointOf(posted)).key === null
    if (isNothing) return redirectWithToast(to(`developers/webhooks/${path.endpointId}`), 'done.nothing')
    const outcome = await catchRefusal(
      posted.ask('updateAdminWebhookEndpoint', {
        path: { endpointId: path.endpointId ?? '' },
        body,
        key: readKey(sent),
      }),
    )
    if ('refusal' in outcome) {
      const fields = endpointFields(posted)
      const problems = endpointProblems(posted, outcome.refusal, fields)
      return editSheet(posted, { values: readTypedValues(fields, sent), problems, shown })
    }
    return redirectWithToast(to(`developers/webhooks/${path.endpointId}`), 'done.hookSaved')
  },
}

export const webhookStatusScreen: Screen = {
  path: 'developers/webhooks/:endpointId/status',
  name: 'dashboard pause webhook',
  place: 'developers',
  needs: 'updateAdminWebhookEndpoint',
  async post({ ask, to, path, form: sent }) {
    const status = sent.get('status') === 'enabled' ? 'enabled' : 'paused'
    const endpointId = path.endpointId ?? ''
    const back = to(`developers/webhooks/${endpointId}`)
    const outcome = await catchRefusal(
      ask('updateAdminWebhookEndpoint', { path: { endpointId }, body: { status }, key: readKey(sent) }),
    )
    if ('refusal' in outcome) return redirectWithRefusal(back, outcome.refusal)
    return redirectWithToast(back, status === 'enabled' ? 'done.hookResumed' : 'done.hookPaused')
  },
}

export const testWebhookScreen: Screen = {
  path: 'developers/webhooks/:endpointId/test',
  name: 'dashboard test webhook',
  place: 'developers',
  needs: 'testAdminWebhookEndpoint',
  async post({ ask, to, path, form: sent }) {
    const endpointId = path.endpointId ?? ''
    const back = to(`developers/webhooks/${endpointId}`)
    const outcome = await catchRefusal(
      ask('testAdminWebhookEndpoint', { path: { endpointId }, body: {}, key: readKey(sent) }),
    )
    return 'refusal' in outcome
      ? redirectWithRefusal(back, outcome.refusal)
      : redirectWithToast(back, 'done.hookTested')
  },
}

export const webhookSecretScreen: Screen = {
  path: 'developers/webhooks/:endpointId/secret',
  name: 'dashboard webhook secret',
  place: 'developers',
  needs: 'rotateAdminWebhookSecret',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const { id } = await endpointOf(visit)
    const back = { href: to(`developers/webhooks/${id}`), label: words.say('webhooks.one') }
    return dialog({
      title: words.say('webhooks.rotateTitle'),
      back,
      lead: words.say('webhooks.rotateLead'),
      body: renderForm(visit, {
        action: to(`developers/webhooks/${id}/secret`),
        fields: [],
        submit: words.say('webhooks.rotate'),
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    const { words, path, form: sent } = posted
    const endpointId = path.endpointId ?? ''
    const { data } = await posted.ask('rotateAdminWebhookSecret', {
      path: { endpointId },
      body: {},
      key: readKey(sent),
    })
    return hookSecret(posted, endpointId, words.say('webhooks.rotated'), data.secret)
  },
}

export const removeWebhookScreen: Screen = {
  path: 'developers/webhooks/:endpointId/remove',
  name: 'dashboard remove webhook',
  place: 'developers',
  needs: 'removeAdminWebhookEndpoint',
  async get(visit) {
    const { words, to } = visit
    const { id, url, health } = await endpointOf(visit)
    const back = { href: to(`developers/webhooks/${id}`), label: words.say('webhooks.one') }
    return dialog({
      title: words.say('webhooks.removeTitle'),
      back,
      lead: words.say('webhooks.removeLead', { url, count: health.pending }),
      body: renderForm(visit, {
        action: to(`developers/webhooks/${id}/remove`),
        fields: [],
        submit: words.say('webhooks.remove'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post({ ask, to, path, form: sent }) {
    await ask('removeAdminWebhookEndpoint', {
      path: { endpointId: path.endpointId ?? '' },
      body: {},
      key: readKey(sent),
    })
    return redirectWithToast(to('developers'), 'done.hookRemoved')
  },
}
