// State of the script that the page does not contain.

import { byId, type Fields } from './dom.ts'

interface Wanted {
  quantity: number
  // True: to be sent now. False: to be sent after a short pause.
  isDue: boolean
  timer?: number
}

export interface Typed {
  value: string
  // For a select field: the label of the option, and the country whose list contains it.
  choice?: { text: string; country: string | undefined }
}

export const state = {
  // Path of the session.
  base: baseOf(document, location.pathname),
  // Wanted quantities, keyed by SKU.
  quantities: new Map<string, Wanted>(),
  // The id of the quantity field in which the shopper is typing.
  draft: null as string | null,
  // The fields of the promotion code's form, from submission until the server confirms them.
  code: null as Fields | null,
  isTimeWanted: false,
  // Typed values, keyed by the id of their field. Values of fields that the current country does not have stay.
  typed: new Map<string, Typed>(),
  // `edits` counts the edits of the details. The other members are numbers of edits: the last one that is due to be saved, the last one
  // refused, and the last one saved.
  edits: 0,
  dueEdits: 0,
  refusedEdits: 0,
  savedEdits: 0,
  // Saving this edit or a later one shows problems (`saidEdits`) and moves the focus to the payment (`goOnEdits`). Infinity while the
  // shopper is typing.
  saidEdits: Infinity,
  goOnEdits: Infinity,
  // The id of the element that had the focus when a form was submitted.
  ledFrom: '',
  shownCountry: byId('country')?.value,
  // The request for a country's fields, and whether it failed and must be repeated.
  asking: null as Promise<void> | null,
  isCountryDue: false,
  // Set while queued changes are being sent.
  running: null as Promise<void> | null,
  // A request without a response may have been executed, so the session's version may be newer than the page's.
  isInDoubt: false,
  // The problem in the last response; empty if none.
  lastProblem: '',
  isFailed: false,
  retries: 0,
  retryTimer: 0,
  isPaying: false,
  isPaymentInDoubt: false,
  payWords: [] as Node[],
  isPressed: false,
  endsAt: 0,
  shownMinutes: -1,
  isExpired: false,
  followTimer: 0,
}

// Returns the path of the session that a page shows. A page in response to a form may show another session than the one in the form's
// URL.
export function baseOf(page: Document, path: string): string {
  return (byId('details', page)?.getAttribute('action') ?? path).split('/').slice(0, 3).join('/')
}
