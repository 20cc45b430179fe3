// The online store of this server: whether it is open, its address, and the button that opens or closes it.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { type Field, field, keyField, type Problems, problemsFromRefusal, readKey } from '../form.ts'
import { button, exactTime, linkButton, renderCard, renderFacts, renderNotice, statusPill } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderSections, storeSections } from '../sections.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import type { DashboardWords, TextKey } from '../words.ts'

export const onlineStoreScreen: Screen = {
  path: 'store',
  name: 'dashboard store',
  place: 'store',
  needs: 'getAdminSite',
  async get(visit) {
    return storeSheet(visit, await stateOf(visit))
  },
  async post(posted) {
    const { form, to } = posted
    const id = form.get('do') === 'close' ? 'closeAdminSite' : 'openAdminSite'
    refuseUnlessAllowed(posted, id)
    const expectedVersion = Number(form.get('version'))
    const outcome = await catchRefusal(posted.change(id, { body: { expectedVersion }, key: readKey(form) }))
    if ('refusal' in outcome) return redirectWithRefusal(to('store'), outcome.refusal)
    return redirectWithToast(to('store'), id === 'openAdminSite' ? 'done.storeOpen' : 'done.storeClosed', {
      change: outcome.reply.change,
    })
  },
}

async function stateOf(visit: ScreenVisit): Promise<StoreState> {
  const [site, shop] = [await visit.ask('getAdminSite'), await visit.ask('getAdminShop')]
  const { paymentAccounts, paymentMethods, shipping } = shop.data
  const canPay = paymentAccounts.length > 0 || paymentMethods.some(({ enabled }) => enabled)
  return { site: site.data, canPay, canShip: shipping.length > 0 }
}

interface StoreState {
  site: AdminSite
  canPay: boolean
  canShip: boolean
  // Problems of the typed domain name.
  problems?: Problems
  typed?: string
}

function storeSheet(visit: ScreenVisit, { site, canPay, canShip, problems, typed = '' }: StoreState): ScreenSheet {
  const { words, to, mode } = visit
  const { status, openedAt, url } = site
  const isOpen = status === 'open'
  return {
    title: words.say('store.title'),
    status: problems ? 400 : 200,
    badge: statusPill(words, 'site', status),
    actions: html`${url !== null && linkButton({ label: words.say('store.see'), href: url, icon: 'eye', isNewTab: true })}`,
    body: html`${renderSections(visit, storeSections, 'store')}
    ${
      url !== null &&
      (!canPay || !canShip) &&
      html`<div class="gap">
        ${renderNotice(
          'info',
          html`${words.say(canPay ? 'store.noShipping' : 'store.noPayment')} <a
            href="${to(canPay ? 'settings/shipping' : 'settings/payments')}">
            ${words.say(canPay ? 'settings.shipping' : 'settings.payments')}
          </a>`,
        )}
      </div>`
    }
${renderCard({
  title: words.say(isOpen ? 'store.open' : 'store.closed'),
  body: html`<p class="gap">
    ${words.say(url === null ? 'store.nowhere' : isOpen ? 'store.openText' : 'store.closedText')}
  </p>
${renderFacts([
  url !== null && [
    words.say('store.address'),
    html`<a href="${url}" dir="ltr" target="_blank" rel="noopener">${url}</a>`,
  ],
  openedAt !== null && [words.say('store.since'), exactTime(words, openedAt)],
])}
${mode === 'test' && html`<p class="help">${words.say('store.test')}</p>`}
${url !== null && stateForm(visit, site)}`,
})}
${url !== null && mode === 'live' && hostsCard(visit, site, { problems, typed })}`,
  }
}

function stateForm({ words, to, may }: ScreenVisit, { status, version }: AdminSite): Html | false {
  const isOpen = status === 'open'
  if (!may(isOpen ? 'closeAdminSite' : 'openAdminSite')) return false
  return html`<form class="form-foot" method="post" action="${to('store')}">
    ${keyField()}
    <input type="hidden" name="version" value="${version}">
    ${button(
      isOpen
        ? { label: words.say('store.doClose'), name: 'do', value: 'close' }
        : { label: words.say('store.doOpen'), kind: 'first', name: 'do', value: 'open' },
    )}
  </form>`
}

const hostField = (words: DashboardWords): Field => ({
  name: 'host',
  label: words.say('hosts.host'),
  kind: 'line',
  lengthMax: 253,
  isRequired: true,
})

export const storeHostsScreen: Screen = {
  path: 'store/hosts',
  name: 'dashboard store hosts',
  place: 'store',
  needs: 'addAdminHost',
  async post(posted) {
    const { form, to, words } = posted
    const typed = form.get('host')?.trim() ?? ''
    const outcome = await catchRefusal(
      posted.change('addAdminHost', { body: { host: typed || '-' }, key: readKey(form) }),
    )
    if (!('refusal' in outcome))
      return redirectWithToast(to('store'), 'done.hostAdded', { change: outcome.reply.change })
    const problems = problemsFromRefusal(words, outcome.refusal, [hostField(words)])
    return storeSheet(posted, { ...(await stateOf(posted)), problems, typed })
  },
}

const hostActions = {
  check: { id: 'checkAdminHost', says: 'done.hostChecked' },
  main: { id: 'makeAdminHostMain', says: 'done.hostMain' },
  remove: { id: 'removeAdminHost', says: 'done.hostRemoved' },
} as const

export const storeHostScreen: Screen = {
  path: 'store/hosts/:host',
  name: 'dashboard store host',
  place: 'store',
  needs: 'addAdminHost',
  async post(posted) {
    const { form, to, path } = posted
    const name = form.get('do') ?? ''
    const action = hostActions[name === 'main' || name === 'remove' ? name : 'check']
    const outcome = await catchRefusal(
      posted.change(action.id, { path: { host: path.host ?? '' }, body: {}, key: readKey(form) }),
    )
    if ('refusal' in outcome) return redirectWithRefusal(to('store'), outcome.refusal)
    return redirectWithToast(to('store'), action.says, { change: outcome.reply.change })
  },
}

function hostsCard(
  visit: ScreenVisit,
  { hosts }: AdminSite,
  { problems, typed }: { problems: Problems | undefined; typed: string },
): Html {
  const { words, to, may } = visit
  return renderCard({
    title: words.say('hosts.title'),
    body: html`<p class="help gap">${words.say('hosts.lead')}</p>
${hosts.map((host) => hostPart(visit, host))}
${
  may('addAdminHost') &&
  html`<form class="form" method="post" action="${to('store/hosts')}">
    ${keyField()}
    <div class="fields">${field(words, hostField(words), typed, problems)}</div>
    <div class="form-foot">${button({ label: words.say('hosts.add') })}</div>
  </form>`
}`,
  })
}

function hostPart({ words, to, may, server }: ScreenVisit, given: AdminSite['hosts'][number]): Html {
  const { host, isMain, isProved, isChecked, problem, checkedAt, record } = given
  const act = (name: keyof typeof hostActions, label: TextKey) =>
    button({ label: words.say(label), name: 'do', value: name })
  const when =
    checkedAt === null
      ? words.say('hosts.notChecked')
      : words.say('hosts.checkedAt', { moment: words.moment(new Date(checkedAt)) })
  return html`<section class="host gap">
    <h3><bdi>${host}</bdi> ${statusPill(words, 'host', isProved ? (isMain ? 'main' : 'proved') : 'waiting')}</h3>
${
  !isProved &&
  html`<p class="help">${words.say('hosts.point', { server: new URL(server.origin).hostname })}</p>
${renderFacts([
  [words.say('hosts.recordName'), html`<code>${record.name}</code>`],
  [words.say('hosts.recordValue'), html`<code>${record.value}</code>`],
])}
<p class="help">
  ${problem !== null && `${words.say(`hosts.problem.${problem}`)} `}
  ${isChecked ? when : words.say('hosts.givenUp')}</p>`
}
${
  may('addAdminHost') &&
  html`<form class="row-actions start" method="post" action="${to(`store/hosts/${host}`)}">
    ${keyField()}
    ${!isProved && act('check', 'hosts.check')}
    ${isProved && !isMain && act('main', 'hosts.makeMain')}
    ${act('remove', 'hosts.remove')}
  </form>`
}</section>`
}
