// Search: one field and one page of results. The URL contains the query, so reloading shows the same results.

import type { AdminSearchResponse } from '../../../contract/admin/home.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { SearchAnswer, SearchAnswers } from '../browser/names.ts'
import { dashboardHeaders } from '../headers.ts'
import { button, emptyState, renderCard, renderTime, statusPill } from '../parts.ts'
import type { Screen, ScreenVisit } from '../screen.ts'
import { developerSections, settingSections, storeSections } from '../sections.ts'
import { loadCustomerNames } from './orders.ts'

function askedIn({ query }: ScreenVisit): string {
  return (query.get('q') ?? '')
    .slice(0, 100)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

export const searchScreen: Screen = {
  path: 'search',
  name: 'dashboard search',
  place: 'home',
  needs: 'searchAdmin',
  async get(visit) {
    const { words, to, places } = visit
    const q = askedIn(visit)
    const title = words.say('search.title')
    const field = html`<form
      class="find-large"
      role="search"
      data-suggest="${to('search/answers')}"
      aria-label="${words.say('search.label')}"
      action="${to('search')}">
      <input
        type="search"
        name="q"
        value="${q}"
        maxlength="100"
        aria-label="${words.say('search.label')}"
        placeholder="${words.say('search.label')}"
        autocomplete="off"${q === '' && html` autofocus`}>
      ${button({ label: words.say('search.submit'), kind: 'first' })}
    </form>`
    const empty = (name: string, text: string) =>
      html`${field}<div class="card">${emptyState({ title: name, text })}</div>`
    if (q === '') return { title, isSearch: true, body: empty(words.say('search.begin'), words.say('search.hint')) }
    const { data } = await visit.ask('searchAdmin', { query: { q } })
    const { orders, products, skus, promotions } = data
    const pages = pagesFound(visit, q)
    const names = await loadCustomerNames(visit, orders)
    if (orders.length + products.length + skus.length + promotions.length + pages.length === 0)
      return { title, isSearch: true, body: empty(words.say('search.none', { q }), words.say('search.noneText')) }
    const hasProducts = places.includes('products')
    const product = (id: string) => (hasProducts ? to(`products/${id}`) : undefined)
    return {
      title,
      isSearch: true,
      body: html`${field}
${group(
  words.say('search.orders'),
  orders.map((order) => ({
    href: to(`orders/${order.id}`),
    body: html`<span class="result-name">${order.number}</span>
  ${whoOrdered(order, names.get(order.id))}
  ${statusPill(visit.words, 'payment', order.paymentStatus)}
  ${order.status === 'cancelled' ? statusPill(words, 'order', order.status) : statusPill(words, 'sending', order.fulfillmentStatus)}
  <span class="result-end soft">${renderTime(words, order.placedAt)} · ${words.money(order.total, order.currency)}</span>`,
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

// Number of results of each kind while the person types. The search page shows more.
const answersMax = { orders: 5, products: 3, skus: 3, promotions: 2, pages: 3 } as const

// Results for the search field while the person types (browser/suggesting.ts).
export const searchAnswersScreen: Screen = {
  path: 'search/answers',
  name: 'dashboard search answers',
  place: 'home',
  needs: 'searchAdmin',
  async get(visit) {
    const { words } = visit
    const q = askedIn(visit)
    const items = q === '' ? [] : await answersTo(visit, q)
    const said = words.say(items.length === 0 ? 'search.saidNone' : 'search.said', { count: items.length })
    const answers: SearchAnswers = { items, label: words.say('search.title'), said }
    const headers = { ...dashboardHeaders, 'content-type': 'application/json; charset=utf-8' }
    return { status: 200, body: JSON.stringify(answers), headers }
  },
}

async function answersTo(visit: ScreenVisit, q: string): Promise<SearchAnswer[]> {
  const { words, to, places } = visit
  const { data } = await visit.ask('searchAdmin', { query: { q } })
  const orders = data.orders.slice(0, answersMax.orders)
  const names = await loadCustomerNames(visit, orders)
  const productsOf = <Row>(rows: readonly Row[], max: number) => (places.includes('products') ? rows.slice(0, max) : [])
  return [
    ...orders.map((order) => ({
      href: to(`orders/${order.id}`),
      name: order.number,
      detail: [whoText(order, names.get(order.id)), words.money(order.total, order.currency)]
        .filter(Boolean)
        .join(' · '),
      kind: words.say('search.order'),
    })),
    ...productsOf(data.products, answersMax.products).map(({ id, name }) => ({
      href: to(`products/${id}`),
      name,
      detail: '',
      kind: words.say('search.product'),
    })),
    ...productsOf(data.skus, answersMax.skus).map(({ code, productId, productName }) => ({
      href: to(`products/${productId}`),
      name: code,
      detail: productName,
      kind: words.say('search.sku'),
    })),
    ...(places.includes('discounts') ? data.promotions.slice(0, answersMax.promotions) : []).map(
      ({ id, code, name }) => ({
        href: to(`discounts/${id}`),
        name: code,
        detail: name,
        kind: words.say('search.promotion'),
      }),
    ),
    ...pagesFound(visit, q)
      .slice(0, answersMax.pages)
      .map(({ path, name, place }) => ({ href: to(path), name, detail: place, kind: words.say('search.page') })),
  ]
}

type FoundOrder = AdminSearchResponse['data']['orders'][number]

function whoText({ emailMasked, city }: FoundOrder, name: string | undefined): string {
  return [name ?? emailMasked, city].filter((part) => part !== null).join(', ')
}

function whoOrdered(order: FoundOrder, name: string | undefined): Html {
  return html`<span dir="auto">${whoText(order, name)}</span>`
}

const sectionsByPlace = [
  ['place.settings', settingSections],
  ['place.store', storeSections],
  ['place.developers', developerSections],
] as const

// Returns pages of the dashboard that contain the query in their name or in the name of their place, in the language of the page.
function pagesFound({ words, may }: ScreenVisit, q: string): { path: string; name: string; place: string }[] {
  const asked = q.toLowerCase()
  const isFound = (name: string) => name.toLowerCase().includes(asked)
  return sectionsByPlace.flatMap(([place, { parts }]) =>
    parts
      .filter(({ needs, text }) => may(needs) && (isFound(words.say(text)) || isFound(words.say(place))))
      .map(({ path, text }) => ({ path, name: words.say(text), place: words.say(place) })),
  )
}

interface Result {
  // Undefined if no screen shows the result.
  href: string | undefined
  body: Html
}

function group(title: string, results: readonly Result[]): Html | false {
  if (results.length === 0) return false
  return renderCard({
    title,
    isFlush: true,
    body: html`<ul class="results">${results.map(
      ({ href, body }) =>
        html`<li data-row>${
          href === undefined
            ? html`<span class="result">${body}</span>`
            : html`<a class="result" href="${href}" data-open>${body}</a>`
        }</li>`,
    )}</ul>`,
  })
}
