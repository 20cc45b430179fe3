// Merges an answer into the page. What the shopper typed or pressed since the request stays.

import { showBrand } from './card.ts'
import { restartClock } from './clock.ts'
import { body, byId, element, type Field, quantityInput, tell } from './dom.ts'
import { morph } from './morph.ts'
import { state } from './state.ts'
import { fill } from './typing.ts'

const parts = [
  'notices',
  'grand',
  'expiry',
  'count',
  'items',
  'time',
  'shipping',
  'payment-notice',
  'pay-fields',
  'pay-action',
  'details-state',
  'details-save',
]
// Fields to type in: their messages are updated, and typed values stay.
const formParts = ['contact', 'country-field', 'address']

interface Adopting {
  hasForm?: boolean
  isQuiet?: boolean
  sentEdits?: number
}

export function adopt(
  page: Document,
  { hasForm = false, isQuiet = false, sentEdits = state.edits }: Adopting = {},
): void {
  // Inserted elements with this attribute would take the focus, which is set at the end.
  for (const marked of page.querySelectorAll('[autofocus]')) marked.removeAttribute('autofocus')
  const isShown = byId('country', page)?.value === byId('country')?.value
  const ids = hasForm && isShown ? [...parts, ...formParts] : parts
  // Messages about the details stay until the details are sent again.
  rework(page, isQuiet && state.lastProblem === '' ? ids.filter((id) => id !== 'notices') : ids)
  if (!isQuiet) document.title = page.title
  const { total = '', version = '' } = page.body.dataset
  if (total && total !== body.dataset.total) tell(element('told').dataset.total?.replace('{amount}', total))
  body.dataset.version = version
  body.dataset.total = total
  restartClock()
  if (!state.lastProblem || !mayLead(sentEdits)) return
  document.querySelector<HTMLElement>('#problem, #code[aria-invalid], #code-remove[aria-describedby]')?.focus()
}

export function rework(page: Document, ids: readonly string[]): void {
  const focused = document.activeElement
  const selection = selectionOf(focused)
  const option = document.querySelector<HTMLInputElement>('#shipping input:checked')?.value
  for (const id of ids) {
    const [old, given] = [byId(id), byId(id, page)]
    if (old && given) morph(old, given)
  }
  putBack(option)
  const again = focused?.id ? byId(focused.id) : null
  if (!again || again === document.activeElement) return
  again.focus({ preventScroll: true })
  if (selection && selectionOf(again)) (again as HTMLInputElement).setSelectionRange(...selection)
}

// Number fields have no selection, and some browsers throw when it is read.
function selectionOf(field: Element | null): [number | null, number | null] | undefined {
  if (!(field instanceof HTMLInputElement) || !['text', 'tel'].includes(field.type)) return undefined
  return [field.selectionStart, field.selectionEnd]
}

// Restores pending changes and typed values that the server's answer replaced.
function putBack(option: string | undefined): void {
  for (const [skuId, { quantity }] of state.quantities) showQuantity(skuId, quantity)
  for (const [id, made] of state.typed) {
    const field = byId(id)
    // The cast holds: only fields have typed values.
    if (field) fill(field as Field, made)
  }
  for (const field of document.querySelectorAll<HTMLInputElement>('[autocomplete="cc-number"]')) showBrand(field)
  const options = document.querySelectorAll<HTMLInputElement>('#shipping input')
  const choice = [...options].find(({ value }) => value === option)
  if (choice && state.edits !== state.savedEdits) choice.checked = true
}

export function showQuantity(skuId: string, quantity: number): void {
  const input = quantityInput(skuId)
  if (!input) return
  byId(`item-${skuId}`)?.toggleAttribute('data-leaving', quantity === 0)
  const isOther = input.value !== String(quantity) && input.id !== state.draft
  if (quantity > 0 && isOther) input.value = String(quantity)
  disable(`${input.id}-fewer`, quantity <= Number(input.min))
  disable(`${input.id}-more`, quantity >= Number(input.max))
}

function disable(id: string, isDisabled: boolean): void {
  const button = byId(id) as HTMLButtonElement | null
  if (button) button.disabled = isDisabled
}

// Whether the focus may move. While the shopper is typing it stays, because the next keystrokes would be lost.
export function mayLead(sentEdits: number): boolean {
  const active = document.activeElement
  const isTyping = active?.matches('input:not([type=radio]), select')
  return !isTyping || (active?.id === state.ledFrom && sentEdits === state.edits)
}

export function goOn(): void {
  const payment = byId('payment')
  payment?.scrollIntoView()
  payment?.focus({ preventScroll: true })
}
