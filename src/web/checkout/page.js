// Improves the checkout, which is complete without script. Changes (quantities, a code, the details, the payment) are queued here
// until the server has confirmed them and are sent one at a time, because each needs the version that the previous one made. An
// answer is merged into the page without touching what was typed or pressed since the request. Without an answer a change is sent
// again: each sets a value or names its attempt, so sending it twice is safe.

const { body } = document
let base = baseOf(document, location.pathname)
const byId = (id) => document.getElementById(id)

// The address of the session that a page shows. A page that answered a form may have the address of another session.
function baseOf(page, path) {
  return (page.getElementById('details')?.getAttribute('action') ?? path).split('/').slice(0, 3).join('/')
}

function tell(text) {
  const told = byId('told')
  if (told && text) told.textContent = text
}

const side = document.querySelector('.side')
const details = byId('details')
const pay = byId('pay')
const isOpen = body.dataset.state === 'open'

// Pending changes.

// By SKU: the quantity, and whether it is sent now or after a short pause.
const quantities = new Map()
// The fields of the promotion code's form, once submitted.
let code = null
// Counts edits of the details; up to which edit they are to be saved, were refused, and are saved.
let edits = 0
let dueEdits = 0
let refusedEdits = 0
let savedEdits = 0
// From which edit on problems are shown and the focus moves on: not while the shopper is still typing.
let saidEdits = Infinity
let goOnEdits = Infinity
let isTimeWanted = false

// A request without an answer may have been executed: then a newer version is expected.
let isInDoubt = false
let isExpired = false

function nextJob() {
  if (isExpired) return undefined
  for (const [skuId, { quantity, isDue }] of quantities) {
    if (isDue) return { kind: 'quantity', fields: { skuId, quantity }, skuId, quantity }
  }
  if (code) return { kind: 'code', fields: code, code }
  if (isTimeWanted) return { kind: 'time', form: 'details', fields: { ...detailFields(), intent: 'time' } }
  // While the fields of another country are loading, those on the page belong to the previous one.
  const isSaveDue = dueEdits > Math.max(savedEdits, refusedEdits) && !asking && !isCountryDue
  return isSaveDue ? { kind: 'details', fields: detailFields(), edits } : undefined
}

function detailFields() {
  return Object.fromEntries(new FormData(details))
}

// Sends what is due; resolves when nothing is left or sending failed.
let running = null

function send() {
  if (!isOpen) return Promise.resolve()
  running ??= sendAll().finally(() => {
    running = null
    side?.removeAttribute('aria-busy')
    showState()
    // Queued while the last answer was merged.
    if (!isFailed && nextJob()) void send()
  })
  return running
}

// For style sheet and tests: whether the server has what is on the page.
function showState() {
  const isBusy = running || asking || quantities.size > 0
  body.dataset.sync = isFailed ? 'failed' : isBusy ? 'busy' : ''
}

async function sendAll() {
  for (let job = nextJob(); job; job = nextJob()) {
    body.dataset.sync = isFailed ? 'failed' : 'busy'
    if (job.kind !== 'details') side?.setAttribute('aria-busy', 'true')
    const fields = { ...job.fields, version: body.dataset.version }
    const answer = await ask(`${base}/${job.form ?? job.kind}`, fields)
    if (answer.page) await pointerUp()
    if (!take(answer)) return
    // The server answers again.
    retries = 0
    confirmJob(job, answer.page)
  }
  answered()
}

const answerMsMax = 30_000
const sendsMax = 5
const waitMsMax = 10_000

// A page or none, and when to retry.
async function ask(path, fields) {
  try {
    const sent = await post(path, fields)
    if (!sent.isSentOn) return sent
    const response = await fetch(base, { signal: AbortSignal.timeout(answerMsMax), cache: 'no-store' })
    return { page: await pageIn(response), retryMs: retryMsOf(response) }
  } catch {
    return {}
  }
}

// Redirects are not followed by fetch: they may lead to the shop, whose pages our script cannot read. After a 429 it waits for as
// long as the answer says.
async function post(path, fields) {
  for (let sends = 1; ; sends += 1) {
    const response = await fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    if (response.type === 'opaqueredirect') return { isSentOn: true }
    const [page, retryMs] = [await pageIn(response), retryMsOf(response)]
    if (page?.body.dataset.state !== 'slow') return { page, retryMs }
    if (sends === sendsMax) return { retryMs }
    await new Promise((resolve) => setTimeout(resolve, Math.min(retryMs || 1000, waitMsMax)))
  }
}

function retryMsOf(response) {
  return 1000 * (Number(response.headers.get('retry-after')) || 0)
}

// Undefined if it is not a page of ours: from a proxy, or from a server that is restarting.
async function pageIn(response) {
  if (response.status >= 500) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return page.body.dataset.state === undefined ? undefined : page
}

// Whether the answer is a page to merge; if not, the change stays queued, or this page is left.
function take({ page, retryMs }) {
  if (!page) {
    isInDoubt = true
    failed(retryMs)
    return false
  }
  const { state } = page.body.dataset
  if (state === 'open') return true
  if (state === 'expired') expire(page)
  else location.assign(state === 'completed' || state === 'processing' ? `${base}/wait` : base)
  return false
}

// The problem of the last request.
let lastProblem = ''

function confirmJob(job, page) {
  const { problem = '' } = page.body.dataset
  const isOurs = isInDoubt && problem === 'stale'
  isInDoubt = false
  // The order was changed elsewhere: its current state is shown, and pending changes are dropped.
  if (problem === 'stale' && !isOurs) {
    quantities.clear()
    code = null
  }
  const isDetails = job.kind === 'details'
  if (job.kind === 'quantity') confirmQuantity(job, page, isOurs)
  if (job.kind === 'code' && code === job.code && !isOurs) code = null
  if (job.kind === 'time') isTimeWanted = false
  if (isDetails && !isOurs) confirmDetails(job, problem)
  const isQuiet = isDetails && problem === 'invalid' && !(job.edits >= saidEdits)
  const isGoingOn = isDetails && problem === '' && job.edits >= goOnEdits
  if (isDetails && !isOurs && job.edits >= saidEdits) saidEdits = goOnEdits = Infinity
  if (isOurs) page.getElementById('problem')?.remove()
  lastProblem = isOurs || isQuiet ? '' : problem
  adopt(page, { hasForm: isDetails && !isQuiet, isQuiet: isQuiet || isOurs, sentEdits: job.edits })
  if (isGoingOn && mayLead(job.edits)) goOn()
}

function confirmQuantity({ skuId, quantity }, page, isOurs) {
  const wanted = quantities.get(skuId)
  if (wanted?.quantity !== quantity) return
  const there = page.getElementById(`quantity-${skuId}`)?.defaultValue ?? '0'
  if (!isOurs || there === String(quantity)) quantities.delete(skuId)
}

function confirmDetails(job, problem) {
  if (problem === '') savedEdits = job.edits
  else refusedEdits = job.edits
}

// The focus does not move while the shopper is typing: the next keys would be lost.
let ledFrom = ''

function mayLead(sentEdits = edits) {
  const active = document.activeElement
  return !active?.matches('input:not([type=radio]), select') || (active.id === ledFrom && sentEdits === edits)
}

function goOn() {
  const payment = byId('payment')
  payment?.scrollIntoView()
  payment?.focus({ preventScroll: true })
}

// No answer.

const connection = byId('connection')
const retryMsMax = 30_000
let isFailed = false
let retries = 0
let retryTimer = 0

function failed(retryMs = 0, kind = navigator.onLine ? 'failed' : 'offline') {
  isFailed = true
  // The failure is shown, and the focus does not move later.
  saidEdits = goOnEdits = Infinity
  showState()
  byId('connection-text').textContent = connection.dataset[kind]
  byId('connection-retry').hidden = kind === 'pay'
  connection.hidden = false
  if (retries === 0) tell(connection.dataset[kind])
  clearTimeout(retryTimer)
  retryTimer = setTimeout(retry, Math.max(retryMs, Math.min(1000 * 2 ** retries, retryMsMax)))
  retries += 1
}

function answered() {
  if (!isFailed || isCountryDue || isPaymentInDoubt || isExpired) return
  forgetFailure()
  tell(connection.dataset.saved)
}

function forgetFailure() {
  isFailed = false
  isPaymentInDoubt = false
  retries = 0
  clearTimeout(retryTimer)
  connection.hidden = true
}

function retry() {
  if (!isFailed) return
  clearTimeout(retryTimer)
  if (isPaymentInDoubt) void lookForPayment()
  if (isCountryDue) void showCountry()
  void send()
}

addEventListener('online', retry)
byId('connection-retry')?.addEventListener('click', retry)

// Merging an answer into the page.

// While a button is held down, the page under it must not change. A release elsewhere is not waited for.
let isPressed = false
function press() {
  isPressed = true
}
function letGo() {
  setTimeout(() => {
    isPressed = false
  }, 0)
}
for (const start of ['pointerdown', 'keydown']) addEventListener(start, press, true)
for (const end of ['pointerup', 'pointercancel', 'keyup', 'blur']) addEventListener(end, letGo, true)

async function pointerUp() {
  for (let waits = 0; isPressed && waits < 50; waits += 1) await new Promise((resolve) => setTimeout(resolve, 20))
}

const parts = [
  'notices',
  'grand',
  'expiry',
  'count',
  'items',
  'time',
  'shipping',
  'payment-notice',
  'pay-fields',
  'pay-action',
  'details-state',
  'details-save',
]
// Fields for typing: their messages change, what was typed stays.
const formParts = ['contact', 'country-field', 'address']

// By the id of the field: what the shopper typed. Values of a field that its country does not have are remembered.
const typed = new Map()

function note({ target }) {
  if (target.id && target.name !== 'quantity' && target.type !== 'radio') typed.set(target.id, typedValue(target))
  unfold(target)
}

// A field that was filled, by the browser for example, is visible.
function unfold(field) {
  const fold = field.value && field.closest?.('.more')
  if (fold) fold.open = true
}

// Who unfolds a field wants to type into it. The fold opens after this event.
addEventListener('click', ({ target }) => {
  const fold = target.closest('.more > summary')?.parentElement
  if (fold && !fold.open) setTimeout(() => fold.querySelector('input')?.focus(), 0)
})

function typedValue(field) {
  if (field.tagName !== 'SELECT') return { value: field.value }
  const text = field.selectedOptions[0]?.textContent ?? ''
  return { value: field.value, text, isChosen: true, country: shownCountry }
}

function adopt(page, { hasForm = false, isQuiet = false, sentEdits = edits } = {}) {
  // Elements that are inserted are focused below.
  for (const marked of page.querySelectorAll('[autofocus]')) marked.removeAttribute('autofocus')
  const isShown = page.getElementById('country')?.value === byId('country')?.value
  const ids = hasForm && isShown ? [...parts, ...formParts] : parts
  // Messages about the details stay until they are sent again.
  rework(page, isQuiet && lastProblem === '' ? ids.filter((id) => id !== 'notices') : ids)
  if (!isQuiet) document.title = page.title
  const { total, version } = page.body.dataset
  if (total && total !== body.dataset.total) tell(byId('told').dataset.total.replace('{amount}', total))
  body.dataset.version = version
  body.dataset.total = total
  restartClock()
  if (!lastProblem || !mayLead(sentEdits)) return
  document.querySelector('#problem, #code[aria-invalid], #code-remove[aria-describedby]')?.focus()
}

function rework(page, ids) {
  const focused = document.activeElement
  const selection = selectionOf(focused)
  const option = document.querySelector('#shipping input:checked')?.value
  for (const id of ids) {
    const [old, given] = [byId(id), page.getElementById(id)]
    if (old && given) morph(old, given)
  }
  putBack(option)
  const again = focused?.id && byId(focused.id)
  if (!again || again === document.activeElement) return
  again.focus({ preventScroll: true })
  if (selection && selectionOf(again)) again.setSelectionRange(...selection)
}

// A number field has no selection, and reading it is an error in some browsers.
function selectionOf(field) {
  if (field?.tagName !== 'INPUT' || !['text', 'tel'].includes(field.type)) return undefined
  return [field.selectionStart, field.selectionEnd]
}

// Restores pending changes and typed values over the server's state.
function putBack(option) {
  for (const [skuId, { quantity }] of quantities) showQuantity(skuId, quantity)
  for (const [id, made] of typed) {
    const field = byId(id)
    if (field) fill(field, made)
  }
  for (const field of document.querySelectorAll('[autocomplete="cc-number"]')) showBrand(field)
  const choice = [...document.querySelectorAll('#shipping input')].find(({ value }) => value === option)
  if (choice && edits !== savedEdits) choice.checked = true
}

// A choice is restored by its value in its own country, elsewhere by its label; its code means nothing to another field.
function fill(field, { value, text, isChosen = false, country }) {
  if (field.tagName !== 'SELECT') {
    const next = isChosen ? '' : value
    if (field.value !== next) field.value = next
    return unfold(field)
  }
  const isOwn = field.id === 'country' || !isChosen || country === shownCountry
  const like = (a, b) => a.trim().toLowerCase() === b.trim().toLowerCase()
  const found = [...field.options].find(
    (one) => (isOwn && like(one.value, value)) || like(one.textContent, isChosen ? text : value),
  )
  if (found && !found.selected) found.selected = true
}

function showQuantity(skuId, quantity) {
  const input = byId(`quantity-${skuId}`)
  if (!input) return
  byId(`item-${skuId}`)?.toggleAttribute('data-leaving', quantity === 0)
  const isOther = input.value !== String(quantity) && input.id !== draft
  if (quantity > 0 && isOther) input.value = String(quantity)
  for (const [end, isEnd] of [
    ['fewer', quantity <= Number(input.min)],
    ['more', quantity >= Number(input.max)],
  ]) {
    const button = byId(`quantity-${skuId}-${end}`)
    if (button) button.disabled = isEnd
  }
}

// Makes one tree equal to the other and keeps every element that is in both, with its focus and pressed state. Elements with an id
// are matched by it.
function morph(old, given) {
  if (old.nodeType !== given.nodeType || old.nodeName !== given.nodeName || old.id !== given.id) {
    return old.replaceWith(document.importNode(given, true))
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== given.data) old.data = given.data
    return
  }
  for (const { name } of [...old.attributes]) {
    // What the shopper unfolded stays open.
    const isUnfolded = name === 'open' && old.tagName === 'DETAILS'
    if (!given.hasAttribute(name) && !isUnfolded) old.removeAttribute(name)
  }
  for (const { name, value } of given.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  // Values set by script or by the user are not attributes.
  if (old.tagName === 'INPUT') morphInput(old, given)
  morphChildren(old, given)
}

function morphInput(old, given) {
  if (['radio', 'checkbox'].includes(old.type)) {
    // How to pay is the shopper's choice alone.
    if (!pay?.contains(old)) old.checked = given.checked
    // Setting the same value would lose the selection, over which a new number may be typed.
  } else if (old.type === 'hidden' || !(typed.has(old.id) || old.id === draft || quantities.has(old.id.slice(9)))) {
    if (old.value !== given.value) old.value = given.value
  }
}

function morphChildren(old, given) {
  const ids = new Set([...given.children].map(({ id }) => id).filter(Boolean))
  for (const child of [...old.children]) if (child.id && !ids.has(child.id)) child.remove()
  let at = old.firstChild
  for (const wanted of given.childNodes) {
    const here = wanted.id ? [...old.children].find(({ id }) => id === wanted.id) : at
    if (!here) {
      old.insertBefore(document.importNode(wanted, true), at)
      continue
    }
    // Elements before the matching one are gone.
    while (at && at !== here) {
      const next = at.nextSibling
      at.remove()
      at = next
    }
    at = here.nextSibling
    morph(here, wanted)
  }
  while (at) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}

// The order: quantities and the code.

const stepMs = 350
// The quantity field that is being typed in.
let draft = null

function want(skuId, quantity, afterMs) {
  clearTimeout(quantities.get(skuId)?.timer)
  const wanted = { quantity, isDue: afterMs === 0 }
  quantities.set(skuId, wanted)
  showQuantity(skuId, quantity)
  showState()
  if (wanted.isDue) return void send()
  // Several presses in a row are one change.
  wanted.timer = setTimeout(() => {
    wanted.isDue = true
    void send()
  }, afterMs)
}

const skuOf = (form) => form.elements.namedItem('skuId').value

side?.addEventListener('click', (event) => {
  const button = event.target.closest('[data-step]')
  if (!button) return
  const skuId = skuOf(button.form)
  const input = byId(`quantity-${skuId}`)
  draft = null
  const next = (quantities.get(skuId)?.quantity || Number(input.value)) + Number(button.dataset.step)
  input.value = String(Math.min(Math.max(next, Number(input.min)), Number(input.max)))
  want(skuId, Number(input.value), stepMs)
})

// A typed quantity counts when the field is left, or at the return key, which is both a change and a submit.
function wantTyped(form) {
  draft = null
  const input = form.elements.namedItem('quantity')
  const skuId = skuOf(form)
  const quantity = Number(input.value)
  const isWhole = input.value !== '' && Number.isInteger(quantity) && quantity >= 0
  if (!isWhole) input.value = String(quantities.get(skuId)?.quantity ?? input.defaultValue)
  else if (quantity !== (quantities.get(skuId)?.quantity ?? Number(input.defaultValue))) want(skuId, quantity, 0)
}

side?.addEventListener('input', ({ target }) => {
  if (target.name === 'quantity') draft = target.id
})

side?.addEventListener('change', ({ target }) => {
  if (target.name === 'quantity') wantTyped(target.form)
})

function submitted(event) {
  const form = event.target
  event.preventDefault()
  ledFrom = document.activeElement?.id
  if (form.classList.contains('quantity')) return wantTyped(form)
  // Removes the item, or takes what is left.
  if (form.action.endsWith('/quantity')) return want(skuOf(form), Number(form.elements.namedItem('quantity').value), 0)
  code = Object.fromEntries(new FormData(form))
  typed.delete('code')
  void send()
}

side?.addEventListener('submit', submitted)
byId('main')?.addEventListener('submit', (event) => {
  if (event.target.closest('#notices')) submitted(event)
})

// The details: another country has other fields; complete details are saved at once, so delivery and tax are right.

for (const kind of ['input', 'change']) addEventListener(kind, note)

function edited() {
  edits += 1
}

function saveIfComplete() {
  if (edits === savedEdits || !details.checkValidity()) return
  dueEdits = edits
  void send()
}

details?.addEventListener('input', edited)

details?.addEventListener('change', (event) => {
  edited()
  // The browser trims plain spaces only; with a pasted no-break space it would call the address invalid.
  if (event.target.type === 'email') {
    event.target.value = event.target.value.trim()
    note(event)
  }
  if (event.target.id === 'country') void showCountry()
  else saveIfComplete()
})

// A field that was replaced under the cursor fires no change event.
details?.addEventListener('focusout', saveIfComplete)

details?.addEventListener('submit', (event) => {
  event.preventDefault()
  const intent = event.submitter?.value
  if (intent === 'country') return void showCountry()
  if (intent === 'time') isTimeWanted = true
  else {
    wantSaved()
    goOnEdits = edits
    ledFrom = document.activeElement?.id
  }
  void send()
})

// Also incomplete details: then what is missing is shown.
function wantSaved() {
  // The focus moves on without a change as well.
  if (edits === savedEdits || edits === refusedEdits) edited()
  dueEdits = edits
  saidEdits = edits
}

// The fields of the country that is chosen when the answer arrives. They need no version, so they are not queued.
let shownCountry = byId('country')?.value
let asking = null
let isCountryDue = false

function showCountry() {
  asking ??= askCountry().finally(() => {
    asking = null
    showState()
    if (isCountryDue) return
    if (byId('country').value !== shownCountry) void showCountry()
    else void send()
  })
  showState()
  return asking
}

async function askCountry() {
  const { value } = byId('country')
  const answer = await ask(`${base}/details`, { ...detailFields(), intent: 'country' })
  isCountryDue = !answer.page
  if (!answer.page) return failed(answer.retryMs)
  if (!take(answer)) return
  if (!nextJob()) answered()
  if (byId('country').value !== value) return
  await pointerUp()
  const region = byId('region')
  if (region?.tagName === 'SELECT' && region.value !== '') typed.set('region', typedValue(region))
  shownCountry = value
  rework(answer.page, ['address'])
  edited()
  saveIfComplete()
}

// The payment: once, for the total that is shown, with the details that are shown.

let isPaying = false
let isPaymentInDoubt = false

pay?.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isPaying) return
  if (isExpired) return byId('expired').focus()
  const empty = emptyField()
  if (empty) {
    empty.setAttribute('aria-invalid', 'true')
    return empty.focus()
  }
  const { total } = body.dataset
  busy(true)
  const isReady = await sendEverything()
  if (isReady && total === body.dataset.total) return sendPayment()
  busy(false)
  // The total is not the one on the button that was pressed: the shopper must see it first.
  if (isReady) byId('pay-button')?.focus()
})

function emptyField() {
  return [...pay.querySelectorAll('.method-inside input[required]')].find(
    (input) => input.offsetParent !== null && input.value.trim() === '',
  )
}

// The return key moves to the next empty field, and at last to the button; it never pays.
pay?.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.target.tagName !== 'INPUT') return
  event.preventDefault()
  const next = emptyField() ?? byId('pay-button')
  next?.focus()
})

// Whether the server has everything that is on the page, without a problem.
async function sendEverything() {
  forgetFailure()
  if (isCountryDue) void showCountry()
  while (asking) await asking
  for (const wanted of quantities.values()) wanted.isDue = true
  if (edits !== savedEdits) wantSaved()
  lastProblem = ''
  if (nextJob()) void send()
  while (running) await running
  const isAnythingWanted = quantities.size > 0 || code !== null || edits !== savedEdits
  return !isFailed && !isExpired && !isAnythingWanted && lastProblem === ''
}

let payWords = []

function busy(isBusy) {
  isPaying = isBusy
  const button = byId('pay-button')
  if (!button) return
  if (isBusy) {
    payWords = [...button.childNodes]
    button.setAttribute('aria-disabled', 'true')
    button.textContent = pay.dataset.busy
    tell(pay.dataset.busy)
  } else if (button.hasAttribute('aria-disabled')) {
    // Otherwise an answer has replaced the button.
    button.removeAttribute('aria-disabled')
    button.replaceChildren(...payWords)
  }
}

async function sendPayment() {
  const { page, retryMs } = await ask(`${base}/pay`, new FormData(pay))
  // To the shop or to the bank: the button stays busy until their page is there.
  if (page && !['open', 'expired'].includes(page.body.dataset.state)) return take({ page })
  busy(false)
  // Without an answer the next poll tells whether it was paid.
  isPaymentInDoubt = !page
  if (!page) return failed(retryMs, 'pay')
  if (!take({ page })) return
  answered()
  lastProblem = page.body.dataset.problem ?? ''
  adopt(page, { hasForm: true })
  // Declined. The server has not seen what was typed again, and the page still has it.
  if (!lastProblem) goOn()
}

// After a payment without an answer. It is never sent again automatically: only the button pays.
async function lookForPayment() {
  if (isPaying) return
  let page
  try {
    page = await pageIn(await fetch(base, { signal: AbortSignal.timeout(answerMsMax), cache: 'no-store' }))
  } catch {
    // Still no answer.
  }
  if (isPaying) return
  if (!page) return failed(0, 'pay')
  isPaymentInDoubt = false
  if (!take({ page })) return
  isInDoubt = true
  retries = 0
  lastProblem = ''
  adopt(page)
}

// By the first digits, as far as they are known to everyone; nothing is asked of anybody.
const brandPatterns = {
  visa: /^4/,
  mastercard: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
  amex: /^3[47]/,
  discover: /^(6011|64[4-9]|65)/,
  diners: /^(30[0-5]|3[689])/,
  jcb: /^35(2[89]|[3-8])/,
  unionpay: /^62/,
  maestro: /^(5018|5020|5038|6304|6759|676[1-3])/,
}

function brandOf(digits) {
  return Object.keys(brandPatterns).find((brand) => brandPatterns[brand].test(digits))
}

function showBrand(field) {
  const brands = field.closest('.field').querySelector('.brands')
  if (!brands) return
  const brand = brandOf(field.value.replace(/\D/g, ''))
  const isTaken = [...brands.children].some((mark) => mark.dataset.brand === brand)
  for (const mark of brands.children) mark.hidden = isTaken && mark.dataset.brand !== brand
  brands.toggleAttribute('data-known', isTaken)
}

// In the groups that are printed on the card.
function grouped(digits) {
  const groups = brandOf(digits) === 'amex' ? /^(.{1,4})(.{1,6})?(.+)?$/ : undefined
  return (groups ? groups.exec(digits).slice(1).filter(Boolean) : digits.match(/.{1,4}/g)).join(' ')
}

pay?.addEventListener('input', (event) => {
  event.target.removeAttribute('aria-invalid')
  if (event.target.autocomplete === 'cc-number') showBrand(event.target)
  const { autocomplete, value } = event.target
  if (event.target.selectionStart !== value.length) return
  const digits = value.replace(/\D/g, '')
  if (autocomplete === 'cc-number' && /^\d[\d ]*$/.test(value)) event.target.value = grouped(digits)
  // A slash appears after the month, but not while deleting or when the year comes first.
  if (autocomplete === 'cc-exp' && event.inputType === 'insertText' && /^(0[1-9]|1[0-2])$/.test(value)) {
    event.target.value = `${digits} / `
  }
})

// Back from the shop: a page from the browser's cache has a button that was used.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

// The time left, announced when it becomes short. When it has run out, everything stays on the page and can continue in a new
// checkout with the same items.

const minuteMs = 60_000
let endsAt = 0
let shownMinutes = -1

function restartClock() {
  const expiry = byId('expiry')
  if (expiry) endsAt = performance.now() + Number(expiry.dataset.leftMs)
}

function tick() {
  const expiry = byId('expiry')
  const leftMs = endsAt - performance.now()
  setTimeout(tick, Math.max(0, Math.min(1_000, leftMs > 0 ? leftMs : 1_000)))
  if (leftMs <= 0) return expire()
  const minutes = Math.ceil(leftMs / minuteMs)
  if (minutes === shownMinutes || minutes >= 120) return
  const unit = { style: 'unit', unit: 'minute', unitDisplay: 'long' }
  const time = new Intl.NumberFormat(document.documentElement.lang, unit).format(minutes)
  const isSoon = minutes <= 5
  if (isSoon) expiry.dataset.isSoon = 'yes'
  if (isSoon && !byId('time-more').disabled) byId('time').hidden = false
  if (shownMinutes !== -1) {
    expiry.textContent = expiry.dataset[isSoon ? 'soon' : 'left'].replace('{time}', time)
    if (minutes === 5 || minutes === 1) tell(expiry.textContent)
  }
  shownMinutes = minutes
}

function expire(page) {
  const box = byId('expired')
  const why = page?.querySelector('.state .error')?.textContent
  if (why) {
    byId('expired-problem').textContent = why
    byId('expired-problem').hidden = false
  }
  if (isExpired) return
  isExpired = true
  for (const id of ['time', 'expiry']) byId(id).hidden = true
  box.hidden = false
  box.scrollIntoView({ block: 'nearest' })
  box.focus({ preventScroll: true })
}

byId('expired')?.addEventListener('submit', async (event) => {
  event.preventDefault()
  let page
  let path = base
  try {
    // Leads to the new checkout, which is one of our own pages.
    const response = await fetch(event.target.action, { method: 'POST', body: new URLSearchParams() })
    page = await pageIn(response)
    if (page) path = baseOf(page, new URL(response.url).pathname)
  } catch {
    // Reported below.
  }
  if (!page) return failed()
  if (page.body.dataset.state === 'expired') return expire(page)
  if (page.body.dataset.state !== 'open') return location.assign(base)
  moveTo(path, page)
})

// The same page for another session: typed values and pending changes move along.
function moveTo(path, page) {
  const before = base
  base = path
  history.replaceState(null, '', path)
  for (const form of document.forms) {
    form.setAttribute('action', form.getAttribute('action').replace(before, path))
  }
  isExpired = false
  byId('expired').hidden = true
  isInDoubt = false
  lastProblem = ''
  adopt(page)
  answered()
  edited()
  details.focus()
  saveIfComplete()
  void send()
}

if (isOpen) {
  showState()
  restartClock()
  tick()
}

// A payment may be made, given up or answered elsewhere: at the bank, in another tab. The page then goes on by itself.

const { state: shownState } = body.dataset
const followMs = { open: 10_000, challenge: 3_000, redirect: 3_000, processing: 1_500 }[shownState]
let followTimer = 0

// While the outcome of a payment is asked for, a page on which it can be made stays.
function isLeft(state) {
  if (shownState === 'open') return state === 'completed' && !isPaying
  return state !== shownState && state !== 'processing'
}

async function follow() {
  clearTimeout(followTimer)
  if (document.visibilityState === 'visible') {
    try {
      const response = await fetch(`${base}/state`, { signal: AbortSignal.timeout(answerMsMax), cache: 'no-store' })
      if (response.ok && isLeft(await response.text())) return location.assign(`${base}/wait`)
    } catch {
      // Offline for a moment: the next poll will tell.
    }
  }
  clearTimeout(followTimer)
  followTimer = setTimeout(follow, followMs)
}

if (followMs) {
  followTimer = setTimeout(follow, followMs)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void follow())
}

// On narrow screens the order is folded; a browser that cannot unfold it by style on wide ones does so here.
if (!CSS.supports('selector(::details-content)') && matchMedia('(min-width: 60rem)').matches) {
  for (const fold of document.querySelectorAll('.fold')) fold.open = true
}
