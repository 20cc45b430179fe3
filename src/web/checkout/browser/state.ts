// State of the script that is not in the page.

import { byId, type Fields } from './dom.ts'

interface Wanted {
  quantity: number
  // True: sent now. False: sent after a short pause.
  isDue: boolean
  timer?: number
}

export interface Typed {
  value: string
  // For a select field: the label of the option, and the country whose list it was in.
  choice?: { text: string; country: string | undefined }
}

export const state = {
  // The address of the session.
  base: baseOf(document, location.pathname),
  // Keyed by SKU.
  quantities: new Map<string, Wanted>(),
  // The id of the quantity field that is being typed in.
  draft: null as string | null,
  // The fields of the promotion code's form, once submitted.
  code: null as Fields | null,
  isTimeWanted: false,
  // Typed values by the id of their field. Values of fields that the present country does not have are kept.
  typed: new Map<string, Typed>(),
  // Number of edits of the details, and the numbers up to which they are to be saved, were refused, and are saved.
  edits: 0,
  dueEdits: 0,
  refusedEdits: 0,
  savedEdits: 0,
  // Edits from which on problems are shown and the focus moves on, which does not happen while the shopper is typing.
  saidEdits: Infinity,
  goOnEdits: Infinity,
  // The element that had the focus when a form was submitted.
  ledFrom: '',
  shownCountry: byId('country')?.value,
  // The request that loads a country's fields, and whether one is still due.
  asking: null as Promise<void> | null,
  isCountryDue: false,
  // Set while pending changes are being sent.
  running: null as Promise<void> | null,
  // A request without a response may have been executed, so a newer version is expected.
  isInDoubt: false,
  // Problem that the last response reported.
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

// Returns the address of the session that a page shows. The response to a form may show another session than its address says.
export function baseOf(page: Document, path: string): string {
  return (byId('details', page)?.getAttribute('action') ?? path).split('/').slice(0, 3).join('/')
}
