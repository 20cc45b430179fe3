// The page that leads to a payment elsewhere, and the one for those who come back in another browser.

import { type Html, html } from '../../pages/html.ts'
import type { CheckoutView, PaymentElsewhere, ReturnView } from '../port.ts'
import { framed, isWebAddress, sheet } from './frame.ts'
import type { Speaker } from './language.ts'

// A form's post is not answered with a redirect to another origin: browsers apply `form-action` to it. A page with a link, which
// refreshes itself to it, leads there without script too.
export function elsewherePage(speaker: Speaker, view: CheckoutView, elsewhere: PaymentElsewhere): string {
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
    ...(url !== undefined && elsewhere.leadsOn && { leadsTo: url }),
    body: sheet(speaker, merchant, session.mode === 'test', inside),
  })
}

// Says how the payment stands, and nothing of the order.
export function returnPage(speaker: Speaker, { merchant, mode, state }: ReturnView): string {
  const { say } = speaker
  const title = say(`return.${state}.title`)
  const inside: Html = html`<div class="state"><h1>${title}</h1><p>${say(`return.${state}.text`)}</p></div>`
  return framed({
    speaker,
    title: `${title} – ${merchant.name}`,
    state: 'return',
    body: sheet(speaker, merchant, mode === 'test', inside),
  })
}
