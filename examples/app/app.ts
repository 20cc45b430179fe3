// The app: routes, forms and what is stored. Tokens, keys and events are only in the memory of this process and are lost when it
// ends; a real app would encrypt them in its database.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { CartwrightError, createClient, type ProductSummary, type ShopClient } from '../../packages/client/src/index.ts'
import { bodyOf, type ReceivedEvent, verifiedEvent } from './events.ts'
import { createInstaller, type Flow, type Grant, isDeclined, reasonOf } from './install.ts'
import { type Identity, installedPage, type Notice, startPage } from './pages.ts'

export interface AppParts {
  shopUrl: string
  clientId: string
  // The origin under which browsers reach this app. The redirect URI is `/callback` on it.
  appUrl: string
  report: (error: unknown) => void
}

// What the app knows of one shop.
interface Installed {
  installationId: string
  grant: Grant
  api: ShopClient
  checkout: { name: string; sessionId: string } | null
  // Null until the merchant has entered the secret of the endpoint.
  webhook: Webhook | null
  events: ReceivedEvent[]
  // Shown once, on the next page.
  notice: Notice | null
}

// The part of describeOAuthAuthorization that is used here.
interface Authorization {
  installationId: string
  scopes: string[]
}

const scopes = ['catalog:read', 'webhooks:read']

const flowsMax = 1_000
const installedMax = 100
const eventsMax = 50
const flowSeconds = 900

const style = readFileSync(new URL('style.css', import.meta.url))

export function createApp({ shopUrl, clientId, appUrl, report }: AppParts): RequestListener {
  const redirectUri = `${appUrl}/callback`
  const installer = createInstaller({ shopUrl, clientId, redirectUri, scopes })
  // By the value of a cookie, which only that browser has.
  const flows = new Map<string, Flow>()
  const sessions = new Map<string, Installed>()

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '/', appUrl)
    const [, receiver] = /^\/webhooks\/(\w+)$/.exec(url.pathname) ?? []
    if (receiver !== undefined) return method === 'POST' ? receive(receiver, request) : text(405, 'POST only')
    if (method === 'GET' && url.pathname === '/style.css') return { status: 200, headers: styleHeaders, body: style }
    // Cookies belong to a host: a browser that came by another name of this machine would lose them on the way back.
    if (method === 'GET' && headers.host !== new URL(appUrl).host) return redirect(`${appUrl}/`)
    if (method === 'GET' && url.pathname === '/') return showHome(sessionOf(headers))
    if (method === 'GET' && url.pathname === '/callback') return finish(url, headers)
    const act = method === 'POST' && Object.hasOwn(acts, url.pathname) ? acts[url.pathname] : undefined
    if (!act) return text(404, 'There is nothing here.')
    if (!isOwnForm(headers)) return text(403, 'That form did not come from this app.')
    const form = await bodyOf(request)
    if (!form) return text(413, 'That is too much.')
    return act(new URLSearchParams(form.toString()), headers)
  }

  const acts: Readonly<Record<string, (form: URLSearchParams, headers: IncomingHttpHeaders) => Promise<Answer>>> = {
    '/install': begin,
    '/checkout': ofSession(makeCheckout),
    '/refresh': ofSession(async ({ installed }) => {
      await installer.refresh(installed.grant)
      installed.notice = { tone: 'good', text: 'The token was refreshed.' }
    }),
    '/webhook-secret': ofSession(takeSecret),
    '/uninstall': uninstall,
  }

  // Installing: sends the browser to the shop, with a cookie that only this browser has.
  async function begin(): Promise<Answer> {
    const { url, flow } = await installer.begin()
    const id = randomBytes(32).toString('base64url')
    remember(flows, id, flow, flowsMax)
    return redirect(url.href, cookie(flowCookie, id, flowSeconds))
  }

  // The browser is back. Without the flow that it started, the answer is rejected.
  async function finish(url: URL, headers: IncomingHttpHeaders): Promise<Answer> {
    const id = cookieIn(headers, flowCookie) ?? ''
    const flow = flows.get(id)
    flows.delete(id)
    if (!flow)
      return showStart(400, { tone: 'bad', text: 'This was not begun here, or too long ago. Please try again.' })
    try {
      const grant = await installer.finish(flow, url)
      const installed = await settleIn(grant).catch(async (error: unknown) => {
        // Without a key the installation is useless.
        await installer.revoke(grant).catch(report)
        throw error
      })
      // A new value: an earlier cookie of this browser is worthless.
      const session = randomBytes(32).toString('base64url')
      remember(sessions, session, installed, installedMax)
      return redirect('/', cookie(flowCookie, '', 0), cookie(sessionCookie, session))
    } catch (error) {
      if (isDeclined(error)) return showStart(200, { tone: 'plain', text: 'You declined. Nothing was installed.' })
      report(error)
      const reason = reasonOf(error) ?? 'something went wrong'
      return showStart(502, { tone: 'bad', text: `The app could not be installed: ${reason}.` })
    }
  }

  // With the token: what was granted, and a key with all of it. The key does everything else.
  async function settleIn(grant: Grant): Promise<Installed> {
    const { data: authorization } = await installer.call<{ data: Authorization }>(grant, '/api/v1/oauth/authorize')
    const { data: issued } = await installer.call<{ data: { secret: string } }>(
      grant,
      '/api/v1/oauth/installation-keys',
      // The same idempotency key would return the same API key.
      { idempotencyKey: `first-${authorization.installationId}`, name: 'Example app', scopes: authorization.scopes },
    )
    const { installationId } = authorization
    const api = createClient({ baseUrl: shopUrl, key: issued.secret })
    return { installationId, grant, api, checkout: null, webhook: null, events: [], notice: null }
  }

  async function showHome(session: Session | null): Promise<Answer> {
    if (!session) return showStart(200, null)
    const { installed } = session
    const [identity, products] = await Promise.all([installed.api.identity(), installed.api.catalog.products()]).then(
      ([{ data: identity }, { data: products }]) => [identity, products] as const,
      (error: unknown): [null, ProductSummary[]] => {
        if (error instanceof CartwrightError && error.status === 401) return [null, []]
        throw error
      },
    )
    if (!identity) {
      sessions.delete(session.id)
      return showStart(200, { tone: 'plain', text: 'The shop has ended this installation.' })
    }
    const { notice } = installed
    installed.notice = null
    const { grant, events, webhook } = installed
    const { expiresAt, refreshes } = grant
    const checkout = installed.checkout && {
      name: installed.checkout.name,
      session: (await installed.api.checkout.get(installed.checkout.sessionId)).data,
    }
    const token = { expiresAt: new Date(expiresAt).toISOString(), refreshes }
    const maySeeEndpoints = identity.credential.scopes.includes('webhooks:read')
    const endpoints = maySeeEndpoints ? (await installed.api.webhooks.endpoints()).data.endpoints : null
    const isVerifying = webhook !== null
    const view = { identity, token, products, checkout, endpoints, events, isVerifying, notice, ...wordsFor(identity) }
    return page(200, installedPage(view))
  }

  function wordsFor({ installation, merchant }: Identity) {
    const webhookUrl = `${appUrl}/webhooks/${installation.id}`
    const command = `webhooks add --merchant ${merchant.slug} --installation ${installation.id} --url ${webhookUrl} --events 'order.*'`
    return { webhookUrl, command }
  }

  async function makeCheckout({ installed }: Session, form: URLSearchParams): Promise<void> {
    const { data: product } = await installed.api.catalog.product(form.get('product') ?? '')
    const { name, skus } = product
    const sku = skus.find(({ availability }) => availability !== 'out_of_stock')
    if (!sku) {
      installed.notice = { tone: 'bad', text: `${name} is sold out.` }
      return
    }
    const { data: session } = await installed.api.checkout.create({
      // From the form, so a double click creates one checkout.
      idempotencyKey: `form-${form.get('once') ?? ''}`,
      items: [{ skuId: sku.id, quantity: 1 }],
      successUrl: `${appUrl}/`,
    })
    installed.checkout = { name, sessionId: session.id }
  }

  // By hand, since the shop's operator adds the endpoint and sees its secret once.
  async function takeSecret({ installed }: Session, form: URLSearchParams): Promise<void> {
    const secret = (form.get('secret') ?? '').trim()
    const isSecret = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)
    if (isSecret) installed.webhook = new Webhook(secret)
    installed.notice = isSecret
      ? { tone: 'good', text: 'Calls are verified with this secret from now on.' }
      : { tone: 'bad', text: 'That is no secret of an endpoint: those begin with whsec_.' }
  }

  // Ended on the shop first, then deleted here.
  async function uninstall(_form: URLSearchParams, headers: IncomingHttpHeaders): Promise<Answer> {
    const session = sessionOf(headers)
    if (!session) return redirect('/')
    const { installed, id } = session
    await installer.revoke(installed.grant)
    sessions.delete(id)
    const status = await installed.api.identity().then(
      () => 200,
      (error: unknown) => (error instanceof CartwrightError ? error.status : 0),
    )
    const said = status === 401 ? 'The shop refuses its key from now on.' : `Its key was answered ${status}.`
    const answered = showStart(200, { tone: 'good', text: `The app is uninstalled. ${said}` })
    return { ...answered, headers: { ...answered.headers, 'set-cookie': [cookie(sessionCookie, '', 0)] } }
  }

  // The raw bytes are verified with the secret of the endpoint at this address.
  async function receive(installationId: string, request: IncomingMessage): Promise<Answer> {
    const installed = [...sessions.values()].find((known) => known.installationId === installationId)
    // Unknown installations do not come back, so the shop should stop calling.
    if (!installed) return text(410, 'Gone.')
    // Not yet: the shop retries.
    if (!installed.webhook) return text(503, 'The secret is not known yet.')
    const body = await bodyOf(request)
    if (!body) return text(413, 'That is too much.')
    const event = verifiedEvent(installed.webhook, request.headers, body)
    if (!event) return text(401, 'That is not genuine.')
    // A call may be repeated; the id identifies it.
    if (!installed.events.some(({ id }) => id === event.id)) installed.events.unshift(event)
    installed.events.splice(eventsMax)
    return { status: 204, headers: {}, body: '' }
  }

  interface Session {
    id: string
    installed: Installed
  }

  function sessionOf(headers: IncomingHttpHeaders): Session | null {
    const id = cookieIn(headers, sessionCookie) ?? ''
    const installed = sessions.get(id)
    return installed ? { id, installed } : null
  }

  // A form of an installed shop: runs it and shows the page, with the refusal if there was one.
  function ofSession(act: (session: Session, form: URLSearchParams) => Promise<void>) {
    return async (form: URLSearchParams, headers: IncomingHttpHeaders): Promise<Answer> => {
      const session = sessionOf(headers)
      if (!session) return redirect('/')
      await act(session, form).catch((error: unknown) => {
        const reason = error instanceof CartwrightError ? error.message : reasonOf(error)
        if (reason === undefined) throw error
        session.installed.notice = { tone: 'bad', text: `The shop said no: ${reason}` }
      })
      return redirect('/')
    }
  }

  function showStart(status: number, notice: Notice | null): Answer {
    return page(status, startPage({ shopUrl, notice }))
  }

  // The shop is named because browsers follow the redirect of a form only to where the policy of its page allows. The
  // referrer stays within the app, so codes in addresses do not leak and browsers name the origin of our forms.
  function page(status: number, body: string): Answer {
    const policy = [
      "default-src 'none'",
      "style-src 'self'",
      'img-src data:',
      `form-action 'self' ${new URL(shopUrl).origin}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    }
    return { status, headers, body }
  }

  function cookie(name: string, value: string, seconds?: number): string {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
    const secure = appUrl.startsWith('https:') ? '; Secure' : ''
    // Lax, since the browser comes back from the shop's site.
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`
  }

  function isOwnForm({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
    return origin === appUrl && (site === undefined || site === 'same-origin')
  }

  return (request, response) => {
    void answer(request)
      .catch((error: unknown) => {
        report(error)
        return showStart(500, { tone: 'bad', text: 'Something went wrong. Is the shop running?' })
      })
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
  }
}

interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body: string | Buffer
}

const flowCookie = 'example_app_flow'
const sessionCookie = 'example_app_session'
const styleHeaders = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' }

function text(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

function redirect(location: string, ...cookies: string[]): Answer {
  return { status: 303, headers: { location, 'set-cookie': cookies, 'cache-control': 'no-store' }, body: '' }
}

function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

// The oldest is removed when there are too many.
function remember<Value>(known: Map<string, Value>, id: string, value: Value, most: number): void {
  known.set(id, value)
  for (const oldest of known.keys()) {
    if (known.size <= most) break
    known.delete(oldest)
  }
}
