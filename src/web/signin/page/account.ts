// Pages of a signed-in person outside a shop: the list of shops, and the password confirmation.

import type { SignInProblem } from '../../../domain/users/signin.ts'
import type { UserMerchant } from '../../../domain/users/users.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { passkeyScript } from './assets.ts'
import { usernameField } from './entry.ts'
import { passkeyForm, renderSignInButton, renderSignInField, sheetPage } from './frame.ts'
import type { SignInWords } from './words.ts'

export interface HomeView {
  email: string
  merchants: readonly UserMerchant[]
}

export function homeSheet(words: SignInWords, { email, merchants }: HomeView): string {
  return sheetPage(words, {
    title: words.say('home.title'),
    body: html`<p class="soft">${words.say('home.as', { email })}</p>
${
  merchants.length === 0
    ? html`<p class="lead">${words.say('home.none')}</p>`
    : html`<ul class="entries">${merchants.map(
        ({ name, slug, role }) => html`<li class="entry">
<span><a class="entry-name" href="/admin/${slug}" dir="auto">${name}</a> <span class="name-of" dir="ltr">${slug}</span></span>
<span class="soft">${words.say(`role.${role}`)}</span>
</li>`,
      )}</ul>`
}
<div class="choice">
${merchants.length > 0 && html`<a class="second" href="/admin/account">${words.say('account.title')}</a>`}
${signOutForm(words)}
</div>`,
  })
}

function signOutForm(words: SignInWords): Html {
  return html`<form method="post" action="/admin/sign-out">${renderSignInButton(words, 'action.signOut', 'second')}</form>`
}

export interface ConfirmView {
  email: string
  next: string
  problem: SignInProblem | 'passkey' | null
  hasPasskey: boolean
  // Whether the password alone is not accepted, because a second factor is required and the person has only a passkey.
  isPasskeyNeeded: boolean
}

export function confirmSheet(
  words: SignInWords,
  { email, next, problem, hasPasskey, isPasskeyNeeded }: ConfirmView,
): string {
  const byPasskey =
    hasPasskey &&
    passkeyForm(words, { purpose: 'confirm', action: '/admin/confirm', label: 'passkey.confirm', fields: { next } })
  if (isPasskeyNeeded)
    return sheetPage(words, {
      title: words.say('confirm.passkeyTitle'),
      problem: problem && words.say('passkey.failed'),
      script: passkeyScript,
      body: html`<p class="lead">${words.say('confirm.passkeyLead')}</p>
${byPasskey}`,
    })
  return sheetPage(words, {
    title: words.say('confirm.title'),
    problem: problem && words.say(problem === 'passkey' ? 'passkey.failed' : `signin.${problem}`),
    ...(hasPasskey && { script: passkeyScript }),
    body: html`<p class="lead">${words.say('confirm.lead')}</p>
<form method="post" action="/admin/confirm">
${hiddenFields({ next })}
${usernameField(email)}
${renderSignInField(words, {
  name: 'password',
  label: 'signin.password',
  type: 'password',
  autocomplete: 'current-password',
  lengthMax: 200,
  isFirst: true,
  isWrong: problem === 'failed',
})}
<div class="choice">${renderSignInButton(words, 'action.continue')}</div>
</form>
${byPasskey}`,
  })
}
