// The routes of the shopper's pages, and the guards that a post must pass.

import type {
  CheckoutPort,
  CheckoutSummary,
  CheckoutView,
  DocumentPort,
  OrderStatusPort,
  ReceiptPort,
} from '../../domain/checkout/port.ts'
import type { RequestReturn } from '../../domain/returns/hosted.ts'
import { type CookieKind, findCookie, setCookie } from '../../platform/html/cookies.ts'
import { type FormErrorStatus, readForm, readLineField } from '../../platform/html/form.ts'
import { isCrossSite } from '../../platform/html/origin.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { HtmlPage, PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import { receiptScript, receiptStyle } from '../documents/assets.ts'
import { documentFile, documentFormats, fileAnswer } from '../documents/files.ts'
import { documentPage } from '../documents/page.ts'
import { speakerFor } from '../languages/language.ts'
import { type CheckoutActions, createActions, destinationAfterPaying } from './actions.ts'
import { customerPasskeyScript, frames, script, style } from './assets.ts'
import { refusedPage, slowPage } from './ended.ts'
import { answerPage, answerSessionState, redirectCheckout } from './frame.ts'
import { type PostedField, typedNames } from './input.ts'
import { orderPage } from './order.ts'
import { receiptPage } from './receipt.ts'
import { returnPage } from './redirect.ts'
import { canReturn, emptyReturn, nextReturnStep, type ReturnPage, returnForm, returnStepPage } from './returns.ts'
import { applySavedAddress, type SavedAddressesPort, showSavedAddresses } from './saved.ts'
import { closeAfterAnswer, createShowCheckout, failedAnswer, lostAnswer, waitingAnswer } from './show.ts'
import { themePage } from './theme.ts'

export interface CheckoutPageParts {
  checkout: CheckoutPort
  orderStatus: OrderStatusPort
  receipt?: ReceiptPort
  requestReturn?: RequestReturn
  // Whether shoppers can sign in. If so, the order page links to their account (default: false).
  hasAccounts?: boolean
  document?: DocumentPort
  // Saved addresses of signed-in shoppers (default: none).
  saved?: SavedAddressesPort
  // The origin is only known once the port is open.
  origin: () => string
  // Whether the page with this secret belongs to the merchant (default: never, so the hosts of shops do not show it).
  isOfMerchant?: (kind: 'checkout' | 'order', secret: string, merchantId: string) => Promise<boolean>
  // Origin of the shop's main host; undefined if the shop has no host of its own.
  shopOriginOf?: (merchantSlug: string) => Promise<string | undefined>
  clock: () => Date
  // Milliseconds until a checkout accepts another post; 0: now.
  postWaitMs?: (secret: string) => number
}

export function checkoutPages({
  checkout,
  orderStatus,
  receipt = async () => undefined,
  requestReturn = async () => undefined,
  hasAccounts = false,
  document = async () => undefined,
  saved = noneSaved,
  origin,
  isOfMerchant = async () => false,
  shopOriginOf = async () => undefined,
  clock,
  postWaitMs = () => 0,
}: CheckoutPageParts): HtmlPage[] {
  const show = createShowCheckout(clock, saved.isSignedIn)
  const { actions: posts, details } = createActions(checkout, show)
  const actions: CheckoutActions = {
    ...posts,
    addresses: ({ view, request, form }) => applySavedAddress({ checkout, saved, show, view, request, form }),
  }

  // Requested repeatedly while a payment is in progress. Redirects once the payment has a result.
  async function wait(secret: string, request: Incoming): Promise<PageAnswer> {
    const view = await checkout.refresh(secret)
    if (!view) return lostAnswer(request)
    const { session } = view
    if (session.status === 'completed') return redirectCheckout(destinationAfterPaying(view))
    if (session.status === 'processing' && !view.challenge && !view.redirect) return show(view, request)
    return redirectCheckout(session.status === 'open' ? `/c/${secret}#payment` : `/c/${secret}`)
  }

  // Polled by the script of a page while the session is open or a payment is in progress. The script then decides whether to load another
  // page.
  async function follow(secret: string, request: Incoming): Promise<PageAnswer> {
    const state = await checkout.follow(secret)
    return state === undefined ? lostAnswer(request) : answerSessionState(state)
  }

  // The shopper returns from the provider or a bank. Other parameters of the URL are ignored. A bank's app may open another browser than
  // the shopper's: that browser only gets the state of the payment, nothing about the order.
  async function comeBack(request: Incoming): Promise<PageAnswer> {
    const view = await checkout.comeBack(request.path.token ?? '')
    if (!view) return lostAnswer(request)
    const secret = findCookie(request.raw.headers.cookie, returnCookie, origin())
    if (secret !== undefined && pageSecretHash(secret) === view.secretHash) return redirectCheckout(`/c/${secret}/wait`)
    // The shopper may have paid at the host of the shop, whose cookie is not sent to this host.
    const shopOrigin = request.shop ? undefined : await shopOriginOf(view.merchant.slug)
    if (shopOrigin !== undefined) return redirectCheckout(`${shopOrigin}/r/${request.path.token}`)
    const speaker = speakerFor(view.locale, request.raw.headers['accept-language'])
    return answerPage(200, returnPage(speaker, view, `/r/${request.path.token}`))
  }

  async function act(secret: string, name: string, request: PageRequest): Promise<PageAnswer> {
    const speaker = speakerFor('auto', request.raw.headers['accept-language'])
    const refuseWith = (status: number, kind: 'forbidden' | 'refused') =>
      closeAfterAnswer(answerPage(status, refusedPage(speaker, kind, `/c/${secret}`)))
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    const isDetails = name === detailsName
    if (!action && !isDetails) return closeAfterAnswer(lostAnswer(request))
    if (isCrossSite(request.raw, request.shop?.origin ?? origin())) return refuseWith(403, 'forbidden')
    const waitMs = postWaitMs(secret)
    if (waitMs > 0) return slowDown(secret, name, waitMs, request)
    // Without a valid secret, the body of the request is not read.
    const view = isDetails ? undefined : await checkout.look(secret)
    const seen = isDetails ? await checkout.glance(secret) : view && seenIn(view)
    if (!seen) return closeAfterAnswer(lostAnswer(request))
    spendOn(seen, request)
    const form = await receiveForm(request)
    if (typeof form === 'number') return refuseWith(form, 'refused')
    if (action && view) return action({ secret, form, view, request })
    return details({ secret, form, needsShipping: seen.needsShipping, request })
  }

  // Redirects to the order if no item is returnable any more, or if a return is open.
  async function askReturn(request: PageRequest): Promise<PageAnswer> {
    const { secret = '' } = request.path
    const isPost = request.raw.method === 'POST'
    const path = `/o/${secret}`
    const speaker = speakerFor('auto', request.raw.headers['accept-language'])
    if (isPost && isCrossSite(request.raw, request.shop?.origin ?? origin()))
      return closeAfterAnswer(answerPage(403, refusedPage(speaker, 'forbidden', path)))
    const waitMs = isPost ? postWaitMs(secret) : 0
    if (waitMs > 0) return closeAfterAnswer(waitingAnswer(answerPage(429, slowPage(speaker, path, null)), waitMs))
    const order = await orderStatus(secret)
    if (!order) return isPost ? closeAfterAnswer(lostAnswer(request)) : lostAnswer(request)
    if (!canReturn(order))
      return isPost ? closeAfterAnswer(redirectCheckout(`${path}#returns`)) : redirectCheckout(`${path}#returns`)
    const read = speakerFor(order.locale, request.raw.headers['accept-language'])
    const show = (page: Pick<ReturnPage, 'form' | 'step' | 'problem'>) =>
      answerPage(page.problem === undefined ? 200 : 409, returnStepPage(read, { order, path, ...page }))
    if (!isPost) return show({ form: emptyReturn, step: 'items' })
    const sent = await receiveForm(request)
    if (typeof sent === 'number') return answerPage(sent, refusedPage(speaker, 'refused', path))
    const form = returnForm(order, sent)
    const next = nextReturnStep(form, sent)
    if ('step' in next) return show({ form, ...next })
    const outcome = await requestReturn(secret, next)
    if (outcome === 'not_possible') return show({ form, step: 'items', problem: 'return.changed' })
    return outcome === undefined ? lostAnswer(request) : redirectCheckout(`${path}#returns`)
  }

  // Does not query the database. The page contains the typed values, which its button sends again, but never card data.
  async function slowDown(secret: string, name: string, waitMs: number, request: PageRequest): Promise<PageAnswer> {
    const speaker = speakerFor('auto', request.raw.headers['accept-language'])
    const typed = name === 'pay' ? null : await typedFields(request)
    return waitingAnswer(
      answerPage(429, slowPage(speaker, `/c/${secret}`, typed && { action: name, fields: typed })),
      waitMs,
    )
  }

  const isSessionOf = ({ path: { secret = '' } }: Incoming, merchantId: string) =>
    isOfMerchant('checkout', secret, merchantId)
  const isOrderOf = ({ path: { secret = '' } }: Incoming, merchantId: string) =>
    isOfMerchant('order', secret, merchantId)

  return [
    {
      path: '/c/:secret',
      name: 'checkout',
      isOfShop: isSessionOf,
      async answer(request) {
        const { secret = '' } = request.path
        const seen = await checkout.look(secret)
        const view = seen?.session.status === 'processing' ? await checkout.refresh(secret) : seen
        if (!view) return lostAnswer(request)
        spendOn(seenIn(view), request)
        const answer = show(view, request)
        if (!view.redirect) return answer
        const cookie = setCookie(returnCookie, view.secret, origin())
        return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } }
      },
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/c/:secret/:action',
      name: 'checkout action',
      isOfShop: isSessionOf,
      methods: ['GET', 'POST'],
      async answer(request) {
        const { secret = '', action = '' } = request.path
        if (request.raw.method === 'POST') return act(secret, action, request)
        if (action === 'wait') return wait(secret, request)
        if (action === 'state') return follow(secret, request)
        if (action === 'addresses') return showSavedAddresses(saved, await checkout.look(secret), request)
        // A page that answers a post has the URL of the action. Reloading it shows the checkout.
        const isKnown = action === '' || action === detailsName || Object.hasOwn(actions, action)
        return isKnown && (await checkout.look(secret)) ? redirectCheckout(`/c/${secret}`) : lostAnswer(request)
      },
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/r/:token',
      name: 'payment return',
      isOfShop: async ({ path: { token = '' }, shop }) =>
        (await checkout.comeBack(token))?.merchant.slug === shop?.slug,
      answer: (request) => comeBack(request),
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/o/:secret',
      name: 'order status',
      isOfShop: isOrderOf,
      async answer(request) {
        const { secret = '' } = request.path
        const order = await orderStatus(secret)
        if (!order) return lostAnswer(request)
        const speaker = speakerFor(order.locale, request.raw.headers['accept-language']).inTimeZone(
          order.merchant.timeZone,
        )
        return answerPage(200, orderPage(speaker, order, `/o/${secret}`, hasAccounts))
      },
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/o/:secret/receipt',
      name: 'receipt',
      isOfShop: isOrderOf,
      async answer(request) {
        const { secret = '' } = request.path
        const view = await receipt(secret)
        // There is no receipt before the payment.
        if (!view) return isPageSecret(secret) ? redirectCheckout(`/o/${secret}`) : lostAnswer(request)
        const speaker = speakerFor(view.locale, request.raw.headers['accept-language']).inTimeZone(
          view.merchant.timeZone,
        )
        return answerPage(200, receiptPage(speaker, view, `/o/${secret}`))
      },
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/o/:secret/return',
      name: 'return request',
      isOfShop: isOrderOf,
      methods: ['GET', 'POST'],
      answer: askReturn,
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/o/:secret/documents/:documentId',
      name: 'document',
      isOfShop: isOrderOf,
      async answer(request) {
        const { secret = '', documentId = '' } = request.path
        const found = await document(secret, documentId)
        if (!found) return lostAnswer(request)
        const speaker = speakerFor(found.locale, request.raw.headers['accept-language'])
        const back = { href: `/o/${secret}`, label: speaker.say('receipt.back') }
        const files = documentFormats(found).map((format) => ({
          format,
          href: `/o/${secret}/documents/${documentId}/${format}`,
        }))
        return answerPage(200, documentPage(speaker, found, { back, files }))
      },
      isExpensive: true,
      failed: failedAnswer,
    },
    {
      path: '/o/:secret/documents/:documentId/:format',
      name: 'document file',
      isOfShop: isOrderOf,
      async answer(request) {
        const { secret = '', documentId = '', format = '' } = request.path
        const found = await document(secret, documentId)
        const file = found && documentFile(found, format)
        return file ? fileAnswer(file) : lostAnswer(request)
      },
      isExpensive: true,
      failed: failedAnswer,
    },
    // Links that were changed on the way, for example lengthened by a mail program, are also answered with a page rather than JSON.
    ...['/c/*', '/o/*'].map(
      (path): HtmlPage => ({
        path,
        name: 'lost checkout',
        methods: ['GET', 'POST'],
        async answer(request) {
          const [, kind, secret = '', ...rest] = (request.raw.url ?? '').split('?')[0]?.split('/') ?? []
          const isOnlyLonger = request.raw.method !== 'POST' && rest.length === 1 && rest[0] === ''
          if (isOnlyLonger && /^[\w-]+$/.test(secret)) return redirectCheckout(`/${kind}/${secret}`)
          return request.raw.method === 'POST' ? closeAfterAnswer(lostAnswer(request)) : lostAnswer(request)
        },
        failed: failedAnswer,
      }),
    ),
    // Files that do not depend on the shop.
    ...[
      style.page,
      themePage,
      script.page,
      receiptStyle.page,
      receiptScript.page,
      ...[customerPasskeyScript, ...Object.values(frames)].map(({ page }) => page),
    ].map((page): HtmlPage => ({ ...page, isOfShop: () => true })),
  ]
}

const noneSaved: SavedAddressesPort = { isSignedIn: () => false, list: async () => undefined }

// Leads the shopper from /r back to the checkout, so the URL that the provider knows does not contain the secret of the checkout. Set
// before the redirect.
const returnCookie: CookieKind = { name: 'checkout', path: '/r', maxAgeSeconds: 3_600 }

async function receiveForm(request: PageRequest): Promise<PostedField | FormErrorStatus> {
  const form = await request.receive(() => readForm(request.raw))
  return typeof form === 'number' ? form : (name) => readLineField(form, name)
}

function seenIn({ session, needsShipping }: CheckoutView): CheckoutSummary {
  return { lines: session.items.length, needsShipping }
}

const detailsName = 'details'

// A request for a checkout with many lines counts as several requests.
function spendOn({ lines }: CheckoutSummary, request: PageRequest): void {
  const cost = Math.floor(lines / linesOfOne)
  if (cost > 0) request.spend?.(cost)
}

// A cart with this many lines doubles the time of a change, to 3 ms; with a hundred lines a change takes 15 ms.
const linesOfOne = 8

const keptNames = [...typedNames, 'intent', 'version', 'skuId', 'quantity', 'code', 'remove', 'paymentId', 'answer']

// Returns null if the form cannot be read.
async function typedFields(request: PageRequest): Promise<Record<string, string> | null> {
  const form = await receiveForm(request)
  return typeof form === 'number' ? null : fieldsIn(form)
}

function fieldsIn(form: PostedField): Record<string, string> {
  return Object.fromEntries(keptNames.map((name) => [name, form(name)]).filter(([, value]) => value !== ''))
}
