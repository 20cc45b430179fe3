// Keyboard shortcuts. Single characters can be turned off per browser and never act in a field. A shortcut moves between rows, or does
// what a visible field, link or button does.

import { closest } from './dom.ts'

const off = 'dashboard-keys-off'

export function addShortcuts(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>('[data-keys-off]')) addSwitch(box)
  // Set while the letter after `g` is expected.
  let goingTimer = 0
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') return save(event)
    if (event.ctrlKey || event.metaKey || event.altKey || isOff() || isTyping(event)) return
    if (document.querySelector('dialog[open]')) return
    if (goingTimer) {
      clearTimeout(goingTimer)
      goingTimer = 0
      return click(event, document.querySelector(`[data-go="${CSS.escape(event.key)}"]`))
    }
    if (event.key === 'g') {
      goingTimer = setTimeout(() => {
        goingTimer = 0
      }, 1500)
    } else actions[event.key]?.(event)
  })
}

function isOff(): boolean {
  try {
    return localStorage.getItem(off) === 'yes'
  } catch {
    return false
  }
}

function addSwitch(box: HTMLInputElement): void {
  box.checked = isOff()
  box.addEventListener('change', () => {
    try {
      if (box.checked) localStorage.setItem(off, 'yes')
      else localStorage.removeItem(off)
    } catch {
      box.checked = false
    }
  })
}

const actions: Record<string, ((event: KeyboardEvent) => void) | undefined> = {
  '/': (event) => {
    const input = document.querySelector<HTMLInputElement>('.find-large input, .find input')
    if (input) act(event, () => focusInput(input))
  },
  j: (event) => move(event, 1),
  k: (event) => move(event, -1),
  x: (event) => click(event, currentRow()?.querySelector('[data-choose]')),
  Enter: (event) => {
    if (!closest(event, 'a, button, summary')) click(event, currentRow()?.querySelector('[data-open]'))
  },
  f: (event) => click(event, document.querySelector('[data-key="f"]')),
  e: (event) => click(event, document.querySelector('[data-key="e"]')),
  '?': (event) => {
    const list = document.getElementById('shortcuts')
    if (list && 'togglePopover' in list) act(event, () => list.togglePopover())
  },
}

function act(event: Event, work: () => void): void {
  event.preventDefault()
  work()
}

function click(event: Event, element: HTMLElement | null | undefined): void {
  if (element) act(event, () => element.click())
}

function isTyping({ target }: Event): boolean {
  const typedIn = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
  return target instanceof Element && target.matches(typedIn)
}

// The search field is in the menu, which is closed on phones.
function focusInput(input: HTMLInputElement): void {
  const side = input.closest<HTMLElement>('[popover]')
  if (side && getComputedStyle(side).display === 'none') side.showPopover()
  input.focus()
  input.select()
}

function currentRow(): HTMLElement | null {
  return document.querySelector('[data-row].at')
}

function move(event: Event, step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const row = currentRow()
  const at = row ? rows.indexOf(row) : -1
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))]
  if (!next) return
  act(event, () => {
    row?.classList.remove('at')
    next.classList.add('at')
    next.querySelector<HTMLElement>('[data-open]')?.focus({ preventScroll: true })
    next.scrollIntoView({ block: 'nearest' })
  })
}

function save(event: Event): void {
  const { activeElement } = document
  const forms = [
    // A button in the form may belong to another form, such as the buttons for the page size.
    activeElement instanceof HTMLButtonElement ? activeElement.closest('form') : formOf(activeElement),
    document.querySelector('dialog[open] form'),
    document.querySelector('main .form'),
  ]
  click(event, forms.find((form) => form !== null)?.querySelector('[data-key="save"]'))
}

function formOf(element: Element | null): HTMLFormElement | null {
  // Fields have the property `form`; other elements do not.
  return (element as HTMLInputElement | null)?.form ?? null
}
