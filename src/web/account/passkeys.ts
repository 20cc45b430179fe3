// Passkeys in the account. Without script their forms stay hidden, and shoppers sign in by a code.

import { customerPasskeysMax } from '../../contract/admin/customers.ts'
import type { AccountPasskey } from '../../domain/customers/passkeys.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { AccountFrame } from './frame.ts'

// `purpose` is also the value that the script sends when it requests the options of a passkey.
export function customerPasskeyForm(
  { speaker: { say }, path }: AccountFrame,
  purpose: 'sign_in' | 'register',
  isFailed: boolean,
): Html {
  const [action, label, problem] =
    purpose === 'register'
      ? (['add', 'account.addPasskey', 'account.passkeyNotAdded'] as const)
      : (['open', 'account.byPasskey', 'account.passkeyFailed'] as const)
  return html`<form
  method="post"
  action="${path}/passkeys/${action}"
  data-passkey="${purpose}"
  data-options="${path}/passkeys/options"
  class="return-form"
  hidden>
${hiddenFields({ response: '' })}
<p class="notice problem" data-problem role="alert"${!isFailed && html` hidden`}>${say(problem)}</p>
<div class="return-buttons"><button class="second">${say(label)}</button></div>
</form>`
}

export function passkeysPart(view: AccountFrame, passkeys: readonly AccountPasskey[], isFailed: boolean): Html {
  const { speaker, path } = view
  const { say } = speaker
  const one = ({ id, createdAt, usedAt }: AccountPasskey): Html => html`<li class="saved">
<p>${say('account.passkeyAdded', { date: speaker.date(createdAt) })}</p>
${usedAt !== null && html`<p class="soft">${say('account.passkeyUsed', { date: speaker.date(usedAt) })}</p>`}
<form method="post" action="${path}/passkeys/remove" class="account-tools">
${hiddenFields({ id })}
<button class="plain">${say('account.removePasskey')}</button>
</form>
</li>`
  return html`<section class="bought" aria-labelledby="passkeys-title">
<h2 id="passkeys-title">${say('account.passkeys')}</h2>
<p>${say('account.passkeysLead')}</p>
${passkeys.length > 0 && html`<ul class="saved-list">${passkeys.map(one)}</ul>`}
${passkeys.length < customerPasskeysMax && customerPasskeyForm(view, 'register', isFailed)}
</section>`
}
