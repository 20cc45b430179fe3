// The shopper's account at /account/{shop}: sign-in by an e-mailed code, an e-mailed link or a passkey; orders, addresses, data export
// and erasure. Only passkeys need script. The response to a typed e-mail address does not show whether an account exists.

import type { Mode } from '../../contract/words.ts'
import type { CheckoutView } from '../../domain/checkout/port.ts'
import { customerSessionMs, knownBrowserMs, parseTypedCode } from '../../domain/customers/codes.ts'
import { accountPath } from '../../domain/customers/path.ts'
import type { AccountShop, CustomerPort, SignedInCustomer } from '../../domain/customers/service.ts'
import { isToken, makeSessionToken } from '../../domain/customers/signin.ts'
import { networkBucket } from '../../platform/access/throttle.ts'
import { type CookieKind, findCookie, setCookie } from '../../platform/html/cookies.ts'
import { readForm, readLineField } from '../../platform/html/form.ts'
import { isCrossSite } from '../../platform/html/origin.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { HtmlPage, PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { refusedPage } from '../checkout/ended.ts'
import { answerPage, redirectCheckout } from '../checkout/frame.ts'
import { addressFromTyped } from '../checkout/input.ts'
import type { SavedAddressesPort } from '../checkout/saved.ts'
import { closeAfterAnswer, failedAnswer, lostAnswer } from '../checkout/show.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import { addressErrors, addressIn, typedAddress } from './addresses.ts'
import { accountPage, addressPage, codeRequestPage, enterCodePage, erasedPage, erasePage, linkPage } from './page.ts'

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
  // Returns a field of the form without truncating it to one line: the response of a passkey is longer.
  whole: (name: string) => string
}

// A post that reads all data of the shopper counts as this many further posts in the rate limit.
const wholeCost = 10

const passkeyActions = ['options', 'open', 'add', 'remove'] as const
const actions = ['code', 'open', 'data', 'erase', 'out'] as const

export function accountPages(parts: AccountPageParts): HtmlPage[] {
  const account = new Account(parts)
  const answer = (request: PageRequest) => account.answer(request)
  const isOfShop: HtmlPage['isOfShop'] = ({ path, shop }) => path.shop === shop?.slug
  const common = {
    name: 'account',
    methods: ['GET', 'POST'],
    isExpensive: true,
    isOfShop,
    failed: failedAnswer,
    answer,
  } as const
  return [
    { ...common, path: '/account', methods: ['GET'], isOfShop: () => true, answer: async (request) => toShop(request) },
    { ...common, path: '/account/:shop' },
    { ...common, path: '/account/:shop/*' },
  ]
}

// At the host of a shop, /account redirects to the account at that shop.
function toShop({ shop }: PageRequest): PageAnswer {
  if (!shop) throw refuse('route_not_found')
  return redirectCheckout(accountPath(shop.slug, 'live'))
}

function sessionCookie(mode: Mode, slug: string): CookieKind {
  return { name: `account-${mode}-${slug}`, path: '/', maxAgeSeconds: customerSessionMs / 1000 }
}

// The saved addresses that the checkout offers. The shopper is identified by the account's session cookie.
export function createSavedAddresses({ customers, origin }: AccountPageParts): SavedAddressesPort {
  const tokenOf = ({ session: { mode }, merchant: { slug } }: CheckoutView, request: Incoming) =>
    findCookie(request.raw.headers.cookie, sessionCookie(mode, slug), origin())
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
    // Binds a requested code to the browser, and later recognizes the browser, so the cookie outlives the code. The server checks when
    // the code expires.
    const browser: CookieKind = { name: `account-ask-${name}`, path: '/', maxAgeSeconds: knownBrowserMs / 1000 }
    return { session, browser }
  }

  // At the host of a shop, cookies, forms and the e-mailed link use that host, so the shopper stays there.
  originOf({ shop }: PageRequest): string {
    return shop?.origin ?? this.parts.origin()
  }

  cookieOf({ request, shop }: Visit, kind: 'session' | 'browser'): string {
    return findCookie(request.raw.headers.cookie, this.cookies(shop)[kind], this.parts.origin()) ?? ''
  }

  withCookie(answer: PageAnswer, kind: CookieKind, value: string): PageAnswer {
    const given = value === '' ? { ...kind, maxAgeSeconds: 0 } : kind
    return { ...answer, headers: { ...answer.headers, 'set-cookie': setCookie(given, value, this.parts.origin()) } }
  }

  async show(visit: Visit): Promise<PageAnswer> {
    const customer = await this.parts.customers.find(visit.shop, this.cookieOf(visit, 'session'))
    if (!customer) return answerPage(200, codeRequestPage(visit, {}))
    return answerPage(200, await this.accountOf(visit, customer))
  }

  async accountOf(visit: Visit, customer: SignedInCustomer, isPasskeyBad = false): Promise<string> {
    const { customers } = this.parts
    const [orders, addresses, passkeys] = await Promise.all([
      customers.listOrders(visit.shop, customer),
      customers.listBook(visit.shop, customer),
      customers.listPasskeys(visit.shop, customer),
    ])
    return accountPage(visit, { email: customer.email, orders, addresses, passkeys, isPasskeyBad })
  }

  // The script of the page requests `options` and gets JSON; the other actions are posts of forms.
  async passkeys(visit: Visit, action: string): Promise<PageAnswer> {
    const { shop, path, form, whole, request } = visit
    const { customers } = this.parts
    if (request.raw.method !== 'POST') return redirectCheckout(path)
    const [session, browser] = [this.cookieOf(visit, 'session'), this.cookieOf(visit, 'browser')]
    const origin = this.originOf(request)
    const customer = await customers.find(shop, session)
    if (action === 'options' && form('for') === 'sign_in') {
      const boundTo = isToken(browser) ? browser : makeSessionToken()
      const options = await customers.passkeyOptions(shop, { origin, boundTo }, null)
      return this.withCookie(json(options), this.cookies(shop).browser, boundTo)
    }
    if (action === 'open') {
      const token = await customers.openByPasskey(shop, { origin, boundTo: browser }, whole('response'))
      if (!token) return answerPage(409, codeRequestPage(visit, { isPasskeyBad: true }))
      return this.withCookie(redirectCheckout(path), this.cookies(shop).session, token)
    }
    if (!customer) return redirectCheckout(path)
    const at = { origin, boundTo: session }
    if (action === 'options') return json(await customers.passkeyOptions(shop, at, customer))
    if (action === 'remove') await customers.removePasskey(shop, customer, whole('id'))
    else if (!(await customers.addPasskey(shop, at, customer, whole('response'))))
      return answerPage(409, await this.accountOf(visit, customer, true))
    return redirectCheckout(path)
  }

  async ask(visit: Visit): Promise<PageAnswer> {
    const { shop, form, request, speaker } = visit
    const email = form('email')
    const known = this.cookieOf(visit, 'browser')
    const browser = isToken(known) ? known : makeSessionToken()
    const network = networkBucket(request.address)
    const asked = { email, browser, network, locale: speaker.locale, shopOrigin: request.shop?.origin ?? null }
    const isAsked = await this.parts.customers.askCode(shop, asked)
    if (!isAsked) return answerPage(409, codeRequestPage(visit, { email, isWrong: true }))
    return this.withCookie(answerPage(200, enterCodePage(visit, { email })), this.cookies(shop).browser, browser)
  }

  async openByCode(visit: Visit): Promise<PageAnswer> {
    const { shop, form } = visit
    const code = parseTypedCode(form('code'))
    const token = code && (await this.parts.customers.openByCode(shop, this.cookieOf(visit, 'browser'), code))
    if (!token) return answerPage(409, enterCodePage(visit, { email: form('email'), isWrong: true }))
    return this.withCookie(redirectCheckout(visit.path), this.cookies(shop).session, token)
  }

  // Mail scanners open links, so a link only signs in when its button is clicked, in the browser that requested the code.
  async byLink(visit: Visit, link: string): Promise<PageAnswer> {
    const isHere = isToken(this.cookieOf(visit, 'browser'))
    if (visit.request.raw.method !== 'POST') return answerPage(200, linkPage(visit, link, isHere))
    const token = await this.parts.customers.openByLink(visit.shop, this.cookieOf(visit, 'browser'), link)
    if (!token) return answerPage(409, codeRequestPage(visit, { isOver: true }))
    return this.withCookie(redirectCheckout(visit.path), this.cookies(visit.shop).session, token)
  }

  async forCustomer(visit: Visit, action: 'data' | 'erase' | 'out', customer: SignedInCustomer): Promise<PageAnswer> {
    const { shop, path, request } = visit
    const { session } = this.cookies(shop)
    const isPost = request.raw.method === 'POST'
    if (action === 'erase' && !isPost) return answerPage(200, erasePage(visit))
    if (!isPost) return redirectCheckout(path)
    // Exporting and erasing read all data of the shopper, so they count as several posts in the rate limit.
    if (action !== 'out') request.spend?.(wholeCost)
    if (action === 'data') return file(await this.parts.customers.data(shop, customer), shop.merchant.slug)
    if (action === 'out') {
      await this.parts.customers.signOut(shop, this.cookieOf(visit, 'session'))
      return this.withCookie(redirectCheckout(path), session, '')
    }
    const { kept } = await this.parts.customers.erase(shop, customer)
    return this.withCookie(answerPage(200, erasedPage(visit, kept)), session, '')
  }

  async address(visit: Visit, name: string): Promise<PageAnswer> {
    const { shop, path, form, request } = visit
    const { customers } = this.parts
    const customer = await customers.find(shop, this.cookieOf(visit, 'session'))
    if (!customer) return redirectCheckout(path)
    const id = name === 'new' ? null : name
    const known = id === null ? undefined : (await customers.listBook(shop, customer)).find((one) => one.id === id)
    if (id !== null && !known) return redirectCheckout(path)
    if (request.raw.method !== 'POST') {
      const typed = typedAddress(known?.address ?? { country: shop.merchant.country })
      return answerPage(200, addressPage(visit, { id, typed, isDefault: known?.isDefault ?? false }))
    }
    if (form('do') === 'remove') {
      if (id !== null) await customers.removeAddress(shop, customer, id)
      return redirectCheckout(path)
    }
    if (form('do') === 'choose' && known) {
      await customers.saveAddress(shop, customer, { id, address: known.address, isDefault: true })
      return redirectCheckout(path)
    }
    const typed = addressIn(form)
    const isDefault = form('default') !== ''
    const saved = await customers.saveAddress(shop, customer, { id, address: addressFromTyped(typed), isDefault })
    if (saved === 'full') return answerPage(409, addressPage(visit, { id, typed, isDefault, isFull: true }))
    if (saved === 'unknown' || !('issues' in saved)) return redirectCheckout(path)
    const errors = addressErrors(visit, typed, saved.issues)
    return answerPage(409, addressPage(visit, { id, typed, isDefault, errors }))
  }

  async act(visit: Visit, action: string): Promise<PageAnswer> {
    const isPost = visit.request.raw.method === 'POST'
    if (action === 'code' || action === 'open') {
      if (!isPost) return redirectCheckout(visit.path)
      return action === 'code' ? this.ask(visit) : this.openByCode(visit)
    }
    const customer = await this.parts.customers.find(visit.shop, this.cookieOf(visit, 'session'))
    if (!customer) return redirectCheckout(visit.path)
    return this.forCustomer(visit, action as 'data' | 'erase' | 'out', customer)
  }

  async answer(request: PageRequest): Promise<PageAnswer> {
    const isPost = request.raw.method === 'POST'
    const { shop: slug = '', '*': rest = '' } = request.path
    const [first = '', ...others] = rest.split('/').filter((part) => part !== '')
    const mode = first === 'test' ? 'test' : 'live'
    const [action = '', link = '', ...more] = mode === 'test' ? others : first === '' ? [] : [first, ...others]
    const isKnown =
      action === '' ||
      action === 'link' ||
      (action === 'address' && link !== '') ||
      (action === 'passkeys' && passkeyActions.some((one) => one === link)) ||
      (link === '' && actions.some((one) => one === action))
    const shop = isKnown && more.length === 0 ? await this.parts.customers.findShop(slug, mode) : undefined
    if (!shop) return isPost ? closeAfterAnswer(lostAnswer(request)) : lostAnswer(request)
    const speaker = speakerFor('auto', request.raw.headers['accept-language']).inTimeZone(shop.merchant.timeZone)
    const path = accountPath(slug, mode)
    if (isPost && isCrossSite(request.raw, this.originOf(request)))
      return closeAfterAnswer(answerPage(403, refusedPage(speaker, 'forbidden', path)))
    const fields = isPost ? await request.receive(() => readForm(request.raw)) : new URLSearchParams()
    if (typeof fields === 'number') return answerPage(fields, refusedPage(speaker, 'refused', path))
    const visit = {
      ...{ request, shop, path, speaker },
      form: (name: string) => readLineField(fields, name),
      whole: (name: string) => fields.get(name) ?? '',
    }
    if (action === '') return this.show(visit)
    if (action === 'address') return this.address(visit, link)
    if (action === 'passkeys') return this.passkeys(visit, link)
    return action === 'link' ? this.byLink(visit, link) : this.act(visit, action)
  }
}

function json(data: object): PageAnswer {
  const { headers } = answerPage(200, '')
  return {
    status: 200,
    body: JSON.stringify(data),
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
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
