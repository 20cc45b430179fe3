// Makes pages kinder, and is needed by none: links that open in a dialog, rows that are chosen together, files that are sent in
// pieces, parts that read themselves again, and the note after a save, which leaves the address.

;(() => {
  const root = document.documentElement
  root.classList.add('scripted')

  // Toasts

  const toastNames = ['done', 'failed', 'n', 'refused', 'change']
  const address = new URL(location.href)
  if (toastNames.some((name) => address.searchParams.has(name))) {
    for (const name of toastNames) address.searchParams.delete(name)
    history.replaceState(history.state, '', address)
  }

  // Dialogs: the page of the link is fetched, and its question is shown above this one.

  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[data-dialog]')
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    event.preventDefault()
    openDialog(link.href).catch(() => location.assign(link.href))
  })

  async function openDialog(href) {
    const answer = await fetch(href, { headers: { accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
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
      if (event.target === dialog || event.target.closest('[data-close]')) {
        event.preventDefault()
        dialog.close()
      }
    })
    dialog.showModal()
  }

  // A file that is larger than one piece is sent as several forms with one key, so a piece that is sent again has no further effect.

  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event
    const file = form.dataset.pieces && form.elements.file.files[0]
    if (!file || file.size <= Number(form.dataset.pieces)) return
    event.preventDefault()
    if (form.dataset.sending) return
    const status = form.querySelector('[data-pieces-status]')
    form.dataset.sending = 'yes'
    submitter?.setAttribute('aria-busy', 'true')
    sendPieces(form, file, status)
      .catch(() => {
        status.textContent = status.dataset.failed
      })
      .finally(() => {
        delete form.dataset.sending
        submitter?.removeAttribute('aria-busy')
      })
  })

  async function sendPieces(form, file, status) {
    const fields = new FormData(form)
    // A character of one byte in another encoding has up to three in UTF-8, for which pieces are bounded.
    const size = Math.floor(Number(form.dataset.pieces) / (fields.get('encoding') ? 3 : 1))
    const ends = await pieceEnds(file, size)
    if (ends.length > Number(form.dataset.piecesMax)) {
      status.textContent = status.dataset.large
      return
    }
    fields.set('pieces', ends.length)
    for (const [at, end] of ends.entries()) {
      status.textContent = `${status.dataset.busy} ${at + 1}/${ends.length}`
      fields.set('piece', at + 1)
      fields.set('file', file.slice(ends[at - 1] ?? 0, end), file.name)
      const answer = await postAgain(form.action, fields)
      if (!answer.ok) return showRefusal(form, status, await answer.text())
      // The page of the import, or another to which it led.
      const isLast = at === ends.length - 1
      if (isLast || !answer.url.startsWith(form.action.replace(/new$/, ''))) return location.assign(answer.url)
    }
  }

  // Between two characters of UTF-8, whose further bytes begin with the bits 10.
  async function pieceEnds(file, size) {
    const ends = []
    for (let from = 0; from < file.size; from = ends.at(-1)) {
      const end = Math.min(from + size, file.size)
      const bytes = new Uint8Array(await file.slice(end - 3, end + 1).arrayBuffer())
      let back = 0
      while (back < 3 && (bytes[3 - back] & 0xc0) === 0x80) back++
      ends.push(end - back)
    }
    return ends
  }

  async function postAgain(href, body, triesLeft = 2) {
    try {
      return await fetch(href, { method: 'POST', body, headers: { accept: 'text/html' } })
    } catch (error) {
      if (triesLeft === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return postAgain(href, body, triesLeft - 1)
    }
  }

  // In the words of the page that was answered; its key is for the next try.
  function showRefusal(form, status, text) {
    const page = new DOMParser().parseFromString(text, 'text/html')
    const key = page.querySelector('form[data-pieces] [name=key]')
    if (key) form.elements.key.value = key.value
    status.textContent = page.querySelector('[role=alert], .empty-title, .lead')?.textContent ?? status.dataset.failed
  }

  // One press sends a form once; the server would have taken two as one anyway.

  document.addEventListener('submit', (event) => {
    const { submitter } = event
    if (event.defaultPrevented || event.target.method !== 'post' || submitter?.formTarget === '_blank') return
    if (event.target.dataset.sent) return event.preventDefault()
    event.target.dataset.sent = 'yes'
    submitter?.setAttribute('aria-busy', 'true')
  })
  addEventListener('pageshow', release)

  function release() {
    for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
    for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy')
  }

  // What was typed is not left by accident.

  for (const form of document.querySelectorAll('form[data-guard]'))
    form.addEventListener('input', () => {
      form.dataset.typed = 'yes'
    })
  addEventListener('beforeunload', (event) => {
    if (!document.querySelector('form[data-typed]:not([data-sent])')) return
    event.preventDefault()
    // Whoever stays can press again.
    release()
  })

  // Rows that are chosen together

  let lastChosen = null

  function boxesOf(form) {
    return [...form.querySelectorAll('[data-choose]')]
  }

  function count(form) {
    const boxes = boxesOf(form)
    const chosen = boxes.filter((box) => box.checked).length
    const all = form.querySelector('[data-choose-all]')
    if (all) {
      all.checked = chosen > 0 && chosen === boxes.length
      all.indeterminate = chosen > 0 && chosen < boxes.length
    }
    const told = form.querySelector('[data-bulk-count]')
    if (told) told.textContent = told.dataset.text.replace('{count}', String(chosen))
  }

  document.addEventListener('change', (event) => {
    const box = event.target
    const form = box.form
    if (!form || !box.matches?.('[data-choose], [data-choose-all]')) return
    if (box.matches('[data-choose-all]')) for (const one of boxesOf(form)) one.checked = box.checked
    count(form)
  })

  // Shift chooses all rows between the last one and this one.
  document.addEventListener('click', (event) => {
    const box = event.target
    if (!box.matches?.('[data-choose]') || !box.form) return
    if (event.shiftKey && lastChosen?.form === box.form) {
      const boxes = boxesOf(box.form)
      const [from, to] = [boxes.indexOf(lastChosen), boxes.indexOf(box)].sort((one, other) => one - other)
      for (const one of boxes.slice(from, to + 1)) one.checked = box.checked
      count(box.form)
    }
    lastChosen = box
  })
  addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form:has([data-choose])')) count(form)
  })

  // Print

  for (const button of document.querySelectorAll('[data-print]')) button.addEventListener('click', () => print())

  // Copy

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-copy]')
    const field = button && document.getElementById(button.dataset.copy)
    if (!field) return
    field.select()
    navigator.clipboard?.writeText(field.value).then(
      () => {
        button.textContent = button.dataset.copied
      },
      () => {},
    )
  })

  // Parts that read themselves again while they are seen, unless someone is at work in them.

  const everyMs = 30_000
  const soonMs = 2_000
  if (document.querySelector('[data-live]')) waitAndRefresh()

  function waitAndRefresh() {
    const waitMs = document.querySelector('[data-live-soon]') ? soonMs : everyMs
    setTimeout(
      () =>
        refresh()
          .catch(() => {})
          .finally(waitAndRefresh),
      waitMs,
    )
  }

  async function refresh() {
    const parts = [...document.querySelectorAll('[data-live]')]
    const isBusy = (part) => part.contains(document.activeElement) || part.querySelector(':checked, details[open]')
    if (document.hidden || document.querySelector('dialog[open]') || parts.every(isBusy)) return
    const here = new URL(location.href)
    // Selects all rows, which is for the first look only.
    here.searchParams.delete('chosen')
    const answer = await fetch(here, { headers: { accept: 'text/html' } })
    if (!answer.ok || answer.redirected) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const part of parts) {
      const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`)
      if (fresh && !isBusy(part) && fresh.innerHTML !== part.innerHTML) part.innerHTML = fresh.innerHTML
    }
  }
})()
