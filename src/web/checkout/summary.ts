// Items, promotion code and totals. They are editable on an open page.

import type { CheckoutSession } from '../../contract/open/checkout.ts'
import type { OptionValue } from '../../contract/parts.ts'
import type { ItemExemption } from '../../contract/words.ts'
import type { CheckoutProblem, CheckoutView } from '../../domain/checkout/port.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import { renderFolded } from './fields.ts'
import { isPicture } from './frame.ts'
import { measureNote } from './measures.ts'

type Item = CheckoutSession['items'][number]

export interface SummaryLine {
  name: string
  options: readonly OptionValue[]
  imageUrl: string | null
  amount: string
  skuId?: string
  // Lines below the item's name, such as unit price and quantity.
  notes: readonly (Html | string | false)[]
  tools?: Html
}

export function lineList(lines: readonly SummaryLine[], label: string): Html {
  // A long list scrolls beside the form, so it must be focusable for the keyboard.
  return html`<ul class="items" aria-label="${label}"${lines.length > 4 && html` tabindex="0"`}>${lines.map(
    ({
      skuId,
      name,
      options,
      imageUrl,
      amount,
      notes,
      tools,
    }) => html`<li class="item"${skuId !== undefined && html` id="item-${skuId}"`}>
<span class="thumb">${imageUrl !== null && isPicture(imageUrl) && html`<img src="${imageUrl}" alt="" width="64" height="64">`}</span>
<div class="item-text">
<p class="item-name" dir="auto">${name}</p>
${options.length > 0 && html`<p class="item-note" dir="auto">${options.map(({ value }) => value).join(' · ')}</p>`}
${notes.map((note) => note !== false && html`<p class="item-note">${note}</p>`)}
</div>
<p class="item-amount">${amount}</p>
${tools}
</li>`,
  )}</ul>`
}

// The reason why there is no right of withdrawal for an item.
export function exemptNote({ say }: Speaker, reason: ItemExemption | null | undefined): string | false {
  return reason ? say(`exempt.${reason}`) : false
}

// Whether the session has a price. Without one its amounts are 0 and not shown.
export function isPriced({ messages }: CheckoutSession): boolean {
  return !messages.some(({ code }) => code === 'price_unavailable')
}

export function fixedItems(speaker: Speaker, session: CheckoutSession): Html {
  const lines = session.items.map((item) => ({
    ...item,
    amount: isPriced(session) ? speaker.amount(item.subtotal, session.currency) : '',
    notes: [
      speaker.say('item.quantityShort', { count: item.quantity }),
      isPriced(session) && measureNote(speaker, item, session.currency),
      exemptNote(speaker, item.withdrawalExempt),
    ],
  }))
  return lineList(lines, speaker.say('status.items'))
}

export function changeableItems(speaker: Speaker, { session, secret }: CheckoutView): Html {
  const { say, amount } = speaker
  const lines = session.items.map((item) => ({
    ...item,
    amount: isPriced(session) ? amount(item.subtotal, session.currency) : '',
    notes: [
      item.quantity > 1 && say('item.each', { amount: amount(item.unitPrice, session.currency) }),
      isPriced(session) && measureNote(speaker, item, session.currency),
      item.availability === 'backorder' && say('item.backorder'),
      exemptNote(speaker, item.withdrawalExempt),
    ],
    tools: itemTools(speaker, item, session.version, secret),
  }))
  return lineList(lines, say('status.items'))
}

// Two forms, so the return key in the quantity field never removes the item.
function itemTools({ say }: Speaker, item: Item, version: number, secret: string): Html {
  const named = { item: item.name }
  const id = `quantity-${item.skuId}`
  const most = Math.max(item.quantity, item.maxQuantity)
  return html`<div class="item-tools">
<form class="quantity" method="post" action="/c/${secret}/quantity">
${hiddenFields({ version, skuId: item.skuId })}
<button
  type="button"
  class="step"
  id="${id}-fewer"
  data-step="-1"
  aria-label="${say('item.fewer', named)}"${item.quantity <= 1 && html` disabled`}>
  −</button>
<label class="hidden" for="${id}">${say('item.quantityOf', named)}</label>
<input
  id="${id}"
  name="quantity"
  type="number"
  inputmode="numeric"
  min="1"
  max="${most}"
  value="${item.quantity}"
  autocomplete="off">
<button
  type="button"
  class="step"
  id="${id}-more"
  data-step="1"
  aria-label="${say('item.more', named)}"${item.quantity >= most && html` disabled`}>
  +</button>
<button class="update" id="${id}-update">${say('item.update')}</button>
</form>
<form class="remove" method="post" action="/c/${secret}/quantity">
${hiddenFields({ version, skuId: item.skuId, quantity: 0 })}
<button class="plain" id="${id}-remove" aria-label="${say('item.removeNamed', named)}">${say('item.remove')}</button>
</form>
</div>`
}

// Returns the text of a problem with a promotion code, which is shown beside the code.
export function codeProblem({ say }: Speaker, problem: CheckoutProblem | null): string | null {
  if (problem?.code === 'promotion_rejected') return say(`code.${problem.reason}`)
  if (problem?.code === 'too_many_codes') return say('problem.tooManyCodes')
  if (problem?.code === 'invalid' && problem.issues.some(({ path }) => path === '/code')) return say('code.empty')
  return null
}

// An order can have one code, which must be removed before another is entered.
export function codeBox(speaker: Speaker, view: CheckoutView, problem: CheckoutProblem | null, typed: string): Html {
  const { code, state } = view.session.promotion
  const error = codeProblem(speaker, problem)
  if (code !== null && state !== 'none') return presentCode(speaker, view, code, error)
  const { say } = speaker
  const form = html`<form method="post" action="/c/${view.secret}/code" novalidate>
${hiddenFields({ version: view.session.version })}
<label for="code">${say('code.label')}</label>
<div class="joined">
<input
  id="code"
  name="code"
  value="${error === null ? '' : typed}"
  maxlength="64"
  autocomplete="off"
  autocapitalize="characters"
  spellcheck="false"
  dir="ltr"${error !== null && html` aria-invalid="true" aria-describedby="code-error" autofocus`}>
<button class="second" id="code-apply">${say('code.apply')}</button>
</div>
${error !== null && html`<p class="error" id="code-error" role="alert">${error}</p>`}
</form>`
  return html`<div class="code">${renderFolded('code-fold', say('code.label'), error !== null, form)}</div>`
}

function presentCode(
  { say, amount }: Speaker,
  { session, secret }: CheckoutView,
  code: string,
  error: string | null,
): Html {
  const { state, amount: saved } = session.promotion
  return html`<form class="code code-present" method="post" action="/c/${secret}/code">
${hiddenFields({ version: session.version, remove: 1 })}
<span class="tag" dir="ltr">${code}</span>
<span class="code-amount">${state === 'applied' && saved > 0 && amount(-saved, session.currency)}</span>
<button class="plain" id="code-remove" aria-label="${say('code.remove', { code })}"${
    error !== null && html` aria-describedby="code-error" autofocus`
  }>${say('item.remove')}</button>
${error !== null && html`<p class="error" id="code-error" role="alert">${error}</p>`}
${state === 'pending' && html`<p class="hint">${say('code.pending', { code })}</p>`}
</form>`
}

export interface TotalsParts {
  currency: string
  totals: CheckoutSession['totals'] & { refunded?: number; refundPending?: number }
  shipping: 'none' | 'unknown' | 'known'
  // Set for a change of an order: `discount` is then the amount of the removed items, and the included tax is omitted because the
  // documents show it.
  change?: 'edit' | 'exchange' | undefined
}

const takenOff = { edit: 'order.takenOff', exchange: 'order.credit' } as const

export function totalsList({ say, amount }: Speaker, { currency, totals, shipping, change }: TotalsParts): Html {
  const row = (name: string, value: Html | string, kind = '') =>
    html`<div class="${kind}"><dt>${name}</dt><dd>${value}</dd></div>`
  const money = (minor: number) => amount(minor, currency)
  const shippingText = totals.shipping === 0 ? say('total.free') : money(totals.shipping)
  const taxIncluded =
    totals.taxIncluded &&
    totals.tax > 0 &&
    !change &&
    html`<span class="tax">${say('total.taxIncluded', { amount: money(totals.tax) })}</span>`
  const reason = totals.taxReason && html`<span class="tax">${say(`document.reason.${totals.taxReason}`)}</span>`
  return html`<dl class="totals">
${row(say('total.subtotal'), money(totals.subtotal))}
${totals.discount > 0 && row(say(change ? takenOff[change] : 'total.discount'), money(-totals.discount), 'saved')}
${shipping === 'unknown' && row(say('total.shipping'), say('total.shippingLater'), 'later')}
${shipping === 'known' && row(say('total.shipping'), shippingText)}
${!totals.taxIncluded && row(say('total.tax'), money(totals.tax))}
${row(say('total.total'), html`${money(totals.total)}${taxIncluded}${reason}`, 'sum')}
${(totals.refunded ?? 0) > 0 && row(say('total.refunded'), money(-(totals.refunded ?? 0)))}
${(totals.refundPending ?? 0) > 0 && row(say('total.refundPending'), money(-(totals.refundPending ?? 0)))}
</dl>`
}

export function sessionTotals(speaker: Speaker, { session, needsShipping, change }: CheckoutView): Html | null {
  if (!isPriced(session)) return null
  const { currency, totals } = session
  const known = session.shipping.optionId === null ? 'unknown' : 'known'
  if (change) {
    const shipping = change.kind === 'edit' && totals.shipping > 0 ? 'known' : 'none'
    return totalsList(speaker, { currency, totals, shipping, change: change.kind })
  }
  return totalsList(speaker, { currency, totals, shipping: needsShipping ? known : 'none' })
}
