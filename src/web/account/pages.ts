// The shopper's account at /account/{shop}: signing in by a mailed code or link, orders, the data as a file, erasing it. Without script. The
// answer to an address is always the same.

import { randomBytes } from 'node:crypto'
import type { Mode } from '../../contract/words.ts'
import type { CheckoutView } from '../../domain/checkout/port.ts'
import { codeFromTyped, codeMs, customerSessionMs } from '../../domain/customers/codes.ts'
import { accountPath } from '../../domain/customers/path.ts'
import { type AccountShop, type CustomerPort, isToken, type SignedInCustomer } from '../../domain/customers/service.ts'
import { addressBucket } from '../../platform/access/throttle.ts'
import { type CookieKind, cookieIn, setCookie } from '../../platform/html/cookies.ts'
import { lineIn, readForm } from '../../platform/html/form.ts'
import { isCrossSite } from '../../platform/html/origin.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { HtmlPage, PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { refusedPage } from '../checkout/ended.ts'
import { answerPage, redirect } from '../checkout/frame.ts'
import type { SavedAddressesPort } from '../checkout/saved.ts'
import { failed, lost, unread } from '../checkout/show.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import { accountPage, askPage, enterCodePage, erasedPage, erasePage, linkPage } from './page.ts'

export interface AccountPageParts {
  customers: CustomerPort
  origin: () => string
}

interface Visit {
  request: PageRequest
  shop: AccountShop
  path: string
  speaker: Speaker
  form: (name: string) => string
}

// Posts of usual size that one over all orders counts as.
const wholeCost = 10

const actions = ['code', 'open', 'data', 'erase', 'out'] as const

export function accountPages(parts: AccountPageParts): HtmlPage[] {
  const account = new Account(parts)
  const answer = (request: PageRequest) => account.answer(request)
  const isOfShop: HtmlPage['isOfShop'] = ({ path, shop }) => path.shop === shop?.slug
  const common = { name: 'account', methods: ['GET', 'POST'], isExpensive: true, isOfShop, failed, answer } as const
  return [
    { ...common, path: '/account', methods: ['GET'], isOfShop: () => true, answer: async (request) => toShop(request) },
    { ...common, path: '/account/:shop' },
    { ...common, path: '/account/:shop/*' },
  ]
}

// At the host of a shop there is only its own account.
function toShop({ shop }: PageRequest): PageAnswer {
  if (!shop) throw refuse('route_not_found')
  return redirect(accountPath(shop.slug, 'live'))
}

function sessionCookie(mode: Mode, slug: string): CookieKind {
  return { name: `account-${mode}-${slug}`, path: '/', maxAgeSeconds: customerSessionMs / 1000 }
}

// For the checkout of the same host.
export function createSavedAddresses({ customers, origin }: AccountPageParts): SavedAddressesPort {
  const tokenOf = ({ session: { mode }, merchant: { slug } }: CheckoutView, request: Incoming) =>
    cookieIn(request.raw.headers.cookie, sessionCookie(mode, slug), origin())
  return {
    isSignedIn: (view, request) => isToken(tokenOf(view, request) ?? ''),
    async list(view, request) {
      const { merchant, session } = view
      const shop = await customers.findShop(merchant.slug, session.mode)
      const customer = shop && (await customers.find(shop, tokenOf(view, request) ?? ''))
      return customer && { email: customer.email, addresses: await customers.listAddresses(shop, customer) }
    },
  }
}

class Account {
  private readonly parts: AccountPageParts

  constructor(parts: AccountPageParts) {
    this.parts = parts
  }

  cookies(shop: AccountShop) {
    const name = `${shop.mode}-${shop.merchant.slug}`
    const session = sessionCookie(shop.mode, shop.merchant.slug)
    const browser: CookieKind = { name: `account-ask-${name}`, path: '/', maxAgeSeconds: codeMs / 1000 }
    return { session, browser }
  }

  // A shopper at the host of the shop stays there: cookies, forms and the mailed link are of that host.
  originOf({ shop }: PageRequest): string {
    return shop?.origin ?? this.parts.origin()
  }

  cookieOf({ request, shop }: Visit, kind: 'session' | 'browser'): string {
    return cookieIn(request.raw.headers.cookie, this.cookies(shop)[kind], this.parts.origin()) ?? ''
  }

  withCookie(answer: PageAnswer, kind: CookieKind, value: string): PageAnswer {
    const given = value === '' ? { ...kind, maxAgeSeconds: 0 } : kind
    return { ...answer, headers: { ...answer.headers, 'set-cookie': setCookie(given, value, this.parts.origin()) } }
  }

  async show(visit: Visit): Promise<PageAnswer> {
    const customer = await this.parts.customers.find(visit.shop, this.cookieOf(visit, 'session'))
    if (!customer) return answerPage(200, askPage(visit, {}))
    return answerPage(
      200,
      accountPage(visit, customer.email, await this.parts.customers.listOrders(visit.shop, customer)),
    )
  }

  async ask(visit: Visit): Promise<PageAnswer> {
    const { shop, form, request, speaker } = visit
    const email = form('email')
    const known = this.cookieOf(visit, 'browser')
    const browser = isToken(known) ? known : randomBytes(32).toString('base64url')
    const network = addressBucket(request.address)
    const asked = { email, browser, network, locale: speaker.locale, shopOrigin: request.shop?.origin ?? null }
    const isAsked = await this.parts.customers.askCode(shop, asked)
    if (!isAsked) return answerPage(409, askPage(visit, { email, isWrong: true }))
    return this.withCookie(answerPage(200, enterCodePage(visit, { email })), this.cookies(shop).browser, browser)
  }

  async openByCode(visit: Visit): Promise<PageAnswer> {
    const { shop, form } = visit
    const code = codeFromTyped(form('code'))
    const token = code && (await this.parts.customers.openByCode(shop, this.cookieOf(visit, 'browser'), code))
    if (!token) return answerPage(409, enterCodePage(visit, { email: form('email'), isWrong: true }))
    return this.withCookie(redirect(visit.path), this.cookies(shop).session, token)
  }

  // Programs that check e-mails open links: only the button signs in, and only where the code was asked for.
  async byLink(visit: Visit, link: string): Promise<PageAnswer> {
    const isHere = isToken(this.cookieOf(visit, 'browser'))
    if (visit.request.raw.method !== 'POST') return answerPage(200, linkPage(visit, link, isHere))
    const token = await this.parts.customers.openByLink(visit.shop, this.cookieOf(visit, 'browser'), link)
    if (!token) return answerPage(409, askPage(visit, { isOver: true }))
    return this.withCookie(redirect(visit.path), this.cookies(visit.shop).session, token)
  }

  async forCustomer(visit: Visit, action: 'data' | 'erase' | 'out', customer: SignedInCustomer): Promise<PageAnswer> {
    const { shop, path, request } = visit
    const { session } = this.cookies(shop)
    const isPost = request.raw.method === 'POST'
    if (action === 'erase' && !isPost) return answerPage(200, erasePage(visit))
    if (!isPost) return redirect(path)
    // Everything of the shopper is read.
    if (action !== 'out') request.spend?.(wholeCost)
    if (action === 'data') return file(await this.parts.customers.data(shop, customer), shop.merchant.slug)
    if (action === 'out') {
      await this.parts.customers.signOut(shop, this.cookieOf(visit, 'session'))
      return this.withCookie(redirect(path), session, '')
    }
    const { kept } = await this.parts.customers.erase(shop, customer)
    return this.withCookie(answerPage(200, erasedPage(visit, kept)), session, '')
  }

  async act(visit: Visit, action: string): Promise<PageAnswer> {
    const isPost = visit.request.raw.method === 'POST'
    if (action === 'code' || action === 'open') {
      if (!isPost) return redirect(visit.path)
      return action === 'code' ? this.ask(visit) : this.openByCode(visit)
    }
    const customer = await this.parts.customers.find(visit.shop, this.cookieOf(visit, 'session'))
    if (!customer) return redirect(visit.path)
    return this.forCustomer(visit, action as 'data' | 'erase' | 'out', customer)
  }

  async answer(request: PageRequest): Promise<PageAnswer> {
    const isPost = request.raw.method === 'POST'
    const { shop: slug = '', '*': rest = '' } = request.path
    const [first = '', ...others] = rest.split('/').filter((part) => part !== '')
    const mode = first === 'test' ? 'test' : 'live'
    const [action = '', link = '', ...more] = mode === 'test' ? others : first === '' ? [] : [first, ...others]
    const isKnown = action === '' || action === 'link' || (link === '' && actions.some((one) => one === action))
    const shop = isKnown && more.length === 0 ? await this.parts.customers.findShop(slug, mode) : undefined
    if (!shop) return isPost ? unread(lost(request)) : lost(request)
    const speaker = speakerFor('auto', request.raw.headers['accept-language'])
    const path = accountPath(slug, mode)
    if (isPost && isCrossSite(request.raw, this.originOf(request)))
      return unread(answerPage(403, refusedPage(speaker, 'forbidden', path)))
    const fields = isPost ? await request.receive(() => readForm(request.raw)) : new URLSearchParams()
    if (typeof fields === 'number') return answerPage(fields, refusedPage(speaker, 'refused', path))
    const visit = { request, shop, path, speaker, form: (name: string) => lineIn(fields, name) }
    if (action === '') return this.show(visit)
    return action === 'link' ? this.byLink(visit, link) : this.act(visit, action)
  }
}

function file(data: object, slug: string): PageAnswer {
  const { headers } = answerPage(200, '')
  return {
    status: 200,
    body: `${JSON.stringify(data, null, 2)}\n`,
    headers: {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${slug}.json"`,
    },
  }
}
