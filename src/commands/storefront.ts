// In demo mode the server shows the example storefront at /shop. The storefront is a client like any other: it calls the
// API over HTTP with a key.

import type { IncomingMessage } from 'node:http'
import type { Storefront } from '../../apps/storefront/shop.ts'
import type { Incoming } from '../http/message.ts'
import type { HtmlPage, PageAnswer } from '../http/pages.ts'
import { refuse } from '../kit/refuse.ts'
import { cookiesIn } from '../pages/cookies.ts'
import { readForm } from '../pages/form.ts'
import { documentFor } from '../pages/frame.ts'
import { html } from '../pages/html.ts'
import { privateHeaders } from '../pages/policy.ts'
import type { StorefrontKey } from '../provisioning/demo.ts'

export interface StorefrontParts {
  apiUrl: string
  publicUrl: string
  clock: () => Date
  makeKey: (now: number) => Promise<StorefrontKey | undefined>
  report: (error: unknown) => void
}

export type OpenStorefront = () => Promise<Storefront | undefined>

// Answers with the storefront, or undefined while there is no key for it. After half the lifetime of its key it is created
// again with a new one.
export function createStorefrontMount({ apiUrl, publicUrl, clock, makeKey, report }: StorefrontParts): OpenStorefront {
  let shown: Storefront | undefined
  let renewAt = Number.NEGATIVE_INFINITY
  let opening: Promise<void> | undefined

  async function open(now: number): Promise<void> {
    const made = await makeKey(now)
    if (!made) return
    const { createStorefront } = await import('../../apps/storefront/shop.ts')
    shown = createStorefront({ apiUrl, publicUrl, report, apiKey: made.key, basePath: '/shop' })
    renewAt = now + (made.expiresAt - now) / 2
  }

  return async () => {
    const now = clock().getTime()
    if (now >= renewAt) {
      opening ??= open(now).finally(() => {
        opening = undefined
      })
      await opening
    }
    return shown
  }
}

// Not found until there is a storefront to show.
export function storefrontPages(openStorefront: () => OpenStorefront | undefined): HtmlPage[] {
  const answer: HtmlPage['answer'] = async ({ raw, receive }) => {
    const shown = await openStorefront()?.()
    if (!shown) throw refuse('route_not_found')
    const { method = 'GET', url = '/', headers } = raw
    const [path = '/', query = ''] = url.split('?', 2)
    return shown({
      method: method === 'HEAD' ? 'GET' : method,
      path,
      query: new URLSearchParams(query),
      cookies: cookiesIn(headers.cookie),
      form: method === 'POST' ? await receive(() => formIn(raw)) : null,
      origin: headers.origin ?? null,
      fetchSite: [headers['sec-fetch-site']].flat()[0] ?? null,
      host: headers.host ?? null,
    })
  }
  const methods = ['GET', 'POST'] as const
  return ['/shop', '/shop/*'].map((path) => ({ path, name: 'storefront', methods, answer, failed }))
}

// By itself, because the storefront was not asked, or is what failed.
function failed(_: Incoming, status: number): PageAnswer {
  const [title, text] =
    status === 429
      ? ['One moment, please', 'That was too much at once. Please wait a few seconds and try again.']
      : ['That did not work', 'Please try again in a moment.']
  const body = documentFor({
    title,
    body: html`<main><h1>${title}</h1><p>${text}</p><p><a href="/shop/cart">Back to your cart</a></p></main>`,
  })
  return { status, body, headers: privateHeaders({}) }
}

async function formIn(raw: IncomingMessage): Promise<URLSearchParams | null> {
  const form = await readForm(raw)
  if (form === 413) throw refuse('body_too_large')
  return typeof form === 'number' ? null : form
}
