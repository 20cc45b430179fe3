// Selection of several rows of a list.

import { closest } from './dom.ts'

export function chooseRows(): void {
  let lastChosen: HTMLInputElement | undefined
  document.addEventListener('change', (event) => {
    const box = closest<HTMLInputElement>(event, '[data-choose], [data-choose-all]')
    if (!box?.form) return
    if (box.matches('[data-choose-all]')) for (const one of boxesOf(box.form)) one.checked = box.checked
    count(box.form)
  })
  // With shift, a click gives all rows from the last clicked one to this one the state of this one.
  document.addEventListener('click', (event) => {
    const box = closest<HTMLInputElement>(event, '[data-choose]')
    if (!box?.form) return
    if (event.shiftKey && lastChosen?.form === box.form) {
      const boxes = boxesOf(box.form)
      const [from, to] = [boxes.indexOf(lastChosen), boxes.indexOf(box)]
      for (const one of boxes.slice(Math.min(from, to), Math.max(from, to) + 1)) one.checked = box.checked
      count(box.form)
    }
    lastChosen = box
  })
  addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll<HTMLElement>('form:has([data-choose])')) count(form)
  })
}

function boxesOf(form: HTMLElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('[data-choose]')]
}

function count(form: HTMLElement): void {
  const boxes = boxesOf(form)
  const chosen = boxes.filter((box) => box.checked).length
  const all = form.querySelector<HTMLInputElement>('[data-choose-all]')
  if (all) {
    all.checked = chosen > 0 && chosen === boxes.length
    all.indeterminate = chosen > 0 && chosen < boxes.length
  }
  const status = form.querySelector<HTMLElement>('[data-bulk-count]')
  if (status?.dataset.text) status.textContent = status.dataset.text.replace('{count}', String(chosen))
}
