// The page that redirects to the provider or embeds the provider's frame, and the page for shoppers who return in another browser.

import type { CheckoutView, PaymentRedirect, ReturnView } from '../../domain/checkout/port.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import { frames } from './assets.ts'
import { isWebAddress, type PageRefresh, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import { noteBox } from './notices.ts'

// Browsers apply `form-action` to redirects, so the post of a form is not redirected to another origin. It leads to this page, which has
// a link to the provider. The first time, the page also redirects to the provider, with or without script.
export function redirectPage(speaker: Speaker, view: CheckoutView, redirect: PaymentRedirect): string {
  const script = Object.hasOwn(frames, redirect.provider) ? frames[redirect.provider]?.href : undefined
  if (redirect.nextAction?.kind === 'frame' && script !== undefined)
    return framePage(speaker, view, { redirect, facts: redirect.nextAction.facts, script })
  const { say } = speaker
  const { merchant, session, secret } = view
  const amount = speaker.amount(redirect.amount, session.currency)
  const method = redirect.say(redirect.labelKey, speaker.locale) ?? redirect.labelKey
  const url =
    redirect.nextAction?.kind === 'page' && isWebAddress(redirect.nextAction.url) ? redirect.nextAction.url : undefined
  const inside = html`<div class="state">
<h1>${say('redirect.title')}</h1>
<p class="grand">${amount}</p>
<p>${say('redirect.text', { method })}</p>
${url !== undefined && html`<a class="first wide" id="redirect" href="${url}" rel="noreferrer">${say('redirect.go', { method })}</a>`}
<form method="post" action="/c/${secret}/back"><button class="second wide">${say('redirect.back')}</button></form>
</div>`
  return renderCheckoutFrame({
    speaker,
    title: `${say('redirect.title')} – ${merchant.name}`,
    state: 'redirect',
    ...(url !== undefined && !redirect.isTried ? { leadsTo: url } : { refreshTo: refreshOf(secret) }),
    body: renderCheckoutSheet(speaker, merchant, session.mode === 'test', inside),
  })
}

interface FrameParts {
  redirect: PaymentRedirect
  // Values for the provider's script.
  facts: Readonly<Record<string, string>>
  script: string
}

// The provider's script shows and fills the form. Without script the page only has the button that leads back.
function framePage(speaker: Speaker, view: CheckoutView, { redirect, facts, script }: FrameParts): string {
  const { say } = speaker
  const { merchant, session, secret } = view
  const amount = speaker.amount(redirect.amount, session.currency)
  const words = html` data-busy="${say('pay.busy')}" data-failed="${say('frame.failed')}" data-unavailable="${say('frame.unavailable')}"`
  const inside = html`<div class="state">
<h1>${say('redirect.title')}</h1>
<p class="grand">${amount}</p>
${redirect.isTried && noteBox(html`<p>${say('return.open.title')}</p>`)}
<noscript><p>${say('frame.noscript')}</p></noscript>
<form
  id="frame"
  hidden
  data-facts="${JSON.stringify(facts)}"
  data-shopper="${JSON.stringify(shopperOf(view))}"
  data-return="${redirect.returnPath}"${words}>
<div id="frame-place" aria-busy="true">
  <p class="soft" id="frame-loading">${say('frame.loading')}</p>
  <div id="frame-element"></div></div>
<p class="error" id="frame-problem" role="alert" dir="auto"></p>
<button class="first wide" id="frame-pay" disabled>${say('pay.button', { amount })}</button>
</form>
<form method="post" action="/c/${secret}/back"><button class="second wide">${say('frame.back')}</button></form>
</div>`
  return renderCheckoutFrame({
    speaker,
    title: `${say('redirect.title')} – ${merchant.name}`,
    state: 'redirect',
    moreScript: script,
    refreshTo: refreshOf(secret),
    body: renderCheckoutSheet(speaker, merchant, session.mode === 'test', inside),
  })
}

// Data that the shopper has already entered, so the provider's form does not ask for it. It is written into this page, and not into the
// record of the payment.
function shopperOf({ customer: { email, name, phone }, address, needsShipping }: CheckoutView): object {
  const delivery = needsShipping ? address : null
  return { email, name: name || delivery?.name, phone: phone || delivery?.phone, address: delivery }
}

// The page refreshes because the payment may be made in another tab.
function refreshOf(secret: string): PageRefresh {
  return { to: `/c/${secret}/wait`, seconds: 10 }
}

// Shows the state of the payment, but nothing about the order. While the payment is in progress, the page reloads automatically.
export function returnPage(speaker: Speaker, { merchant, mode, state }: ReturnView, path: string): string {
  const { say } = speaker
  const title = say(`return.${state}.title`)
  const inside: Html = html`<div class="state"><h1>${title}</h1><p>${say(`return.${state}.text`)}</p></div>`
  return renderCheckoutFrame({
    speaker,
    title: `${title} – ${merchant.name}`,
    state: 'return',
    ...(state === 'waiting' && { refreshTo: { to: path, seconds: 15, isForAll: true } }),
    body: renderCheckoutSheet(speaker, merchant, mode === 'test', inside),
  })
}
