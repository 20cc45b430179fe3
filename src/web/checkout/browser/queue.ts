// Changes are queued until the server confirms them. They are sent one at a time, because each needs the version that the previous one
// created. A change without a response is sent again, which is safe, because each sets a value rather than a difference.

import { expire } from './clock.ts'
import { answered, failed, showState } from './connection.ts'
import { body, byId, detailFields, type Fields, isOpen, quantityInput, stateOf } from './dom.ts'
import { adopt, goOn, mayLead } from './merge.ts'
import { pointerUp } from './press.ts'
import { type Answer, ask } from './requests.ts'
import { state } from './state.ts'

type Job =
  | { kind: 'quantity'; fields: Fields; skuId: string; quantity: number }
  | { kind: 'code' | 'time'; fields: Fields }
  | { kind: 'details'; fields: Fields; edits: number }

export function nextJob(): Job | undefined {
  if (state.isExpired) return undefined
  for (const [skuId, { quantity, isDue }] of state.quantities) {
    if (isDue) return { kind: 'quantity', fields: { skuId, quantity: String(quantity) }, skuId, quantity }
  }
  if (state.code) return { kind: 'code', fields: state.code }
  if (state.isTimeWanted) return { kind: 'time', fields: detailFields('time') }
  // While the fields of another country are loading, the fields on the page are those of the previous country.
  const isSaveDue =
    state.dueEdits > Math.max(state.savedEdits, state.refusedEdits) && !state.asking && !state.isCountryDue
  return isSaveDue ? { kind: 'details', fields: detailFields(), edits: state.edits } : undefined
}

// Sends the queue. Resolves when the queue is empty or sending failed.
export function send(): Promise<void> {
  if (!isOpen) return Promise.resolve()
  state.running ??= sendAll().finally(() => {
    state.running = null
    markOrder(false)
    showState()
    // Changes may have been queued while the last answer was merged.
    if (!state.isFailed && nextJob()) void send()
  })
  return state.running
}

function markOrder(isBusy: boolean): void {
  const side = document.querySelector('.side')
  if (isBusy) side?.setAttribute('aria-busy', 'true')
  else side?.removeAttribute('aria-busy')
}

async function sendAll(): Promise<void> {
  for (let job = nextJob(); job; job = nextJob()) {
    showState(true)
    if (job.kind !== 'details') markOrder(true)
    const fields = { ...job.fields, version: body.dataset.version ?? '' }
    const answer = await ask(`${state.base}/${job.kind === 'time' ? 'details' : job.kind}`, fields)
    if (answer.page) await pointerUp()
    if (!take(answer)) return
    // The server has responded, so a later failure starts a new sequence of retries.
    state.retries = 0
    confirmJob(job, answer.page)
  }
  answered()
}

// Returns true if the answer is a page to merge. Otherwise the change stays queued, or the browser leaves this page.
export function take(answer: Answer): answer is { page: Document } {
  const { page, retryMs } = answer
  if (!page) {
    state.isInDoubt = true
    failed(retryMs)
    return false
  }
  const shown = stateOf(page)
  if (shown === 'open') return true
  if (shown === 'expired') expire(page)
  else location.assign(shown === 'completed' || shown === 'processing' ? `${state.base}/wait` : state.base)
  return false
}

function confirmJob(job: Job, page: Document): void {
  const { problem = '' } = page.body.dataset
  const isOurs = state.isInDoubt && problem === 'stale'
  state.isInDoubt = false
  // Another tab changed the order: this page shows the current state and drops its pending changes.
  if (problem === 'stale' && !isOurs) {
    state.quantities.clear()
    state.code = null
  }
  if (job.kind === 'quantity') confirmQuantity(job.skuId, job.quantity, page, isOurs)
  if (job.kind === 'code' && state.code === job.fields && !isOurs) state.code = null
  if (job.kind === 'time') state.isTimeWanted = false
  if (job.kind === 'details') confirmDetails(job.edits, page, problem, isOurs)
  else {
    show(page, problem, isOurs)
    adopt(page, { isQuiet: isOurs })
  }
}

function confirmQuantity(skuId: string, quantity: number, page: Document, isOurs: boolean): void {
  if (state.quantities.get(skuId)?.quantity !== quantity) return
  const there = quantityInput(skuId, page)?.defaultValue ?? '0'
  if (!isOurs || there === String(quantity)) state.quantities.delete(skuId)
}

function confirmDetails(sentEdits: number, page: Document, problem: string, isOurs: boolean): void {
  const isSaid = sentEdits >= state.saidEdits
  const isGoingOn = problem === '' && sentEdits >= state.goOnEdits
  if (!isOurs) {
    if (problem === '') state.savedEdits = sentEdits
    else state.refusedEdits = sentEdits
    if (isSaid) state.saidEdits = state.goOnEdits = Infinity
  }
  const isQuiet = problem === 'invalid' && !isSaid
  show(page, isQuiet ? '' : problem, isOurs)
  adopt(page, { hasForm: !isQuiet, isQuiet: isQuiet || isOurs, sentEdits })
  if (isGoingOn && mayLead(sentEdits)) goOn()
}

function show(page: Document, problem: string, isOurs: boolean): void {
  if (isOurs) byId('problem', page)?.remove()
  state.lastProblem = isOurs ? '' : problem
}
