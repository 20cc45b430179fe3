// The contents of the account pages.

import type { SavedAddress } from '../../domain/customers/book.ts'
import type { AccountPasskey } from '../../domain/customers/passkeys.ts'
import type { AccountOrder } from '../../domain/customers/service.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { html } from '../../platform/html/html.ts'
import { customerPasskeyScript } from '../checkout/assets.ts'
import { type AddressForm, addressesPart, addressForm } from './addresses.ts'
import { type AccountFrame, accountDocument } from './frame.ts'
import { customerPasskeyForm, passkeysPart } from './passkeys.ts'

// `isWrong`: the typed text is not an e-mail address. `isOver`: the link has expired.
export function codeRequestPage(
  view: AccountFrame,
  { email = '', isWrong = false, isOver = false, isPasskeyBad = false },
): string {
  const { say } = view.speaker
  const error = isWrong && html`<p class="error" id="email-error">${say('account.badEmail')}</p>`
  return accountDocument(
    view,
    say('account.title'),
    html`<div class="status">
<h1>${say('account.signin')}</h1>
${isOver && html`<p class="notice problem" role="alert">${say('account.over')}</p>`}
<p class="soft">${say('account.lead')}</p>
<form method="post" action="${view.path}/code" class="return-form">
<div class="field"><label for="email">${say('account.email')}</label>
<input
  id="email"
  name="email"
  type="email"
  inputmode="email"
  autocomplete="email"
  dir="ltr"
  maxlength="254"
  value="${email}"
  required${isWrong && html` aria-describedby="email-error" aria-invalid="true"`}>
${error}</div>
<div class="return-buttons"><button class="first">${say('account.send')}</button></div>
</form>
${customerPasskeyForm(view, 'sign_in', isPasskeyBad)}
</div>`,
    customerPasskeyScript.href,
  )
}

export function enterCodePage(view: AccountFrame, { email = '', isWrong = false }): string {
  const { say } = view.speaker
  return accountDocument(
    view,
    say('account.title'),
    html`<div class="status">
<h1>${say('account.codeTitle')}</h1>
${
  isWrong
    ? html`<p class="notice problem" role="alert">${say('account.wrong')}</p>`
    : html`<p class="soft">${say('account.sent', { email })}</p>`
}
<form method="post" action="${view.path}/open" class="return-form">
${hiddenFields({ email })}
<div class="field"><label for="code">${say('account.code')}</label>
<input
  id="code"
  name="code"
  inputmode="numeric"
  autocomplete="one-time-code"
  dir="ltr"
  maxlength="20"
  required
  autofocus></div>
<div class="return-buttons"><button class="first">${say('account.signin')}</button></div>
</form>
<form method="post" action="${view.path}/code" class="return-form">
  ${hiddenFields({ email })}
  <div><button class="plain">${say('account.again')}</button></div></form>
</div>`,
  )
}

export function linkPage(view: AccountFrame, link: string, isHere: boolean): string {
  const { say } = view.speaker
  return accountDocument(
    view,
    say('account.title'),
    html`<div class="status">
<h1>${say('account.signin')}</h1>
${
  isHere
    ? html`<form method="post" action="${view.path}/link/${link}" class="return-form">
    <div class="return-buttons"><button class="first">${say('account.signin')}</button></div>
  </form>`
    : html`<p>${say('account.otherBrowser')}</p>
  <p><a class="second" href="${view.path}">${say('account.signin')}</a></p>`
}
</div>`,
  )
}

export interface AccountContent {
  email: string
  orders: readonly AccountOrder[]
  addresses: readonly SavedAddress[]
  passkeys: readonly AccountPasskey[]
  isPasskeyBad?: boolean
}

export function accountPage(view: AccountFrame, content: AccountContent): string {
  const { email, orders, addresses, passkeys, isPasskeyBad = false } = content
  const { speaker, path } = view
  const { say, sayKnown } = speaker
  const row = (order: AccountOrder) => {
    const title = say('status.title', { number: order.number })
    return html`<li><div><p class="item-name">${order.path === null ? title : html`<a href="${order.path}">${title}</a>`}</p>
<p class="item-note"><time datetime="${order.placedAt}">${speaker.date(order.placedAt)}</time> · ${sayKnown(
      `paid.${order.paymentStatus}`,
      order.paymentStatus,
    )} · ${
      order.status === 'cancelled'
        ? say('timeline.cancelled')
        : sayKnown(`sent.${order.fulfillmentStatus}`, order.fulfillmentStatus)
    }</p></div>
<p class="item-amount">${speaker.amount(order.total, order.currency)}</p></li>`
  }
  return accountDocument(
    view,
    say('account.title'),
    html`<div class="status">
<h1>${say('account.title')}</h1>
<p class="soft">${say('account.signedIn', { email })}</p>
</div>
<section class="bought" aria-labelledby="orders-title">
<h2 id="orders-title">${say('account.orders')}</h2>
${orders.length === 0 ? html`<p>${say('account.noOrders')}</p>` : html`<ul class="account-orders">${orders.map(row)}</ul>`}
</section>
${addressesPart(view, addresses)}
${passkeysPart(view, passkeys, isPasskeyBad)}
<section class="bought account-tools" aria-label="${say('account.title')}">
<form method="post" action="${path}/data"><button class="second">${say('account.data')}</button></form>
<a class="second" href="${path}/erase">${say('account.erase')}</a>
<form method="post" action="${path}/out"><button class="second">${say('account.signout')}</button></form>
</section>`,
    customerPasskeyScript.href,
  )
}

export function addressPage(view: AccountFrame, form: AddressForm): string {
  return accountDocument(view, view.speaker.say('account.addresses'), addressForm(view, form))
}

export function erasePage(view: AccountFrame): string {
  const { say } = view.speaker
  return accountDocument(
    view,
    say('account.erase'),
    html`<div class="status">
<h1>${say('account.erase')}</h1>
<p>${say('account.eraseText')}</p>
<form method="post" action="${view.path}/erase" class="return-form">
  <div class="return-buttons">
    <button class="first">${say('account.eraseConfirm')}</button>
    <a class="second" href="${view.path}">${say('return.back')}</a>
  </div></form>
</div>`,
  )
}

export function erasedPage(view: AccountFrame, kept: number): string {
  const { say } = view.speaker
  return accountDocument(
    view,
    say('account.erase'),
    html`<div class="status"><h1>${say('account.erased')}</h1>${kept > 0 && html`<p>${say('account.erasedKept')}</p>`}</div>`,
  )
}
