// Sends the payment once, for the total and the details on the page.

import { formatCard } from './card.ts'
import { answered, failed, forgetFailure } from './connection.ts'
import { showCountry } from './country.ts'
import { body, byId, element, stateOf, tell } from './dom.ts'
import { wantSaved } from './edits.ts'
import { adopt, goOn } from './merge.ts'
import { nextJob, send, take } from './queue.ts'
import { ask, load } from './requests.ts'
import { state } from './state.ts'

export function watchPayment(): void {
  const pay = byId('pay')
  pay?.addEventListener('submit', (event) => {
    event.preventDefault()
    void payOnce()
  })
  // The return key moves to the next empty field, and finally to the pay button. It never pays.
  pay?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    const next = emptyField() ?? byId('pay-button')
    next?.focus()
  })
  pay?.addEventListener('input', (event) => {
    if (event.target instanceof Element) event.target.removeAttribute('aria-invalid')
    // The cast holds: the input event of a text field is an InputEvent.
    formatCard(event as InputEvent)
  })
}

async function payOnce(): Promise<void> {
  if (state.isPaying) return
  if (state.isExpired) return element('expired').focus()
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
  // The total has changed since the button was pressed, so the shopper must see the new one first.
  if (isReady) byId('pay-button')?.focus()
}

function emptyField(): HTMLInputElement | undefined {
  return [...element('pay').querySelectorAll<HTMLInputElement>('.method-inside input[required]')].find(
    (input) => input.offsetParent !== null && input.value.trim() === '',
  )
}

// Returns true if the server has all changes made on the page, and the last response had no problem.
async function sendEverything(): Promise<boolean> {
  forgetFailure()
  if (state.isCountryDue) void showCountry()
  while (state.asking) await state.asking
  for (const wanted of state.quantities.values()) wanted.isDue = true
  if (state.edits !== state.savedEdits) wantSaved()
  state.lastProblem = ''
  if (nextJob()) void send()
  while (state.running) await state.running
  const isAnythingWanted = state.quantities.size > 0 || state.code !== null || state.edits !== state.savedEdits
  return !state.isFailed && !state.isExpired && !isAnythingWanted && state.lastProblem === ''
}

function busy(isBusy: boolean): void {
  state.isPaying = isBusy
  const button = byId('pay-button')
  if (!button) return
  if (isBusy) {
    state.payWords = [...button.childNodes]
    button.setAttribute('aria-disabled', 'true')
    button.textContent = element('pay').dataset.busy ?? ''
    tell(button.textContent)
  } else if (button.hasAttribute('aria-disabled')) {
    // Without this attribute the button is new: an answer replaced it.
    button.removeAttribute('aria-disabled')
    button.replaceChildren(...state.payWords)
  }
}

async function sendPayment(): Promise<void> {
  // Sent as entries, because several methods may have fields of the same name. The cast holds: none is a file.
  const fields = [...new FormData(element('pay'))] as string[][]
  const answer = await ask(`${state.base}/pay`, fields)
  const shown = answer.page && stateOf(answer.page)
  // The browser is leaving for the shop or the bank, so the button stays busy until that page has loaded.
  if (answer.page && shown !== 'open' && shown !== 'expired') return void take(answer)
  busy(false)
  // Without a response, `lookForPayment` finds out whether the payment was made.
  state.isPaymentInDoubt = !answer.page
  if (!answer.page) return failed(answer.retryMs, 'pay')
  if (!take(answer)) return
  answered()
  state.lastProblem = answer.page.body.dataset.problem ?? ''
  adopt(answer.page, { hasForm: true })
  // The answer is the open page without a problem: the payment was declined. The page says so beside the payment, so it is scrolled
  // there.
  if (!state.lastProblem) goOn()
}

// Finds out whether a payment without a response was made. The payment is never sent again automatically: only the button pays.
export async function lookForPayment(): Promise<void> {
  if (state.isPaying) return
  // Without a response, `page` is undefined.
  const { page } = await load().catch(() => ({ page: undefined }))
  if (state.isPaying) return
  if (!page) return failed(0, 'pay')
  state.isPaymentInDoubt = false
  if (!take({ page })) return
  state.isInDoubt = true
  state.retries = 0
  state.lastProblem = ''
  adopt(page)
}
