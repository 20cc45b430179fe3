// Links that open in a dialog: the page of the link is fetched, and its question is shown above the current page.

import { closest, pageIn } from './dom.ts'

export function openDialogs(): void {
  document.addEventListener('click', (event) => {
    const link = closest<HTMLAnchorElement>(event, 'a[data-dialog]')
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    event.preventDefault()
    openDialog(link.href).catch(() => location.assign(link.href))
  })
}

async function openDialog(href: string): Promise<void> {
  const answer = await fetch(href, { headers: { accept: 'text/html' } })
  const page = pageIn(await answer.text())
  const body = page.querySelector('[data-dialog-body]')
  if (!answer.ok || !body) return location.assign(href)
  const dialog = document.createElement('dialog')
  dialog.className = 'dialog'
  const head = document.createElement('header')
  head.className = 'dialog-head'
  const title = document.createElement('h2')
  title.id = 'dialog-title'
  title.textContent = page.querySelector('h1')?.textContent ?? ''
  head.append(title)
  const inside = document.createElement('div')
  inside.className = 'dialog-body'
  inside.append(...body.childNodes)
  dialog.setAttribute('aria-labelledby', title.id)
  dialog.append(head, inside)
  document.body.append(dialog)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || closest(event, '[data-close]')) {
      event.preventDefault()
      dialog.close()
    }
  })
  dialog.showModal()
}
