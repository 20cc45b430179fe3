// Checks, encrypts and saves the buyer and the destination that a shopper entered on the page.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { Address } from '../../contract/open/carts.ts'
import { patterns } from '../../contract/patterns.ts'
import { isEmail } from '../../platform/kit/email.ts'
import type { CartChangeInput } from '../carts/change.ts'
import { saveCartChange } from '../carts/change.ts'
import { decryptCartAddress, setCartDestination } from '../carts/destination.ts'
import { loadCartFacts } from '../carts/quote.ts'
import type { CartRow } from '../carts/store.ts'
import { decryptCustomer, emptyCustomer } from '../orders/customer.ts'
import { vatIdFrom } from '../vat/id.ts'
import type { CheckoutProblem, ContactInput, SubmittedDetails } from './port.ts'
import { refreshLockedSession } from './refresh.ts'
import { customerColumns } from './sessions.ts'
import type { SessionRow } from './store.ts'
import type { PayTools } from './tools.ts'
import { vatCheckFor } from './vat.ts'

export async function writeDetails(
  tools: PayTools,
  { session, cart, ask }: { session: SessionRow; cart: CartRow; ask: CartChangeInput },
  { contact, address, shippingOptionId, vatId = '' }: SubmittedDetails,
): Promise<{ problem: CheckoutProblem | null; isVatPending: boolean }> {
  const wanted = vatId.trim() === '' ? undefined : vatIdFrom(vatId)
  const issues = contactIssues(contact)
  if (vatId.trim() !== '' && !wanted) issues.push(issueAt('/vatId', 'not_a_vat_id'))
  // An invoice must name the buyer.
  if (wanted && !address && contact.name.trim() === '') issues.push(issueAt('/name', 'needed'))
  if (issues.length > 0) return { problem: { code: 'invalid', issues }, isVatPending: false }
  const customer = {
    email: contact.email.trim(),
    name: contact.name.trim(),
    phone: contact.phone.trim(),
    ...(wanted && { vatId: wanted.text }),
  }
  const at = ask.now.getTime()
  const { vatId: known } = decryptCustomer(tools.rootSecret, session.id, session.customerSealed) ?? emptyCustomer
  const columns = await customerColumns(tools, ask.db, session, { customer, now: at })
  const changed = { ...session, ...columns, updatedAt: at }
  const carts = { ...tools.carts, refreshSessions: refreshLockedSession(changed) }
  const vat = await setDestination({ ...tools, carts }, ask, cart, address, {
    shippingOption: shippingOptionId,
    vatFrom: (before) => vatCheckFor({ sessionId: session.id, before, known, wanted, now: at }),
  })
  return { problem: null, isVatPending: vat?.status === 'pending' }
}

const phone = new RegExp(patterns.phone.source)

function contactIssues(contact: ContactInput): Issue[] {
  const issues: Issue[] = []
  if (!isEmail(contact.email.trim())) issues.push(issueAt('/email', 'not_an_email'))
  if (contact.name.length > 200) issues.push(issueAt('/name', 'too_long', { max: 200 }))
  const number = contact.phone.trim()
  if (number !== '' && (number.length > 32 || !phone.test(number))) issues.push(issueAt('/phone', 'not_a_phone'))
  return issues
}

// The page sends the address with every save; the address is encrypted again only if it has changed.
async function setDestination(
  tools: PayTools,
  ask: CartChangeInput,
  cart: CartRow,
  address: Address | null,
  { shippingOption, vatFrom }: { shippingOption: string | null; vatFrom: (before: CartRow['vat']) => CartRow['vat'] },
): Promise<CartRow['vat']> {
  const facts = await loadCartFacts(ask.db, tools.carts.pricebooks, cart, ask.now.getTime())
  const kept = await decryptCartAddress(ask.db, tools.rootSecret, cart, ask.now.getTime())
  const vat = vatFrom(cart.vat)
  if (address && JSON.stringify(address) !== JSON.stringify(kept)) {
    await setCartDestination(tools.carts, ask, facts, { rootSecret: tools.rootSecret, address, shippingOption, vat })
  } else {
    await saveCartChange(tools.carts, ask, { ...facts, cart: { ...cart, shippingOption, vat } })
  }
  return vat
}
