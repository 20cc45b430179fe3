// Rules for all operations, at the top of the reference. Numbers and codes are read from the contract.

import { type IssueCode, issueCodes, issueSentences, openInterfaceIssueCodes } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { SurfaceDocument } from '../../contract/openapi.ts'
import { type RefusalCode, type RefusalStatus, refusals } from '../../contract/refusals.ts'
import { openInterfaceScopes } from '../../contract/words.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { codeBlock, jsonCode } from './example.ts'
import { joinHtml } from './members.ts'
import { renderProse } from './prose.ts'

const openChapters = [
  { id: 'base', title: 'Base address' },
  { id: 'authentication', title: 'Authentication' },
  { id: 'errors', title: 'Errors' },
  { id: 'idempotency', title: 'Repeating safely' },
  { id: 'lists', title: 'Lists' },
  { id: 'money', title: 'Money and time' },
  { id: 'limits', title: 'Limits' },
  { id: 'versions', title: 'Versions' },
  { id: 'stability', title: 'Stability' },
] as const

// Chapters of surfaces other than the open one: an introduction (`conventions`), and the rules for all operations.
const otherChapters = [
  { id: 'conventions', title: 'Conventions' },
  { id: 'errors', title: 'Errors' },
  { id: 'idempotency', title: 'Repeating safely' },
  { id: 'lists', title: 'Lists' },
  { id: 'stability', title: 'Stability' },
] as const

type Chapter = (typeof openChapters | typeof otherChapters)[number]['id']

export function guideChapters({ surface }: SurfaceDocument): readonly { id: Chapter; title: string }[] {
  return surface.name === 'open' ? openChapters : otherChapters
}

export interface GuideContext {
  origin: string
  openApiPath: string
  errorSchemaName: string
}

export function renderGuide(about: SurfaceDocument, place: GuideContext, errorExample: object): Html {
  const { origin, openApiPath, errorSchemaName } = place
  const isOpen = about.surface.name === 'open'
  const texts: Record<Chapter, Html> = {
    conventions: html`${about.description.split('\n\n').map(
      (paragraph) => html`<p>${renderProse(paragraph)}</p>
`,
    )}<p>The whole contract is one <a href="${openApiPath}">OpenAPI 3.1 document</a>.</p>`,

    base: html`<p>All paths below are relative to</p>
${codeBlock('Base address', origin)}
<p>
  Requests and answers are JSON in UTF-8. Every answer has an <code>X-Request-Id</code>; name it when you ask for help.
  The whole contract is one <a href="${openApiPath}">OpenAPI 3.1 document</a>.</p>`,

    authentication: html`<p>
      Send an API key of an installation. It begins with <code>cwk_live_</code> or <code>cwk_test_</code>; in test mode
      no money moves. A key belongs on a server; the pages of a storefront use a publishable
      one, <code>cwp_live_</code> or <code>cwp_test_</code>, which works on the origins that it is bound to, for
      catalog, carts and checkout.
    </p>
${codeBlock(
  'A call with a key',
  `curl ${origin}/api/v1/open/installation/identity \\\n  -H "Authorization: Bearer $CARTWRIGHT_KEY"`,
)}
<p>
  A key has
  scopes: ${joinHtml(
    openInterfaceScopes.map((scope) => html`<code>${scope}</code>`),
    ', ',
  )}. Each operation names the one it needs. A key that is missing, wrong, expired or revoked gets the
  same ${codeLink('unauthenticated')}; a missing scope is ${codeLink('scope_missing')} and named
  in <code>current.requiredScope</code>. Operations marked <em>OAuth</em> take an access token bound by DPoP
  instead: <code>Authorization: DPoP …</code> with a <code>DPoP</code> proof.</p>
<p>What belongs to another installation is answered like what does not exist.</p>`,

    errors: html`<p>
      An answer is a 200 or one of the statuses below with one
      body, <a href="#schema-${errorSchemaName}">${errorSchemaName}</a>. Programs
      read <code>code</code>; <code>message</code> is for people. <code>issues</code> names each wrong place by a JSON
      Pointer, with the <code>code</code> of the broken rule and the <code>values</code> of its
      sentence. <code>current</code> holds what helps to continue, such as the current version, the available stock or
      the required scope.
    </p>
${codeBlock('An error', jsonCode(errorExample))}
${errorTable(about.codes)}
<h3>Issues</h3>
<p>
  The codes of issues, with the names of their values in braces. A part in brackets is there where its values are. A
  message may end with <em>or null</em>.</p>
${issueTable(isOpen ? openInterfaceIssueCodes : issueCodes)}
<p>
  The checks run in this order: who is calling (401), how often (429), scope (403), shape of the request (400),
  idempotency key (stored answer or 409), resource (404), state (409).</p>`,

    idempotency: html`<p>
      Operations that change something need an idempotency key: the member <code>idempotencyKey</code> or the
      header <code>Idempotency-Key</code>, 1 to ${limits.idempotencyKeyLengthMax} visible ASCII characters. Use a new
      random one for each intent, and the same one for every retry.
    </p>
<ul>
  <li>
    The same key with the same request gets the first answer again, byte for byte, with the
    header <code>Idempotency-Replayed: true</code>.
  </li>
<li>The same key with another request is ${codeLink('idempotency_key_reused')}.</li>
<li>A second request that arrives while the first runs waits for it.</li>
<li>A refusal changes nothing and is not stored, so the same key may be used again. Keys are stored for 7 days.</li>
  </ul>`,

    lists: isOpen
      ? html`<p>
        A list has a stable order and answers at most ${limits.listRowsMax} rows. Where there are
        more, <code>next</code> holds a link, relative to the base address: follow it as it is. Operations take no other
        query parameter; an unknown one is ${codeLink('invalid_request')}.
      </p>`
      : html`<p>
        A list has a stable order. Where there are more rows, <code>next</code> holds a link: follow it as it is, it
        holds the filters too. An unknown query parameter is ${codeLink('invalid_request')}.
      </p>`,

    money: html`<p>
      Amounts are integers in minor units, never fractions: <code>1999</code> with <code>EUR</code> is 19.99 euros,
      with <code>JPY</code> it is 1999 yen. A resource names its <code>currency</code> once. Instants are RFC 3339 in
      UTC with milliseconds: <code>2026-01-31T09:30:00.000Z</code>.
    </p>
<p>
  An answer carries all members of its schema, and what has no value is <code>null</code>. A request may leave an
  optional member out. Unknown members are refused and nothing is coerced: <code>"2"</code> is not <code>2</code>.</p>`,

    limits: html`<dl class="terms">
<dt>Request body</dt><dd>${limits.bodyBytesMax / 1024} KiB, nested at most ${limits.jsonDepthMax} deep</dd>
<dt>Cart</dt><dd>${limits.cartLinesMax} lines, ${limits.quantityMax} of each SKU</dd>
<dt>Metadata</dt>
  <dd>
    ${limits.metadataKeysMax} names of ${limits.metadataKeyLengthMax} characters, values
    of ${limits.metadataValueLengthMax}
  </dd>
<dt>Rate</dt>
  <dd>
    by credential, with a burst; <a href="#getInstallationCredentialIdentity">the identity of the credential</a> shows
    yours
  </dd></dl>
<p>Above the rate the answer is ${codeLink('rate_limited')} with the header <code>Retry-After</code> in seconds.</p>`,

    versions: html`<p>
      A cart, a checkout session and an order carry a <code>version</code> that grows by one at each change. Send the
      one you have read as <code>expectedVersion</code>: if the resource has changed since, the request is refused
      with ${codeLink('version_conflict')} and overwrites nothing.
    </p>`,

    stability: html`<dl class="terms">
<dt>stable</dt><dd>Only grows: new members, new values, new operations.</dd>
<dt>candidate</dt><dd>May still change, with notice.</dd>
<dt>extension</dt><dd>An addition of this server to the interface.</dd></dl>
<p>Ignore members you do not know, and expect new enumerated values.</p>`,
  }
  return html`<div class="guide prose">${guideChapters(about).map(
    ({ id, title }) => html`<section id="${id}"><h2>${title}</h2>
${texts[id]}</section>
`,
  )}</div>`
}

function errorAnchor(code: RefusalCode): string {
  return `error-${code}`
}

export function codeLink(code: RefusalCode): Html {
  return html`<a href="#${errorAnchor(code)}"><code>${code}</code></a>`
}

const meanings: Record<RefusalStatus, string> = {
  400: 'The request does not match the contract',
  401: 'The caller is not known',
  403: 'Not allowed for this key',
  404: 'Not found, or not yours',
  409: 'Not possible in the current state',
  429: 'Too many requests',
  500: 'An error of ours',
  503: 'An outage of ours',
}

function errorTable(codes: readonly RefusalCode[]): Html {
  return html`<table class="errors">
    <caption class="hidden">Error codes</caption>
    <thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Sentence</th></tr></thead>
    <tbody>
${codes.map((code) => {
  const { status, sentence } = refusals[code]
  return html`<tr id="${errorAnchor(code)}">
    <th scope="row"><code>${code}</code></th>
    <td><span title="${meanings[status]}">${status}</span></td>
    <td>${sentence}</td>
  </tr>
`
})}</tbody></table>`
}

function issueTable(codes: readonly IssueCode[]): Html {
  return html`<table class="errors">
    <caption class="hidden">Codes of issues</caption>
    <thead><tr><th scope="col">Code</th><th scope="col">Sentence</th></tr></thead>
    <tbody>
${codes.map(
  (code) =>
    html`<tr>
    <th scope="row"><code>${code}</code></th>
    <td>${issueSentences[code].replace(/\[\?(.*?)\?\]/g, '[$1]')}</td>
  </tr>
`,
)}</tbody></table>`
}
