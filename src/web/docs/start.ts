// The page at `/`: what runs on this server, the first calls to try, and further links. Shows no key and no other secret.

import { openInterfaceDocument } from '../../contract/open/document.ts'
import { operations } from '../../contract/open/operations.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { largeWheel } from '../../platform/html/mark.ts'
import { program } from '../../platform/kit/program.ts'
import { codeBlock, curlFor, fillExamplePath } from './example.ts'
import { renderSiteFrame } from './frame.ts'

export interface StartFacts {
  version: string
  // `sqlite` or `postgres`; other values are shown unchanged.
  engine: string
  origin: string
  // Whether this server has the demo shop.
  demo: boolean
  // Whether the page links to the e-mails at /dev/mail.
  hasEmails?: boolean
  // Null: shops are not listed.
  shops: readonly StartPageShop[] | null
}

export interface StartPageShop {
  slug: string
  name: string
  // Slug of a published product, for the examples.
  productSlug?: string | undefined
}

export function startPage(facts: StartFacts): string {
  const { version, engine, demo, shops } = facts
  const body = html`<main id="main">
<div class="board"><div class="board-inside">${largeWheel()}<div class="board-text">
<h1>Cartwright</h1>
<p>A commerce server in one process: catalog, carts, promotions, hosted checkout, orders and signed webhooks.</p>
<dl class="facts"><div><dt>State</dt><dd class="running">Running</dd></div>
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Storage</dt><dd>${engineNames[engine] ?? engine}</dd></div>
${shops && html`<div><dt>${shops.length === 1 ? 'Shop' : 'Shops'}</dt><dd>${shopWords(shops)}</dd></div>`}
${demo && html`<div><dt>Mode</dt><dd>Test</dd></div>`}</dl>
${
  demo &&
  html`<p class="invitation">
    <a class="button" href="/shop">Open the shop</a> <span>Buy something: card 4242 4242 4242 4242.</span>
  </p>
<p class="invitation">
  <a class="button" href="/admin">Run the shop</a> <span>
    Sign in with the e-mail and password that the first start printed.
  </span></p>`
}
</div></div></div>
<div class="start">
${shops?.length === 0 ? firstShop() : firstCalls(facts)}
<section><h2>Look around</h2>
<ul class="doors">
  ${[...doors, ...(facts.hasEmails ? [emailsDoor] : [])].map(
    ([href, name, words]) => html`<li><a href="${href}">${name}</a><span>${words}</span></li>
`,
  )}</ul></section>
</div>
</main>`
  return renderSiteFrame({
    title: 'Cartwright',
    description: 'A commerce server in one process: catalog, carts, promotions, hosted checkout, orders, webhooks.',
    path: '/',
    body,
    footer: html`<footer class="foot">Cartwright ${version}, Apache License 2.0</footer>`,
  })
}

const engineNames: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const doors = [
  ['/admin', 'Admin', 'Where merchants sign in.'],
  ['/docs', 'API reference', 'Every operation, event and schema, with examples.'],
  ['/openapi.json', 'OpenAPI document', 'The same contract for machines, version 3.1.'],
  ['/healthz', 'Health', 'Whether the process answers.'],
  ['/readyz', 'Readiness', 'Whether it can take traffic.'],
  ['/metrics', 'Metrics', 'Counts and durations, for Prometheus.'],
] as const

const emailsDoor = ['/dev/mail', 'E-mails', 'What shoppers and merchants would have been sent.'] as const

const shopNamesMax = 3

function shopWords(shops: readonly StartPageShop[]): string {
  if (shops.length === 0) return 'None yet'
  const names = shops.slice(0, shopNamesMax).map(({ name }) => name)
  const more = shops.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}

function firstShop(): Html {
  return html`<section><h2>No shop yet</h2>
<p>Create one from the command line while the server runs:</p>
<ol class="calls">
<li>
  <h3>A demo shop, in test mode</h3>
  ${codeBlock('Create the demo shop', `${program} demo`)}
  <p>Creates a small catalog and prints keys.</p></li>
<li>
  <h3>Your shop, from one file</h3>
  ${codeBlock('Apply a shop file', `${program} apply shop.yaml`)}
  <p>Merchant, products, stock, taxes, shipping and promotions. <code>--dry-run</code> shows the difference first.</p></li>
<li><h3>Your products, from a Shopify export</h3>${codeBlock('Import products', `${program} import products.csv`)}</li>
</ol></section>`
}

function firstCalls({ origin, shops, demo }: StartFacts): Html {
  const shown = shops?.find(({ productSlug }) => productSlug !== undefined)
  const slug = shown?.productSlug
  const call = (path: string, caller: 'key' | 'anyone') =>
    curlFor({ origin, method: 'GET', path, credential: openInterfaceDocument.callers[caller]?.curl ?? [] })
  return html`<section><h2>First calls</h2>
<ol class="calls">
${shown && slug !== undefined && publicProduct(shown, slug, call)}
<li><h3>Who am I?</h3>${codeBlock(
    'Identity',
    `export CARTWRIGHT_KEY='cwk_…'\n${call(operations.getInstallationCredentialIdentity.path, 'key')}`,
  )}
<p>${
    demo
      ? html`Keys and a sign-in for the demo shop were printed by the first start. <code>${program} demo</code> prints new ones.`
      : html`<code>${program} keys create</code> creates a key and shows it once.`
  }</p></li>
<li><h3>What is on sale?</h3>${codeBlock('Categories', call(operations.listApiKeyCatalogCategories.path, 'key'))}
${codeBlock('Products', call(operations.listApiKeyCatalogProducts.path, 'key'))}
${slug !== undefined && codeBlock('One product', call(fillExamplePath(operations.getApiKeyCatalogProduct.path, { slug }), 'key'))}</li>
</ol></section>`
}

function publicProduct(
  shop: StartPageShop,
  productSlug: string,
  call: (path: string, caller: 'anyone') => string,
): Html {
  const path = fillExamplePath(operations.getPublicMerchantProduct.path, { merchantSlug: shop.slug, productSlug })
  return html`<li><h3>A product of ${shop.name}, without a key</h3>${codeBlock('A public product', call(path, 'anyone'))}
<p><a href="${path}">See the answer</a></p></li>`
}
