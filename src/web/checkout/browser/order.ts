// The forms beside the details: quantities and the promotion code.

import { showState } from './connection.ts'
import { byId, fieldsOf, quantityInput } from './dom.ts'
import { showQuantity } from './merge.ts'
import { send } from './queue.ts'
import { state } from './state.ts'

const stepMs = 350

export function watchOrder(): void {
  const side = document.querySelector('.side')
  side?.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLButtonElement>('[data-step]')
    if (button) step(button)
  })
  // The casts hold: only fields fire these two events.
  side?.addEventListener('input', (event) => {
    const { name, id } = event.target as HTMLInputElement
    if (name === 'quantity') state.draft = id
  })
  side?.addEventListener('change', (event) => {
    const { name, form } = event.target as HTMLInputElement
    if (name === 'quantity' && form) wantTyped(form)
  })
  side?.addEventListener('submit', submitted)
  byId('main')?.addEventListener('submit', (event) => {
    if (event.target instanceof Element && event.target.closest('#notices')) submitted(event)
  })
}

function step(button: HTMLButtonElement): void {
  // The cast holds: each of these buttons is in the form of its item.
  const skuId = inputOf(button.form as HTMLFormElement, 'skuId').value
  const input = quantityInput(skuId)
  if (!input) return
  state.draft = null
  const next = (state.quantities.get(skuId)?.quantity || Number(input.value)) + Number(button.dataset.step)
  input.value = String(Math.min(Math.max(next, Number(input.min)), Number(input.max)))
  want(skuId, Number(input.value), stepMs)
}

// The cast holds: the forms of items have both fields.
function inputOf(form: HTMLFormElement, name: 'skuId' | 'quantity'): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement
}

function want(skuId: string, quantity: number, afterMs: number): void {
  clearTimeout(state.quantities.get(skuId)?.timer)
  const isDue = afterMs === 0
  // Quick successive presses become one change.
  const timer = isDue ? 0 : setTimeout(due, afterMs)
  const wanted = { quantity, isDue, timer }
  state.quantities.set(skuId, wanted)
  showQuantity(skuId, quantity)
  showState()
  if (isDue) void send()

  function due(): void {
    wanted.isDue = true
    void send()
  }
}

// A typed quantity counts once the shopper leaves the field or presses the return key, which fires both change and submit.
function wantTyped(form: HTMLFormElement): void {
  state.draft = null
  const input = inputOf(form, 'quantity')
  const skuId = inputOf(form, 'skuId').value
  const quantity = Number(input.value)
  const isWhole = input.value !== '' && Number.isInteger(quantity) && quantity >= 0
  const before = state.quantities.get(skuId)?.quantity
  if (!isWhole) input.value = String(before ?? input.defaultValue)
  else if (quantity !== (before ?? Number(input.defaultValue))) want(skuId, quantity, 0)
}

function submitted(event: Event): void {
  // The cast holds: only forms fire this event.
  const form = event.target as HTMLFormElement
  event.preventDefault()
  state.ledFrom = document.activeElement?.id ?? ''
  if (form.classList.contains('quantity')) wantTyped(form)
  // This form, in a notice, removes the item or reduces its quantity to the available stock.
  else if (form.action.endsWith('/quantity'))
    want(inputOf(form, 'skuId').value, Number(inputOf(form, 'quantity').value), 0)
  else {
    state.code = fieldsOf(form)
    state.typed.delete('code')
    void send()
  }
}
