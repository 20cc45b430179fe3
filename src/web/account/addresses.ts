// A shopper's saved addresses: their list in the account, and the form for one address.

import type { Issue } from '../../contract/issues.ts'
import type { SavedAddress } from '../../domain/customers/book.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { addressError, addressFields, countryField, type FieldErrors } from '../checkout/fields.ts'
import { type PostedField, readTypedCheckout, type TypedCheckout } from '../checkout/input.ts'
import type { AccountFrame } from './frame.ts'

export function addressesPart({ speaker: { say }, path }: AccountFrame, book: readonly SavedAddress[]): Html {
  const one = ({ id, label, isDefault }: SavedAddress): Html =>
    html`<li class="saved"><p dir="auto">${label.map((line, at) => html`${at > 0 && html`<br>`}${line}`)}</p>
${isDefault && html`<p class="item-note">${say('account.defaultAddress')}</p>`}
<form method="post" action="${path}/address/${id}" class="account-tools">
  <a class="plain" href="${path}/address/${id}">${say('account.edit')}</a>
  ${!isDefault && html`<button class="plain" name="do" value="choose">${say('account.makeDefault')}</button>`}
  <button class="plain" name="do" value="remove">${say('account.removeAddress')}</button></form></li>`
  return html`<section class="bought" aria-labelledby="addresses-title">
<h2 id="addresses-title">${say('account.addresses')}</h2>
${book.length === 0 ? html`<p>${say('account.noAddresses')}</p>` : html`<ul class="saved-list">${book.map(one)}</ul>`}
<p><a class="second" href="${path}/address/new">${say('account.addAddress')}</a></p>
</section>`
}

export interface AddressForm {
  id: string | null
  typed: TypedCheckout
  isDefault: boolean
  errors?: FieldErrors
  isFull?: boolean
}

export function addressForm({ speaker, path }: AccountFrame, given: AddressForm): Html {
  const { say } = speaker
  const { id, typed, isDefault, errors = new Map(), isFull = false } = given
  return html`<div class="status">
<h1>${say(id === null ? 'account.addAddress' : 'account.editAddress')}</h1>
${isFull && html`<p class="notice problem" role="alert">${say('account.addressesFull')}</p>`}
<form method="post" action="${path}/address/${id ?? 'new'}" class="return-form">
${countryField(speaker, typed.country, null, errors.get('country'))}
${addressFields(speaker, typed, errors)}
<label class="tick">
  <input type="checkbox" name="default" value="1"${isDefault && html` checked`}> ${say('account.makeDefault')}</label>
<div class="return-buttons">
  <button class="first">${say('account.saveAddress')}</button>
  <a class="second" href="${path}">${say('return.back')}</a></div>
</form></div>`
}

export function typedAddress(address: Partial<Record<keyof TypedCheckout, string>>): TypedCheckout {
  return readTypedCheckout((name) => address[name as keyof TypedCheckout] ?? '')
}

export function addressErrors({ speaker }: AccountFrame, typed: TypedCheckout, issues: readonly Issue[]): FieldErrors {
  const names = issues.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
  return new Map(names.map((name) => [name, addressError(speaker, name, { ...typed })]))
}

export function addressIn(form: PostedField): TypedCheckout {
  return { ...readTypedCheckout(form), email: '', phone: '', vatId: '', shippingOptionId: '' }
}
