// The e-mails of a development server, at /dev/mail: files that the file transport wrote, newest first. Never available in production.

import { readdirSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { findStoredEmail } from '../../domain/emails/read.ts'
import { serveStyleSheet } from '../../platform/html/files.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { siteBranding } from '../../platform/html/mark.ts'
import { privateHeaders, self } from '../../platform/html/policy.ts'
import type { HtmlPage, PageAnswer } from '../../platform/http/pages.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'

const shownMax = 100
const style = serveStyleSheet({
  path: '/dev/mail.css',
  name: 'mail-style',
  file: new URL('pages.css', import.meta.url),
})

export function mailPages(folder: string): HtmlPage[] {
  return pagesOf(folder).map((page) => ({
    ...page,
    answer: async (request) => {
      if (!isFromHere(request.raw)) throw refuse('route_not_found')
      return page.answer(request)
    },
  }))
}

// Only requests from this machine may read e-mails, which contain addresses and links to orders. The host name is checked too, because a
// page of another site may resolve its own name to this machine, and a proxy or a tunnel may forward requests to it.
export function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const isNear = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')
  return isNear && /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(headers.host ?? '')
}

function pagesOf(folder: string): HtmlPage[] {
  return [
    style.page,
    { path: '/dev/mail', name: 'mail', isExpensive: true, answer: async () => page('E-mails', listOf(folder)) },
    {
      path: '/dev/mail/:id',
      name: 'email',
      isExpensive: true,
      answer: async ({ path }) => {
        const { headers, text } = find(folder, path.id)
        return page(headers.subject ?? 'E-mail', emailOf(path.id ?? '', headers, text), true)
      },
    },
    {
      path: '/dev/mail/:id/html',
      name: 'email-html',
      isExpensive: true,
      answer: async ({ path }) => ({ status: 200, body: find(folder, path.id).html, headers: insideHeaders }),
    },
  ]
}

// The e-mail is only shown in a frame on this server's pages, without scripts and forms. Only pictures are loaded.
const insideHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function page(title: string, body: Html, hasFrame = false): PageAnswer {
  const headers = privateHeaders({ style: [self], img: [self, 'data:'] })
  const policy = headers['content-security-policy'] ?? ''
  return {
    status: 200,
    body: renderHtmlDocument({ title, ...siteBranding, style: style.href, body }),
    headers: hasFrame ? { ...headers, 'content-security-policy': `${policy}; frame-src 'self'` } : headers,
  }
}

function find(folder: string, id: string | undefined) {
  // The id becomes a file name, so it must be valid.
  if (id === undefined || !isId('eml', id)) throw refuse('route_not_found')
  const email = findStoredEmail(folder, id)
  if (!email) throw refuse('route_not_found')
  return email
}

function listOf(folder: string): Html {
  const ids = idsIn(folder)
  const rows = ids.map((id) => {
    const { headers } = find(folder, id)
    const at = toInstant(statSync(join(folder, `${id}.eml`)).mtimeMs)
    return html`<li>
      <a href="/dev/mail/${id}">
        <strong dir="auto">${headers.subject}</strong>
        <span>${headers.to}</span>
        <time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time>
      </a>
    </li>
`
  })
  return html`<main>
<p><a href="/">Cartwright</a></p>
<h1>E-mails</h1>
${
  rows.length > 0
    ? html`<ol class="emails">${rows}</ol>`
    : html`<p>None yet. An e-mail appears here about a second after an order is placed, paid, sent, cancelled or refunded.</p>`
}
<p class="soft">Outside of production e-mails are not sent but stored in a folder. CARTWRIGHT_MAIL_URL names a mail server instead.</p>
</main>`
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => (name.endsWith('.eml') && isId('eml', name.slice(0, -4)) ? [name.slice(0, -4)] : []))
      .sort()
      .reverse()
      .slice(0, shownMax)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const shownHeaders = ['from', 'to', 'reply-to', 'date', 'message-id'] as const

function emailOf(id: string, headers: Readonly<Record<string, string>>, text: string): Html {
  return html`<main>
<p><a href="/dev/mail">All e-mails</a></p>
<h1 dir="auto">${headers.subject}</h1>
<dl>${shownHeaders.map((name) => headers[name] !== undefined && html`<div><dt>${name}</dt><dd>${headers[name]}</dd></div>`)}</dl>
<iframe src="/dev/mail/${id}/html" title="The e-mail as HTML" sandbox="allow-popups"></iframe>
<h2>As text</h2>
<pre dir="auto">${text}</pre>
</main>`
}
