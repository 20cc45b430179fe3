// Saved addresses and those of earlier orders, offered to a signed-in shopper at the checkout. They have a page of their own: the
// checkout itself reads nothing of the account, and links to this page if the browser has a session cookie.

import { createHash } from 'node:crypto'
import type { Address } from '../../contract/open/carts.ts'
import type { CheckoutPort, CheckoutView } from '../../domain/checkout/port.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import { answerPage, redirectCheckout, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import { type PostedField, readPageVersion } from './input.ts'
import { lostAnswer, type ShowCheckout } from './show.ts'

export interface SavedAddresses {
  email: string
  // Saved addresses come before those of orders. `label`: lines as on a shipping label.
  addresses: readonly { address: Address; label: readonly string[] }[]
}

export interface SavedAddressesPort {
  // Whether the browser has a session cookie of this shop, which may have expired.
  isSignedIn(view: CheckoutView, request: Incoming): boolean
  // Returns undefined if no shopper is signed in.
  list(view: CheckoutView, request: Incoming): Promise<SavedAddresses | undefined>
}

export function savedAddressesPage(speaker: Speaker, view: CheckoutView, { email, addresses }: SavedAddresses): string {
  const { say } = speaker
  const back = `/c/${view.secret}`
  const one = ({ address, label }: SavedAddresses['addresses'][number]): Html =>
    html`<li>
      <form method="post" action="${back}/addresses" class="saved">
        ${hiddenFields({ version: view.session.version, use: digestOf(address) })}
<p dir="auto">${label.map((line, at) => html`${at > 0 && html`<br>`}${line}`)}</p>
<button class="second">${say('saved.use')}</button></form></li>`
  const list =
    addresses.length === 0 ? html`<p>${say('saved.none')}</p>` : html`<ul class="saved-list">${addresses.map(one)}</ul>`
  return renderCheckoutFrame({
    speaker,
    title: say('saved.title'),
    state: 'order',
    body: renderCheckoutSheet(
      speaker,
      view.merchant,
      view.session.mode === 'test',
      html`<div class="status"><h1>${say('saved.title')}</h1>
<p class="soft">${say('account.signedIn', { email })}</p>
${list}
<p><a href="${back}">${say('saved.back')}</a></p></div>`,
    ),
  })
}

export async function showSavedAddresses(
  saved: SavedAddressesPort,
  view: CheckoutView | undefined,
  request: Incoming,
): Promise<PageAnswer> {
  if (!view) return lostAnswer(request)
  const found = view.session.status === 'open' && !view.isClosed ? await saved.list(view, request) : undefined
  if (!found) return redirectCheckout(`/c/${view.secret}`)
  const speaker = speakerFor(view.session.locale, request.raw.headers['accept-language'])
  return answerPage(200, savedAddressesPage(speaker, view, found))
}

interface Use {
  checkout: CheckoutPort
  saved: SavedAddressesPort
  show: ShowCheckout
  view: CheckoutView
  request: Incoming
  form: PostedField
}

// The form names an address by its digest, which is looked up in a newly built list, so no address is taken from the form. An index could
// mean another address if an order was placed meanwhile.
export async function applySavedAddress({ checkout, saved, show, view, request, form }: Use): Promise<PageAnswer> {
  const { secret, customer, session } = view
  const found = await saved.list(view, request)
  const chosen = found?.addresses.find((one) => digestOf(one.address) === form('use'))
  if (!found || !chosen) return redirectCheckout(`/c/${secret}`)
  const { address } = chosen
  const contact = {
    email: customer.email || found.email,
    name: address.name,
    phone: customer.phone || (address.phone ?? ''),
  }
  const result = await checkout.setDetails(secret, readPageVersion(form), {
    contact,
    address: view.needsShipping ? address : null,
    shippingOptionId: session.shipping.optionId,
    ...(customer.vatId !== undefined && { vatId: customer.vatId }),
  })
  if (!result) return lostAnswer(request)
  return result.problem === null
    ? redirectCheckout(`/c/${secret}#payment`)
    : show(result.view, request, { problem: result.problem })
}

function digestOf(address: Address): string {
  return createHash('sha256').update(JSON.stringify(address)).digest('base64url').slice(0, 22)
}
