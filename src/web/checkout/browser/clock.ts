// Shows the time left, and announces when little is left. Once the session has expired, typed values stay on the page and can continue in
// a new checkout with the same items.

import { byId, element, tell } from './dom.ts'
import { soonMinutes } from './names.ts'
import { state } from './state.ts'

const minuteMs = 60_000

export function restartClock(): void {
  const expiry = byId('expiry')
  if (expiry) state.endsAt = performance.now() + Number(expiry.dataset.leftMs)
}

export function tick(): void {
  const leftMs = state.endsAt - performance.now()
  setTimeout(tick, Math.max(0, Math.min(1_000, leftMs > 0 ? leftMs : 1_000)))
  if (leftMs > 0) showMinutes(leftMs)
  else expire()
}

function showMinutes(leftMs: number): void {
  const minutes = Math.ceil(leftMs / minuteMs)
  if (minutes === state.shownMinutes || minutes >= 120) return
  const isSoon = minutes <= soonMinutes
  const expiry = element('expiry')
  if (isSoon) expiry.dataset.isSoon = 'yes'
  if (isSoon && !element('time-more').disabled) element('time').hidden = false
  if (state.shownMinutes !== -1) {
    const unit = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const
    const time = new Intl.NumberFormat(document.documentElement.lang, unit).format(minutes)
    expiry.textContent = expiry.dataset[isSoon ? 'soon' : 'left']?.replace('{time}', time) ?? ''
    if (minutes === soonMinutes || minutes === 1) tell(expiry.textContent)
  }
  state.shownMinutes = minutes
}

export function expire(page?: Document): void {
  const why = page?.querySelector('.state .error')?.textContent
  if (why) {
    element('expired-problem').textContent = why
    element('expired-problem').hidden = false
  }
  if (state.isExpired) return
  state.isExpired = true
  for (const id of ['time', 'expiry']) element(id).hidden = true
  const box = element('expired')
  box.hidden = false
  box.scrollIntoView({ block: 'nearest' })
  box.focus({ preventScroll: true })
}
