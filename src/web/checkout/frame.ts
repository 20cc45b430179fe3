// The frame of every page of the checkout: the merchant's name, the footer and the headers.

import type { LegalTextKind } from '../../contract/words.ts'
import type { AwaitedPayment, CheckoutMerchant } from '../../domain/checkout/port.ts'
import { withdrawalPathOf } from '../../domain/merchants/store.ts'
import type { PageSources } from '../../domain/payments/port.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { initialOf } from '../../platform/html/initial.ts'
import { originsOf, privateHeaders, redirectAfterPost as redirectTo, self } from '../../platform/html/policy.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import type { Speaker } from '../languages/language.ts'
import { script, style } from './assets.ts'
import type { PageState, SessionState } from './browser/names.ts'
import { themeHref } from './look.ts'

export interface CheckoutFrame {
  speaker: Speaker
  title: string
  // Kind of page, for the style sheet and the script.
  state: PageState
  // URL to load after some seconds if there is no script that polls.
  refreshTo?: PageRefresh
  // URL on another host that the page immediately redirects to, with and without script.
  leadsTo?: string
  // Path of a second script for this page.
  moreScript?: string
  // Values for the script.
  facts?: Readonly<Record<'version' | 'total' | 'problem', string>>
  body: Html
}

export interface PageRefresh {
  to: string
  seconds: number
  // Whether the page also refreshes if scripts run (default: false).
  isForAll?: boolean
}

export function renderCheckoutFrame({
  speaker,
  title,
  state,
  refreshTo,
  leadsTo,
  moreScript,
  facts,
  body,
}: CheckoutFrame): string {
  return renderHtmlDocument({
    title,
    locale: speaker.locale,
    direction: speaker.direction,
    style: style.href,
    script: script.href,
    head: html`<meta name="format-detection" content="telephone=no">
    ${refreshTo !== undefined && refresh(refreshTo)}
    ${leadsTo !== undefined && html`<meta http-equiv="refresh" content="${`0;url=${leadsTo}`}">`}
    ${
      moreScript !== undefined &&
      html`
<script type="module" src="${moreScript}"></script>`
    }`,
    attributes: html` data-state="${state}" data-version="${facts?.version}" data-total="${facts?.total}" data-problem="${facts?.problem}"`,
    body,
    footer: html`<p class="hidden" id="told" role="status" data-total="${speaker.say('total.now', { amount: '{amount}' })}"></p>`,
  })
}

function refresh({ to, seconds, isForAll = false }: PageRefresh): Html {
  const meta = html`<meta http-equiv="refresh" content="${`${seconds};url=${to}`}">`
  return isForAll
    ? meta
    : html`
<noscript>${meta}</noscript>`
}

// The body with one narrow column, for all pages with this frame except the open checkout. `order`: the order's number, for the link to
// the withdrawal form.
export function renderCheckoutSheet(
  speaker: Speaker,
  merchant: CheckoutMerchant | null,
  isTest: boolean,
  inside: Html,
  order?: string,
): Html {
  return html`<div class="sheet">
${merchant && merchantBar(speaker, merchant, isTest)}
<main id="main">${inside}</main>
${merchant && renderFooter(speaker, merchant, order)}
</div>`
}

// The merchant's style sheet (look.ts) blocks rendering, so the page never flashes in the default colours.
export function merchantBar(speaker: Speaker, merchant: CheckoutMerchant, isTest: boolean): Html {
  const { name, logo } = merchant
  const theme = themeHref(merchant)
  return html`${theme !== null && html`<link rel="stylesheet" href="${theme}">`}<header class="merchant">
${
  logo !== null && isPicture(logo)
    ? html`<img class="logo" src="${logo}" alt="${name}">`
    : html`<span class="monogram" aria-hidden="true">${initialOf(name)}</span>
<span class="merchant-name" dir="auto">${name}</span>`
}
${isTest && html`<span class="ribbon" title="${speaker.say('page.testNote')}">${speaker.say('page.test')}</span>`}
</header>`
}

// The merchant's own text, in any language; the style sheet preserves its line breaks.
export function instructionsBox(text: string): Html {
  return html`<p class="instructions" dir="auto">${text}</p>`
}

// Renders how to pay an order that awaits payment, and by when.
export function paymentInstructions({ say, date }: Speaker, { instructions, dueAt }: AwaitedPayment): Html | null {
  if (instructions === null && dueAt === null) return null
  return html`<section class="notice" aria-labelledby="awaited-title">
<h2 class="notice-title" id="awaited-title">${say('awaited.title')}</h2>
${instructions !== null && instructionsBox(instructions)}
${dueAt !== null && html`<p>${say('awaited.due', { date: date(dueAt) })}</p>`}
</section>`
}

export function renderFooter({ say }: Speaker, merchant: CheckoutMerchant, order?: string): Html {
  const { supportEmail } = merchant
  const withdrawalPath = withdrawalPathOf(merchant, order)
  const named = legalLinks(merchant).map(({ name, href }) => ({ href, text: say(`legal.${name}`) }))
  return html`<footer class="foot">
${
  supportEmail !== null &&
  html`<p>${say('page.help')} <a href="mailto:${supportEmail}" dir="ltr">${supportEmail}</a></p>`
}
${
  named.length > 0 &&
  html`<nav aria-label="${say('legal.label')}">
    <ul>
      ${named.map(
        // Opens in a new tab, so typed values are not lost.
        ({ href, text }) =>
          html`<li>
          <a href="${href}" target="_blank" rel="noopener noreferrer">
            ${text}
            <span class="hidden"> (${say('page.newTab')})</span>
          </a>
        </li>`,
      )}
    </ul>
  </nav>`
}
${withdrawalPath !== null && html`<p><a class="withdraw" href="${withdrawalPath}">${say('withdrawal.link')}</a></p>`}
</footer>`
}

type LegalName = LegalTextKind | 'refunds'

// A legal text stored on this server takes precedence over the merchant's own page.
function legalLinks({ slug, links, textKinds }: CheckoutMerchant): { name: LegalName; href: string }[] {
  const names: readonly LegalName[] = [
    'terms',
    'withdrawal',
    'privacy',
    'refunds',
    'shipping',
    'imprint',
    'accessibility',
    'guarantee',
  ]
  const given: Readonly<Partial<Record<LegalName, string>>> = links
  return names.flatMap((name) => {
    if (name !== 'refunds' && textKinds.includes(name)) return [{ name, href: `/legal/${slug}/${name}` }]
    const href = given[name]
    return href === undefined || !isWebAddress(href) ? [] : [{ name, href }]
  })
}

// Whether the URL is http(s), or a path on this server's origin.
export function isPicture(url: string): boolean {
  return isWebAddress(url) || /^\/(?!\/)/.test(url)
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

export interface AllowedSources {
  // URLs of shops, to which a posted form may redirect.
  shopUrls?: readonly (string | null)[]
  // Sources of the provider whose frame the page embeds.
  sources?: PageSources | undefined
}

export function answerPage(status: number, text: string, allowed: AllowedSources = {}): PageAnswer {
  return { status, body: text, headers: headersFor(allowed) }
}

export function answerSessionState(state: SessionState): PageAnswer {
  return { status: 200, body: state, headers: { ...headersFor({}), 'content-type': 'text/plain; charset=utf-8' } }
}

export function redirectCheckout(to: string): PageAnswer {
  return redirectTo(to, headersFor({}))
}

// Most of the URLs contain a secret, so no referrer is sent. Pictures belong to the merchant and may come from any host with https.
function headersFor({ shopUrls = [], sources }: AllowedSources): Record<string, string> {
  const headers = privateHeaders({
    style: [self],
    ...(sources?.styleAttributes && { styleAttr: ["'unsafe-inline'"] }),
    img: [self, 'https:', 'data:', ...(sources?.image ?? [])],
    script: [self, ...(sources?.script ?? [])],
    connect: [self, ...(sources?.connect ?? [])],
    ...(sources && { frame: sources.frame }),
    form: [self, ...originsOf(shopUrls)],
  })
  // Banks and wallets open windows of their own, which send messages back to this page.
  const opener = sources ? 'same-origin-allow-popups' : 'same-origin'
  return { ...headers, 'cross-origin-opener-policy': opener, vary: 'accept-language' }
}
