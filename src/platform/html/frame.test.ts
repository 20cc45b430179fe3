import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderHtmlDocument } from './frame.ts'
import { html } from './html.ts'

test('the smallest page is complete', () => {
  assert.equal(
    renderHtmlDocument({ title: 'a < b', body: html`<main></main>` }),
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>a &lt; b</title>
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
</head>
<body>
<main></main>
</body>
</html>
`,
  )
})

test('a page with all options is complete', () => {
  assert.equal(
    renderHtmlDocument({
      title: 'T',
      locale: 'ar-EG',
      direction: 'rtl',
      description: '"D"',
      style: '/s.css?v=1',
      script: '/s.js?v=1',
      icon: '/i.svg',
      themeColor: '#123456',
      head: html`<meta name="x">`,
      attributes: html` data-state="open"`,
      header: html`<header></header>`,
      body: html`<main></main>`,
      footer: html`<footer></footer>`,
    }),
    `<!doctype html>
<html lang="ar-EG" dir="rtl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>T</title>
<meta name="description" content="&quot;D&quot;">
<meta name="theme-color" content="#123456">
<link rel="icon" href="/i.svg" type="image/svg+xml">
<link rel="stylesheet" href="/s.css?v=1">
<script src="/s.js?v=1" defer></script>
<meta name="x">
</head>
<body data-state="open">
<header></header>
<main></main>
<footer></footer>
</body>
</html>
`,
  )
})
