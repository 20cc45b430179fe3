// What every page of the checkout has around it: the head, the merchant's name, the foot, and the headers that fence it in.

import type { PageAnswer } from '../../http/server.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialOf } from '../../pages/initial.ts'
import type { AwaitedMoney, CheckoutMerchant } from '../port.ts'
import { scriptSrc, styleHref } from './assets.ts'
import type { Speaker } from './language.ts'

export interface Frame {
  speaker: Speaker
  title: string
  // Tells style and script which of the pages this is.
  state: string
  // Loaded again after some seconds where there is no script to ask quietly.
  refreshTo?: string
  // What the script works with; it reads nothing else of the page's data.
  facts?: Readonly<Record<'version' | 'total' | 'problem', string>>
  body: Html
}

export function framed({ speaker, title, state, refreshTo, facts, body }: Frame): string {
  return html`<!doctype html>
<html lang="${speaker.locale}" dir="${speaker.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleHref}">
<script src="${scriptSrc}" defer></script>
${refreshTo !== undefined && html`<noscript><meta http-equiv="refresh" content="${`${refreshSeconds};url=${refreshTo}`}"></noscript>`}
</head>
<body data-state="${state}" data-version="${facts?.version}" data-total="${facts?.total}" data-problem="${facts?.problem}">
${body}
<p class="hidden" id="told" role="status" data-total="${speaker.say('total.now', { amount: '{amount}' })}"></p>
</body>
</html>
`.toString()
}

const refreshSeconds = 4

// A page in one narrow column, for everything but the open checkout.
export function sheet(speaker: Speaker, merchant: CheckoutMerchant | null, isTest: boolean, inside: Html): Html {
  return html`<div class="sheet">
${merchant && merchantBar(speaker, merchant, isTest)}
<main id="main">${inside}</main>
${merchant && foot(speaker, merchant)}
</div>`
}

export function merchantBar(speaker: Speaker, { name }: CheckoutMerchant, isTest: boolean): Html {
  return html`<header class="merchant">
<span class="monogram" aria-hidden="true">${initialOf(name)}</span>
<span class="merchant-name" dir="auto">${name}</span>
${isTest && html`<span class="ribbon" title="${speaker.say('page.testNote')}">${speaker.say('page.test')}</span>`}
</header>`
}

// The merchant's own words, in whatever language they are; the style sheet keeps their lines.
export function instructionsBox(text: string): Html {
  return html`<p class="instructions" dir="auto">${text}</p>`
}

// How to pay what is awaited, and until when.
export function howToPay({ say, date }: Speaker, { instructions, dueAt }: AwaitedMoney): Html | null {
  if (instructions === null && dueAt === null) return null
  return html`<section class="notice" aria-labelledby="awaited-title">
<h2 class="notice-title" id="awaited-title">${say('awaited.title')}</h2>
${instructions !== null && instructionsBox(instructions)}
${dueAt !== null && html`<p>${say('awaited.due', { date: date(dueAt) })}</p>`}
</section>`
}

export function foot({ say }: Speaker, { links, supportEmail }: CheckoutMerchant): Html {
  const named = (['terms', 'privacy', 'refunds', 'imprint'] as const).flatMap((name) => {
    const href = links[name]
    return href === undefined || !isWebAddress(href) ? [] : [{ href, text: say(`legal.${name}`) }]
  })
  return html`<footer class="foot">
${supportEmail !== null && html`<p>${say('page.help')} <a href="mailto:${supportEmail}" dir="ltr">${supportEmail}</a></p>`}
${
  named.length > 0 &&
  html`<nav aria-label="${say('legal.label')}"><ul>${named.map(
    // In a tab of their own: what was typed here is not lost to curiosity.
    ({ href, text }) =>
      html`<li><a href="${href}" target="_blank" rel="noopener noreferrer">${text}<span class="hidden"> (${say('page.newTab')})</span></a></li>`,
  )}</ul></nav>`
}
</footer>`
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

// The browser follows a form's redirect only to places named here, and the shop is where a paid form leads.
export function answerPage(status: number, text: string, shopUrls: readonly (string | null)[] = []): PageAnswer {
  return { status, body: text, headers: { ...fence, 'content-security-policy': policyFor(shopUrls) } }
}

export function redirect(to: string): PageAnswer {
  return { status: 303, body: '', headers: { ...fence, location: to } }
}

// The address is a secret: no cache keeps it, no search engine lists it, no other host is told it.
const fence: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-language',
}

function policyFor(shopUrls: readonly (string | null)[]): string {
  const shops = new Set(shopUrls.flatMap((url) => (url !== null && URL.canParse(url) ? [new URL(url).origin] : [])))
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' https: data:",
    "connect-src 'self'",
    ["form-action 'self'", ...shops].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
