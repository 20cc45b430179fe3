// Improves the checkout, which also works without script. Changes (quantities, a code, the details) are queued until the server confirms
// them; the payment is sent once. Answers are merged into the page; what the shopper typed or pressed since the request stays.

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

// If the shopper returns from the shop, the browser may show this page from its back/forward cache, with a button that was already used.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

if (isOpen) {
  showState()
  restartClock()
  tick()
}
followPayment()

// On narrow screens the order is folded. On wide screens CSS unfolds it, and in browsers that cannot do that, this script does.
if (!CSS.supports('selector(::details-content)') && matchMedia('(min-width: 60rem)').matches) {
  for (const fold of document.querySelectorAll<HTMLDetailsElement>('.fold')) fold.open = true
}
