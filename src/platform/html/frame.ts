// The HTML document of every page: its head and the parts of its body.

import { type Html, html } from './html.ts'

export interface HtmlDocumentParts {
  title: string
  // Language tag (default: en).
  locale?: string
  direction?: 'ltr' | 'rtl'
  // Without a description, search engines are told not to index the page.
  description?: string
  // URLs of assets.
  style?: string
  script?: string
  icon?: string
  // Colour of the browser's toolbar.
  themeColor?: string
  // Additional elements for the head.
  head?: Part
  // Attributes of the body element, each with a leading space.
  attributes?: Html
  header?: Part
  body: Html
  footer?: Part
}

type Part = Html | false | undefined

export function renderHtmlDocument(frame: HtmlDocumentParts): string {
  const { title, locale = 'en', direction, description, style, script, icon, themeColor } = frame
  const head: Part[] = [
    html`<meta charset="utf-8">`,
    html`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    html`<title>${title}</title>`,
    description === undefined
      ? html`<meta name="robots" content="noindex">`
      : html`<meta name="description" content="${description}">`,
    themeColor !== undefined && html`<meta name="theme-color" content="${themeColor}">`,
    icon === undefined
      ? html`<link rel="icon" href="data:,">`
      : html`<link rel="icon" href="${icon}" type="image/svg+xml">`,
    style !== undefined && html`<link rel="stylesheet" href="${style}">`,
    script !== undefined && html`<script src="${script}" defer></script>`,
    frame.head,
  ]
  return html`<!doctype html>
<html lang="${locale}"${direction !== undefined && html` dir="${direction}"`}>
<head>
${head.map(line)}</head>
<body${frame.attributes}>
${[frame.header, frame.body, frame.footer].map(line)}</body>
</html>
`.toString()
}

function line(part: Part): Html | false {
  return part ? html`${part}\n` : false
}
