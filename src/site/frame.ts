// What every page of the site has around it: the head, the painted bar, the foot, and the headers that fence it in.

import { type Html, html } from '../pages/html.ts'
import { mark } from '../pages/mark.ts'
import { scriptSrc, styleHref } from './style.ts'

// Nothing is loaded from elsewhere, nothing runs that we did not serve, and nobody frames us.
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export interface Frame {
  title: string
  description: string
  // The address of the page, which the bar marks as the present one.
  path: '/' | '/docs'
  body: Html
}

export function framed({ title, description, path, body }: Frame): string {
  const link = (href: string, text: string) =>
    href === path ? html`<a href="${href}" aria-current="page">${text}</a>` : html`<a href="${href}">${text}</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta name="theme-color" content="#17455d">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${styleHref}">
<script src="${scriptSrc}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="name" href="/">${mark()}<span>Cartwright</span></a>
<nav aria-label="Site">${link('/docs', 'Reference')}<a href="/openapi.json">OpenAPI</a></nav>
</header>
${body}
</body>
</html>
`.toString()
}
