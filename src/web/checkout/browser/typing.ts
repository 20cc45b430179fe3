// Remembers the values that the shopper typed, and restores them after the page has changed.

import type { Field } from './dom.ts'
import { state, type Typed } from './state.ts'

export function rememberTyping(): void {
  for (const kind of ['input', 'change']) addEventListener(kind, note)
  // A shopper who unfolds a field wants to type in it. The fold opens after this event.
  addEventListener('click', ({ target }) => {
    const fold = target instanceof Element && target.closest('.more > summary')?.parentElement
    if (fold && !(fold as HTMLDetailsElement).open) setTimeout(() => fold.querySelector('input')?.focus(), 0)
  })
}

export function note({ target }: Event): void {
  // The cast holds: only fields fire these events.
  const field = target as Field
  if (field.id && field.name !== 'quantity' && field.type !== 'radio') state.typed.set(field.id, typedValue(field))
  unfold(field)
}

// Unfolds a field that has a value, for example from the browser's autofill.
function unfold(field: Field): void {
  const fold = field.value ? field.closest<HTMLDetailsElement>('.more') : null
  if (fold) fold.open = true
}

export function typedValue(field: Field): Typed {
  if (!(field instanceof HTMLSelectElement)) return { value: field.value }
  const text = field.selectedOptions[0]?.textContent ?? ''
  return { value: field.value, choice: { text, country: state.shownCountry } }
}

export function fill(field: Field, typed: Typed): void {
  if (field instanceof HTMLSelectElement) choose(field, typed)
  else {
    const next = typed.choice ? '' : typed.value
    if (field.value !== next) field.value = next
    unfold(field)
  }
}

// Restores a choice by its value for the same country, and by its label for other countries, where the value means something else.
function choose(field: HTMLSelectElement, { value, choice }: Typed): void {
  const isOwn = field.id === 'country' || !choice || choice.country === state.shownCountry
  const found = [...field.options].find(
    (option) => (isOwn && isLike(option.value, value)) || isLike(option.textContent, choice?.text ?? value),
  )
  if (found && !found.selected) found.selected = true
}

function isLike(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}
