// Fields that find a product by its name while the person types. Without script the server looks up the typed name or code.

import type { PickedProduct } from './names.ts'

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-pick]')) addPicker(field)

const lookMs = 150

function addPicker(field: HTMLInputElement): void {
  const list = document.createElement('ul')
  list.className = 'picks'
  list.id = `${field.name}-picks`
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', field.getAttribute('aria-label') ?? '')
  const said = document.createElement('p')
  said.className = 'soft small hidden'
  said.setAttribute('role', 'status')
  list.hidden = true
  field.after(list, said)
  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  closePicks(field, list)
  let timer = 0
  field.addEventListener('input', () => {
    clearTimeout(timer)
    showPicked(field, '')
    said.textContent = ''
    timer = setTimeout(() => look(field, list, said).catch(() => closePicks(field, list)), lookMs)
  })
  field.addEventListener('keydown', (event) => onKey(event, field, list))
  field.addEventListener('blur', () => {
    clearTimeout(timer)
    said.textContent = ''
    closePicks(field, list)
  })
  // The handler must run before the field loses the focus, which closes the list.
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>('[role=option]') : null
    if (option) choose(field, list, option)
  })
}

async function look(field: HTMLInputElement, list: HTMLElement, said: HTMLElement): Promise<void> {
  const asked = field.value.trim()
  if (asked === '') return closePicks(field, list)
  const answer = await fetch(`${field.dataset.pick}?q=${encodeURIComponent(asked)}`, {
    headers: { accept: 'application/json' },
  })
  // The text was changed meanwhile, so another request follows, or the field has lost the focus.
  if (field.value.trim() !== asked || document.activeElement !== field) return
  if (!answer.ok) return closePicks(field, list)
  // The cast holds: this server's response has the type in names.ts.
  const found = (await answer.json()) as PickedProduct[]
  list.replaceChildren(...found.map((one, index) => optionOf(one, `${list.id}-${index}`)))
  said.classList.toggle('hidden', found.length > 0)
  said.textContent = found.length === 0 ? (field.dataset.none ?? '') : ''
  if (found.length === 0) return closePicks(field, list)
  list.hidden = false
  field.setAttribute('aria-expanded', 'true')
  // A product whose code was typed completely is preferred to others whose code begins with it.
  const exact = found.findIndex(({ code }) => code.toLowerCase() === asked.toLowerCase())
  if (exact >= 0) showPicked(field, found[exact]?.name ?? '')
  mark(field, list, Math.max(0, exact))
}

function optionOf({ code, name, note }: PickedProduct, id: string): HTMLElement {
  const option = document.createElement('li')
  option.id = id
  option.setAttribute('role', 'option')
  option.dataset.code = code
  option.dataset.name = name
  const parts = [name, `${code} · ${note}`].map((text) => {
    const part = document.createElement('span')
    part.dir = 'auto'
    part.textContent = text
    return part
  })
  parts[1]?.classList.add('soft', 'small')
  option.append(...parts)
  return option
}

function optionsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role=option]')]
}

function mark(field: HTMLInputElement, list: HTMLElement, at: number): void {
  for (const [index, option] of optionsOf(list).entries()) {
    option.setAttribute('aria-selected', String(index === at))
    if (index !== at) continue
    field.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }
}

function onKey(event: KeyboardEvent, field: HTMLInputElement, list: HTMLElement): void {
  if (list.hidden || event.isComposing) return
  const options = optionsOf(list)
  const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
  const option = options[at]
  if (event.key === 'ArrowDown') mark(field, list, Math.min(options.length - 1, at + 1))
  else if (event.key === 'ArrowUp') mark(field, list, Math.max(0, at - 1))
  else if (event.key === 'Escape') closePicks(field, list)
  else if (event.key === 'Enter' && option) choose(field, list, option)
  else return
  event.preventDefault()
}

function choose(field: HTMLInputElement, list: HTMLElement, option: HTMLElement): void {
  field.value = option.dataset.code ?? ''
  showPicked(field, option.dataset.name ?? '')
  closePicks(field, list)
  field.dispatchEvent(new Event('change', { bubbles: true }))
}

function showPicked(field: HTMLInputElement, name: string): void {
  const shown = field.parentElement?.querySelector('[data-picked]')
  if (shown) shown.textContent = name
}

function closePicks(field: HTMLInputElement, list: HTMLElement): void {
  list.hidden = true
  field.setAttribute('aria-expanded', 'false')
  field.removeAttribute('aria-activedescendant')
}
