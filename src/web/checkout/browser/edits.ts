// Edits of the details. Complete details are saved immediately, because shipping and tax depend on them.

import { element } from './dom.ts'
import { send } from './queue.ts'
import { state } from './state.ts'

export function edited(): void {
  state.edits += 1
}

export function saveIfComplete(): void {
  if (state.edits === state.savedEdits || !element('details').checkValidity()) return
  state.dueEdits = state.edits
  void send()
}

// Marks the details for saving even if they are incomplete; the answer shows what is missing.
export function wantSaved(): void {
  // Counts as an edit even without a change, so the details are sent and the focus moves on.
  if (state.edits === state.savedEdits || state.edits === state.refusedEdits) edited()
  state.dueEdits = state.edits
  state.saidEdits = state.edits
}
