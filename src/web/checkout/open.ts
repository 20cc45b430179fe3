// The open checkout on one page: the items on one side, the shopper's details and the payment on the other. Until the details are
// complete, the payment lists what is missing.

import { extendedExpiry } from '../../domain/checkout/lifecycle.ts'
import type { CheckoutMethod, CheckoutProblem, CheckoutView } from '../../domain/checkout/port.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import { billingFields } from './billing.ts'
import { soonMinutes } from './browser/names.ts'
import {
  addressFields,
  contactFields,
  countryField,
  detailField,
  type FieldErrors,
  fieldErrors,
  methodText,
  vatCheckText,
} from './fields.ts'
import { instructionsBox, merchantBar, renderCheckoutFrame, renderFooter } from './frame.ts'
import { guaranteeNotice } from './guarantee.ts'
import { methodValue, needsConsent, type TypedBilling, type TypedCheckout } from './input.ts'
import { noteBox, problemBox, topNotices } from './notices.ts'
import { changeableItems, codeBox, codeProblem, fixedItems, isPriced, sessionTotals } from './summary.ts'

export interface OpenParts {
  speaker: Speaker
  view: CheckoutView
  now: Date
  problem: CheckoutProblem | null
  // Values typed in a refused post.
  typed: TypedCheckout
  typedCode: string
  // The payment method of a refused post.
  chosen: CheckoutMethod | null
  // Values typed in that method's billing address.
  billing: TypedBilling | null
  // Whether the page links to the saved addresses.
  hasSaved: boolean
  // Identifies the next payment: posting the same form twice makes one payment.
  attempt: string
}

export function openPage(parts: OpenParts): string {
  const { speaker, view, problem, typedCode } = parts
  const { session } = view
  const { say } = speaker
  const errors = fieldErrors(speaker, view, parts)
  const title = say('page.title', { merchant: view.merchant.name })
  const count = session.items.reduce((sum, { quantity }) => sum + quantity, 0)
  const total = isPriced(session) ? speaker.amount(session.totals.total, session.currency) : ''
  const isUnfolded = codeProblem(speaker, problem) !== null
  const body = html`<a class="skip" href="#details">${say('page.skip')}</a>
<div class="page">
<div class="side"><div class="side-inside">
${merchantBar(speaker, view.merchant, session.mode === 'test')}
<section aria-labelledby="order-title">
<h1 id="order-title">${orderTitle(speaker, view)}</h1>
<p class="grand" id="grand">${total}</p>
${expiry(parts)}
<details class="fold"${isUnfolded && html` open`}>
<summary><span>${say('items.show')}</span> <span class="soft" id="count">${say('items.count', { count })}</span></summary>
<div id="items">
${
  session.items.length === 0
    ? html`<p>${say('order.empty')}</p>`
    : view.isFixed
      ? fixedItems(speaker, session)
      : changeableItems(speaker, view)
}
${!view.isFixed && codeBox(speaker, view, problem, typedCode)}
${sessionTotals(speaker, view)}
</div>
</details>
</section>
</div></div>
<div class="desk"><div class="desk-inside">
<main id="main">
${connectionBox(speaker)}
${expiredBox(speaker, view)}
${topNotices(speaker, view, problem, errors)}
${detailsForm(parts, errors)}
${paymentSection(parts, errors)}
</main>
${
  !view.isFixed &&
  html`<form method="post" action="/c/${view.secret}/cancel" class="leave"><button class="plain">${say('cancel.button')}</button></form>`
}
${renderFooter(speaker, view.merchant)}
</div></div>
</div>`
  return renderCheckoutFrame({
    speaker,
    title: problem === null ? title : say('page.errorTitle', { title }),
    state: 'open',
    facts: { version: String(session.version), total, problem: problem?.code ?? '' },
    body,
  })
}

const minuteMs = 60_000
const soonMs = soonMinutes * minuteMs

// Shows the time left rather than a time of day, because the server does not know the shopper's time zone. The script counts down.
function expiry({ speaker, view, now }: OpenParts): Html {
  const leftMs = leftMsOf(view, now)
  const { say } = speaker
  return html`<p
    class="expiry"
    id="expiry"
    data-left-ms="${leftMs}"
    data-soon="${say('expiry.soon', { time: '{time}' })}"
    data-left="${say('expiry.left', { time: '{time}' })}"${leftMs < soonMs && html` data-is-soon="yes"`}>
    ${say(leftMs < soonMs ? 'expiry.soon' : 'expiry.left', { time: speaker.duration(leftMs) })}
  </p>`
}

function leftMsOf({ session }: CheckoutView, now: Date): number {
  return Math.max(0, Date.parse(session.expiresAt) - now.getTime())
}

// The script shows this bar while the server does not respond. Typed values stay on the page.
function connectionBox({ say }: Speaker): Html {
  return html`<div
    id="connection"
    hidden
    data-offline="${say('connection.offline')}"
    data-failed="${say('connection.failed')}"
    data-pay="${say('connection.pay')}"
    data-saved="${say('connection.saved')}">
<p id="connection-text"></p>
<button type="button" class="second" id="connection-retry">${say('connection.retry')}</button>
</div>`
}

// The script shows this box if the session expires while the page is open, so typed values are not lost.
function expiredBox({ say }: Speaker, { secret }: CheckoutView): Html {
  return html`<div id="expired" class="notice problem" role="alert" tabindex="-1" hidden>
<p class="notice-title">${say('expired.title')}</p>
<p>${say('expired.typed')}</p>
<p class="error" id="expired-problem" hidden></p>
<form method="post" action="/c/${secret}/again"><button class="first">${say('again.button')}</button></form>
</div>`
}

const titles = { edit: 'order.change', exchange: 'order.exchange' } as const

function orderTitle({ say }: Speaker, { change }: CheckoutView): string {
  return change ? say(titles[change.kind], { number: change.number }) : say('order.yours')
}

function isComplete({ session, customer, needsShipping }: CheckoutView): boolean {
  if (customer.email === '' || session.items.length === 0 || !isPriced(session)) return false
  return !needsShipping || (session.address !== null && session.shipping.optionId !== null)
}

// The return key presses the first button of a form. This hidden button comes first, so the return key continues, whichever visible
// button is first.
function defaultButton(text: string): Html {
  return html`<button class="hidden" tabindex="-1" aria-hidden="true">${text}</button>`
}

// Without script, the box is shown if little time is left when the page is rendered. The script shows it as soon as little time is left.
function timeBox({ speaker, view, now }: OpenParts): Html {
  const { say } = speaker
  const leftMs = leftMsOf(view, now)
  const canWait = extendedExpiry(view.session, now.getTime()) > Date.parse(view.session.expiresAt)
  return html`<div id="time" class="notice"${!(canWait && leftMs < soonMs) && html` hidden`}>
<p>${say('expiry.moreText')}</p>
<button class="second" id="time-more" name="intent" value="time"${!canWait && html` disabled`}>${say('expiry.more')}</button>
</div>`
}

function detailsForm(parts: OpenParts, errors: FieldErrors): Html {
  const { speaker, view, typed } = parts
  const { say } = speaker
  const { session, secret, needsShipping } = view
  return html`<form id="details" class="part" method="post" action="/c/${secret}/details" novalidate tabindex="-1">
${defaultButton(say('details.continue'))}
${timeBox(parts)}
<div id="details-state" hidden>${hiddenFields({ version: session.version })}</div>
<section aria-labelledby="contact-title">
<h2 id="contact-title">${say('contact.title')}</h2>
<div id="contact">${contactFields(speaker, view, typed, errors)}</div>
</section>
${
  needsShipping &&
  html`<section aria-labelledby="address-title">
<h2 id="address-title">${say('address.title')}</h2>
${parts.hasSaved && html`<p><a href="/c/${secret}/addresses">${say('saved.link')}</a></p>`}
<div class="country">
<div id="country-field">${countryField(speaker, typed.country, view.countries, errors.get('country'))}</div>
<button class="second update" id="country-use" name="intent" value="country">${say('address.useCountry')}</button>
</div>
<div id="address">${addressFields(speaker, typed, errors)}</div>
</section>
${shippingChoice(speaker, view, typed, errors)}`
}
<button id="details-save" class="${isComplete(view) ? 'second wide' : 'first wide'}">${say(
    isComplete(view) ? 'details.save' : 'details.continue',
  )}</button>
</form>`
}

function shippingChoice(speaker: Speaker, { session }: CheckoutView, typed: TypedCheckout, errors: FieldErrors): Html {
  const { say, amount } = speaker
  const { options } = session.shipping
  const chosen = options.some(({ id }) => id === typed.shippingOptionId)
    ? typed.shippingOptionId
    : session.shipping.optionId
  const isUncarried = session.messages.some(({ code }) => code === 'no_shipping_option')
  const error = errors.get('shipping') ?? (isUncarried ? say('problem.shipping') : undefined)
  return html`<fieldset id="shipping" class="choices" tabindex="-1"${error !== undefined && html` aria-describedby="shipping-error"`}>
<legend><h2>${say('shipping.title')}</h2></legend>
${error !== undefined && html`<p class="error" id="shipping-error">${error}</p>`}
${options.length === 0 && !isUncarried && html`<p class="soft">${say('shipping.later')}</p>`}
${
  options.length > 0 &&
  html`<div class="cards">${options.map(
    (option, index) => html`<label class="card" for="shipping-${index}">
<input type="radio" id="shipping-${index}" name="shippingOptionId" value="${option.id}"${option.id === chosen && html` checked`}>
<span dir="auto">${option.label}</span>
<span class="card-amount">${option.amount === 0 ? say('total.free') : amount(option.amount, session.currency)}</span>
</label>`,
  )}</div>`
}
</fieldset>`
}

function paymentSection(parts: OpenParts, errors: FieldErrors): Html {
  const { speaker, view, attempt } = parts
  const { session, secret, methods } = view
  const { say } = speaker
  const isPayable = session.totals.total === 0 || methods.length > 0
  const isReady = isComplete(view) && isPayable
  return html`<section id="payment" class="part" aria-labelledby="payment-title" tabindex="-1">
<h2 id="payment-title">${say('payment.title')}</h2>
<div id="payment-notice">${vatNotice(parts)}${paymentNotice(parts)}${paymentObstacle(parts, isReady)}${guaranteeNotice(speaker, view)}</div>
<form id="pay" method="post" action="/c/${secret}/pay" novalidate data-busy="${say('pay.busy')}">
${unpressed}
<fieldset id="pay-fields" class="choices"${!isReady && html` disabled hidden`}>
<legend class="hidden">${say('payment.method')}</legend>
${session.totals.total > 0 && html`<div class="cards">${methods.map((_, index) => methodCard(parts, index, errors))}</div>`}
</fieldset>
${needsConsent(view) && consentBox(speaker)}
<div id="pay-action"${!isReady && html` hidden`}>
${
  isPriced(session) &&
  html`${hiddenFields({ version: session.version, expectedTotal: session.totals.total, attempt })}
<button id="pay-button" class="first wide pay"${!isReady && html` disabled`}>${payWords(speaker, view)}</button>`
}
</div>
</form>
</section>`
}

// Not ticked in advance, because consent must be given actively.
function consentBox({ say }: Speaker): Html {
  return html`<label class="consent" for="consent-digital">
    <input type="checkbox" id="consent-digital" name="consent.digital" value="yes" required>
<span>${say('consent.digital')}</span></label>`
}

// Says that tax is charged although the shopper gave a VAT number.
function vatNotice({ speaker, view }: OpenParts): Html | null {
  const words = vatCheckText(view)
  return words === 'vat.invalid' || words === 'vat.unavailable' ? noteBox(html`<p>${speaker.say(words)}</p>`) : null
}

// A form whose first button is disabled ignores the return key, so only pressing the pay button pays.
const unpressed = html`<button class="hidden" tabindex="-1" aria-hidden="true" disabled></button>`

function paymentObstacle({ speaker, view }: OpenParts, isReady: boolean): Html | null {
  const { say } = speaker
  const { session, methods } = view
  if (!isPriced(session)) return html`<p class="soft">${say('message.price_unavailable')}</p>`
  if (session.totals.total > 0 && methods.length === 0) return html`<p class="error">${say('payment.none')}</p>`
  if (session.items.length === 0) return html`<p class="soft">${say('order.empty')}</p>`
  return isReady ? null : missingBox(speaker, view)
}

// Lists what is missing for the payment, with links to the fields.
function missingBox({ say }: Speaker, { session, customer, needsShipping }: CheckoutView): Html {
  const isUnknown = needsShipping && session.address === null
  const missing = [
    customer.email === '' && { id: 'email', text: say('contact.email') },
    isUnknown && { id: 'country', text: say('address.title') },
    needsShipping &&
      !isUnknown &&
      session.shipping.optionId === null && { id: 'shipping', text: say('shipping.title') },
  ].filter((one) => one !== false)
  return html`<div class="missing"><p>${say('payment.missing')}</p>
<ul>${missing.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></div>`
}

// The pay button says whether the shopper pays now, on the next page, or later. The style sheet shows the text of the selected method.
function payWords({ say, amount }: Speaker, { session, methods }: CheckoutView): Html | string {
  if (session.totals.total === 0) return say('pay.free')
  const shown = { amount: amount(session.totals.total, session.currency) }
  const kinds = [...new Set(methods.map(wordsOf))]
  const [only = 'button', ...others] = kinds
  if (others.length === 0) return say(`pay.${only}`, shown)
  return html`${kinds.map((kind) => html`<span data-words="${kind}">${say(`pay.${kind}`, shown)}</span>`)}`
}

function wordsOf({ shape }: CheckoutMethod): 'button' | 'next' | 'later' {
  if (shape === 'later') return shape
  return shape === 'fields' ? 'button' : 'next'
}

function isLater({ shape }: CheckoutMethod): boolean {
  return shape === 'later'
}

function methodCard(parts: OpenParts, index: number, errors: FieldErrors): Html | null {
  const { speaker, view, chosen } = parts
  const { methods } = view
  const method = methods[index]
  if (!method) return null
  const id = `method-${index}`
  const value = methodValue(method)
  const isChosen = chosen ? value === methodValue(chosen) : index === 0
  const name = methodText(speaker, method, method.labelKey) ?? method.method
  const head =
    methods.length === 1
      ? html`<p class="card">${hiddenFields({ method: value })}<span>${name}</span></p>`
      : html`<label class="card" for="${id}">
<input type="radio" id="${id}" name="method" value="${value}" data-words="${wordsOf(method)}"${isChosen && html` checked`}>
<span>${name}</span></label>`
  const note = noteOf(speaker, method, name)
  return html`<div class="method">${head}
<div class="method-inside">${
    method.fields.length > 0
      ? html`<div class="row">${method.fields.map((detail) => detailField(speaker, method, detail, errors))}</div>
${note !== undefined && html`<p class="hint">${note}</p>`}`
      : html`<p class="soft">${note}${
          method.termDays !== null && html` ${speaker.say('method.term', { count: method.termDays })}`
        }</p>
${method.instructions !== null && instructionsBox(method.instructions)}`
  }${method.billing && billingFields({ speaker, view, method, typed: isChosen ? parts.billing : null, errors })}</div></div>`
}

function noteOf(speaker: Speaker, method: CheckoutMethod, name: string): string | undefined {
  const note = method.noteKey === null ? undefined : methodText(speaker, method, method.noteKey)
  if (note !== undefined || method.shape === 'fields') return note
  return isLater(method) ? speaker.say('method.manualHint') : speaker.say('redirect.text', { method: name })
}

// The notice beside the pay button: a changed total, too many attempts, or a failed payment.
function paymentNotice({ speaker, view, problem, chosen }: OpenParts): Html | null {
  const { say, amount } = speaker
  const { session } = view
  if (problem?.code === 'total_changed') {
    const [from, to] = [amount(problem.from, session.currency), amount(problem.to, session.currency)]
    return problemBox(say('problem.title'), html`<p>${say('problem.totalChanged', { from, to })}</p>`)
  }
  if (problem?.code === 'too_many_tries') {
    const time = speaker.duration(problem.waitMs)
    return problemBox(say('problem.title'), html`<p>${say('problem.tooManyTries', { time })}</p>`)
  }
  const failure = session.lastPaymentError
  // An invalid field in the current attempt matters more than the failure of the last one.
  const isRetried = problem?.code === 'invalid' && chosen !== null
  if (failure === null || isRetried) return null
  return html`<div class="notice problem" role="alert">
<p class="notice-title">${say('declined.title')}</p>
<p>${say(`declined.${failure.code}`)} ${say('declined.uncharged')}</p>
</div>`
}
