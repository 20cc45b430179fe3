// The pages of a checkout that is not open (waiting for the bank, completed, ended or not found) and of refused requests. A page offers a
// way to continue if there is one.

import type { CheckoutMerchant, CheckoutProblem, CheckoutView } from '../../domain/checkout/port.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import type { PageState } from './browser/names.ts'
import { isWebAddress, paymentInstructions, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import type { TypedCheckout } from './input.ts'
import { fixedItems, sessionTotals } from './summary.ts'

export function processingPage(speaker: Speaker, view: CheckoutView): string {
  const { say } = speaker
  const waitPath = `/c/${view.secret}/wait`
  const inside = html`<div class="state">
${statusIcons.clock}
<h1>${say('processing.title')}</h1>
<p>${say('processing.text')}</p>
<p class="grand">${speaker.amount(view.session.totals.total, view.session.currency)}</p>
<a class="second wide" id="wait" href="${waitPath}">${say('processing.check')}</a>
</div>`
  return whole(speaker, view, 'processing', say('processing.title'), inside, waitPath)
}

export function challengePage(
  speaker: Speaker,
  view: CheckoutView,
  challenge: NonNullable<CheckoutView['challenge']>,
): string {
  const { say } = speaker
  const amount = speaker.amount(challenge.amount, view.session.currency)
  const inside = html`<div class="state bank">
<p class="bank-name">${say('challenge.bank')}</p>
<h1>${say('challenge.title')}</h1>
<p class="grand">${amount}</p>
<p>${say('challenge.text', { merchant: view.merchant.name, amount })}</p>
<form method="post" action="/c/${view.secret}/challenge" class="choice">
${hiddenFields({ paymentId: challenge.paymentId })}
<button class="first wide" name="answer" value="accept">${say('challenge.accept')}</button>
<button class="second wide" name="answer" value="refuse">${say('challenge.refuse')}</button>
</form>
<p class="hint">${say('challenge.note')}</p>
</div>`
  return whole(speaker, view, 'challenge', say('challenge.title'), inside)
}

export function completedPage(speaker: Speaker, view: CheckoutView): string {
  const { say } = speaker
  const { session, order, merchant } = view
  const amount = speaker.amount(session.totals.total, session.currency)
  const isUnpaid = session.paymentStatus === 'unpaid'
  // The order was cancelled, before or after payment. Its status page shows what happens to the money.
  const isOff = isUnpaid || order?.isCancelled === true
  const title = say(isOff ? 'status.cancelled' : 'done.title')
  const paid = session.totals.total === 0 ? say('done.free') : say('done.paid', { amount })
  const text = session.paymentStatus === 'pending' ? say('done.pending', { amount }) : paid
  const inside = html`<div class="state">
${isOff ? statusIcons.cross : statusIcons.check}
<h1>${title}</h1>
${isUnpaid ? html`<p>${say('cancelled.text')}</p>` : !isOff && html`<p>${text}</p>`}
${order && html`<dl class="number"><dt>${say('done.number')}</dt><dd dir="ltr">${order.number}</dd></dl>`}
${view.awaited && paymentInstructions(speaker, view.awaited)}
${order && html`<a class="first wide" href="${order.statusPath}">${say('done.status')}</a>`}
${
  !view.isClosed &&
  session.successUrl !== '' &&
  html`<a class="second wide" href="${shopUrl(session.successUrl, session.id)}">${say('page.back', { merchant: merchant.name })}</a>`
}
</div>
<section class="bought" aria-labelledby="bought-title">
<h2 id="bought-title">${say('order.yours')}</h2>
${fixedItems(speaker, session)}
${sessionTotals(speaker, view)}
</section>`
  return whole(speaker, view, 'completed', title, inside)
}

// `typed`: values that were posted after the checkout had ended. The page shows them, and its button sends them again.
export function endedPage(
  speaker: Speaker,
  view: CheckoutView,
  problem: CheckoutProblem | null,
  typed: TypedCheckout | null = null,
): string {
  const { say } = speaker
  const { session, merchant, secret } = view
  const fields = Object.entries(typed ?? {}).filter(([, value]) => value !== '')
  const shown = fields.filter(([name]) => name !== 'country' && name !== 'shippingOptionId')
  const kind = session.status === 'expired' ? 'expired' : 'cancelled'
  const inside = html`<div class="state">
${kind === 'expired' ? statusIcons.clock : statusIcons.cross}
<h1>${say(`${kind}.title`)}</h1>
<p>${say(typed ? 'expired.typed' : `${kind}.text`)}</p>
${typed && html`<p class="soft">${shown.map(([, value]) => html`<bdi>${value}</bdi><br>`)}</p>`}
${problem && html`<p class="error" role="alert">${endedProblem(speaker, view, problem)}</p>`}
${
  !view.isFixed &&
  html`<form method="post" action="/c/${secret}/again">
    ${hiddenFields(Object.fromEntries(fields))}
    <button class="first wide">${say('again.button')}</button>
  </form>`
}
${
  session.cancelUrl !== null &&
  html`<a class="second wide" href="${shopUrl(session.cancelUrl, session.id)}">
    ${say('page.back', { merchant: merchant.name })}
  </a>`
}
</div>
<section class="bought" aria-labelledby="bought-title">
<h2 id="bought-title">${say('order.yours')}</h2>
${fixedItems(speaker, session)}
</section>`
  return whole(speaker, view, kind, say(`${kind}.title`), inside)
}

// The app that opened this checkout was uninstalled, so the page has no link back to the app's shop.
export function closedPage(speaker: Speaker, view: CheckoutView): string {
  const { say } = speaker
  const inside = html`<div class="state">${statusIcons.cross}<h1>${say('closed.title')}</h1><p>${say('closed.text')}</p></div>`
  return whole(speaker, view, 'closed', say('closed.title'), inside)
}

function endedProblem({ say }: Speaker, { session }: CheckoutView, problem: CheckoutProblem): string {
  const item = 'skuId' in problem ? (session.items.find(({ skuId }) => skuId === problem.skuId)?.name ?? '') : ''
  if (problem.code === 'insufficient_stock') {
    return problem.available > 0
      ? say('problem.stock', { item, count: problem.available })
      : say('problem.stockNone', { item })
  }
  if (problem.code === 'price_unavailable') return say('message.price_unavailable')
  if (problem.code === 'item_unavailable') return say('problem.unavailable', { item })
  return say('problem.notOpen')
}

// A checkout that never existed and a deleted one have the same page.
export function lostPage(speaker: Speaker): string {
  return plainPage(speaker, null, 'lost', speaker.say('lost.title'), speaker.say('lost.text'))
}

export function failedPage(speaker: Speaker): string {
  return plainPage(speaker, null, 'failed', speaker.say('refused.title'), speaker.say('failed.text'))
}

export function refusedPage(speaker: Speaker, kind: 'forbidden' | 'refused', backPath: string): string {
  const { say } = speaker
  const text = kind === 'forbidden' ? say('forbidden.text') : say('problem.unreadable')
  const back = html`<a class="first wide" href="${backPath}">${say('refused.back')}</a>`
  return plainPage(speaker, null, kind, say(`${kind}.title`), text, back)
}

// The page after too many requests in a short time. `again`: the form that the button sends again; null: the page has a link instead.
export function slowPage(
  speaker: Speaker,
  path: string,
  again: { action: string; fields: Readonly<Record<string, string>> } | null,
): string {
  const { say } = speaker
  const way = again
    ? html`<form method="post" action="${again.action === '' ? path : `${path}/${again.action}`}">
${hiddenFields(again.fields)}
<button class="first wide">${say('slow.retry')}</button>
</form>`
    : html`<a class="first wide" href="${path}">${say('refused.back')}</a>`
  return plainPage(speaker, null, 'slow', say('slow.title'), say('slow.text'), way)
}

function plainPage(
  speaker: Speaker,
  merchant: CheckoutMerchant | null,
  state: PageState,
  title: string,
  text: string,
  way: Html | null = null,
): string {
  const inside = html`<div class="state">${statusIcons.cross}<h1>${title}</h1><p>${text}</p>${way}</div>`
  return renderCheckoutFrame({ speaker, title, state, body: renderCheckoutSheet(speaker, merchant, false, inside) })
}

function whole(
  speaker: Speaker,
  view: CheckoutView,
  state: PageState,
  title: string,
  inside: Html,
  refreshTo?: string,
): string {
  const { merchant, session } = view
  return renderCheckoutFrame({
    speaker,
    title: `${title} – ${merchant.name}`,
    state,
    body: renderCheckoutSheet(speaker, merchant, session.mode === 'test', inside),
    ...(refreshTo !== undefined && { refreshTo: { to: refreshTo, seconds: 4 } }),
  })
}

// The merchant's URL may contain a placeholder for the session's id.
export function shopUrl(url: string, sessionId: string): string {
  return isWebAddress(url) ? url.replaceAll(/\{sessionId\}|%7BsessionId%7D/gi, sessionId) : '/'
}

export const statusIcons = {
  check: html`<svg class="icon good" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">
    <circle cx="24" cy="24" r="22"/>
    <path d="m15 24.5 6.5 6.5L34 18"/>
  </svg>`,
  clock: html`<svg class="icon" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">
    <circle cx="24" cy="24" r="22"/>
    <path d="M24 13v12l8 4"/>
  </svg>`,
  cross: html`<svg class="icon" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">
    <circle cx="24" cy="24" r="22"/>
    <path d="m17 17 14 14m0-14L17 31"/>
  </svg>`,
}
