// Webhook deliveries: the list, one delivery with what was sent, and replays of selected deliveries or of all failed ones that were not
// replayed yet.

import type { AdminWebhookDelivery } from '../../../contract/admin/developers.ts'
import { limits } from '../../../contract/limits.ts'
import { type DeliveryStatus, deliveryStatuses } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { postButton } from '../controls.ts'
import { keyField, readKey } from '../form.ts'
import { button, exactTime, renderCard, renderFacts, renderNotice, statusPill } from '../parts.ts'
import { allRows } from '../rows.ts'
import type { PostedScreen, Screen, ScreenVisit } from '../screen.ts'
import { developerSections, renderSections } from '../sections.ts'
import { hrefWith, renderTable, renderTabs } from '../table.ts'
import { redirectWithToast } from '../toast.ts'

// Statuses in which a delivery can be replayed.
const finalStatuses: readonly DeliveryStatus[] = ['succeeded', 'failed', 'blocked', 'discarded']
const shownStatuses: readonly DeliveryStatus[] = ['failed', 'retrying', 'pending', 'succeeded']

export const deliveriesScreen: Screen = {
  path: 'developers/deliveries',
  name: 'dashboard deliveries',
  place: 'developers',
  needs: 'listAdminWebhookDeliveries',
  async get(visit) {
    const { words, query, to, may } = visit
    const status = deliveryStatuses.find((known) => known === query.get('status'))
    const endpointId = query.get('endpoint')
    const [{ data, meta }, endpoints] = await Promise.all([
      visit.ask('listAdminWebhookDeliveries', {
        query: { ...(status && { status }), ...(endpointId !== null && { endpointId }) },
        cursor: query.get('cursor') ?? undefined,
      }),
      allRows((cursor) => visit.ask('listAdminWebhookEndpoints', { cursor })),
    ])
    const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
    const hasFailed = status === 'failed' ? data.length > 0 : data.some((row) => row.status === 'failed')
    return {
      title: words.say('developers.title'),
      actions:
        hasFailed && may('replayAdminWebhookDeliveries')
          ? replayAllButton(visit, { endpointId: endpointId ?? '', back: to('developers/deliveries'), isOn: true })
          : undefined,
      body: html`${renderSections(visit, developerSections, 'deliveries')}
${renderTabs(visit, words.say('deliveries.views'), [
  { label: words.say('deliveries.all'), query: { status: undefined } },
  ...shownStatuses.map((one) => ({ label: words.say(`state.delivery.${one}`), query: { status: one } })),
])}
${
  endpointId !== null &&
  html`<p class="filter-line">
    ${words.say('deliveries.of', { url: urls.get(endpointId) ?? endpointId })} <a
      href="${hrefWith(visit, { endpoint: undefined, cursor: undefined })}">
      ${words.say('deliveries.ofAll')}
    </a>
  </p>`
}
${deliveryTable(visit, { rows: data, next: meta.next, urls })}`,
    }
  },
}

export interface DeliveryTableParts {
  rows: readonly AdminWebhookDelivery[]
  next: string | null
  // URLs of the endpoints, by id.
  urls?: ReadonlyMap<string, string>
  // Whether the table is on the page of an endpoint.
  isOfOne?: boolean
}

export function deliveryTable(
  visit: ScreenVisit,
  { rows, next, urls = new Map(), isOfOne = false }: DeliveryTableParts,
): Html {
  const { words, to, may } = visit
  return renderTable(visit, {
    label: words.say('developers.deliveries'),
    columns: [
      { head: words.say('deliveries.event'), cell: ({ eventType }) => html`<code>${eventType}</code>`, isMain: true },
      ...(isOfOne
        ? []
        : [
            {
              head: words.say('webhooks.url'),
              cell: ({ endpointId }: AdminWebhookDelivery) =>
                html`<span dir="ltr">${hostOf(urls.get(endpointId)) ?? words.say('deliveries.removed')}</span>`,
              isMinor: true,
            },
          ]),
      { head: words.say('deliveries.status'), cell: ({ status }) => statusPill(words, 'delivery', status) },
      { head: words.say('deliveries.attempts'), cell: ({ attempts }) => words.number(attempts), align: 'end' },
      { head: words.say('deliveries.answer'), cell: (row) => answerText(row) },
      { head: words.say('deliveries.made'), cell: ({ createdAt }) => exactTime(words, createdAt) },
    ],
    rows,
    idOf: ({ id }) => id,
    hrefOf: ({ id }) => to(`developers/deliveries/${id}`),
    choose: !isOfOne &&
      may('replayAdminWebhookDeliveries') && {
        name: 'delivery',
        labelOf: ({ eventType, id }) => `${eventType} ${id}`,
        action: to('developers/replays'),
        actions: html`${keyField()}${button({ label: words.say('deliveries.replay') })}`,
      },
    next,
    empty: { title: words.say('deliveries.empty'), text: words.say('deliveries.emptyText') },
  })
}

function hostOf(url: string | undefined): string | undefined {
  return url?.replace(/^\w+:\/\//, '')
}

function answerText({ lastStatusCode, lastError }: AdminWebhookDelivery): Html | string {
  if (lastStatusCode === null && lastError === null) return html`<span class="soft">–</span>`
  // An error that only repeats the status is omitted.
  const isSaid = lastError === null || lastError === `status ${lastStatusCode}`
  return html`<span class="stack">
    ${lastStatusCode !== null && html`<code>${lastStatusCode}</code>`}
    ${!isSaid && html`<span class="soft small clip">${lastError}</span>`}
  </span>`
}

export const deliveryScreen: Screen = {
  path: 'developers/deliveries/:deliveryId',
  name: 'dashboard delivery',
  place: 'developers',
  needs: 'getAdminWebhookDelivery',
  async get(visit) {
    const { words, to, may, path } = visit
    const { data } = await visit.ask('getAdminWebhookDelivery', { path: { deliveryId: path.deliveryId ?? '' } })
    const { delivery: one, payload } = data
    const canReplay = may('replayAdminWebhookDeliveries') && finalStatuses.includes(one.status) && payload !== null
    return {
      title: one.eventType,
      back: { href: to('developers/deliveries'), label: words.say('developers.deliveries') },
      badge: statusPill(words, 'delivery', one.status),
      actions: canReplay
        ? postButton({
            action: to('developers/replays'),
            label: words.say('deliveries.replay'),
            hidden: { delivery: one.id, ...(one.status === 'succeeded' && { again: 'yes' }) },
            kind: one.status === 'failed' ? 'first' : 'second',
          })
        : undefined,
      body: html`<div class="columns"><div>${renderCard({
        title: words.say('deliveries.payload'),
        body:
          payload === null
            ? renderNotice('info', words.say('deliveries.noPayload'))
            : html`<pre class="code" tabindex="0" aria-label="${words.say('deliveries.payload')}">${indented(payload)}</pre>`,
      })}</div><div>${renderCard({
        title: words.say('webhooks.details'),
        body: renderFacts([
          [words.say('deliveries.attempts'), words.number(one.attempts)],
          [words.say('deliveries.answer'), answerText(one)],
          one.nextAttemptAt !== null && [words.say('deliveries.next'), exactTime(words, one.nextAttemptAt)],
          [words.say('deliveries.made'), exactTime(words, one.createdAt)],
          one.finishedAt !== null && [words.say('deliveries.finished'), exactTime(words, one.finishedAt)],
          [
            words.say('webhooks.one'),
            html`<a href="${to(`developers/webhooks/${one.endpointId}`)}">${one.installation.name}</a>`,
          ],
          one.replayOf !== null && [
            words.say('deliveries.replayOf'),
            html`<a href="${to(`developers/deliveries/${one.replayOf}`)}"><code>${one.replayOf}</code></a>`,
          ],
          [words.say('deliveries.eventId'), html`<code>${one.eventId}</code>`],
          [words.say('deliveries.id'), html`<code>${one.id}</code>`],
        ]),
      })}</div></div>`,
    }
  },
}

function indented(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2)
  } catch {
    return payload
  }
}

export interface ReplayAllParts {
  // '' stands for all endpoints.
  endpointId: string
  back: string
  isOn: boolean
}

export function replayAllButton(
  { words, to, may }: ScreenVisit,
  { endpointId, back, isOn }: ReplayAllParts,
): Html | undefined {
  if (!isOn || !may('replayAdminWebhookDeliveries')) return undefined
  return postButton({
    action: to('developers/replays'),
    label: words.say('deliveries.replayAll'),
    hidden: { all: 'failed', endpoint: endpointId, back },
  })
}

export const replaysScreen: Screen = {
  path: 'developers/replays',
  name: 'dashboard replays',
  place: 'developers',
  needs: 'replayAdminWebhookDeliveries',
  async post(posted) {
    const { form: sent, to } = posted
    const outcomes = sent.get('all') === 'failed' ? await replayAll(posted) : await replayChosen(posted)
    const count = outcomes.filter(({ outcome }) => outcome === 'done').length
    const back = backOf(posted) ?? to('developers/deliveries')
    if (outcomes.length === 0) return redirectWithToast(back, 'done.nothingToReplay')
    return redirectWithToast(back, 'done.replayed', { count, refused: outcomes.length - count })
  },
}

type Outcomes = readonly { outcome: 'done' | 'refused' }[]

async function replayChosen({ ask, form: sent }: PostedScreen): Promise<Outcomes> {
  const deliveryIds = [...new Set(sent.getAll('delivery'))].slice(0, limits.bulkItemsMax)
  if (deliveryIds.length === 0) return []
  const allowSucceeded = sent.get('again') === 'yes'
  const body = { deliveryIds, ...(allowSucceeded && { allowSucceeded }) }
  return (await ask('replayAdminWebhookDeliveries', { body, key: readKey(sent) })).data
}

// Approximate maximum of deliveries that one press replays, over all endpoints.
const replaysMax = 10 * limits.bulkItemsMax

// The operation skips deliveries that were already replayed, so a second press does not repeat them.
async function replayAll({ ask, form: sent }: PostedScreen): Promise<Outcomes> {
  const asked = sent.get('endpoint') ?? ''
  const all = asked === '' ? await allRows((cursor) => ask('listAdminWebhookEndpoints', { cursor })) : []
  const ids = asked === '' ? all.filter(({ status }) => status === 'enabled').map(({ id }) => id) : [asked]
  const key = readKey(sent)
  const outcomes: { outcome: 'done' | 'refused' }[] = []
  for (const endpointId of ids) {
    for (let round = 0; outcomes.length < replaysMax; round++) {
      const { data } = await ask('replayAdminWebhookDeliveries', {
        body: { endpointId },
        key: `${key}-${endpointId}-${round}`,
      })
      outcomes.push(...data)
      if (data.length < limits.bulkItemsMax || data.every(({ outcome }) => outcome === 'refused')) break
    }
  }
  return outcomes
}

function backOf({ form: sent, to }: PostedScreen): string | undefined {
  const back = sent.get('back') ?? ''
  return back.startsWith(to('developers')) && /^[\w\-/]{1,300}$/.test(back) ? back : undefined
}
