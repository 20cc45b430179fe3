// The page that leads to a payment elsewhere or holds the provider's frame, and the one for those who come back in another browser.

import type { CheckoutView, PaymentElsewhere, ReturnView } from '../../domain/checkout/port.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import { frames } from './assets.ts'
import { framed, isWebAddress, type Refresh, sheet } from './frame.ts'
import { noteBox } from './notices.ts'

// A form's post is not answered with a redirect to another origin: browsers apply `form-action` to it. A page with a link, which
// refreshes itself to it, leads there without script too.
export function elsewherePage(speaker: Speaker, view: CheckoutView, elsewhere: PaymentElsewhere): string {
  const script = Object.hasOwn(frames, elsewhere.provider) ? frames[elsewhere.provider]?.href : undefined
  if (elsewhere.place?.kind === 'frame' && script !== undefined)
    return framePage(speaker, view, { elsewhere, facts: elsewhere.place.facts, script })
  const { say } = speaker
  const { merchant, session, secret } = view
  const amount = speaker.amount(elsewhere.amount, session.currency)
  const method = elsewhere.say(elsewhere.labelKey, speaker.locale) ?? elsewhere.labelKey
  const url = elsewhere.place?.kind === 'page' && isWebAddress(elsewhere.place.url) ? elsewhere.place.url : undefined
  const inside = html`<div class="state">
<h1>${say('elsewhere.title')}</h1>
<p class="grand">${amount}</p>
<p>${say('elsewhere.text', { method })}</p>
${url !== undefined && html`<a class="first wide" id="elsewhere" href="${url}" rel="noreferrer">${say('elsewhere.go', { method })}</a>`}
<form method="post" action="/c/${secret}/back"><button class="second wide">${say('elsewhere.back')}</button></form>
</div>`
  return framed({
    speaker,
    title: `${say('elsewhere.title')} – ${merchant.name}`,
    state: 'elsewhere',
    ...(url !== undefined && !elsewhere.isTried ? { leadsTo: url } : { refreshTo: refreshOf(secret) }),
    body: sheet(speaker, merchant, session.mode === 'test', inside),
  })
}

interface FrameParts {
  elsewhere: PaymentElsewhere
  // For the provider's script.
  facts: Readonly<Record<string, string>>
  script: string
}

// The form is shown and filled by the provider's script. Without script there is the way back.
function framePage(speaker: Speaker, view: CheckoutView, { elsewhere, facts, script }: FrameParts): string {
  const { say } = speaker
  const { merchant, session, secret } = view
  const amount = speaker.amount(elsewhere.amount, session.currency)
  const words = html` data-busy="${say('pay.busy')}" data-failed="${say('frame.failed')}" data-unavailable="${say('frame.unavailable')}"`
  const inside = html`<div class="state">
<h1>${say('elsewhere.title')}</h1>
<p class="grand">${amount}</p>
${elsewhere.isTried && noteBox(html`<p>${say('return.open.title')}</p>`)}
<noscript><p>${say('frame.noscript')}</p></noscript>
<form id="frame" hidden data-facts="${JSON.stringify(facts)}" data-shopper="${JSON.stringify(shopperOf(view))}" data-return="${elsewhere.returnPath}"${words}>
<div id="frame-place" aria-busy="true"><p class="soft" id="frame-loading">${say('frame.loading')}</p><div id="frame-element"></div></div>
<p class="error" id="frame-problem" role="alert" dir="auto"></p>
<button class="first wide" id="frame-pay" disabled>${say('pay.button', { amount })}</button>
</form>
<form method="post" action="/c/${secret}/back"><button class="second wide">${say('frame.back')}</button></form>
</div>`
  return framed({
    speaker,
    title: `${say('elsewhere.title')} – ${merchant.name}`,
    state: 'elsewhere',
    moreScript: script,
    refreshTo: refreshOf(secret),
    body: sheet(speaker, merchant, session.mode === 'test', inside),
  })
}

// What the shopper has told us already, so it is not asked for again. It is in this page only, and in no record of the payment.
function shopperOf({ customer: { email, name, phone }, address, needsShipping }: CheckoutView): object {
  const delivery = needsShipping ? address : null
  return { email, name: name || delivery?.name, phone: phone || delivery?.phone, address: delivery }
}

// The payment may be made in another tab.
function refreshOf(secret: string): Refresh {
  return { to: `/c/${secret}/wait`, seconds: 10 }
}

// Says how the payment stands, and nothing of the order. It looks again by itself.
export function returnPage(speaker: Speaker, { merchant, mode, state }: ReturnView, path: string): string {
  const { say } = speaker
  const title = say(`return.${state}.title`)
  const inside: Html = html`<div class="state"><h1>${title}</h1><p>${say(`return.${state}.text`)}</p></div>`
  return framed({
    speaker,
    title: `${title} – ${merchant.name}`,
    state: 'return',
    ...(state === 'waiting' && { refreshTo: { to: path, seconds: 15, isForAll: true } }),
    body: sheet(speaker, merchant, mode === 'test', inside),
  })
}
