// The two pages of the app: before it is installed, and after. They have no script, and everything from the shop
// is escaped by the `html` tag.

import { randomUUID } from 'node:crypto'
import type {
  CheckoutSession,
  InstallationCredentialIdentityResponse,
  ProductSummary,
  WebhookEndpoint,
} from '../../packages/client/src/index.ts'
import type { ReceivedEvent } from './events.ts'
import { type Html, html } from './html.ts'

export type Identity = InstallationCredentialIdentityResponse['data']

export interface Notice {
  tone: 'good' | 'plain' | 'bad'
  text: string
}

export function startPage({ shopUrl, notice }: { shopUrl: string; notice: Notice | null }): string {
  return framed(
    'Example app',
    html`${said(notice)}
<h1>Example app</h1>
<p class="lead">Makes checkouts for a shop and shows what becomes of them.</p>
<p>It asks the shop at <strong>${shopUrl}</strong>. You sign in there, choose the shop and see what the app may do, before
anything is installed.</p>
<form method="post" action="/install"><button>Install on your shop</button></form>`,
  )
}

export interface InstalledView {
  identity: Identity
  token: { expiresAt: string; refreshes: number }
  products: readonly ProductSummary[]
  checkout: { name: string; session: CheckoutSession } | null
  // Null where the app was not allowed to see them.
  endpoints: readonly WebhookEndpoint[] | null
  events: readonly ReceivedEvent[]
  // Whether the secret of the endpoint is known.
  isVerifying: boolean
  notice: Notice | null
  webhookUrl: string
  // What the shop's operator types to have this app called.
  command: string
}

export function installedPage(view: InstalledView): string {
  const { identity, token, products, checkout, endpoints, events, isVerifying, notice, webhookUrl, command } = view
  const { merchant, installation, credential } = identity
  const facts: [name: string, value: string][] = [
    ['Shop', `${merchant.name} (${merchant.slug})`],
    ['Installation', `${installation.name}, ${installation.id}, ${installation.mode} mode`],
    ['May', credential.scopes.join(', ')],
    ['API key', `${credential.prefix}…${credential.last4}`],
    ['Access token', `ends at ${token.expiresAt}, refreshed ${token.refreshes} times`],
  ]
  return framed(
    `Example app on ${merchant.name}`,
    html`${said(notice)}
<h1>Installed on ${merchant.name}</h1>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<form method="post" action="/refresh"><button class="quiet">Refresh the token</button></form>

<h2>A checkout</h2>
${credential.scopes.includes('catalog:read') ? checkoutForm(products) : html`<p>The app was not allowed to run checkouts.</p>`}
${checkout && checkoutLine(checkout)}

<h2>Webhooks</h2>
<p>The shop’s operator adds an endpoint for this installation, on the shop’s machine:</p>
<pre><code>npm run -s cartwright -- ${command}</code></pre>
<p>It prints a secret once. With it the app verifies what is sent to <code>${webhookUrl}</code>.</p>
${endpoints && html`<p>Now it calls ${endpoints.map(({ url, status }) => `${url} (${status})`).join(', ') || 'nobody'}.</p>`}
<form method="post" action="/webhook-secret">
<label for="secret">Secret of the endpoint${isVerifying && ' (there is one; a new one takes its place)'}</label>
<input id="secret" name="secret" type="password" autocomplete="off" required>
<button class="quiet">Use this secret</button>
</form>
<h3>Received and verified</h3>
${
  events.length === 0
    ? html`<p>Nothing yet.</p>`
    : html`<ul class="events">${events.map(({ type, timestamp, subject }) => html`<li><strong>${type}</strong> ${subject.id} <time>${timestamp}</time></li>`)}</ul>`
}
<p><a href="/">Look again</a></p>

<h2>The end</h2>
<p>Uninstalling gives the refresh token back. The shop ends the installation, every token and every key at once.</p>
<form method="post" action="/uninstall"><button class="grave">Uninstall</button></form>`,
  )
}

function checkoutForm(products: readonly ProductSummary[]): Html {
  const inStock = products.filter(({ availability }) => availability !== 'out_of_stock')
  return html`<form method="post" action="/checkout">
<input type="hidden" name="once" value="${randomUUID()}">
<label for="product">What is bought</label>
<select id="product" name="product">${inStock.map(({ slug, name }) => html`<option value="${slug}">${name}</option>`)}</select>
<button>Make a checkout</button>
</form>`
}

function checkoutLine({ name, session }: NonNullable<InstalledView['checkout']>): Html {
  if (session.url === null) return html`<p>The checkout of ${name} is ${session.status}.</p>`
  return html`<p>Made: <a href="${session.url}">Pay for ${name}</a></p>`
}

function said(notice: Notice | null): Html | null {
  return notice && html`<p class="notice ${notice.tone}" role="status">${notice.text}</p>`
}

function framed(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text
}
