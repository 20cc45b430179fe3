// Everything that the script knows besides the page.

import { byId, type Fields } from './dom.ts'

interface Wanted {
  quantity: number
  // Sent now, or after a short pause.
  isDue: boolean
  timer?: number
}

export interface Typed {
  value: string
  // For a list: the label, and the country whose list it is.
  choice?: { text: string; country: string | undefined }
}

export const state = {
  // The address of the session.
  base: baseOf(document, location.pathname),
  // By SKU.
  quantities: new Map<string, Wanted>(),
  // The id of the quantity field that is being typed in.
  draft: null as string | null,
  // The fields of the promotion code's form, once submitted.
  code: null as Fields | null,
  isTimeWanted: false,
  // By the id of the field: what the shopper typed. Values of a field that its country does not have are remembered.
  typed: new Map<string, Typed>(),
  // Counts edits of the details; up to which edit they are to be saved, were refused, and are saved.
  edits: 0,
  dueEdits: 0,
  refusedEdits: 0,
  savedEdits: 0,
  // From which edit on problems are shown and the focus moves on: not while the shopper is still typing.
  saidEdits: Infinity,
  goOnEdits: Infinity,
  // The element that had the focus when a form was submitted.
  ledFrom: '',
  shownCountry: byId('country')?.value,
  // The fields of a country are being loaded, or still have to be.
  asking: null as Promise<void> | null,
  isCountryDue: false,
  // Pending changes are being sent.
  running: null as Promise<void> | null,
  // A request without an answer may have been executed: then a newer version is expected.
  isInDoubt: false,
  // The problem of the last request.
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

// The address of the session that a page shows. A page that answered a form may have the address of another session.
export function baseOf(page: Document, path: string): string {
  return (byId('details', page)?.getAttribute('action') ?? path).split('/').slice(0, 3).join('/')
}
