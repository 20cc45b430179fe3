// The frame of every page of the dashboard. The side has the menu, search, shop, mode and account; beside it are the title with its
// buttons, the toast and the body. On a phone the side is a popover that a button opens, with and without script.

import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { initialOf } from '../../platform/html/initial.ts'
import { siteBranding } from '../../platform/html/mark.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { scriptsFor, style } from './assets.ts'
import { dashboardHeaders, speculationPath } from './headers.ts'
import { icon } from './icons.ts'
import { unbrokenWords } from './parts.ts'
import { menuPlaces, type PlaceId } from './places.ts'
import type { ScreenSheet, ScreenVisit } from './screen.ts'
import { renderToast } from './toast.ts'
import type { DashboardWords } from './words.ts'

export function renderDashboardFrame(visit: ScreenVisit, place: PlaceId | null, sheet: ScreenSheet): PageAnswer {
  const { words, shop, mode } = visit
  const body = html`<a class="skip" href="#main">${words.say('frame.skip')}</a>
${topBar(visit)}
${side(visit, sheet.isSearch ? null : place, sheet)}
<div class="page${sheet.width === 'narrow' ? ' narrow' : ''}">
${mode === 'test' && testBar(visit)}
<main id="main" data-title="${sheet.title}">
${renderToast(visit)}
${head(sheet)}
${sheet.body}
</main>
</div>
${shortcutList(words)}`
  const text = renderHtmlDocument({
    ...siteBranding,
    locale: words.locale,
    direction: words.direction,
    title: `${sheet.title} – ${shop.name}`,
    style: style.href,
    head: html`${scriptsFor(sheet.body).map((href) => html`<script src="${href}" defer></script>\n`)}`,
    attributes: html` class="dashboard" data-base="${visit.to('')}" data-offline="${words.say('frame.offline')}"`,
    body,
  })
  return {
    status: sheet.status ?? 200,
    body: text,
    headers: { ...dashboardHeaders, 'speculation-rules': `"${speculationPath}"` },
  }
}

function head({ title, back, badge, sub, actions }: ScreenSheet): Html {
  return html`<header class="head">
${back && html`<a class="back" href="${back.href}">${icon('back')}${back.label}</a>`}
<div class="head-row">
  <div class="head-text">
    <h1 dir="auto">${unbrokenWords(title)}</h1>
    ${badge && html`<span class="head-badge">${badge}</span>`}
    ${sub !== undefined && html`<p class="sub">${sub}</p>`}
  </div>
  ${actions && html`<div class="head-actions">${actions}</div>`}</div>
</header>`
}

// The bar at the top, which is shown on phones only.
function topBar({ words, shop, to, places: built }: ScreenVisit): Html {
  return html`<header class="top">
<button type="button" class="top-button" popovertarget="side" aria-label="${words.say('frame.menu')}">${icon('menu')}</button>
<a class="top-shop" href="${to('home')}" dir="auto">${shop.name}</a>
${built.length > 0 && html`<a class="top-button" href="${to('search')}" aria-label="${words.say('frame.search')}">${icon('search')}</a>`}
</header>`
}

// The search page has a search field of its own, so the side has none.
function side(visit: ScreenVisit, current: PlaceId | null, { isSearch }: ScreenSheet): Html {
  const { words, to, may, places: built } = visit
  const isOpen = built.length > 0
  return html`<aside class="side" id="side" aria-label="${words.say('frame.menu')}" popover>
${shopSwitch(visit)}
${
  isOpen &&
  !isSearch &&
  html`<form
    class="find"
    role="search"
    data-suggest="${to('search/answers')}"
    aria-label="${words.say('frame.search')}"
    action="${to('search')}">
    <input
      type="search"
      name="q"
      maxlength="100"
      aria-label="${words.say('frame.search')}"
      placeholder="${words.say('frame.search')}"
      autocomplete="off">
    <kbd aria-hidden="true">/</kbd>
    <button class="find-button" aria-label="${words.say('search.submit')}">${icon('search')}</button>
  </form>`
}
${
  isOpen &&
  html`<nav class="places" aria-label="${words.say('frame.places')}">
    ${menuPlaces
      .filter(({ id, needs }) => built.includes(id) && may(needs))
      .map(
        ({ id, path, key }) =>
          html`<a href="${to(path)}" data-go="${key}"${id === current && html` aria-current="page"`}>
        ${icon(id)}
        <span>${words.say(`place.${id}`)}</span>
      </a>`,
      )}
  </nav>`
}
<div class="side-foot">
${isOpen && modeSwitch(visit)}
${account(visit)}
</div>
</aside>`
}

function shopSwitch({ words, shop, shops }: ScreenVisit): Html {
  const face = html`<span class="monogram" aria-hidden="true">${initialOf(shop.name)}</span>
  <span class="shop-name" dir="auto">${shop.name}</span>`
  if (shops.length < 2) return html`<div class="shop">${face}</div>`
  return html`<button
    type="button"
    class="shop"
    popovertarget="shops"
    aria-label="${words.say('frame.shop', { shop: shop.name })}">
    ${face}
    ${icon('down')}
  </button>
<div class="menu menu-shops" id="shops" popover>
  <ul>
    ${shops.map(
      ({ slug, name }) =>
        html`<li><a href="/admin/${slug}"${slug === shop.slug && html` aria-current="true"`} dir="auto">${name}</a></li>`,
    )}
  </ul></div>`
}

function modeSwitch({ words, shop, mode }: ScreenVisit): Html {
  const base = `/admin/${shop.slug}`
  return html`<div class="modes" role="group" aria-label="${words.say('frame.mode')}">
<a href="${base}/home"${mode === 'live' && html` aria-current="true"`}>${words.say('mode.live')}</a>
  <a href="${base}/test/home"${mode === 'test' && html` aria-current="true"`}>${words.say('mode.test')}</a>
</div>`
}

function account({ words, email, name, role, to }: ScreenVisit): Html {
  return html`<button type="button" class="account" popovertarget="account">${icon('person')}<span class="account-who">${
    name === null
      ? html`<span class="account-email" dir="ltr">${email}</span>`
      : html`<span class="account-email" dir="auto">${name}</span>`
  }<span class="soft">${words.say(`role.${role}`)}</span></span>${icon('up')}</button>
<div class="menu menu-account" id="account" popover><ul>
<li><a href="${to('account')}">${words.say('account.title')}</a></li>
<li class="with-script"><button type="button" popovertarget="shortcuts">${words.say('frame.shortcuts')}</button></li>
<li><form method="post" action="/admin/sign-out"><button>${words.say('frame.signOut')}</button></form></li>
</ul></div>`
}

function testBar({ words }: ScreenVisit): Html {
  return html`<aside class="test-bar" aria-label="${words.say('frame.mode')}">
    <strong>${words.say('mode.testTitle')}</strong> <span>${words.say('mode.testText')}</span>
  </aside>`
}

// Shown as a popover; browser/keys.ts opens it with `?`.
function shortcutList(words: DashboardWords): Html {
  const rows: readonly (readonly [keys: string, text: string])[] = [
    ['/', words.say('frame.search')],
    ...menuPlaces.map(({ id, key }) => [`g ${key}`, words.say(`place.${id}`)] as const),
    ['j k', words.say('keys.rows')],
    ['x', words.say('keys.select')],
    ['Enter', words.say('keys.open')],
    ['f', words.say('keys.send')],
    ['e', words.say('keys.edit')],
    ['Ctrl S', words.say('keys.save')],
    ['?', words.say('keys.help')],
  ]
  return html`<div class="shortcuts" id="shortcuts" popover aria-label="${words.say('frame.shortcuts')}" role="dialog">
<h2>${words.say('frame.shortcuts')}</h2>
<dl>${rows.map(([keys, text]) => html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${text}</dd></div>`)}</dl>
<p><label class="check"><input type="checkbox" data-keys-off> ${words.say('keys.off')}</label></p>
</div>`
}
