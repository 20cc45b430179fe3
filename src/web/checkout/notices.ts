// Notices that a shopper must see before continuing: what is wrong, what has changed, and a button that resolves it.

import type { CartMessage } from '../../contract/open/carts.ts'
import type { CheckoutProblem, CheckoutView } from '../../domain/checkout/port.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import type { FieldErrors } from './fields.ts'

// Notices at the top of the page. A problem takes the focus.
export function topNotices(
  speaker: Speaker,
  view: CheckoutView,
  problem: CheckoutProblem | null,
  errors: FieldErrors,
): Html {
  const found = problemNotice(speaker, view, problem, errors)
  const skuId = problem !== null && 'skuId' in problem ? problem.skuId : null
  const notes = view.session.messages
    // Omits messages that repeat the problem.
    .filter((message) => skuId === null || message.skuId !== skuId)
    .filter(({ code }) => code !== problem?.code)
    .map((message) => messageNotice(speaker, view, message))
    .filter((note) => note !== null)
  return html`<div id="notices">${found}${notes}</div>`
}

export function problemBox(title: string, inside: Html | string): Html {
  return html`<div class="notice problem" id="problem" role="alert" tabindex="-1" autofocus>
<p class="notice-title">${title}</p>
${inside}
</div>`
}

export function noteBox(inside: Html): Html {
  return html`<div class="notice">${inside}</div>`
}

function problemNotice(
  speaker: Speaker,
  view: CheckoutView,
  problem: CheckoutProblem | null,
  errors: FieldErrors,
): Html | null {
  const { say } = speaker
  if (errors.size > 0) {
    const entries = [...errors].map(([id, text]) =>
      id === '' ? html`<li>${text}</li>` : html`<li><a href="#${id}">${text}</a></li>`,
    )
    return problemBox(say('problem.title'), html`<ul>${entries}</ul>`)
  }
  switch (problem?.code) {
    case 'stale':
      return problemBox(say('problem.title'), html`<p>${say('problem.stale')}</p>`)
    case 'not_open':
      return problemBox(say('problem.title'), html`<p>${say('problem.notOpen')}</p>`)
    case 'payment_in_progress':
      return problemBox(say('problem.title'), html`<p>${say('problem.inProgress')}</p>`)
    case 'insufficient_stock':
      return problemBox(say('problem.title'), stockWords(speaker, view, problem.skuId, problem.available))
    case 'item_unavailable':
      return problemBox(say('problem.title'), goneWords(speaker, view, problem.skuId))
    case 'consent_needed':
      return problemBox(say('problem.title'), html`<p><a href="#consent-digital">${say('consent.needed')}</a></p>`)
    case 'price_unavailable':
      return problemBox(say('problem.title'), html`<p>${say('message.price_unavailable')}</p>`)
    case 'quantity_limit':
      return problemBox(say('problem.title'), html`<p>${limitText(speaker, view, problem.skuId, problem.limit)}</p>`)
    default:
      // Problems with the promotion code or the payment are shown beside the code or the pay button.
      return null
  }
}

function messageNotice(
  speaker: Speaker,
  view: CheckoutView,
  { code, skuId, previous, current }: CartMessage,
): Html | null {
  const { say, amount } = speaker
  const { currency } = view.session
  switch (code) {
    case 'price_changed': {
      const item = nameOf(view, skuId)
      const [from, to] = [amount(previous ?? 0, currency), amount(current ?? 0, currency)]
      return noteBox(html`<p>${say('message.price_changed', { item, from, to })}</p>`)
    }
    case 'insufficient_stock':
      return skuId === null ? null : noteBox(stockWords(speaker, view, skuId, current ?? 0))
    case 'item_unavailable':
      return skuId === null ? null : noteBox(goneWords(speaker, view, skuId))
    case 'quantity_limit_exceeded':
      return noteBox(html`<p>${limitText(speaker, view, skuId, current ?? 1)}</p>`)
    case 'promotion_lapsed':
      return noteBox(html`<p>${say('message.promotion_lapsed')}</p>`)
    case 'price_unavailable':
    case 'address_expired':
      return noteBox(html`<p>${say(`message.${code}`)}</p>`)
    case 'promotion_pending':
    case 'no_shipping_option':
      // These messages are shown beside the promotion code or the shipping options.
      return null
    case 'promotion_rejected':
    case 'shipping_changed':
      // The contract has these codes, but no stored cart of this server has such messages.
      return null
  }
}

// The button reduces the quantity to the available stock, or removes the item.
function stockWords({ say }: Speaker, view: CheckoutView, skuId: string, available: number): Html {
  const item = nameOf(view, skuId)
  if (available <= 0) {
    return html`<p>${say('problem.stockNone', { item })}</p>${quantityButton(view, skuId, 0, say('item.removeNamed', { item }))}`
  }
  return html`<p>${say('problem.stock', { item, count: available })}</p>
${quantityButton(view, skuId, available, say('problem.stockTake', { count: available }))}`
}

function goneWords({ say }: Speaker, view: CheckoutView, skuId: string): Html {
  const item = nameOf(view, skuId)
  return html`<p>${say('problem.unavailable', { item })}</p>${quantityButton(view, skuId, 0, say('item.removeNamed', { item }))}`
}

function limitText({ say }: Speaker, view: CheckoutView, skuId: string | null, limit: number): string {
  return say('problem.limit', { item: nameOf(view, skuId), count: limit })
}

function quantityButton({ session, secret }: CheckoutView, skuId: string, quantity: number, text: string): Html {
  return html`<form method="post" action="/c/${secret}/quantity">
${hiddenFields({ version: session.version, skuId, quantity })}
<button class="second">${text}</button>
</form>`
}

function nameOf({ session }: CheckoutView, skuId: string | null): string {
  return session.items.find((item) => item.skuId === skuId)?.name ?? ''
}
