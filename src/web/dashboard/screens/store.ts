// Online store: whether the shop that this server shows is open, where it is, and the button that opens or closes it.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { keyField, keyIn } from '../form.ts'
import { button, card, facts, linkButton, moment, notice, pill } from '../parts.ts'
import { attempt, type Screen, type Sheet, type Visit } from '../screen.ts'
import { refuseUnless } from '../shop.ts'
import { done, refusedBy } from '../toast.ts'

export const store: Screen = {
  path: 'store',
  name: 'dashboard store',
  place: 'store',
  needs: 'getAdminSite',
  async get(visit) {
    const [site, shop] = [await visit.ask('getAdminSite'), await visit.ask('getAdminShop')]
    const { paymentAccounts, paymentMethods, shipping } = shop.data
    const canPay = paymentAccounts.length > 0 || paymentMethods.some(({ enabled }) => enabled)
    return storeSheet(visit, site.data, { canPay, canShip: shipping.length > 0 })
  },
  async post(posted) {
    const { form, to } = posted
    const id = form.get('do') === 'close' ? 'closeAdminSite' : 'openAdminSite'
    refuseUnless(posted, id)
    const expectedVersion = Number(form.get('version'))
    const outcome = await attempt(posted.change(id, { body: { expectedVersion }, key: keyIn(form) }))
    if ('refusal' in outcome) return refusedBy(to('store'), outcome.refusal)
    return done(to('store'), id === 'openAdminSite' ? 'done.storeOpen' : 'done.storeClosed', {
      change: outcome.reply.change,
    })
  },
}

function storeSheet(visit: Visit, site: AdminSite, { canPay, canShip }: { canPay: boolean; canShip: boolean }): Sheet {
  const { words, to, mode } = visit
  const { status, openedAt, url } = site
  const isOpen = status === 'open'
  return {
    title: words.say('store.title'),
    badge: pill(words, 'site', status),
    actions: html`${url !== null && linkButton({ label: words.say('store.see'), href: url, icon: 'eye', isNewTab: true })}`,
    body: html`${
      url !== null &&
      (!canPay || !canShip) &&
      html`<div class="gap">${notice('info', html`${words.say(canPay ? 'store.noShipping' : 'store.noPayment')} <a href="${to(canPay ? 'settings/shipping' : 'settings/payments')}">${words.say(canPay ? 'settings.shipping' : 'settings.payments')}</a>`)}</div>`
    }
${card({
  title: words.say(isOpen ? 'store.open' : 'store.closed'),
  body: html`<p>${words.say(url === null ? 'store.nowhere' : isOpen ? 'store.openText' : 'store.closedText')}</p>
${facts([
  url !== null && [
    words.say('store.address'),
    html`<a href="${url}" dir="ltr" target="_blank" rel="noopener">${url}</a>`,
  ],
  openedAt !== null && [words.say('store.since'), moment(words, openedAt)],
])}
${mode === 'test' && html`<p class="help">${words.say('store.test')}</p>`}
${url !== null && stateForm(visit, site)}`,
})}`,
  }
}

function stateForm({ words, to, may }: Visit, { status, version }: AdminSite): Html | false {
  const isOpen = status === 'open'
  if (!may(isOpen ? 'closeAdminSite' : 'openAdminSite')) return false
  return html`<form class="form-foot" method="post" action="${to('store')}">${keyField()}<input type="hidden" name="version" value="${version}">${button(
    isOpen
      ? { label: words.say('store.doClose'), name: 'do', value: 'close' }
      : { label: words.say('store.doOpen'), kind: 'first', name: 'do', value: 'open' },
  )}</form>`
}
