// The frame of every authorization page: the coloured bar, one narrow column, and the headers.

import { renderHtmlDocument } from '../../../platform/html/frame.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { initialOf } from '../../../platform/html/initial.ts'
import { logoMark, siteBranding } from '../../../platform/html/mark.ts'
import { originsOf, privateHeaders, self } from '../../../platform/html/policy.ts'
import type { PageAnswer } from '../../../platform/http/pages.ts'
import { style } from './assets.ts'
import type { RequestingApp } from './views.ts'

export function renderConsentFrame(title: string, inside: Html, script?: string): string {
  return renderHtmlDocument({
    ...siteBranding,
    title,
    style: style.href,
    ...(script !== undefined && { script }),
    header: html`<header class="bar"><span class="name">${logoMark()}<span>Cartwright</span></span></header>`,
    body: html`<main class="sheet">
${inside}
</main>`,
  })
}

// The app's name, above the permissions that it requests.
export function renderAppHeading({ name, mode }: RequestingApp): Html {
  return html`<div class="app">
<span class="monogram" aria-hidden="true">${initialOf(name)}</span>
<span class="app-name" dir="auto">${name}</span>
${mode === 'test' && html`<span class="ribbon">Test mode</span>`}
</div>`
}

// Host and port of the redirect URI; empty if it is not a URL.
export function redirectHostOf({ redirectUri }: RequestingApp): string {
  return URL.canParse(redirectUri) ? new URL(redirectUri).host : ''
}

// `leadsTo`: the redirect URI of the request, once it is known to belong to the app.
export function answerPage(status: number, text: string, leadsTo?: string, hasPasskeys = false): PageAnswer {
  return { status, body: text, headers: consentHeaders(leadsTo, hasPasskeys) }
}

// The referrer is sent within this server's origin only, so browsers name the origin when posting its forms (Fetch, 3.2). The opener is
// not cut off: an app may show these pages in a window of its own and wait until it closes.
export function consentHeaders(leadsTo?: string, hasPasskeys = false): Record<string, string> {
  const sources = {
    style: [self],
    img: [self, 'data:'],
    form: [self, ...originsOf([leadsTo])],
    ...(hasPasskeys && { script: [self], connect: [self] }),
  }
  return { ...privateHeaders(sources), 'referrer-policy': 'same-origin' }
}
