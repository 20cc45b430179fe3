// Improves the checkout, which also works without script. Changes (quantities, a code, the details, the payment) are queued here until
// the server confirms them. An answer is merged into the page without touching what the shopper typed or pressed since.

import { watchAgain } from './again.ts'
import { restartClock, tick } from './clock.ts'
import { retryEvent, showState } from './connection.ts'
import { showCountry } from './country.ts'
import { watchDetails } from './details.ts'
import { byId, isOpen } from './dom.ts'
import { followPayment } from './follow.ts'
import { watchOrder } from './order.ts'
import { lookForPayment, watchPayment } from './payment.ts'
import { watchPresses } from './press.ts'
import { send } from './queue.ts'
import { state } from './state.ts'
import { rememberTyping } from './typing.ts'

function retry(): void {
  if (!state.isFailed) return
  clearTimeout(state.retryTimer)
  if (state.isPaymentInDoubt) void lookForPayment()
  if (state.isCountryDue) void showCountry()
  void send()
}

for (const event of ['online', retryEvent]) addEventListener(event, retry)
byId('connection-retry')?.addEventListener('click', retry)
watchPresses()
rememberTyping()
watchOrder()
watchDetails()
watchPayment()
watchAgain()

// On return from the shop, a page from the browser's cache would show a button that was already used.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

if (isOpen) {
  showState()
  restartClock()
  tick()
}
followPayment()

// On narrow screens the order is folded. Browsers that cannot unfold it by style on wide screens do so here.
if (!CSS.supports('selector(::details-content)') && matchMedia('(min-width: 60rem)').matches) {
  for (const fold of document.querySelectorAll<HTMLDetailsElement>('.fold')) fold.open = true
}
