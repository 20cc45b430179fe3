// Redirects from old URLs of the online store: the list, creating, editing and removing.

import type { AdminRedirect, AdminRedirectListQuery } from '../../../contract/admin/redirects.ts'
import { redirectCauses } from '../../../contract/words.ts'
import { html } from '../../../platform/html/html.ts'
import { renderFilters } from '../filters.ts'
import {
  type Field,
  type FieldValues,
  keyField,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { button, linkButton, renderCard } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderSections, storeSections } from '../sections.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import { hrefWith, renderTable, renderTabs } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'

export const storeRedirectsScreen: Screen = {
  path: 'store/redirects',
  name: 'dashboard store redirects',
  place: 'store',
  needs: 'listAdminRedirects',
  async get(visit) {
    const { words, query, to, may } = visit
    const asked = Object.fromEntries(
      ['q', 'cause'].flatMap((name) => {
        const value = query.get(name)?.trim()
        return value ? [[name, value]] : []
      }),
    ) as AdminRedirectListQuery
    const cursor = query.get('cursor') ?? undefined
    const { data, meta } = await visit.ask('listAdminRedirects', { query: asked, cursor })
    const add =
      may('createAdminRedirect') &&
      linkButton({ label: words.say('redirects.new'), href: to('store/redirects/new'), kind: 'first' })
    return {
      title: words.say('store.title'),
      actions: html`${add}`,
      body: html`${renderSections(visit, storeSections, 'redirects')}<div class="toolbar">${renderTabs(
        visit,
        words.say('redirects.cause'),
        [undefined, ...redirectCauses].map((cause) => ({
          label: words.say(cause ? `redirects.cause.${cause}` : 'products.all'),
          query: { cause },
        })),
        'chips',
      )}
${renderFilters(visit, ['cause'], [{ name: 'q', label: words.say('redirects.find'), kind: 'line' }])}</div>
${renderTable(visit, {
  label: words.say('redirects.list'),
  columns: [
    { head: words.say('redirects.from'), cell: ({ from }) => html`<bdi>${from}</bdi>`, isMain: true },
    {
      head: words.say('redirects.to'),
      cell: ({ to: target }) => (target === null ? words.say('redirects.gone') : html`<bdi>${target}</bdi>`),
    },
    { head: words.say('redirects.cause'), cell: ({ cause }) => words.say(`redirects.cause.${cause}`), isMinor: true },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`store/redirects/${id}`),
  next: meta.next,
  empty:
    Object.keys(asked).length > 0
      ? {
          title: words.say('redirects.noneFound'),
          action: linkButton({
            label: words.say('redirects.seeAll'),
            href: hrefWith(visit, { q: undefined, cause: undefined, cursor: undefined }),
          }),
        }
      : { title: words.say('redirects.none'), text: words.say('redirects.noneText'), action: add },
})}`,
    }
  },
}

function fieldsOf({ words }: ScreenVisit, isNew: boolean): Field[] {
  const from: Field = {
    name: 'from',
    label: words.say('redirects.from'),
    kind: 'line',
    lengthMax: 1500,
    isRequired: true,
    isFirst: true,
    help: words.say('redirects.fromHelp'),
  }
  const to: Field = {
    name: 'to',
    label: words.say('redirects.to'),
    kind: 'line',
    lengthMax: 500,
    help: words.say('redirects.toHelp'),
  }
  return isNew ? [from, to] : [to]
}

// Returns the path of a typed URL. A text without a scheme is taken as a path, and gets a leading slash if it has none.
function pathIn(text: string | null, keepsQuery: boolean): string {
  const typed = (text ?? '').trim()
  const url = /^https?:\/\//i.test(typed) ? URL.parse(typed) : null
  if (!url) return typed.startsWith('/') || typed === '' ? typed : `/${typed}`
  return keepsQuery ? url.pathname + url.search : url.pathname
}

interface RedirectState {
  values: FieldValues
  present?: AdminRedirect
  problems?: Problems
}

function redirectSheet(visit: ScreenVisit, { values, present, problems }: RedirectState): ScreenSheet {
  const { words, to, may } = visit
  const path = present ? `store/redirects/${present.id}` : 'store/redirects/new'
  const back = { href: to('store/redirects'), label: words.say('redirects.list') }
  const frame = { title: present?.from ?? words.say('redirects.new'), back, width: 'narrow' } as const
  if (!may('createAdminRedirect'))
    return { ...frame, body: renderCard({ body: html`<p>${present?.to ?? words.say('redirects.gone')}</p>` }) }
  return {
    ...frame,
    status: problems ? 400 : 200,
    body: html`${renderCard({
      body: renderForm(visit, {
        action: to(path),
        fields: fieldsOf(visit, !present),
        values,
        problems,
        hidden: present ? { version: present.version } : {},
        submit: words.say('action.save'),
        cancel: back.href,
      }),
    })}
    ${
      present &&
      html`<form class="row-actions start" method="post" action="${to(`${path}/remove`)}">
        ${keyField()}
        <input type="hidden" name="version" value="${present.version}">
        ${button({ label: words.say('redirects.remove'), kind: 'danger' })}
      </form>`
    }`,
  }
}

export const newStoreRedirectScreen: Screen = {
  path: 'store/redirects/new',
  name: 'dashboard new store redirect',
  place: 'store',
  needs: 'createAdminRedirect',
  async get(visit) {
    return redirectSheet(visit, { values: { from: visit.query.get('from')?.slice(0, 500) ?? '', to: '' } })
  },
  async post(posted) {
    const { words, to, form: sent } = posted
    const fields = fieldsOf(posted, true)
    const target = pathIn(sent.get('to'), true)
    const body = { from: pathIn(sent.get('from'), false), to: target === '' ? null : target }
    const outcome = await catchRefusal(posted.change('createAdminRedirect', { body, key: readKey(sent) }))
    if ('refusal' in outcome) {
      const problems = problemsFromRefusal(words, outcome.refusal, fields)
      return redirectSheet(posted, { values: readTypedValues(fields, sent), problems })
    }
    return redirectWithToast(to('store/redirects'), 'done.redirectSaved', { change: outcome.reply.change })
  },
}

export const storeRedirectScreen: Screen = {
  path: 'store/redirects/:redirectId',
  name: 'dashboard store redirect',
  place: 'store',
  needs: 'getAdminRedirect',
  async get(visit) {
    const { data: present } = await visit.ask('getAdminRedirect', { path: idIn(visit) })
    return redirectSheet(visit, { values: { to: present.to ?? '' }, present })
  },
  async post(posted) {
    refuseUnlessAllowed(posted, 'replaceAdminRedirect')
    const { words, to, form: sent } = posted
    const path = idIn(posted)
    const { data: present } = await posted.ask('getAdminRedirect', { path })
    const fields = fieldsOf(posted, false)
    const target = pathIn(sent.get('to'), true)
    const body = { to: target === '' ? null : target, expectedVersion: Number(sent.get('version')) }
    const outcome = await catchRefusal(posted.change('replaceAdminRedirect', { path, body, key: readKey(sent) }))
    if ('refusal' in outcome) {
      const problems = problemsFromRefusal(words, outcome.refusal, fields)
      return redirectSheet(posted, { values: readTypedValues(fields, sent), present, problems })
    }
    return redirectWithToast(to('store/redirects'), 'done.redirectSaved', { change: outcome.reply.change })
  },
}

export const removeStoreRedirectScreen: Screen = {
  path: 'store/redirects/:redirectId/remove',
  name: 'dashboard remove store redirect',
  place: 'store',
  needs: 'removeAdminRedirect',
  async post(posted) {
    const { to, form: sent } = posted
    const path = idIn(posted)
    const body = { expectedVersion: Number(sent.get('version')) }
    const outcome = await catchRefusal(posted.change('removeAdminRedirect', { path, body, key: readKey(sent) }))
    if ('refusal' in outcome) return redirectWithRefusal(to(`store/redirects/${path.redirectId}`), outcome.refusal)
    return redirectWithToast(to('store/redirects'), 'done.redirectRemoved', { change: outcome.reply.change })
  },
}

function idIn({ path: { redirectId = '' } }: ScreenVisit): { redirectId: string } {
  return { redirectId }
}
