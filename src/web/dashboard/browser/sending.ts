// One press sends a form once; the server would have taken two as one anyway. What was typed is not left by accident.

export function sendOnce(): void {
  document.addEventListener('submit', (event) => {
    const { submitter } = event
    // Only forms are submitted.
    const form = event.target as HTMLFormElement
    if (event.defaultPrevented || form.method !== 'post' || submitter?.getAttribute('formtarget') === '_blank') return
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    submitter?.setAttribute('aria-busy', 'true')
  })
  addEventListener('pageshow', release)
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
    // Whoever stays can press again.
    release()
  })
}
