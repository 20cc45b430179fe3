// Drafts: orders that the merchant prepares for a customer, who pays through a link. The forms are in draftform.ts.

import type { Draft } from '../../../contract/admin/drafts.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { dialog } from '../dialog.ts'
import { keyField, type Problems, problemsFromRefusal, readKey, renderForm } from '../form.ts'
import {
  button,
  exactTime,
  linkButton,
  renderCard,
  renderFacts,
  renderNotice,
  renderTime,
  statusPill,
} from '../parts.ts'
import { loadActorNames } from '../people.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderTable } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import { pricesCard } from './draftform.ts'
import { changesList } from './order.ts'

export const draftsScreen: Screen = {
  path: 'drafts',
  name: 'dashboard drafts',
  place: 'orders',
  needs: 'listAdminDrafts',
  async get(visit) {
    const { words, query, to, may } = visit
    const { data, meta } = await visit.ask('listAdminDrafts', { cursor: query.get('cursor') ?? undefined })
    const add =
      may('createAdminDraft') && linkButton({ label: words.say('drafts.new'), href: to('drafts/new'), kind: 'first' })
    return {
      title: words.say('drafts.title'),
      back: { href: to('orders'), label: words.say('orders.title') },
      sub: words.say('drafts.sub'),
      actions: html`${
        may('listAdminExport') &&
        linkButton({ label: words.say('transfers.export'), href: to('settings/export', { of: 'drafts' }) })
      }
      ${add}`,
      body: renderTable(visit, {
        label: words.say('drafts.title'),
        columns: [
          {
            head: words.say('drafts.customer'),
            cell: ({ emailMasked }) => emailMasked ?? words.say('drafts.noEmail'),
            isMain: true,
          },
          { head: words.say('drafts.created'), cell: ({ createdAt }) => renderTime(words, createdAt), isPlain: true },
          { head: words.say('drafts.expires'), cell: ({ expiresAt }) => renderTime(words, expiresAt), isMinor: true },
          { head: words.say('drafts.status'), cell: ({ status }) => statusPill(words, 'draft', status), isPlain: true },
          {
            head: words.say('drafts.total'),
            cell: ({ total, currency }) => words.money(total, currency),
            align: 'end',
            isCorner: true,
          },
        ],
        rows: data,
        idOf: ({ id }) => id,
        hrefOf: ({ id }) => to(`drafts/${id}`),
        next: meta.next,
        empty: { title: words.say('drafts.none'), text: words.say('drafts.noneText') },
      }),
    }
  },
}

export const draftScreen: Screen = {
  path: 'drafts/:draftId',
  name: 'dashboard draft',
  place: 'orders',
  needs: 'getAdminDraft',
  get: async (visit) => draftSheet(visit, await find(visit)),
}

export const cancelDraftScreen: Screen = {
  path: 'drafts/:draftId/cancel',
  name: 'dashboard draft cancel',
  place: 'orders',
  needs: 'cancelAdminDraft',
  get: async (visit) => cancelSheet(visit, await find(visit)),
  async post(posted) {
    const draftId = idOf(posted)
    const outcome = await catchRefusal(
      posted.ask('cancelAdminDraft', { path: { draftId }, body: {}, key: readKey(posted.form) }),
    )
    if ('refusal' in outcome)
      return cancelSheet(posted, await find(posted), problemsFromRefusal(posted.words, outcome.refusal))
    return redirectWithToast(posted.to(`drafts/${draftId}`), 'done.draftCancelled')
  },
}

export const sendDraftScreen: Screen = {
  path: 'drafts/:draftId/send',
  name: 'dashboard draft send',
  place: 'orders',
  needs: 'sendAdminDraft',
  async post(posted) {
    const draftId = idOf(posted)
    const back = posted.to(`drafts/${draftId}`)
    const outcome = await catchRefusal(
      posted.ask('sendAdminDraft', { path: { draftId }, body: {}, key: readKey(posted.form) }),
    )
    return 'refusal' in outcome ? redirectWithRefusal(back, outcome.refusal) : redirectWithToast(back, 'done.draftSent')
  },
}

function idOf({ path }: ScreenVisit): string {
  return path.draftId ?? ''
}

async function find(visit: ScreenVisit): Promise<Draft> {
  const { data } = await visit.ask('getAdminDraft', { path: { draftId: idOf(visit) } })
  const named = await loadActorNames(
    visit,
    data.changes.map(({ actor }) => actor),
  )
  return { ...data, changes: data.changes.map((change) => ({ ...change, actor: named(change.actor) })) }
}

function draftSheet(visit: ScreenVisit, given: Draft): ScreenSheet {
  const { words, to, may } = visit
  const { id, status, createdAt, expiresAt, emailMasked, currency, order, ofOrder, note, url } = given
  const known = order ?? ofOrder
  const edit =
    status === 'open' &&
    ofOrder === null &&
    may('updateAdminDraft') &&
    linkButton({ label: words.say('drafts.edit'), href: to(`drafts/${id}/edit`) })
  const cancel =
    status === 'open' &&
    may('cancelAdminDraft') &&
    linkButton({ label: words.say('drafts.cancel'), href: to(`drafts/${id}/cancel`), isDialog: true })
  return {
    title: words.say('drafts.one', { date: words.day(new Date(createdAt)) }),
    back: { href: to('drafts'), label: words.say('drafts.title') },
    badge: statusPill(words, 'draft', status),
    actions: html`${cancel}${edit}${
      known &&
      linkButton({
        label: words.say('drafts.toOrder', { number: known.number }),
        href: to(`orders/${known.id}`),
        kind: 'first',
      })
    }`,
    body: html`<div class="columns"><div>
${pricesCard(words, currency, given, status === 'open')}
${renderCard({ title: words.say('order.changes'), body: changesList(words, given.changes) })}
</div><div>
${url !== null && linkCard(visit, given, url)}
${renderCard({
  title: words.say('drafts.who'),
  body: renderFacts([
    [words.say('drafts.email'), emailMasked ?? words.say('drafts.noEmail')],
    [words.say('drafts.expires'), exactTime(words, expiresAt)],
    note !== null && [words.say('drafts.note'), html`<span class="lines" dir="auto">${note}</span>`],
  ]),
})}
</div></div>`,
  }
}

function linkCard(visit: ScreenVisit, { id, emailMasked, emailedAt }: Draft, url: string): Html {
  const { words, to, may, server } = visit
  const send =
    emailMasked !== null &&
    server.sendsMail &&
    may('sendAdminDraft') &&
    html`<form method="post" action="${to(`drafts/${id}/send`)}">
      ${keyField()}
      ${button({ label: words.say('drafts.send', { email: emailMasked }), kind: 'second' })}
    </form>`
  const sent =
    emailedAt !== null && html`<p class="help">${words.say('drafts.sent', { date: words.moment(emailedAt) })}</p>`
  return renderCard({
    title: words.say('drafts.link'),
    body: html`<div class="field whole">
      <label for="draft-link" class="hidden">${words.say('drafts.link')}</label>
      <input id="draft-link" class="mono" dir="ltr" readonly value="${url}">
    </div>
<p class="row-actions start">
  <button type="button" class="button second with-script" data-copy="draft-link">${words.say('drafts.copy')}</button></p>
${send}${sent}
<p class="help">${words.say('drafts.linkHelp')}</p>`,
  })
}

function cancelSheet(visit: ScreenVisit, given: Draft, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const back = { href: to(`drafts/${given.id}`), label: words.say('drafts.title') }
  return dialog({
    title: words.say('drafts.cancelTitle'),
    back,
    lead: words.say('drafts.cancelLead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`drafts/${given.id}/cancel`),
      fields: [],
      before: problems?.summary !== undefined && renderNotice('bad', problems.summary, 'alert'),
      submit: words.say('drafts.cancel'),
      kind: 'danger',
      cancel: back.href,
    }),
  })
}
