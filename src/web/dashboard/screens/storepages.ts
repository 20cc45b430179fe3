// The merchant's own pages in the online store: the list, creating, editing and removing.

import type { AdminPage, PageEntry } from '../../../contract/admin/pages.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  keyField,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { button, emptyState, linkButton, renderCard, renderNotice } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderSections, storeSections } from '../sections.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import { typedTextToHtml } from '../typed.ts'

export const storePagesScreen: Screen = {
  path: 'store/pages',
  name: 'dashboard store pages',
  place: 'store',
  needs: 'getAdminPages',
  async get(visit) {
    const { words, to, may } = visit
    const { data } = await visit.ask('getAdminPages')
    const add =
      may('createAdminPage') &&
      linkButton({ label: words.say('pages.new'), href: to('store/pages/new'), kind: 'first' })
    return {
      title: words.say('store.title'),
      actions: html`${data.length > 0 && add}`,
      body: html`${renderSections(visit, storeSections, 'pages')}
      ${
        data.length === 0
          ? html`<div class="card">
          ${emptyState({ title: words.say('pages.none'), text: words.say('pages.noneText'), action: add || html`` })}
        </div>`
          : renderCard({ body: html`<ul class="page-list">${data.map((page) => pageItem(visit, page))}</ul>` })
      }`,
    }
  },
}

function pageItem({ words, to }: ScreenVisit, { page: { slug, title, menu = 'none', published } }: AdminPage): Html {
  return html`<li>
    <a href="${to(`store/pages/${slug}`)}" dir="auto">${title}</a> <span class="soft small">
      <bdi>/${slug}</bdi> · ${words.say(published === false ? 'pages.hidden' : `pages.menu.${menu}`)}
    </span>
  </li>`
}

function fieldsOf({ words }: ScreenVisit, isNew: boolean): Field[] {
  return [
    { name: 'title', label: words.say('pages.title'), kind: 'line', lengthMax: 200, isRequired: true, isFirst: isNew },
    ...(isNew
      ? [
          {
            name: 'slug',
            label: words.say('pages.slug'),
            kind: 'line',
            lengthMax: 120,
            isRequired: true,
            help: words.say('pages.slugHelp'),
          } as const,
        ]
      : []),
    {
      name: 'bodyHtml',
      label: words.say('pages.body'),
      kind: 'text',
      rows: 16,
      isRich: true,
      lengthMax: 40_000,
      help: words.say('pages.bodyHelp'),
    },
    {
      name: 'description',
      label: words.say('pages.description'),
      kind: 'text',
      rows: 2,
      lengthMax: 500,
      help: words.say('pages.descriptionHelp'),
    },
    {
      name: 'menu',
      label: words.say('pages.menu'),
      kind: 'choice',
      isHalf: true,
      options: (['foot', 'head', 'none'] as const).map((value) => ({ value, label: words.say(`pages.menu.${value}`) })),
    },
    {
      name: 'position',
      label: words.say('pages.position'),
      kind: 'whole',
      min: 0,
      max: 1_000_000,
      isHalf: true,
      help: words.say('pages.positionHelp'),
    },
    { name: 'published', label: words.say('pages.published'), kind: 'check' },
  ]
}

const emptyValues: FieldValues = {
  title: '',
  slug: '',
  bodyHtml: '',
  description: '',
  menu: 'foot',
  position: '0',
  published: 'on',
}

function valuesOfPage({ page }: AdminPage): FieldValues {
  const { title, slug, bodyHtml, description = '', menu = 'none', position = 0, published = true } = page
  return { title, slug, bodyHtml, description, menu, position: String(position), published: published ? 'on' : '' }
}

interface PageState {
  values: FieldValues
  // Undefined for a new page.
  present?: AdminPage
  problems?: Problems
  status?: number
}

function pageSheet(visit: ScreenVisit, { values, present, problems, status }: PageState): ScreenSheet {
  const { words, to, may, query } = visit
  const isNew = present === undefined
  const path = isNew ? 'store/pages/new' : `store/pages/${present.page.slug}`
  const back = { href: to('store/pages'), label: words.say('pages.list') }
  if (!may('createAdminPage'))
    return {
      title: present?.page.title ?? '',
      back,
      width: 'narrow',
      body: renderCard({ body: html`<pre class="lines">${present?.page.bodyHtml}</pre>` }),
    }
  return {
    title: isNew ? words.say('pages.new') : present.page.title,
    back,
    width: 'narrow',
    status: status ?? (problems ? 400 : 200),
    body: html`${query.has('conflict') && renderNotice('bad', words.say('twoVersions.table'), 'alert')}
    ${renderCard({
      body: renderForm(visit, {
        action: to(path),
        fields: fieldsOf(visit, isNew),
        values,
        problems,
        hidden: isNew ? {} : { version: present.version },
        submit: words.say('action.save'),
        cancel: back.href,
      }),
    })}
    ${
      !isNew &&
      html`<form class="row-actions start" method="post" action="${to(`${path}/remove`)}">
        ${keyField()}
        <input type="hidden" name="version" value="${present.version}">
        ${button({ label: words.say('pages.remove'), kind: 'danger' })}
      </form>`
    }`,
  }
}

type PageBody = Omit<PageEntry, 'slug'>

function entryIn(
  posted: PostedScreen,
  fields: readonly Field[],
): { body: PageBody & { slug?: string } } | { problems: Problems } {
  const asked = buildBody(posted.words, fields, posted.form)
  if ('problems' in asked) return asked
  const given = asked.body as Partial<PageEntry>
  const { slug, title = '', bodyHtml = '', description = '', menu = 'none', position = 0, published = false } = given
  return {
    body: {
      ...(slug !== undefined && { slug }),
      title,
      bodyHtml: typedTextToHtml(bodyHtml),
      description,
      menu,
      position,
      published,
    },
  }
}

export const newStorePageScreen: Screen = {
  path: 'store/pages/new',
  name: 'dashboard new store page',
  place: 'store',
  needs: 'createAdminPage',
  formBytesMax: 262_144,
  async get(visit) {
    return pageSheet(visit, { values: emptyValues })
  },
  async post(posted) {
    const { words, to } = posted
    const fields = fieldsOf(posted, true)
    const values = readTypedValues(fields, posted.form)
    const entry = entryIn(posted, fields)
    if ('problems' in entry) return pageSheet(posted, { values, problems: entry.problems })
    const body = { ...entry.body, slug: entry.body.slug ?? '' }
    const outcome = await catchRefusal(posted.change('createAdminPage', { body, key: readKey(posted.form) }))
    if ('refusal' in outcome)
      return pageSheet(posted, { values, problems: problemsFromRefusal(words, outcome.refusal, fields) })
    return redirectWithToast(to('store/pages'), 'done.pageSaved', { change: outcome.reply.change })
  },
}

export const storePageScreen: Screen = {
  path: 'store/pages/:slug',
  name: 'dashboard store page',
  place: 'store',
  needs: 'getAdminPage',
  formBytesMax: 262_144,
  async get(visit) {
    const { data } = await visit.ask('getAdminPage', { path: { slug: visit.path.slug ?? '' } })
    return pageSheet(visit, { values: valuesOfPage(data), present: data })
  },
  async post(posted) {
    refuseUnlessAllowed(posted, 'replaceAdminPage')
    const { words, to, path, form: sent } = posted
    const slug = path.slug ?? ''
    const { data: present } = await posted.ask('getAdminPage', { path: { slug } })
    const fields = fieldsOf(posted, false)
    const values = readTypedValues(fields, sent)
    const entry = entryIn(posted, fields)
    if ('problems' in entry) return pageSheet(posted, { values, present, problems: entry.problems })
    const { slug: _, ...members } = entry.body
    const body = { ...members, expectedVersion: Number(sent.get('version')) }
    const outcome = await catchRefusal(posted.change('replaceAdminPage', { path: { slug }, body, key: readKey(sent) }))
    if ('refusal' in outcome) {
      const isStale = outcome.refusal.code === 'version_conflict'
      const problems = problemsFromRefusal(words, outcome.refusal, fields)
      return pageSheet(posted, { values, present, problems, status: isStale ? 409 : 400 })
    }
    return redirectWithToast(to('store/pages'), 'done.pageSaved', { change: outcome.reply.change })
  },
}

export const removeStorePageScreen: Screen = {
  path: 'store/pages/:slug/remove',
  name: 'dashboard remove store page',
  place: 'store',
  needs: 'removeAdminPage',
  async post(posted) {
    const { to, path, form: sent } = posted
    const body = { expectedVersion: Number(sent.get('version')) }
    const outcome = await catchRefusal(
      posted.change('removeAdminPage', { path: { slug: path.slug ?? '' }, body, key: readKey(sent) }),
    )
    if ('refusal' in outcome) return redirectWithRefusal(to(`store/pages/${path.slug}`), outcome.refusal)
    return redirectWithToast(to('store/pages'), 'done.pageRemoved', { change: outcome.reply.change })
  },
}
