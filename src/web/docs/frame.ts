// The frame of every page of the documentation: the coloured bar, the footer and the headers.

import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { logoMark, siteBranding } from '../../platform/html/mark.ts'
import { pageHeaders, self } from '../../platform/html/policy.ts'
import { script, style } from './assets.ts'

// Only this server's scripts run, and nothing is loaded from other origins.
export const siteHeaders = pageHeaders({
  style: [self],
  img: [self, 'data:'],
  script: [self],
  connect: [self],
  form: [self],
})

export interface SiteFrame {
  title: string
  description: string
  // Path of the page, which the bar marks as current.
  path: string
  body: Html
  footer?: Html
}

export function renderSiteFrame({ path, ...page }: SiteFrame): string {
  const link = (href: string, text: string) =>
    href === path ? html`<a href="${href}" aria-current="page">${text}</a>` : html`<a href="${href}">${text}</a>`
  const header = html`<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="name" href="/">${logoMark()}<span>Cartwright</span></a>
<nav aria-label="Site">${link('/docs', 'Reference')}<a href="/openapi.json">OpenAPI</a></nav>
</header>`
  return renderHtmlDocument({ ...page, ...siteBranding, style: style.href, script: script.href, header })
}
