// Edits of the details. Complete details are saved at once, so delivery and tax are right.

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

// Also incomplete details: then what is missing is shown.
export function wantSaved(): void {
  // The focus moves on without a change as well.
  if (state.edits === state.savedEdits || state.edits === state.refusedEdits) edited()
  state.dueEdits = state.edits
  state.saidEdits = state.edits
}
