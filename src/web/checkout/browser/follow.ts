// A payment may be made, cancelled or confirmed elsewhere, at the bank or in another tab. The page polls the session's state and follows.

import { stateOf } from './dom.ts'
import type { PageState, SessionState } from './names.ts'
import { get } from './requests.ts'
import { state } from './state.ts'

const followMs: Partial<Record<PageState | '', number>> = {
  open: 10_000,
  challenge: 3_000,
  redirect: 3_000,
  processing: 1_500,
}
const shownState = stateOf(document)
const everyMs = followMs[shownState ?? '']

export function followPayment(): void {
  if (!everyMs) return
  state.followTimer = setTimeout(follow, everyMs)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void follow())
}

async function follow(): Promise<void> {
  clearTimeout(state.followTimer)
  if (document.visibilityState === 'visible') {
    try {
      const response = await get(`${state.base}/state`)
      if (response.ok && isLeft((await response.text()) as SessionState)) return location.assign(`${state.base}/wait`)
    } catch {
      // Offline: the next poll retries.
    }
  }
  clearTimeout(state.followTimer)
  state.followTimer = setTimeout(follow, everyMs)
}

// Whether the page must be replaced for the reported state. An open page that waits for the outcome of its own payment stays.
function isLeft(reported: SessionState): boolean {
  if (shownState === 'open') return reported === 'completed' && !state.isPaying
  return reported !== shownState && reported !== 'processing'
}
