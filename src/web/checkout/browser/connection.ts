// If the server does not respond, the page stays as it is, a bar reports the failure, and the request is retried.

import { body, element, tell } from './dom.ts'
import { state } from './state.ts'

const retryMsMax = 30_000
// Event that starts a retry.
export const retryEvent = 'retry'

export function failed(
  retryMs = 0,
  kind: 'failed' | 'offline' | 'pay' = navigator.onLine ? 'failed' : 'offline',
): void {
  state.isFailed = true
  // The retry of these edits shows no problems of the details and does not move the focus.
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

// Sets `data-sync`, which tells the style sheet and tests whether the server has all changes made on the page.
export function showState(isSending = false): void {
  const isBusy = isSending || state.running || state.asking || state.quantities.size > 0
  body.dataset.sync = state.isFailed ? 'failed' : isBusy ? 'busy' : ''
}
