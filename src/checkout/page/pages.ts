// The shopper's pages: what is shown at a secret address, and what its forms do. A form is posted, the checkout service decides, and the
// browser is sent on by a redirect; only what was not done is answered in place, with the words that say why.

import { addressBucket } from '../../access/throttle.ts'
import type { Incoming } from '../../http/answer.ts'
import type { HtmlPage, PageAnswer, PageRequest } from '../../http/server.ts'
import { newId } from '../../kit/ids.ts'
import { type FormRefusal, lineIn, readForm } from '../../pages/form.ts'
import { isCrossSite } from '../../pages/origin.ts'
import type {
  CheckoutMethod,
  CheckoutPort,
  CheckoutProblem,
  CheckoutResult,
  CheckoutView,
  OrderStatusPort,
} from '../port.ts'
import { script, style } from './assets.ts'
import {
  challengePage,
  closedPage,
  completedPage,
  endedPage,
  failedPage,
  lostPage,
  processingPage,
  refusedPage,
  shopUrl,
  slowPage,
} from './ended.ts'
import { answerPage, redirect } from './frame.ts'
import {
  codeIn,
  detailsIn,
  type Form,
  hasTyped,
  methodIn,
  payIn,
  quantityIn,
  type Typed,
  typedIn,
  typedNames,
  versionIn,
} from './input.ts'
import { countryGuess, type Speaker, speakerFor } from './language.ts'
import { openPage } from './open.ts'
import { orderPage } from './order.ts'

export interface CheckoutPageParts {
  checkout: CheckoutPort
  orderStatus: OrderStatusPort
  // Known once the port is open.
  origin: () => string
  clock: () => Date
  // How long a checkout must wait before it takes another post; 0 for not at all.
  postWaitMs?: (secret: string) => number
}

// One post of a shopper, past the guards.
interface Post {
  secret: string
  form: Form
  view: CheckoutView
  request: Incoming
}

export function checkoutPages({
  checkout,
  orderStatus,
  origin,
  clock,
  postWaitMs = () => 0,
}: CheckoutPageParts): HtmlPage[] {
  type Action = (post: Post) => Promise<PageAnswer>

  const actions: Readonly<Record<string, Action>> = {
    async quantity({ secret, form, view, request }) {
      const parsed = quantityIn(form)
      if ('issues' in parsed) return show(view, request, { problem: { code: 'invalid', issues: parsed.issues } })
      const { skuId, quantity } = parsed.input
      const result = await checkout.changeQuantity(secret, versionIn(form), skuId, quantity)
      return settled(result, request, `/c/${secret}#items`)
    },

    async code({ secret, form, view, request }) {
      const parsed = codeIn(form)
      const kept = { typedCode: form('code').slice(0, 64) }
      if ('issues' in parsed) {
        return show(view, request, { ...kept, problem: { code: 'invalid', issues: parsed.issues } })
      }
      return settled(
        await checkout.applyCode(secret, versionIn(form), parsed.input),
        request,
        `/c/${secret}#items`,
        kept,
      )
    },

    async details({ secret, form, view, request }) {
      const typed = typedIn(form)
      // The country alone: the same page, with the fields of that country and whatever was typed.
      if (form('intent') === 'country') return show(view, request, { typed })
      if (form('intent') === 'time') {
        const result = await checkout.keepOpen(secret)
        return result
          ? show(result.view, request, { typed, ...(result.problem && { problem: result.problem }) })
          : lost(request)
      }
      const parsed = detailsIn(typed, view.needsShipping)
      if ('issues' in parsed) return show(view, request, { typed, problem: { code: 'invalid', issues: parsed.issues } })
      const result = await checkout.setDetails(secret, versionIn(form), parsed.input)
      return settled(result, request, `/c/${secret}#payment`, { typed })
    },

    async pay({ secret, form, view, request }) {
      const parsed = payIn(form, view)
      const kept = { chosen: methodIn(form, view) ?? null }
      if ('issues' in parsed) {
        return show(view, request, { ...kept, problem: { code: 'invalid', issues: parsed.issues } })
      }
      const input = { ...parsed.input, network: addressBucket(request.address) }
      return settled(await checkout.pay(secret, input), request, `/c/${secret}#payment`, kept)
    },

    async challenge({ secret, form, view, request }) {
      const answer = form('answer')
      if (answer !== 'accept' && answer !== 'refuse') return show(view, request)
      const result = await checkout.answerChallenge(secret, form('paymentId'), answer)
      return settled(result, request, `/c/${secret}#payment`)
    },

    async cancel({ secret, request }) {
      const result = await checkout.cancel(secret)
      const session = result?.view.session
      if (session?.status === 'cancelled' && session.cancelUrl !== null) {
        return redirect(shopUrl(session.cancelUrl, session.id))
      }
      return settled(result, request, `/c/${secret}`)
    },

    // What was typed goes along in the form, and so does the page that it leads to: in an address it would stand in histories
    // and logs.
    async again({ secret, form, view, request }) {
      const started = await checkout.startAgain(secret)
      if (!started) return lost(request)
      const typed = typedIn(form)
      const kept = hasTyped(typed) ? { typed } : {}
      if (!('secret' in started)) return show(view, request, { ...started, ...kept })
      const next = hasTyped(typed) ? await checkout.look(started.secret) : undefined
      return next?.session.status === 'open' ? show(next, request, kept) : redirect(`/c/${started.secret}`)
    },
  }

  // Where a post leads. Whoever just paid goes to the shop, also when the post was a twin of the one that paid.
  function settled(
    result: CheckoutResult | undefined,
    request: Incoming,
    next: string,
    kept: FormState = {},
  ): PageAnswer {
    if (!result) return lost(request)
    const { view, problem } = result
    const { session } = view
    if (session.status === 'completed') return redirect(afterPaying(view))
    return problem === null ? redirect(next) : show(view, request, { ...kept, problem })
  }

  // Whoever has to be told how to pay reads it here, and the shop does not know it. Where the app was uninstalled meanwhile,
  // there is no shop to go to.
  function afterPaying({ session, secret, awaited, isClosed }: CheckoutView): string {
    const staysHere = isClosed || (awaited !== null && awaited.instructions !== null)
    return staysHere ? `/c/${secret}` : shopUrl(session.successUrl, session.id)
  }

  interface FormState {
    problem?: CheckoutProblem
    typed?: Typed
    typedCode?: string
    // The method of a payment that was not made.
    chosen?: CheckoutMethod | null
  }

  function show(
    view: CheckoutView,
    request: Incoming,
    { problem, typed, typedCode = '', chosen = null }: FormState = {},
  ): PageAnswer {
    const accepted = request.raw.headers['accept-language']
    const { session } = view
    const speaker = speakerFor(session.locale, accepted)
    const text = textFor(speaker, view, problem ?? null, {
      posted: typed ?? null,
      typed: typed ?? typedFor(view, countryGuess(session.locale, accepted)),
      typedCode,
      chosen,
    })
    const shopUrls = view.isClosed ? [] : [session.successUrl, session.cancelUrl]
    return problem?.code === 'too_many_tries'
      ? waiting(answerPage(429, text, shopUrls), problem.waitMs)
      : answerPage(200, text, shopUrls)
  }

  function textFor(
    speaker: Speaker,
    view: CheckoutView,
    problem: CheckoutProblem | null,
    { posted, ...kept }: { posted: Typed | null; typed: Typed; typedCode: string; chosen: CheckoutMethod | null },
  ): string {
    const { status } = view.session
    if (view.isClosed && status !== 'processing' && status !== 'completed') return closedPage(speaker, view)
    switch (status) {
      case 'open':
        return openPage({ speaker, view, problem, ...kept, now: clock(), attempt: newId('pay') })
      case 'processing':
        return view.challenge ? challengePage(speaker, view, view.challenge) : processingPage(speaker, view)
      case 'completed':
        return completedPage(speaker, view)
      default:
        return endedPage(speaker, view, problem, posted && hasTyped(posted) ? posted : null)
    }
  }

  // Asked again and again while a payment is under way: stays until there is something new, then leads there.
  async function wait(secret: string, request: Incoming): Promise<PageAnswer> {
    const view = await checkout.look(secret)
    if (!view) return lost(request)
    const { session } = view
    if (session.status === 'completed') return redirect(afterPaying(view))
    if (session.status === 'processing' && !view.challenge) return show(view, request)
    return redirect(session.status === 'open' ? `/c/${secret}#payment` : `/c/${secret}`)
  }

  async function act(secret: string, name: string, request: PageRequest): Promise<PageAnswer> {
    const speaker = speakerFor('auto', request.raw.headers['accept-language'])
    const refuseWith = (status: number, kind: 'forbidden' | 'refused') =>
      unread(answerPage(status, refusedPage(speaker, kind, `/c/${secret}`)))
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (!action) return unread(lost(request))
    if (isCrossSite(request.raw, origin())) return refuseWith(403, 'forbidden')
    const waitMs = postWaitMs(secret)
    if (waitMs > 0) return slowDown(secret, name, waitMs, request)
    // Whoever has no secret of ours is not waited for.
    const view = await checkout.look(secret)
    if (!view) return unread(lost(request))
    spendOn(view, request)
    const form = await receiveForm(request)
    if (typeof form === 'number') return refuseWith(form, 'refused')
    return action({ secret, form, view, request })
  }

  // Nothing is looked up for it. What was typed is in the page, to be sent again; a card never is.
  async function slowDown(secret: string, name: string, waitMs: number, request: PageRequest): Promise<PageAnswer> {
    const speaker = speakerFor('auto', request.raw.headers['accept-language'])
    const form = name === 'pay' ? 400 : await receiveForm(request)
    const fields = typeof form === 'number' ? null : fieldsIn(form)
    return waiting(answerPage(429, slowPage(speaker, `/c/${secret}`, fields && { action: name, fields })), waitMs)
  }

  return [
    {
      path: '/c/:secret',
      name: 'checkout',
      async answer(request) {
        const view = await checkout.look(request.path.secret ?? '')
        if (!view) return lost(request)
        spendOn(view, request)
        return show(view, request)
      },
      isDear: true,
      failed,
    },
    {
      path: '/c/:secret/:action',
      name: 'checkout action',
      methods: ['GET', 'POST'],
      async answer(request) {
        const { secret = '', action = '' } = request.path
        if (request.raw.method === 'POST') return act(secret, action, request)
        if (action === 'wait') return wait(secret, request)
        // A page that answered a post stands at the address of the action; whoever loads that anew means the checkout.
        const isKnown = action === '' || Object.hasOwn(actions, action)
        return isKnown && (await checkout.look(secret)) ? redirect(`/c/${secret}`) : lost(request)
      },
      isDear: true,
      failed,
    },
    {
      path: '/o/:secret',
      name: 'order status',
      async answer(request) {
        const order = await orderStatus(request.path.secret ?? '')
        if (!order) return lost(request)
        return answerPage(200, orderPage(speakerFor(order.locale, request.raw.headers['accept-language']), order))
      },
      isDear: true,
      failed,
    },
    // Links that a mail or a hand has made longer: what is no page of ours says so as a page.
    ...['/c/*', '/o/*'].map(
      (path): HtmlPage => ({
        path,
        name: 'lost checkout',
        methods: ['GET', 'POST'],
        async answer(request) {
          const [, kind, secret = '', ...rest] = (request.raw.url ?? '').split('?')[0]?.split('/') ?? []
          const isOnlyLonger = request.raw.method !== 'POST' && rest.length === 1 && rest[0] === ''
          if (isOnlyLonger && /^[\w-]+$/.test(secret)) return redirect(`/${kind}/${secret}`)
          return request.raw.method === 'POST' ? unread(lost(request)) : lost(request)
        },
      }),
    ),
    style.page,
    script.page,
  ]
}

async function receiveForm(request: PageRequest): Promise<Form | FormRefusal> {
  const form = await request.receive(() => readForm(request.raw))
  return typeof form === 'number' ? form : (name) => lineIn(form, name)
}

function lost(request: Incoming): PageAnswer {
  return answerPage(404, lostPage(speakerFor('auto', request.raw.headers['accept-language'])))
}

function failed(request: Incoming, status: number): PageAnswer {
  const speaker = speakerFor('auto', request.raw.headers['accept-language'])
  if (status !== 429) return answerPage(status, failedPage(speaker))
  const [, kind = 'c'] = (request.raw.url ?? '').split('/')
  return answerPage(status, slowPage(speaker, `/${kind}/${request.path.secret ?? ''}`, null))
}

// A large cart costs as much as many small ones.
function spendOn({ session }: CheckoutView, request: PageRequest): void {
  const cost = Math.floor(session.items.length / linesOfOne)
  if (cost > 0) request.spend?.(cost)
}

function waiting(answer: PageAnswer, waitMs: number): PageAnswer {
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(waitMs / 1000)) } }
}

// So many lines cost as much again as the rest of a change: 3 ms, and 15 ms with a hundred lines.
const linesOfOne = 8

const keptNames = [...typedNames, 'intent', 'version', 'skuId', 'quantity', 'code', 'remove', 'paymentId', 'answer']

function fieldsIn(form: Form): Record<string, string> {
  return Object.fromEntries(keptNames.map((name) => [name, form(name)]).filter(([, value]) => value !== ''))
}

// What was sent and not read must not be taken for the next request.
function unread(answer: PageAnswer): PageAnswer {
  return { ...answer, headers: { ...answer.headers, connection: 'close' } }
}

// Where the browser seems to be, if the shop delivers there.
function firstCountry(served: CheckoutView['countries'], guess = 'US'): string {
  return served === null || served.includes(guess) ? guess : (served[0] ?? guess)
}

function typedFor({ customer, address, session, countries }: CheckoutView, guess: string | undefined): Typed {
  return {
    email: customer.email,
    phone: customer.phone || (address?.phone ?? ''),
    name: address?.name ?? customer.name,
    country: address?.country ?? firstCountry(countries, guess),
    company: address?.company ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    region: address?.region ?? '',
    postalCode: address?.postalCode ?? '',
    shippingOptionId: session.shipping.optionId ?? '',
  }
}
