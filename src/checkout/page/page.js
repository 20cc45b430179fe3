// Makes the checkout kinder; it is complete without. Changes are posted in the background by the page's own forms, and the
// parts of the answer that differ take the place of the old ones, so that nothing typed is lost and nothing jumps.

const { body } = document
const base = location.pathname.split('/').slice(0, 3).join('/')
const byId = (id) => document.getElementById(id)

function tell(text) {
  const told = byId('told')
  if (told && text) told.textContent = text
}

// A mouse button that is down must find under it what it was pressed on.
let isPressed = false
addEventListener('pointerdown', () => {
  isPressed = true
})
for (const end of ['pointerup', 'pointercancel']) {
  addEventListener(end, () => {
    setTimeout(() => {
      isPressed = false
    }, 0)
  })
}

async function pointerUp() {
  while (isPressed) await new Promise((resolve) => setTimeout(resolve, 30))
}

// One after the other, because each needs the version that the one before it made.
let queue = Promise.resolve()
let underWay = 0

// Sent as it stood when it was posted, but with the version that the page shows by then. Whoever waits for the queue finds
// the answer in the page.
function post(form, submitter, adopt) {
  const fields = new URLSearchParams(new FormData(form, submitter))
  underWay += 1
  queue = queue
    .then(() => exchange(form, fields, adopt))
    .finally(() => {
      underWay -= 1
    })
  return queue
}

const sendsMax = 5

// More than is taken at once has to wait, as long as the answer says; meanwhile nothing typed is lost.
async function send(to, fields) {
  for (let sends = 1; ; sends += 1) {
    const response = await fetch(to, { method: 'POST', body: fields })
    if (response.status !== 429 || sends === sendsMax) return response
    const seconds = Number(response.headers.get('retry-after')) || 1
    await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 10) * 1000))
  }
}

async function exchange(form, fields, adopt) {
  if (fields.has('version')) fields.set('version', body.dataset.version)
  let fresh
  try {
    const response = await send(form.action, fields)
    fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  } catch {
    // Off line, or a server that is just restarting: the browser's own way shows what is the matter.
    if (form.isConnected) HTMLFormElement.prototype.submit.call(form)
    else location.assign(base)
    return
  }
  if (fresh.body.dataset.state !== body.dataset.state) return location.assign(base)
  await pointerUp()
  adopt(fresh, fresh.body.dataset.problem ?? '', form)
}

// Takes over everything but the fields one types in.
const parts = ['notices', 'grand', 'count', 'items', 'shipping', 'payment-notice', 'pay-action', 'details-state']

function adoptAll(fresh, problem, posted) {
  const focusId = document.activeElement?.id
  // What is put in later is focused below, by hand.
  for (const marked of fresh.querySelectorAll('[autofocus]')) marked.removeAttribute('autofocus')
  for (const id of parts) {
    const old = byId(id)
    const given = fresh.getElementById(id)
    if (old && given && old.outerHTML !== given.outerHTML) replace(old, given, posted)
  }
  const [fields, freshFields] = [byId('pay-fields'), fresh.getElementById('pay-fields')]
  if (fields && freshFields) fields.disabled = freshFields.disabled
  const { total } = fresh.body.dataset
  if (total && total !== body.dataset.total) tell(byId('told').dataset.total.replace('{amount}', total))
  body.dataset.version = fresh.body.dataset.version
  body.dataset.total = total
  const focused = focusId && byId(focusId)
  if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true })
  if (problem) document.querySelector('#problem, #code[aria-invalid], #code-remove[aria-describedby]')?.focus()
}

// What is being typed elsewhere while an answer arrives stays typed.
function replace(old, given, posted) {
  const typed = [...old.querySelectorAll('input:not([type=hidden], [type=radio])')].filter(
    (input) => input.form !== posted && input.value !== input.defaultValue,
  )
  old.replaceWith(document.importNode(given, true))
  for (const { id, value } of typed) {
    const input = byId(id)
    if (input) input.value = value
  }
}

// The order: quantities and the code.

const side = document.querySelector('.side')
let stepping = 0

side?.addEventListener('click', (event) => {
  const button = event.target.closest('[data-step]')
  const input = button?.form.elements.namedItem('quantity')
  if (!input) return
  const next = Number(input.value) + Number(button.dataset.step)
  input.value = String(Math.min(Math.max(next, Number(input.min)), Number(input.max)))
  // Several presses in a row are one change.
  clearTimeout(stepping)
  stepping = setTimeout(() => button.form.requestSubmit(), 350)
})

side?.addEventListener('change', (event) => {
  if (event.target.name === 'quantity') event.target.form.requestSubmit()
})

side?.addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target
  const input = form.elements.namedItem('quantity')
  if (form.classList.contains('quantity')) {
    // The return key is a change and a submit: the second of the two has nothing to say.
    if (input.value === form.dataset.sent || input.value === input.defaultValue) return
    form.dataset.sent = input.value
  }
  side.setAttribute('aria-busy', 'true')
  post(form, event.submitter, adoptAll).then(() => side.removeAttribute('aria-busy'))
})

byId('main')?.addEventListener('submit', (event) => {
  if (!event.target.closest('#notices')) return
  event.preventDefault()
  post(event.target, event.submitter, adoptAll)
})

// The details: another country brings other fields; what is complete is kept at once, so that delivery and tax are right.

const details = byId('details')
const pay = byId('pay')
let unsaved = false

details?.addEventListener('input', () => {
  unsaved = true
})

details?.addEventListener('change', (event) => {
  unsaved = true
  // The browser trims plain spaces only; with a no-break one from a document it would take the address for invalid.
  if (event.target.type === 'email') event.target.value = event.target.value.trim()
  if (event.target.id === 'country') {
    const useCountry = details.querySelector('button[value="country"]')
    post(details, useCountry, (fresh) => {
      const given = fresh.getElementById('address')
      if (given) byId('address').replaceWith(document.importNode(given, true))
    })
  } else if (details.checkValidity()) save()
})

function save() {
  unsaved = false
  return post(details, null, (fresh, problem) => {
    if (problem) unsaved = true
    // What is wrong with a field is not said while it is being typed, but when one goes on.
    if (problem !== 'invalid') adoptAll(fresh, problem)
  })
}

details?.addEventListener('submit', async (event) => {
  if (underWay === 0) return
  event.preventDefault()
  await queue
  details.requestSubmit(event.submitter)
})

// The payment: once, for the total that is shown, with the details that are shown.

let isSent = false

pay?.addEventListener('submit', async (event) => {
  if (isSent) return event.preventDefault()
  if (unsaved || underWay > 0) {
    event.preventDefault()
    const { total } = body.dataset
    if (unsaved) save()
    await queue
    if (unsaved) details.requestSubmit()
    else if (total === body.dataset.total) pay.requestSubmit()
    else byId('pay-button').focus()
    return
  }
  const empty = [...pay.querySelectorAll('.method-inside input')].find(
    (input) => input.offsetParent !== null && input.value.trim() === '',
  )
  if (empty) {
    event.preventDefault()
    empty.setAttribute('aria-invalid', 'true')
    return empty.focus()
  }
  isSent = true
  const button = byId('pay-button')
  button.setAttribute('aria-disabled', 'true')
  button.textContent = pay.dataset.busy
  tell(pay.dataset.busy)
})

pay?.addEventListener('input', (event) => {
  event.target.removeAttribute('aria-invalid')
  const { autocomplete, value } = event.target
  if (event.target.selectionStart !== value.length) return
  const digits = value.replace(/\D/g, '')
  if (autocomplete === 'cc-number' && /^[\d ]+$/.test(value)) event.target.value = digits.match(/.{1,4}/g).join(' ')
  // A slash appears after the month, but not in the way of whoever is deleting.
  if (autocomplete === 'cc-exp' && event.inputType === 'insertText' && /^\d{2}$/.test(value)) {
    event.target.value = `${digits} / `
  }
})

// Back from the shop: a page that the browser kept has a button that was used up.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

// The time that is left, told when it becomes short.

const expiry = byId('expiry')
if (expiry) {
  const endsAt = performance.now() + Number(expiry.dataset.leftMs)
  const minuteMs = 60_000
  let shown = -1
  const tick = () => {
    const leftMs = endsAt - performance.now()
    if (leftMs <= 0) return location.assign(base)
    const minutes = Math.ceil(leftMs / minuteMs)
    if (minutes !== shown && minutes < 120) {
      const unit = { style: 'unit', unit: 'minute', unitDisplay: 'long' }
      const time = new Intl.NumberFormat(document.documentElement.lang, unit).format(minutes)
      const isSoon = minutes <= 5
      if (isSoon) expiry.dataset.isSoon = 'yes'
      if (shown !== -1) expiry.textContent = expiry.dataset[isSoon ? 'soon' : 'left'].replace('{time}', time)
      if (shown !== -1 && (minutes === 5 || minutes === 1)) tell(expiry.textContent)
      shown = minutes
    }
    setTimeout(tick, Math.min(1_000, leftMs))
  }
  tick()
}

// Waiting for the bank, without loading the page again and again under a reader's eyes.

if (body.dataset.state === 'processing') {
  const look = async () => {
    try {
      const response = await fetch(`${base}/wait`, { redirect: 'manual' })
      if (response.type === 'opaqueredirect') return location.assign(`${base}/wait`)
    } catch {
      // Off line for a moment: the next look will tell.
    }
    setTimeout(look, 2_500)
  }
  setTimeout(look, 1_500)
}

// Under a width at which the order stands beside the form it is folded; a browser that cannot show a folded part by style
// unfolds it here.
if (!CSS.supports('selector(::details-content)') && matchMedia('(min-width: 60rem)').matches) {
  for (const fold of document.querySelectorAll('.fold')) fold.open = true
}
