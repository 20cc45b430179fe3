// Buttons that print the page or copy a field.

import { closest } from './dom.ts'

export function addPrinting(): void {
  for (const button of document.querySelectorAll('[data-print]')) button.addEventListener('click', () => print())
}

export function addCopying(): void {
  document.addEventListener('click', (event) => {
    const button = closest(event, '[data-copy]')
    // The attribute contains the id of a field.
    const source = document.getElementById(button?.dataset.copy ?? '') as HTMLInputElement | HTMLTextAreaElement | null
    if (!button || !source) return
    source.select()
    navigator.clipboard?.writeText(source.value).then(
      () => {
        button.textContent = button.dataset.copied ?? ''
      },
      () => {},
    )
  })
}
