// What every authorization page has around it: the head, the painted bar, one narrow sheet, and the headers that fence it in.

import type { PageAnswer } from '../../http/server.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialOf } from '../../pages/initial.ts'
import { mark } from '../../pages/mark.ts'
import { styleHref } from './assets.ts'
import type { AppFace } from './views.ts'

export interface Frame {
  title: string
  body: Html
}

export function framed({ title, body }: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="robots" content="noindex">
<meta name="theme-color" content="#17455d">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${styleHref}">
</head>
<body>
<header class="bar"><span class="name">${mark()}<span>Cartwright</span></span></header>
<main class="sheet">
${body}
</main>
</body>
</html>
`.toString()
}

// Who asks, before anything is asked.
export function appHead({ name, mode }: AppFace): Html {
  return html`<div class="app">
<span class="monogram" aria-hidden="true">${initialOf(name)}</span>
<span class="app-name" dir="auto">${name}</span>
${mode === 'test' && html`<span class="ribbon">Test mode</span>`}
</div>`
}

// The host, with its port: that is what tells one place from another.
export function placeOf({ redirectUri }: AppFace): string {
  return URL.canParse(redirectUri) ? new URL(redirectUri).host : ''
}

// `leadsTo` is the redirect URI of the request at hand, where there is one that was found to be the app's.
export function answerPage(status: number, text: string, leadsTo?: string): PageAnswer {
  return { status, body: text, headers: pageHeaders(leadsTo) }
}

// The referrer stays within the house, so that browsers name the origin of our own forms (Fetch, 3.2). The opener is not
// cut off: an app may show these pages in a window of its own and wait for it.
export function pageHeaders(leadsTo?: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(leadsTo),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    // For browsers that do not know frame-ancestors.
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  }
}

// The browser follows a form's redirect only to places named here, and the app is where a decision leads.
function policyFor(leadsTo: string | undefined): string {
  const origin = leadsTo !== undefined && URL.canParse(leadsTo) ? new URL(leadsTo).origin : 'null'
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["form-action 'self'", ...(origin === 'null' ? [] : [origin])].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
