// No answer: everything stays as it is, a bar says so, and it is tried again.

import { body, element, tell } from './dom.ts'
import { state } from './state.ts'

const retryMsMax = 30_000
// Tells that it is time to try again.
export const retryEvent = 'retry'

export function failed(
  retryMs = 0,
  kind: 'failed' | 'offline' | 'pay' = navigator.onLine ? 'failed' : 'offline',
): void {
  state.isFailed = true
  // The failure is shown, and the focus does not move later.
  state.saidEdits = state.goOnEdits = Infinity
  showState()
  const connection = element('connection')
  element('connection-text').textContent = connection.dataset[kind] ?? ''
  element('connection-retry').hidden = kind === 'pay'
  connection.hidden = false
  if (state.retries === 0) tell(connection.dataset[kind])
  clearTimeout(state.retryTimer)
  state.retryTimer = setTimeout(
    () => dispatchEvent(new Event(retryEvent)),
    Math.max(retryMs, Math.min(1000 * 2 ** state.retries, retryMsMax)),
  )
  state.retries += 1
}

export function answered(): void {
  if (!state.isFailed || state.isCountryDue || state.isPaymentInDoubt || state.isExpired) return
  forgetFailure()
  tell(element('connection').dataset.saved)
}

export function forgetFailure(): void {
  state.isFailed = false
  state.isPaymentInDoubt = false
  state.retries = 0
  clearTimeout(state.retryTimer)
  element('connection').hidden = true
}

// For style sheet and tests: whether the server has what is on the page.
export function showState(isSending = false): void {
  const isBusy = isSending || state.running || state.asking || state.quantities.size > 0
  body.dataset.sync = state.isFailed ? 'failed' : isBusy ? 'busy' : ''
}
