// A file that exceeds one piece is sent as several forms with the same idempotency key, so sending a piece again has no further effect.

import { pageIn } from './dom.ts'

export function sendFilesInPieces(): void {
  document.addEventListener('submit', (event) => {
    // The cast holds: only forms fire this event.
    const form = event.target as HTMLFormElement
    const { submitter } = event
    const file = form.dataset.pieces ? field(form, 'file').files?.[0] : undefined
    if (!file || file.size <= Number(form.dataset.pieces)) return
    event.preventDefault()
    if (form.dataset.sending) return
    // The cast holds: every form with pieces has this element.
    const status = form.querySelector('[data-pieces-status]') as HTMLElement
    form.dataset.sending = 'yes'
    submitter?.setAttribute('aria-busy', 'true')
    sendPieces(form, file, status)
      .catch(() => say(status, status.dataset.failed))
      .finally(() => {
        delete form.dataset.sending
        submitter?.removeAttribute('aria-busy')
      })
  })
}

// The cast holds: every form with pieces has a file and a key.
function field(form: HTMLFormElement, name: 'file' | 'key'): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement
}

function say(status: HTMLElement, text = ''): void {
  status.textContent = text
}

async function sendPieces(form: HTMLFormElement, file: File, status: HTMLElement): Promise<void> {
  const fields = new FormData(form)
  // Pieces are limited in UTF-8. A one-byte character of another encoding has up to three bytes in UTF-8.
  const size = Math.floor(Number(form.dataset.pieces) / (fields.get('encoding') ? 3 : 1))
  const ends = await pieceEnds(file, size)
  if (ends.length > Number(form.dataset.piecesMax)) return say(status, status.dataset.large)
  fields.set('pieces', String(ends.length))
  for (const [at, end] of ends.entries()) {
    say(status, `${status.dataset.busy} ${at + 1}/${ends.length}`)
    fields.set('piece', String(at + 1))
    fields.set('file', file.slice(ends[at - 1] ?? 0, end), file.name)
    const answer = await postAgain(form.action, fields)
    if (!answer.ok) return showRefusal(form, status, await answer.text())
    // Opens the page that answers the last piece, or the page to which an earlier piece was redirected.
    const isLast = at === ends.length - 1
    if (isLast || !answer.url.startsWith(form.action.replace(/new$/, ''))) return location.assign(answer.url)
  }
}

// Returns the ends of the pieces, each between two characters of UTF-8. Continuation bytes begin with the bits 10.
async function pieceEnds(file: File, size: number): Promise<number[]> {
  const ends: number[] = []
  for (let from = 0; from < file.size; from = ends.at(-1) ?? file.size) {
    const end = Math.min(from + size, file.size)
    const bytes = new Uint8Array(await file.slice(end - 3, end + 1).arrayBuffer())
    let back = 0
    while (back < 3 && ((bytes[3 - back] ?? 0) & 0xc0) === 0x80) back++
    ends.push(end - back)
  }
  return ends
}

async function postAgain(href: string, body: FormData, triesLeft = 2): Promise<Response> {
  try {
    return await fetch(href, { method: 'POST', body, headers: { accept: 'text/html' } })
  } catch (error) {
    if (triesLeft === 0) throw error
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return postAgain(href, body, triesLeft - 1)
  }
}

// Shows the problem in the words of the answered page. The next attempt uses that page's idempotency key.
function showRefusal(form: HTMLFormElement, status: HTMLElement, text: string): void {
  const page = pageIn(text)
  const key = page.querySelector<HTMLInputElement>('form[data-pieces] [name=key]')
  if (key) field(form, 'key').value = key.value
  say(status, page.querySelector('[role=alert], .empty-title, .lead')?.textContent ?? status.dataset.failed)
}
