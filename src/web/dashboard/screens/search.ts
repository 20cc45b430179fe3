// Search: one field, one answer. The address holds the question, so a result is never of another one.

import type { AdminSearchResponse } from '../../../contract/admin/home.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { button, card, emptyState, pill, time } from '../parts.ts'
import type { Screen, Visit } from '../screen.ts'
import { developerSections, settingSections, storeSections } from '../sections.ts'
import { namesOf } from './orders.ts'

export const search: Screen = {
  path: 'search',
  name: 'dashboard search',
  place: 'home',
  needs: 'searchAdmin',
  async get(visit) {
    const { words, query, to, places } = visit
    const q = (query.get('q') ?? '')
      .slice(0, 100)
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
    const title = words.say('search.title')
    const field = html`<form class="find-large" role="search" aria-label="${words.say('search.label')}" action="${to('search')}"><input type="search" name="q" value="${q}" maxlength="100" aria-label="${words.say('search.label')}" placeholder="${words.say('search.label')}" autocomplete="off"${q === '' && html` autofocus`}>${button({ label: words.say('search.submit'), kind: 'first' })}</form>`
    const empty = (name: string, text: string) =>
      html`${field}<div class="card">${emptyState({ title: name, text })}</div>`
    if (q === '') return { title, body: empty(words.say('search.begin'), words.say('search.hint')) }
    const { data } = await visit.ask('searchAdmin', { query: { q } })
    const { orders, products, skus, promotions } = data
    const pages = pagesFound(visit, q)
    const names = await namesOf(visit, orders)
    if (orders.length + products.length + skus.length + promotions.length + pages.length === 0)
      return { title, body: empty(words.say('search.none', { q }), words.say('search.noneText')) }
    const hasProducts = places.includes('products')
    const product = (id: string) => (hasProducts ? to(`products/${id}`) : undefined)
    return {
      title,
      body: html`${field}
${group(
  words.say('search.orders'),
  orders.map((order) => ({
    href: to(`orders/${order.id}`),
    body: html`<span class="result-name">${order.number}</span>${whoOrdered(order, names.get(order.id))}${pill(visit.words, 'payment', order.paymentStatus)}${order.status === 'cancelled' ? pill(words, 'order', order.status) : pill(words, 'sending', order.fulfillmentStatus)}<span class="result-end soft">${time(words, order.placedAt)} · ${words.money(order.total, order.currency)}</span>`,
  })),
)}
${group(
  words.say('search.products'),
  products.map(({ id, name }) => ({
    href: product(id),
    body: html`<span class="result-name" dir="auto">${name}</span>`,
  })),
)}
${group(
  words.say('search.skus'),
  skus.map(({ code, productId, productName }) => ({
    href: product(productId),
    body: html`<span class="result-name" dir="auto">${code}</span><span class="soft" dir="auto">${productName}</span>`,
  })),
)}
${group(
  words.say('search.promotions'),
  promotions.map(({ id, code, name }) => ({
    href: places.includes('discounts') ? to(`discounts/${id}`) : undefined,
    body: html`<span class="result-name" dir="auto">${code}</span><span class="soft" dir="auto">${name}</span>`,
  })),
)}
${group(
  words.say('search.pages'),
  pages.map(({ path, name, place }) => ({
    href: to(path),
    body: html`<span class="result-name">${name}</span><span class="soft">${place}</span>`,
  })),
)}`,
    }
  },
}

type FoundOrder = AdminSearchResponse['data']['orders'][number]

function whoOrdered({ emailMasked, city }: FoundOrder, name: string | undefined): Html {
  const who = [name ?? emailMasked, city].filter((part) => part !== null)
  return html`<span dir="auto">${who.join(', ')}</span>`
}

const sectionsByPlace = [
  ['place.settings', settingSections],
  ['place.store', storeSections],
  ['place.developers', developerSections],
] as const

// Pages of the dashboard itself, by a part of their name in the language of the page.
function pagesFound({ words, may }: Visit, q: string): { path: string; name: string; place: string }[] {
  const asked = q.toLowerCase()
  const isFound = (name: string) => name.toLowerCase().includes(asked)
  return sectionsByPlace.flatMap(([place, { parts }]) =>
    parts
      .filter(({ needs, text }) => may(needs) && (isFound(words.say(text)) || isFound(words.say(place))))
      .map(({ path, text }) => ({ path, name: words.say(text), place: words.say(place) })),
  )
}

interface Result {
  // Without a screen for it there is no link.
  href: string | undefined
  body: Html
}

function group(title: string, results: readonly Result[]): Html | false {
  if (results.length === 0) return false
  return card({
    title,
    isFlush: true,
    body: html`<ul class="results">${results.map(
      ({ href, body }) =>
        html`<li data-row>${href === undefined ? html`<span class="result">${body}</span>` : html`<a class="result" href="${href}" data-open>${body}</a>`}</li>`,
    )}</ul>`,
  })
}
