// Loads the address fields of the selected country, and loads again if another country was selected meanwhile. The request does not
// depend on the session's version, so it is not queued.

import { answered, failed, showState } from './connection.ts'
import { byId, detailFields, element } from './dom.ts'
import { edited, saveIfComplete } from './edits.ts'
import { rework } from './merge.ts'
import { pointerUp } from './press.ts'
import { nextJob, send, take } from './queue.ts'
import { ask } from './requests.ts'
import { state } from './state.ts'
import { typedValue } from './typing.ts'

export function showCountry(): Promise<void> {
  state.asking ??= askCountry().finally(() => {
    state.asking = null
    showState()
    if (state.isCountryDue) return
    if (element('country').value !== state.shownCountry) void showCountry()
    else void send()
  })
  showState()
  return state.asking
}

async function askCountry(): Promise<void> {
  const { value } = element('country')
  const answer = await ask(`${state.base}/details`, detailFields('country'))
  state.isCountryDue = !answer.page
  if (!answer.page) return failed(answer.retryMs)
  if (!take(answer)) return
  if (!nextJob()) answered()
  if (element('country').value !== value) return
  await pointerUp()
  const region = byId('region')
  if (region?.tagName === 'SELECT' && region.value !== '') state.typed.set('region', typedValue(region))
  state.shownCountry = value
  rework(answer.page, ['address'])
  edited()
  saveIfComplete()
}
