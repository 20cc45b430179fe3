// Actions of the forms of a checkout. A form is posted, the checkout service decides, and the browser is redirected. If the action
// failed, the answer is the page with the reason.

import type {
  CheckoutPort,
  CheckoutResult,
  CheckoutView,
  CompletedCheckout,
  Submitted,
} from '../../domain/checkout/port.ts'
import { addressBucket } from '../../platform/access/throttle.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { speakerFor } from '../languages/language.ts'
import type { DetailsIntent } from './browser/names.ts'
import { shopUrl } from './ended.ts'
import { redirect } from './frame.ts'
import {
  asksConsent,
  billingIn,
  codeIn,
  detailsIn,
  type Form,
  hasConsented,
  hasTyped,
  methodIn,
  payIn,
  quantityIn,
  typedIn,
  versionIn,
} from './input.ts'
import { type FormState, lost, type Show } from './show.ts'

// A post of a shopper that passed the guards.
interface Post {
  secret: string
  form: Form
  view: CheckoutView
  request: Incoming
}

export type Actions = Readonly<Record<string, (post: Post) => Promise<PageAnswer>>>

// The view of details is loaded only if something is wrong with them.
export interface DetailsPost extends Omit<Post, 'view'> {
  needsShipping: boolean
}

export type SubmitDetails = (post: DetailsPost) => Promise<PageAnswer>

export function createActions(checkout: CheckoutPort, show: Show): { actions: Actions; details: SubmitDetails } {
  // Answers a post. After payment it leads to the shop, also if the post was a duplicate of the one that paid.
  function proceed(
    result: CheckoutResult | undefined,
    request: Incoming,
    next: string,
    state: FormState = {},
  ): PageAnswer {
    if (!result) return lost(request)
    const { view, problem } = result
    const { session } = view
    if (session.status === 'completed') return redirect(afterPaying(view))
    return problem === null ? redirect(next) : show(view, request, { ...state, problem })
  }

  // Like `proceed`, for results without a view.
  function proceedFrom(
    submitted: Submitted | undefined,
    request: Incoming,
    next: string,
    state: FormState = {},
  ): PageAnswer {
    if (!submitted || 'view' in submitted) return proceed(submitted, request, next, state)
    return redirect(submitted.completed ? afterPaying(submitted.completed) : next)
  }

  async function details({ secret, form, needsShipping, request }: DetailsPost): Promise<PageAnswer> {
    const typed = typedIn(form)
    const again = async (state: FormState) => {
      const view = await checkout.look(secret)
      return view ? show(view, request, state) : lost(request)
    }
    // Only the country changes: renders the same page with the fields of that country and the typed values.
    if (form('intent') === ('country' satisfies DetailsIntent)) return again({ typed })
    if (form('intent') === ('time' satisfies DetailsIntent)) {
      const result = await checkout.keepOpen(secret)
      return result
        ? show(result.view, request, { typed, ...(result.problem && { problem: result.problem }) })
        : lost(request)
    }
    const parsed = detailsIn(typed, needsShipping)
    if ('issues' in parsed) return again({ typed, problem: { code: 'invalid', issues: parsed.issues } })
    const submitted = await checkout.submitDetails(secret, versionIn(form), parsed.input)
    return proceedFrom(submitted, request, `/c/${secret}#payment`, { typed })
  }

  const actions: Actions = {
    async quantity({ secret, form, view, request }) {
      const parsed = quantityIn(form)
      if ('issues' in parsed) return show(view, request, { problem: { code: 'invalid', issues: parsed.issues } })
      const { skuId, quantity } = parsed.input
      const result = await checkout.changeQuantity(secret, versionIn(form), skuId, quantity)
      return proceed(result, request, `/c/${secret}#items`)
    },

    async code({ secret, form, view, request }) {
      const parsed = codeIn(form)
      const state = { typedCode: form('code').slice(0, 64) }
      if ('issues' in parsed) {
        return show(view, request, { ...state, problem: { code: 'invalid', issues: parsed.issues } })
      }
      return proceed(
        await checkout.applyCode(secret, versionIn(form), parsed.input),
        request,
        `/c/${secret}#items`,
        state,
      )
    },

    async pay({ secret, form, view, request }) {
      const parsed = payIn(form, view)
      const chosen = methodIn(form, view) ?? null
      const state = { chosen, ...(chosen?.billing && { billing: billingIn(form, chosen) }) }
      if ('issues' in parsed) {
        return show(view, request, { ...state, problem: { code: 'invalid', issues: parsed.issues } })
      }
      if (asksConsent(view) && !hasConsented(form, view))
        return show(view, request, { ...state, problem: { code: 'consent_needed' } })
      const { locale } = speakerFor(view.session.locale, request.raw.headers['accept-language'])
      const input = { ...parsed.input, locale, network: addressBucket(request.address) }
      return proceedFrom(await checkout.submitPayment(secret, input), request, `/c/${secret}#payment`, state)
    },

    async challenge({ secret, form, view, request }) {
      const answer = form('answer')
      if (answer !== 'accept' && answer !== 'refuse') return show(view, request)
      const result = await checkout.answerChallenge(secret, form('paymentId'), answer)
      return proceed(result, request, `/c/${secret}#payment`)
    },

    async back({ secret, request }) {
      return proceed(await checkout.goBack(secret), request, `/c/${secret}#payment`)
    },

    async cancel({ secret, request }) {
      const result = await checkout.cancel(secret)
      const session = result?.view.session
      if (session?.status === 'cancelled' && session.cancelUrl !== null) {
        return redirect(shopUrl(session.cancelUrl, session.id))
      }
      return proceed(result, request, `/c/${secret}`)
    },

    // Typed values are only sent in forms: in an address they would end up in histories and logs.
    async again({ secret, form, view, request }) {
      const started = await checkout.startAgain(secret)
      if (!started) return lost(request)
      const typed = typedIn(form)
      const state = hasTyped(typed) ? { typed } : {}
      if (!('secret' in started)) return show(view, request, { ...started, ...state })
      const next = hasTyped(typed) ? await checkout.look(started.secret) : undefined
      return next?.session.status === 'open' ? show(next, request, state) : redirect(`/c/${started.secret}`)
    },
  }
  return { actions, details }
}

// Shows the checkout's own page if there are instructions for paying, because the shop does not have them. There is no shop to return to
// if the app was uninstalled or an agent opened the checkout.
export function afterPaying({ session, secret, awaited, isClosed }: CompletedCheckout): string {
  const staysHere = isClosed || session.successUrl === '' || (awaited !== null && awaited.instructions !== null)
  return staysHere ? `/c/${secret}` : shopUrl(session.successUrl, session.id)
}
