// Reloads parts of a page while they are visible, unless the person is working in them.

import { pageIn } from './dom.ts'
import { chosenParameter } from './names.ts'

const everyMs = 30_000
const soonMs = 2_000

export function refreshParts(): void {
  if (document.querySelector('[data-live]')) waitAndRefresh()
}

function waitAndRefresh(): void {
  const waitMs = document.querySelector('[data-live-soon]') ? soonMs : everyMs
  setTimeout(
    () =>
      refresh()
        .catch(() => {})
        .finally(waitAndRefresh),
    waitMs,
  )
}

async function refresh(): Promise<void> {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-live]')]
  if (document.hidden || document.querySelector('dialog[open]') || parts.every(isBusy)) return
  const here = new URL(location.href)
  here.searchParams.delete(chosenParameter)
  const answer = await fetch(here, { headers: { accept: 'text/html' } })
  if (!answer.ok || answer.redirected) return
  const page = pageIn(await answer.text())
  for (const part of parts) {
    const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`)
    if (fresh && !isBusy(part) && fresh.innerHTML !== part.innerHTML) part.innerHTML = fresh.innerHTML
  }
}

function isBusy(part: HTMLElement): boolean {
  return part.contains(document.activeElement) || part.querySelector(':checked, details[open]') !== null
}
