// Chooses the page that shows a checkout, by its state and the problem of a post.

import type { CheckoutMethod, CheckoutProblem, CheckoutView } from '../../domain/checkout/port.ts'
import type { PageSources } from '../../domain/payments/port.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { isCountry } from '../../platform/kit/country.ts'
import { newId } from '../../platform/kit/ids.ts'
import { preferredRegions, type Speaker, speakerFor } from '../languages/language.ts'
import {
  challengePage,
  closedPage,
  completedPage,
  endedPage,
  failedPage,
  lostPage,
  processingPage,
  slowPage,
} from './ended.ts'
import { isListed } from './fields.ts'
import { answerPage } from './frame.ts'
import { hasTyped, type TypedBilling, type TypedCheckout } from './input.ts'
import { openPage } from './open.ts'
import { redirectPage } from './redirect.ts'

// The problem of a post, and the values typed in it.
export interface FormState {
  problem?: CheckoutProblem
  typed?: TypedCheckout
  typedCode?: string
  // The payment method of a refused post.
  chosen?: CheckoutMethod | null
  // Values typed in that method's billing address.
  billing?: TypedBilling
}

export type ShowCheckout = (view: CheckoutView, request: Incoming, state?: FormState) => PageAnswer

export function createShowCheckout(
  clock: () => Date,
  hasSaved: (view: CheckoutView, request: Incoming) => boolean = () => false,
): ShowCheckout {
  return (view, request, { problem, typed, typedCode = '', chosen = null, billing } = {}) => {
    const accepted = request.raw.headers['accept-language']
    const { session } = view
    const speaker = speakerFor(session.locale, accepted).inTimeZone(view.merchant.timeZone)
    const text = textFor(speaker, view, problem ?? null, {
      now: clock(),
      posted: typed ?? null,
      typed: typed ?? typedFor(view, preferredRegions(session.locale, accepted)),
      typedCode,
      chosen,
      billing: billing ?? null,
      hasSaved: hasSaved(view, request),
    })
    const shopUrls = view.isClosed ? [] : [session.successUrl || null, session.cancelUrl]
    return problem?.code === 'too_many_tries'
      ? waitingAnswer(answerPage(429, text, { shopUrls }), problem.waitMs)
      : answerPage(200, text, { shopUrls, sources: sourcesFor(view) })
  }
}

// Returns the provider's sources for the page that embeds the provider's frame. Other pages load nothing from the provider.
function sourcesFor({ session, redirect }: CheckoutView): PageSources | undefined {
  return session.status === 'processing' && redirect?.nextAction?.kind === 'frame' ? redirect.sources : undefined
}

interface Shown {
  now: Date
  // The values of this post.
  posted: TypedCheckout | null
  typed: TypedCheckout
  typedCode: string
  chosen: CheckoutMethod | null
  billing: TypedBilling | null
  hasSaved: boolean
}

function textFor(
  speaker: Speaker,
  view: CheckoutView,
  problem: CheckoutProblem | null,
  { posted, ...kept }: Shown,
): string {
  const { status } = view.session
  if (view.isClosed && status !== 'processing' && status !== 'completed') return closedPage(speaker, view)
  switch (status) {
    case 'open':
      return openPage({ speaker, view, problem, ...kept, attempt: newId('pay') })
    case 'processing':
      if (view.redirect) return redirectPage(speaker, view, view.redirect)
      return view.challenge ? challengePage(speaker, view, view.challenge) : processingPage(speaker, view)
    case 'completed':
      return completedPage(speaker, view)
    default:
      return endedPage(speaker, view, problem, posted && hasTyped(posted) ? posted : null)
  }
}

export function lostAnswer(request: Incoming): PageAnswer {
  return answerPage(404, lostPage(speakerFor('auto', request.raw.headers['accept-language'])))
}

export function failedAnswer(request: Incoming, status: number): PageAnswer {
  const speaker = speakerFor('auto', request.raw.headers['accept-language'])
  // The URL is malformed.
  if (status === 400) return answerPage(status, lostPage(speaker))
  if (status !== 429) return answerPage(status, failedPage(speaker))
  const [, kind = 'c'] = (request.raw.url ?? '').split('/')
  return answerPage(status, slowPage(speaker, `/${kind}/${request.path.secret ?? request.path.token ?? ''}`, null))
}

export function waitingAnswer(answer: PageAnswer, waitMs: number): PageAnswer {
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(waitMs / 1000)) } }
}

// Closes the connection, because the unread body must not be parsed as the next request.
export function closeAfterAnswer(answer: PageAnswer): PageAnswer {
  return { ...answer, headers: { ...answer.headers, connection: 'close' } }
}

// Guesses the shopper's country: the only one that the shop delivers to, otherwise a region named by the browser, otherwise the
// merchant's country. If the shop delivers to none of them, the shopper must choose.
function firstCountry({ countries, merchant }: CheckoutView, regions: readonly string[]): string {
  const [only, ...others] = countries ?? []
  if (only !== undefined && others.length === 0) return only
  return [...regions, merchant.country].find((code) => isCountry(code) && isListed(countries, code)) ?? ''
}

function typedFor(view: CheckoutView, regions: readonly string[]): TypedCheckout {
  const { customer, address, session } = view
  return {
    email: customer.email,
    phone: customer.phone || (address?.phone ?? ''),
    name: address?.name ?? customer.name,
    vatId: customer.vatId ?? '',
    country: address?.country ?? firstCountry(view, regions),
    company: address?.company ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    region: address?.region ?? '',
    postalCode: address?.postalCode ?? '',
    shippingOptionId: session.shipping.optionId ?? '',
  }
}
