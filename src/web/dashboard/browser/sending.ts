// Sends a form once, even if its button is pressed twice, and warns before typed values are lost. The server would treat two posts as one
// anyway.

export function sendOnce(): void {
  document.addEventListener('submit', (event) => {
    const { submitter } = event
    // The cast holds: only forms fire this event.
    const form = event.target as HTMLFormElement
    if (event.defaultPrevented || form.method !== 'post' || submitter?.getAttribute('formtarget') === '_blank') return
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    submitter?.setAttribute('aria-busy', 'true')
    if (!form.matches('.form') || form.dataset.reached) return
    event.preventDefault()
    void sendIfReached(form, submitter)
  })
  addEventListener('pageshow', release)
}

const reachMs = 8_000

// Without a connection the browser would leave the page and lose the typed values. Any response of the server proves that there is a
// connection.
async function sendIfReached(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const isReached = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(reachMs) }).then(
    () => true,
    () => false,
  )
  release()
  sayOffline(form, !isReached)
  if (!isReached) return
  form.dataset.reached = 'yes'
  form.requestSubmit(submitter)
  delete form.dataset.reached
}

function sayOffline(form: HTMLFormElement, isOffline: boolean): void {
  form.querySelector('[data-offline-note]')?.remove()
  if (!isOffline) return
  const note = document.createElement('p')
  note.className = 'notice bad'
  note.dataset.offlineNote = ''
  note.setAttribute('role', 'alert')
  note.textContent = document.body.dataset.offline ?? ''
  form.prepend(note)
  note.scrollIntoView({ block: 'nearest' })
}

function release(): void {
  for (const form of document.querySelectorAll<HTMLElement>('form[data-sent]')) delete form.dataset.sent
  for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy')
}

export function guardTyped(): void {
  for (const form of document.querySelectorAll<HTMLElement>('form[data-guard]'))
    form.addEventListener('input', () => {
      form.dataset.typed = 'yes'
    })
  addEventListener('beforeunload', (event) => {
    if (!document.querySelector('form[data-typed]:not([data-sent])')) return
    event.preventDefault()
    // If the person stays on the page, the buttons must work again.
    release()
  })
}
