// The menus in the header and footer of the online store: lists of links that are sorted with buttons.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { menuLinksMax, type SiteLink, type SiteMenus } from '../../../contract/sitecontent.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import {
  field,
  keyField,
  type Problems,
  problemNote,
  problemsFromRefusal,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { button, renderCard, renderNotice } from '../parts.ts'
import { type PostedScreen, redirectTo, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import {
  changeSiteDraft,
  currentSiteDraft,
  draftHead,
  draftPaths,
  readSiteVersion,
  replaceSiteDraft,
} from '../storedraft.ts'
import { linkFields, linkText, linkValues, loadLinkTargets, readLink } from '../storelinks.ts'
import { orderedRows, rowsAfterPress } from '../storerows.ts'
import { redirectWithToast } from '../toast.ts'

const menuNames = ['head', 'foot'] as const
type MenuName = (typeof menuNames)[number]
type Targets = Awaited<ReturnType<typeof loadLinkTargets>>

// A link that was refused: its menu, and the problems of the typed values.
interface Typed {
  menu: MenuName
  problems: Problems
}

export const storeMenusScreen: Screen = {
  path: 'store/menus',
  name: 'dashboard store menus',
  place: 'store',
  needs: 'getAdminSite',
  async get(visit) {
    const { data } = await visit.ask('getAdminSite')
    return menusSheet(visit, data)
  },
}

async function menusSheet(visit: ScreenVisit, site: AdminSite, typed?: Typed): Promise<ScreenSheet> {
  const { words, may } = visit
  const targets = await loadLinkTargets(visit)
  return {
    title: words.say('store.title'),
    status: typed ? 400 : 200,
    body: html`${draftHead(visit, site, 'menus')}${
      may('replaceAdminSite')
        ? html`<div class="columns even">${menuNames.map((menu) => menuCard(visit, site, menu, targets, typed))}</div>`
        : renderNotice('info', words.say('draft.readOnly'))
    }`,
  }
}

function menuCard(visit: ScreenVisit, site: AdminSite, menu: MenuName, targets: Targets, typed?: Typed): Html {
  const { words, to } = visit
  const links = currentSiteDraft(site).menus[menu]
  const action = to(`store/menus/${menu}`)
  const hidden = html`${keyField()}<input type="hidden" name="version" value="${site.version}">`
  const title = words.say(`menus.${menu}`)
  if (links === null)
    return renderCard({
      title,
      body: html`<p>${words.say(`menus.${menu}Automatic`)}</p>
      <form class="form-foot" method="post" action="${action}">
        ${hidden}
        ${button({ label: words.say(`menus.${menu}Start`), name: 'do', value: 'start' })}
      </form>`,
    })
  const rows = links.map((link, at) => ({
    name: link.label || linkText(visit, targets, link),
    note: link.label ? linkText(visit, targets, link) : '',
    editHref: to(`store/menus/${menu}/${at + 1}`),
  }))
  const isHere = typed?.menu === menu
  const fields = linkFields(visit, { targets, pointer: pointerOf(menu, links.length), isOptional: false }).map(
    (one) => ({
      ...one,
      id: `${menu}-${one.name}`,
    }),
  )
  const values = isHere && 'form' in visit ? readTypedValues(fields, (visit as PostedScreen).form) : {}
  return renderCard({
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

function menuIn({ path }: ScreenVisit): MenuName {
  const menu = menuNames.find((one) => one === path.menu)
  if (menu === undefined) throw refuse('route_not_found')
  return menu
}

export const storeMenuScreen: Screen = {
  path: 'store/menus/:menu',
  name: 'dashboard store menu',
  place: 'store',
  needs: 'replaceAdminSite',
  async post(posted) {
    refuseUnlessAllowed(posted, 'replaceAdminSite')
    const { form: sent, to, words } = posted
    const menu = menuIn(posted)
    const { data: site } = await posted.ask('getAdminSite')
    const content = currentSiteDraft(site)
    const pressed = sent.get('do') ?? ''
    const withLinks = (links: SiteMenus[MenuName]) => ({ ...content, menus: { ...content.menus, [menu]: links } })
    const save = (links: SiteMenus[MenuName]) => changeSiteDraft(posted, 'menus', withLinks(links), 'done.draftSaved')
    if (pressed === 'automatic') return save(null)
    if (pressed === 'start') return save(await automaticLinks(posted, menu))
    const links = content.menus[menu] ?? []
    if (pressed === 'add') {
      const link = readLink(sent)
      if (link === null) return redirectTo(to(draftPaths.menus))
      const outcome = await replaceSiteDraft(posted, withLinks([...links, link]))
      if (!('refusal' in outcome))
        return redirectWithToast(to(draftPaths.menus), 'done.draftSaved', { change: outcome.reply.change })
      const targets = await loadLinkTargets(posted)
      const fields = linkFields(posted, { targets, pointer: pointerOf(menu, links.length), isOptional: false })
      return menusSheet(posted, site, { menu, problems: problemsFromRefusal(words, outcome.refusal, fields) })
    }
    const rows = rowsAfterPress(links, pressed)
    return rows ? save(rows) : redirectTo(to(draftPaths.menus))
  },
}

// Returns the links that a menu shows before its first edit, so the edit does not remove any.
async function automaticLinks(visit: ScreenVisit, menu: MenuName): Promise<SiteLink[]> {
  const { data } = await visit.ask('getAdminPages')
  const pages = data
    .filter(({ page }) => page.menu === menu && page.published !== false)
    .map(({ page }) => ({ kind: 'page' as const, target: page.slug, label: '' }))
  if (menu === 'foot') return pages.slice(0, menuLinksMax)
  const targets = await loadLinkTargets(visit)
  const categories = targets
    .filter(({ kind, name }) => kind === 'category' && !name.startsWith('– '))
    .map(({ target }) => ({ kind: 'category' as const, target, label: '' }))
  return [{ kind: 'all' as const, target: '', label: '' }, ...categories, ...pages].slice(0, menuLinksMax)
}

export const storeMenuLinkScreen: Screen = {
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
    const content = currentSiteDraft(site)
    const menus = { ...content.menus, [menu]: links.with(at, readLink(sent) ?? link) }
    const outcome = await replaceSiteDraft(posted, { ...content, menus })
    if (!('refusal' in outcome))
      return redirectWithToast(to(draftPaths.menus), 'done.draftSaved', { change: outcome.reply.change })
    const targets = await loadLinkTargets(posted)
    const fields = linkFields(posted, { targets, pointer: pointerOf(menu, at), isOptional: false, present: link })
    return linkSheet(posted, place, problemsFromRefusal(words, outcome.refusal, fields))
  },
}

interface LinkPlaceInMenu {
  site: AdminSite
  menu: MenuName
  at: number
  links: readonly SiteLink[]
  link: SiteLink
}

async function placeOf(visit: ScreenVisit): Promise<LinkPlaceInMenu> {
  const { data: site } = await visit.ask('getAdminSite')
  const menu = menuIn(visit)
  const links = currentSiteDraft(site).menus[menu] ?? []
  const at = /^\d{1,2}$/.test(visit.path.at ?? '') ? Number(visit.path.at) - 1 : -1
  const link = links[at]
  if (!link) throw refuse('route_not_found')
  return { site, menu, at, links, link }
}

async function linkSheet(visit: ScreenVisit, place: LinkPlaceInMenu, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { site, menu, at, link } = place
  const targets = await loadLinkTargets(visit)
  const fields = linkFields(visit, { targets, pointer: pointerOf(menu, at), isOptional: false, present: link })
  const isPosted = 'form' in visit
  return {
    title: link.label || linkText(visit, targets, link),
    back: { href: to('store/menus'), label: words.say('menus.title') },
    width: 'narrow',
    status: problems ? 400 : 200,
    body: renderCard({
      body: renderForm(visit, {
        action: to(`store/menus/${menu}/${at + 1}`),
        fields,
        values: isPosted ? readTypedValues(fields, (visit as PostedScreen).form) : linkValues(link),
        problems,
        hidden: { version: isPosted ? readSiteVersion(visit as PostedScreen) : site.version },
        submit: words.say('draft.save'),
        cancel: to('store/menus'),
      }),
    }),
  }
}
