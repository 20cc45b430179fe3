// The form of the details. Its fields depend on the country.

import { showCountry } from './country.ts'
import { byId } from './dom.ts'
import { edited, saveIfComplete, wantSaved } from './edits.ts'
import type { DetailsIntent } from './names.ts'
import { send } from './queue.ts'
import { state } from './state.ts'
import { note } from './typing.ts'

export function watchDetails(): void {
  const details = byId('details')
  details?.addEventListener('input', edited)
  details?.addEventListener('change', (event) => {
    edited()
    // The cast holds: only fields fire this event.
    const field = event.target as HTMLInputElement
    // Browsers trim plain spaces only: with a pasted no-break space they would call the e-mail address invalid.
    if (field.type === 'email') {
      field.value = field.value.trim()
      note(event)
    }
    if (field.id === 'country') void showCountry()
    else saveIfComplete()
  })
  // A field that was replaced while it had the focus fires no change event.
  details?.addEventListener('focusout', saveIfComplete)
  details?.addEventListener('submit', (event) => {
    event.preventDefault()
    // The cast holds: only buttons submit this form.
    const intent = (event.submitter as HTMLButtonElement | null)?.value as DetailsIntent | undefined
    if (intent === 'country') return void showCountry()
    if (intent === 'time') state.isTimeWanted = true
    else {
      wantSaved()
      state.goOnEdits = state.edits
      state.ledFrom = document.activeElement?.id ?? ''
    }
    void send()
  })
}
