// The menus of the online store, in its header and footer: lists of links that are ordered with buttons.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { menuLinksMax, type SiteLink, type SiteMenus } from '../../../contract/sitecontent.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { field, form, keyField, type Problems, problemNote, problemsOf, valuesOf } from '../form.ts'
import { button, card, notice } from '../parts.ts'
import { goTo, type Posted, type Screen, type Sheet, type Visit } from '../screen.ts'
import { refuseUnless } from '../shop.ts'
import { changeDraft, draftHead, draftPaths, replaceDraft, siteDraftOf, versionIn } from '../storedraft.ts'
import { linkFields, linkIn, linkTargetsOf, linkValues, linkWords } from '../storelinks.ts'
import { orderedRows, rowsAfter } from '../storerows.ts'
import { done } from '../toast.ts'

const menuNames = ['head', 'foot'] as const
type MenuName = (typeof menuNames)[number]
type Targets = Awaited<ReturnType<typeof linkTargetsOf>>

// The typed link.
interface Typed {
  menu: MenuName
  problems: Problems
}

export const storeMenus: Screen = {
  path: 'store/menus',
  name: 'dashboard store menus',
  place: 'store',
  needs: 'getAdminSite',
  async get(visit) {
    const { data } = await visit.ask('getAdminSite')
    return menusSheet(visit, data)
  },
}

async function menusSheet(visit: Visit, site: AdminSite, typed?: Typed): Promise<Sheet> {
  const { words, may } = visit
  const targets = await linkTargetsOf(visit)
  return {
    title: words.say('store.title'),
    status: typed ? 400 : 200,
    body: html`${draftHead(visit, site, 'menus')}${
      may('replaceAdminSite')
        ? html`<div class="columns even">${menuNames.map((menu) => menuCard(visit, site, menu, targets, typed))}</div>`
        : notice('info', words.say('draft.readOnly'))
    }`,
  }
}

function menuCard(visit: Visit, site: AdminSite, menu: MenuName, targets: Targets, typed?: Typed): Html {
  const { words, to } = visit
  const links = siteDraftOf(site).menus[menu]
  const action = to(`store/menus/${menu}`)
  const hidden = html`${keyField()}<input type="hidden" name="version" value="${site.version}">`
  const title = words.say(`menus.${menu}`)
  if (links === null)
    return card({
      title,
      body: html`<p>${words.say(`menus.${menu}Automatic`)}</p>
      <form class="form-foot" method="post" action="${action}">
        ${hidden}
        ${button({ label: words.say(`menus.${menu}Start`), name: 'do', value: 'start' })}
      </form>`,
    })
  const rows = links.map((link, at) => ({
    name: link.label || linkWords(visit, targets, link),
    note: link.label ? linkWords(visit, targets, link) : '',
    editHref: to(`store/menus/${menu}/${at + 1}`),
  }))
  const isHere = typed?.menu === menu
  const fields = linkFields(visit, { targets, pointer: pointerOf(menu, links.length), isOptional: false }).map(
    (one) => ({
      ...one,
      id: `${menu}-${one.name}`,
    }),
  )
  const values = isHere && 'form' in visit ? valuesOf(fields, (visit as Posted).form) : {}
  return card({
    title,
    body: html`${
      links.length === 0
        ? html`<p class="help">${words.say('menus.none')}</p>`
        : orderedRows(visit, { action, version: site.version, rows })
    }
${
  links.length < menuLinksMax &&
  html`<form class="form" method="post" action="${action}">
    ${hidden}
    ${isHere && problemNote(typed.problems, fields, words)}
    <div class="fields">
      ${fields.map((one) => field(words, one, values[one.name], isHere ? typed.problems : undefined))}
    </div>
    <div class="form-foot">${button({ label: words.say('menus.add'), name: 'do', value: 'add' })}</div>
  </form>`
}
<form class="form-foot" method="post" action="${action}">
  ${hidden}
  ${button({ label: words.say('section.toAutomatic'), kind: 'plain', name: 'do', value: 'automatic' })}</form>`,
  })
}

const pointerOf = (menu: MenuName, at: number) => `/menus/${menu}/${at}`

function menuIn({ path }: Visit): MenuName {
  const menu = menuNames.find((one) => one === path.menu)
  if (menu === undefined) throw refuse('route_not_found')
  return menu
}

export const storeMenu: Screen = {
  path: 'store/menus/:menu',
  name: 'dashboard store menu',
  place: 'store',
  needs: 'replaceAdminSite',
  async post(posted) {
    refuseUnless(posted, 'replaceAdminSite')
    const { form: sent, to, words } = posted
    const menu = menuIn(posted)
    const { data: site } = await posted.ask('getAdminSite')
    const content = siteDraftOf(site)
    const pressed = sent.get('do') ?? ''
    const withLinks = (links: SiteMenus[MenuName]) => ({ ...content, menus: { ...content.menus, [menu]: links } })
    const save = (links: SiteMenus[MenuName]) => changeDraft(posted, 'menus', withLinks(links), 'done.draftSaved')
    if (pressed === 'automatic') return save(null)
    if (pressed === 'start') return save(await automaticLinks(posted, menu))
    const links = content.menus[menu] ?? []
    if (pressed === 'add') {
      const link = linkIn(sent)
      if (link === null) return goTo(to(draftPaths.menus))
      const outcome = await replaceDraft(posted, withLinks([...links, link]))
      if (!('refusal' in outcome))
        return done(to(draftPaths.menus), 'done.draftSaved', { change: outcome.reply.change })
      const targets = await linkTargetsOf(posted)
      const fields = linkFields(posted, { targets, pointer: pointerOf(menu, links.length), isOptional: false })
      return menusSheet(posted, site, { menu, problems: problemsOf(words, outcome.refusal, fields) })
    }
    const rows = rowsAfter(links, pressed)
    return rows ? save(rows) : goTo(to(draftPaths.menus))
  },
}

// The links that an unedited menu shows, so its first change loses none.
async function automaticLinks(visit: Visit, menu: MenuName): Promise<SiteLink[]> {
  const { data } = await visit.ask('getAdminPages')
  const pages = data
    .filter(({ page }) => page.menu === menu && page.published !== false)
    .map(({ page }) => ({ kind: 'page' as const, target: page.slug, label: '' }))
  if (menu === 'foot') return pages.slice(0, menuLinksMax)
  const targets = await linkTargetsOf(visit)
  const categories = targets
    .filter(({ kind, name }) => kind === 'category' && !name.startsWith('– '))
    .map(({ target }) => ({ kind: 'category' as const, target, label: '' }))
  return [{ kind: 'all' as const, target: '', label: '' }, ...categories, ...pages].slice(0, menuLinksMax)
}

export const storeMenuLink: Screen = {
  path: 'store/menus/:menu/:at',
  name: 'dashboard store menu link',
  place: 'store',
  needs: 'replaceAdminSite',
  async get(visit) {
    return linkSheet(visit, await placeOf(visit))
  },
  async post(posted) {
    const { form: sent, to, words } = posted
    const place = await placeOf(posted)
    const { site, menu, at, links, link } = place
    const content = siteDraftOf(site)
    const menus = { ...content.menus, [menu]: links.with(at, linkIn(sent) ?? link) }
    const outcome = await replaceDraft(posted, { ...content, menus })
    if (!('refusal' in outcome)) return done(to(draftPaths.menus), 'done.draftSaved', { change: outcome.reply.change })
    const targets = await linkTargetsOf(posted)
    const fields = linkFields(posted, { targets, pointer: pointerOf(menu, at), isOptional: false, present: link })
    return linkSheet(posted, place, problemsOf(words, outcome.refusal, fields))
  },
}

interface LinkPlaceInMenu {
  site: AdminSite
  menu: MenuName
  at: number
  links: readonly SiteLink[]
  link: SiteLink
}

async function placeOf(visit: Visit): Promise<LinkPlaceInMenu> {
  const { data: site } = await visit.ask('getAdminSite')
  const menu = menuIn(visit)
  const links = siteDraftOf(site).menus[menu] ?? []
  const at = /^\d{1,2}$/.test(visit.path.at ?? '') ? Number(visit.path.at) - 1 : -1
  const link = links[at]
  if (!link) throw refuse('route_not_found')
  return { site, menu, at, links, link }
}

async function linkSheet(visit: Visit, place: LinkPlaceInMenu, problems?: Problems): Promise<Sheet> {
  const { words, to } = visit
  const { site, menu, at, link } = place
  const targets = await linkTargetsOf(visit)
  const fields = linkFields(visit, { targets, pointer: pointerOf(menu, at), isOptional: false, present: link })
  const isPosted = 'form' in visit
  return {
    title: link.label || linkWords(visit, targets, link),
    back: { href: to('store/menus'), label: words.say('menus.title') },
    width: 'narrow',
    status: problems ? 400 : 200,
    body: card({
      body: form(visit, {
        action: to(`store/menus/${menu}/${at + 1}`),
        fields,
        values: isPosted ? valuesOf(fields, (visit as Posted).form) : linkValues(link),
        problems,
        hidden: { version: isPosted ? versionIn(visit as Posted) : site.version },
        submit: words.say('draft.save'),
        cancel: to('store/menus'),
      }),
    }),
  }
}
