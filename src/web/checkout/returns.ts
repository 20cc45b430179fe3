// Returns on the page of an order: the existing ones, and three steps to request one, without script. Hidden fields carry the choices
// from step to step; nothing is stored before the last step.

import { type ReturnReason, type ReturnWish, returnReasons, returnWishes } from '../../contract/words.ts'
import type { OrderStatusView } from '../../domain/checkout/port.ts'
import type { ReturnRequest } from '../../domain/returns/hosted.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import { isWebAddress, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import type { PostedField } from './input.ts'

type ReturnItem = OrderStatusView['items'][number]

// Value of the pressed button: the next step.
const steps = ['items', 'reason', 'check', 'send'] as const
type Step = (typeof steps)[number]

export const noteLengthMax = 1_000

export interface ReturnForm {
  // Keyed by SKU, in the order of the page. A quantity is at most the number of returnable units.
  quantities: ReadonlyMap<string, number>
  reason: ReturnReason | undefined
  wish: ReturnWish
  note: string
}

export const emptyReturn: ReturnForm = { quantities: new Map(), reason: undefined, wish: 'refund', note: '' }

export function returnForm({ items }: OrderStatusView, sent: PostedField): ReturnForm {
  const quantities = new Map<string, number>()
  for (const { skuId, returnable } of items) {
    const quantity = Number(sent(fieldOf(skuId)).slice(0, 6) || 0)
    if (Number.isInteger(quantity) && quantity > 0) quantities.set(skuId, Math.min(quantity, returnable))
  }
  const wanted = sent('wish')
  return {
    quantities,
    reason: returnReasons.find((reason) => reason === sent('reason')),
    wish: returnWishes.find((wish) => wish === wanted) ?? 'refund',
    note: sent('note').slice(0, noteLengthMax),
  }
}

// Returns the next step, with the problem that prevents a later one, or the complete request.
export function nextReturnStep(
  form: ReturnForm,
  sent: PostedField,
): { step: Exclude<Step, 'send'>; problem?: Problem } | ReturnRequest {
  const to = steps.find((step) => step === sent('to')) ?? 'items'
  if (to === 'items') return { step: 'items' }
  if (form.quantities.size === 0) return { step: 'items', problem: 'return.none' }
  if (to === 'reason') return { step: 'reason' }
  if (form.reason === undefined) return { step: 'reason', problem: 'return.reasonMissing' }
  if (to === 'check') return { step: 'check' }
  const items = [...form.quantities].map(([skuId, quantity]) => ({ skuId, quantity }))
  return { items, reason: form.reason, wish: form.wish, note: form.note.trim() }
}

type Problem = 'return.none' | 'return.changed' | 'return.reasonMissing'

export interface ReturnPage {
  order: OrderStatusView
  // Path of the order's page.
  path: string
  form: ReturnForm
  step: Exclude<Step, 'send'>
  problem?: Problem | undefined
}

export function returnStepPage(speaker: Speaker, page: ReturnPage): string {
  const { say } = speaker
  const { order, path, step, problem } = page
  const isTest = order.mode === 'test'
  const title = say('return.title', { number: order.number })
  const count = steps.indexOf(step) + 1
  const inside = html`<div class="status return">
<p class="soft"><a href="${path}">${say('status.title', { number: order.number })}</a> · ${say('return.step', { step: count })}</p>
<h1>${say(stepTitles[step])}</h1>
${problem !== undefined && html`<p class="notice problem" role="alert">${say(problem)}</p>`}
<form method="post" action="${path}/return" class="return-form">
${stepBody[step](speaker, page)}
</form>
</div>`
  const named = problem === undefined ? title : say('page.errorTitle', { title })
  return renderCheckoutFrame({
    speaker,
    title: `${named} – ${order.merchant.name}`,
    state: 'order',
    body: renderCheckoutSheet(speaker, order.merchant, isTest, inside),
  })
}

const stepTitles = { items: 'return.items', reason: 'return.reason', check: 'return.next' } as const

const stepBody: Record<ReturnPage['step'], (speaker: Speaker, page: ReturnPage) => Html> = {
  items: itemsStep,
  reason: reasonStep,
  check: checkStep,
}

function itemsStep(speaker: Speaker, { order, form, path }: ReturnPage): Html {
  const { say } = speaker
  const rest = { ...(form.reason !== undefined && { reason: form.reason }), wish: form.wish, note: form.note }
  return html`${hiddenFields(rest)}
<fieldset class="choices"><legend class="hidden">${say('return.items')}</legend><div class="cards">${order.items
    .filter(({ returnable }) => returnable > 0)
    .map((item) => itemChoice(speaker, item, form.quantities.get(item.skuId) ?? 0))}</div></fieldset>
${buttons(
  html`<button class="first" name="to" value="reason">${say('return.continue')}</button>`,
  html`<a class="second" href="${path}">${say('return.back')}</a>`,
)}`
}

function itemChoice({ say }: Speaker, { skuId, name, options, returnable }: ReturnItem, quantity: number): Html {
  const id = `return-${skuId}`
  const text = html`<span class="return-name" dir="auto">
    ${name}
    ${options.length > 0 && html` <span class="soft">${options.map(({ value }) => value).join(' · ')}</span>`}
  </span>`
  if (returnable === 1)
    return html`<label class="card" for="${id}">
      <input type="checkbox" id="${id}" name="${fieldOf(skuId)}" value="1"${quantity > 0 && html` checked`}> ${text}
    </label>`
  return html`<div class="card">
    <label class="return-name" for="${id}">
      ${text}
      <span class="hidden"> – ${say('return.quantityOf', { item: name })}</span>
    </label>
<span class="return-count">
  <input
    type="number"
    inputmode="numeric"
    id="${id}"
    name="${fieldOf(skuId)}"
    min="0"
    max="${returnable}"
    value="${quantity}"> ${say('return.of', { count: returnable })}</span></div>`
}

function fieldOf(skuId: string): string {
  return `quantity-${skuId}`
}

function reasonStep(speaker: Speaker, { form }: ReturnPage): Html {
  const { say } = speaker
  const radio = (name: string, value: string, label: string, isChosen: boolean) =>
    html`<label class="card">
      <input
        type="radio"
        name="${name}"
        value="${value}"${isChosen && html` checked`}${name === 'reason' && html` required`}> <span>${label}</span>
    </label>`
  return html`${hiddenFields(quantityFields(form))}
<fieldset class="choices"><legend class="hidden">${say('return.reason')}</legend>
<div class="cards">
  ${returnReasons.map((reason) => radio('reason', reason, say(`return.reason.${reason}`), form.reason === reason))}</div>
  </fieldset>
<fieldset class="choices"><legend>${say('return.wish')}</legend>
<div class="cards">
  ${returnWishes.map((wish) => radio('wish', wish, say(`return.wish.${wish}`), form.wish === wish))}</div></fieldset>
<div class="field">
  <label for="return-note">${say('return.note')} <span class="optional">(${say('page.optional')})</span></label>
<textarea id="return-note" name="note" rows="3" maxlength="${noteLengthMax}" dir="auto">${form.note}</textarea></div>
${buttons(
  html`<button class="first" name="to" value="check">${say('return.continue')}</button>`,
  back(speaker, 'items'),
)}`
}

function checkStep(speaker: Speaker, { order, form }: ReturnPage): Html {
  const { say } = speaker
  const chosen = order.items.filter(({ skuId }) => form.quantities.has(skuId))
  const { reason, wish, note } = form
  return html`${hiddenFields({ ...quantityFields(form), ...(reason !== undefined && { reason }), wish, note })}
<p>${say('return.howto')}</p>
<ul>
  ${chosen.map(
    ({ skuId, name }) =>
      html`<li>
      <span dir="auto">${name}</span> <span class="soft">
        ${say('item.quantityShort', { count: form.quantities.get(skuId) ?? 0 })}
      </span>
    </li>`,
  )}</ul>
<p class="soft">${reason !== undefined && say(`return.reason.${reason}`)} · ${say(`return.wish.${wish}`)}</p>
${note !== '' && html`<p class="instructions" dir="auto">${note}</p>`}
${buttons(html`<button class="first" name="to" value="send">${say('return.submit')}</button>`, back(speaker, 'reason'))}`
}

function quantityFields({ quantities }: ReturnForm): Record<string, number> {
  return Object.fromEntries([...quantities].map(([skuId, quantity]) => [fieldOf(skuId), quantity]))
}

// `first` must continue, because the return key presses the first button.
function buttons(first: Html, second: Html): Html {
  return html`<div class="return-buttons">${first}${second}</div>`
}

function back({ say }: Speaker, to: Step): Html {
  return html`<button class="second" name="to" value="${to}" formnovalidate>${say('return.back')}</button>`
}

// The section of the order page with the existing returns and the link to request one.
export function returnsSection(speaker: Speaker, order: OrderStatusView, path: string): Html | false {
  const { say } = speaker
  const canAsk = canReturn(order)
  if (order.returns.length === 0 && !canAsk) return false
  return html`<section class="bought" id="returns" aria-labelledby="returns-title">
<h2 id="returns-title">${say('return.section')}</h2>
${order.returns.map(
  ({ number, status, items, exchanges, answer, labelUrl }) => html`<div class="notice" data-return="${status}">
<p class="notice-title">${say('return.number', { number })}</p>
<p>${say(`return.status.${status}`)}</p>
<ul>
  ${items.map(
    ({ name, quantity }) => html`<li>
      <span dir="auto">${name}</span> <span class="soft">${say('item.quantityShort', { count: quantity })}</span>
    </li>`,
  )}</ul>
${exchanges.map((exchange) => html`<p>${say('return.exchanged', { number: exchange })}</p>`)}
${answer !== null && html`<p class="instructions" dir="auto">${answer}</p>`}
${
  labelUrl !== null &&
  isWebAddress(labelUrl) &&
  html`<p><a href="${labelUrl}" target="_blank" rel="noopener noreferrer">${say('return.label')}</a></p>`
}
</div>`,
)}
${canAsk && html`<p><a class="second" href="${path}/return">${say('return.link')}</a></p>`}
</section>`
}

export function canReturn({ items, returns }: OrderStatusView): boolean {
  return items.some(({ returnable }) => returnable > 0) && !returns.some(({ isOpen }) => isOpen)
}
