// Actions of the forms of a checkout. The checkout service decides on each posted form, and the browser is redirected. If the action
// failed, the answer is the page with the reason.

import type {
  CheckoutPort,
  CheckoutResult,
  CheckoutView,
  CompletedCheckout,
  SubmitResult,
} from '../../domain/checkout/port.ts'
import { addressBucket } from '../../platform/access/throttle.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { speakerFor } from '../languages/language.ts'
import type { DetailsIntent } from './browser/names.ts'
import { shopUrl } from './ended.ts'
import { redirectCheckout } from './frame.ts'
import {
  hasConsented,
  hasTyped,
  needsConsent,
  type PostedField,
  readDetails,
  readMethod,
  readPageVersion,
  readPayInput,
  readPromotionCode,
  readQuantity,
  readTypedBilling,
  readTypedCheckout,
} from './input.ts'
import { type FormState, lostAnswer, type ShowCheckout } from './show.ts'

// A shopper's post that passed the guards.
interface Post {
  secret: string
  form: PostedField
  view: CheckoutView
  request: Incoming
}

export type CheckoutActions = Readonly<Record<string, (post: Post) => Promise<PageAnswer>>>

// A post of the details has no view: the view is loaded only if the page is shown again, such as with what is wrong with the details.
export interface DetailsPost extends Omit<Post, 'view'> {
  needsShipping: boolean
}

export type SubmitDetails = (post: DetailsPost) => Promise<PageAnswer>

export function createActions(
  checkout: CheckoutPort,
  show: ShowCheckout,
): { actions: CheckoutActions; details: SubmitDetails } {
  // Answers a post. Once the session is completed, redirects to where the shopper goes after paying, also if an earlier post completed
  // it.
  function proceed(
    result: CheckoutResult | undefined,
    request: Incoming,
    next: string,
    state: FormState = {},
  ): PageAnswer {
    if (!result) return lostAnswer(request)
    const { view, problem } = result
    const { session } = view
    if (session.status === 'completed') return redirectCheckout(destinationAfterPaying(view))
    return problem === null ? redirectCheckout(next) : show(view, request, { ...state, problem })
  }

  // Like `proceed`, for results without a view.
  function proceedFrom(
    submitted: SubmitResult | undefined,
    request: Incoming,
    next: string,
    state: FormState = {},
  ): PageAnswer {
    if (!submitted || 'view' in submitted) return proceed(submitted, request, next, state)
    return redirectCheckout(submitted.completed ? destinationAfterPaying(submitted.completed) : next)
  }

  async function details({ secret, form, needsShipping, request }: DetailsPost): Promise<PageAnswer> {
    const typed = readTypedCheckout(form)
    const again = async (state: FormState) => {
      const view = await checkout.look(secret)
      return view ? show(view, request, state) : lostAnswer(request)
    }
    // The shopper only changed the country: renders the same page with that country's fields and the typed values.
    if (form('intent') === ('country' satisfies DetailsIntent)) return again({ typed })
    if (form('intent') === ('time' satisfies DetailsIntent)) {
      const result = await checkout.keepOpen(secret)
      return result
        ? show(result.view, request, { typed, ...(result.problem && { problem: result.problem }) })
        : lostAnswer(request)
    }
    const parsed = readDetails(typed, needsShipping)
    if ('issues' in parsed) return again({ typed, problem: { code: 'invalid', issues: parsed.issues } })
    const submitted = await checkout.submitDetails(secret, readPageVersion(form), parsed.input)
    return proceedFrom(submitted, request, `/c/${secret}#payment`, { typed })
  }

  const actions: CheckoutActions = {
    async quantity({ secret, form, view, request }) {
      const parsed = readQuantity(form)
      if ('issues' in parsed) return show(view, request, { problem: { code: 'invalid', issues: parsed.issues } })
      const { skuId, quantity } = parsed.input
      const result = await checkout.changeQuantity(secret, readPageVersion(form), skuId, quantity)
      return proceed(result, request, `/c/${secret}#items`)
    },

    async code({ secret, form, view, request }) {
      const parsed = readPromotionCode(form)
      const state = { typedCode: form('code').slice(0, 64) }
      if ('issues' in parsed) {
        return show(view, request, { ...state, problem: { code: 'invalid', issues: parsed.issues } })
      }
      return proceed(
        await checkout.applyCode(secret, readPageVersion(form), parsed.input),
        request,
        `/c/${secret}#items`,
        state,
      )
    },

    async pay({ secret, form, view, request }) {
      const parsed = readPayInput(form, view)
      const chosen = readMethod(form, view) ?? null
      const state = { chosen, ...(chosen?.billing && { billing: readTypedBilling(form, chosen) }) }
      if ('issues' in parsed) {
        return show(view, request, { ...state, problem: { code: 'invalid', issues: parsed.issues } })
      }
      if (needsConsent(view) && !hasConsented(form, view))
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
        return redirectCheckout(shopUrl(session.cancelUrl, session.id))
      }
      return proceed(result, request, `/c/${secret}`)
    },

    // Typed values are sent in the bodies of forms only: in a URL they would be stored in histories and logs.
    async again({ secret, form, view, request }) {
      const started = await checkout.startAgain(secret)
      if (!started) return lostAnswer(request)
      const typed = readTypedCheckout(form)
      const state = hasTyped(typed) ? { typed } : {}
      if (!('secret' in started)) return show(view, request, { ...started, ...state })
      const next = hasTyped(typed) ? await checkout.look(started.secret) : undefined
      return next?.session.status === 'open' ? show(next, request, state) : redirectCheckout(`/c/${started.secret}`)
    },
  }
  return { actions, details }
}

// Returns the shop's page, or the checkout's own page if that has instructions for paying, which the shop does not have. There is no shop
// to return to if the app was uninstalled or an agent opened the checkout.
export function destinationAfterPaying({ session, secret, awaited, isClosed }: CompletedCheckout): string {
  const staysHere = isClosed || session.successUrl === '' || (awaited !== null && awaited.instructions !== null)
  return staysHere ? `/c/${secret}` : shopUrl(session.successUrl, session.id)
}
