// Continues an expired checkout in a new session: the page stays, with the typed values and pending changes.

import { expire } from './clock.ts'
import { answered, failed } from './connection.ts'
import { byId, element, stateOf } from './dom.ts'
import { edited, saveIfComplete } from './edits.ts'
import { adopt } from './merge.ts'
import { send } from './queue.ts'
import { pageIn } from './requests.ts'
import { baseOf, state } from './state.ts'

export function watchAgain(): void {
  byId('expired')?.addEventListener('submit', (event) => {
    event.preventDefault()
    // The cast holds: only forms fire this event.
    void startAgain((event.target as HTMLFormElement).action)
  })
}

async function startAgain(action: string): Promise<void> {
  let page: Document | undefined
  let path = state.base
  try {
    // The answer redirects to the new checkout, which is a page of this server.
    const response = await fetch(action, { method: 'POST', body: new URLSearchParams() })
    page = await pageIn(response)
    if (page) path = baseOf(page, new URL(response.url).pathname)
  } catch {
    // `page` stays undefined, which is handled below.
  }
  if (!page) return failed()
  if (stateOf(page) === 'expired') return expire(page)
  if (stateOf(page) !== 'open') return location.assign(state.base)
  moveTo(path, page)
}

function moveTo(path: string, page: Document): void {
  const before = state.base
  state.base = path
  history.replaceState(null, '', path)
  for (const form of document.forms) {
    form.setAttribute('action', (form.getAttribute('action') ?? '').replace(before, path))
  }
  state.isExpired = false
  element('expired').hidden = true
  state.isInDoubt = false
  state.lastProblem = ''
  adopt(page)
  answered()
  edited()
  element('details').focus()
  saveIfComplete()
  void send()
}
