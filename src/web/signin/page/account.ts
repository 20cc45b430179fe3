// The pages of one who is signed in: the shops, the account, and asking for the password again.

import type { OwnAssistant } from '../../../domain/oauth/assistants.ts'
import type { Passkey } from '../../../domain/users/passkeys.ts'
import { qrPath } from '../../../domain/users/qr.ts'
import type { Session } from '../../../domain/users/sessions.ts'
import type { SignInProblem } from '../../../domain/users/signin.ts'
import type { UserMerchant } from '../../../domain/users/users.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { SignInTextKey } from '../../languages/signin/en.ts'
import { type NewPasswordProblem, newPasswordField, problemText, usernameField } from './entry.ts'
import { button, field, passkeyForm, sheetPage } from './frame.ts'
import type { Words } from './words.ts'

// The value of the field `do` of each form of the account.
export const actions = {
  password: 'password',
  setUp: 'set_up',
  turnOn: 'turn_on',
  turnOff: 'turn_off',
  newCodes: 'new_codes',
  addPasskey: 'add_passkey',
  namePasskey: 'name_passkey',
  removePasskey: 'remove_passkey',
  demand: 'demand',
  release: 'release',
  end: 'end',
  endOthers: 'end_others',
  endAssistant: 'end_assistant',
} as const

export interface HomeView {
  email: string
  merchants: readonly UserMerchant[]
}

export function homeSheet(words: Words, { email, merchants }: HomeView): string {
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
<a class="second" href="/admin/account">${words.say('account.title')}</a>
${signOutForm(words)}
</div>`,
  })
}

function signOutForm(words: Words): Html {
  return html`<form method="post" action="/admin/sign-out">${button(words, 'action.signOut', 'second')}</form>`
}

export interface AccountView {
  email: string
  // A second factor is demanded, and there is none yet: nothing else can be done.
  isHeld: boolean
  // Shops in which the person may demand one.
  owned: readonly UserMerchant[]
  hasSecondFactor: boolean
  recoveryCodes: number
  passkeys: readonly Passkey[]
  // That the person approved.
  assistants: readonly OwnAssistant[]
  sessions: readonly Session[]
  sessionId: string
  problem: NewPasswordProblem | 'passkey' | null
}

export function accountSheet(words: Words, view: AccountView): string {
  const { email, isHeld, owned, hasSecondFactor, recoveryCodes, passkeys, assistants, sessions, sessionId, problem } =
    view
  if (isHeld)
    return sheetPage(words, {
      title: words.say('held.title'),
      hasPasskeys: true,
      body: html`<p class="lead">${words.say('held.lead')}</p>
<p class="soft">${words.say('home.as', { email })}</p>
<div class="choice">${action(words, actions.setUp, 'account.setUp')}${signOutForm(words)}</div>
${addPasskeyForm(words)}`,
    })
  return sheetPage(words, {
    title: words.say('account.title'),
    problem: problem === 'passkey' ? words.say('passkey.failed') : problemText(words, problem),
    hasPasskeys: true,
    body: html`<p class="soft">${words.say('home.as', { email })}</p>
<section class="part">
<h2>${words.say('account.factor')}</h2>
${
  hasSecondFactor
    ? html`<p>${words.say('account.factorOn', { count: recoveryCodes })}</p>
<div class="choice">${action(words, actions.newCodes, 'account.newCodes')}${action(words, actions.turnOff, 'account.turnOff')}</div>`
    : html`<p>${words.say('account.factorOff')}</p>
<div class="choice">${action(words, actions.setUp, 'account.setUp')}</div>`
}
</section>
<section class="part">
<h2>${words.say('passkey.title')}</h2>
<p>${words.say('passkey.lead')}</p>
${passkeys.length > 0 && html`<ul class="entries">${passkeys.map((passkey) => passkeyEntry(words, passkey))}</ul>`}
${addPasskeyForm(words)}
</section>
<section class="part">
<h2>${words.say('password.title')}</h2>
<form method="post">
${hiddenFields({ do: actions.password })}
${usernameField(email)}
${newPasswordField(words, problem !== null && problem !== 'passkey')}
<div class="choice">${button(words, 'action.save', 'second')}</div>
</form>
</section>
${
  owned.length > 0 &&
  html`<section class="part">
<h2>${words.say('demand.title')}</h2>
<p>${words.say('demand.lead')}</p>
<ul class="entries">${owned.map((shop) => demandEntry(words, shop))}</ul>
</section>`
}
${assistants.length > 0 && assistantsPart(words, assistants)}
<section class="part">
<h2>${words.say('account.sessions')}</h2>
<ul class="entries">${sessions.map((session) => sessionEntry(words, session, session.id === sessionId))}</ul>
${sessions.length > 1 && html`<div class="choice">${action(words, actions.endOthers, 'account.endOthers')}</div>`}
</section>
<div class="choice"><a class="second" href="/admin">${words.say('action.back')}</a>${signOutForm(words)}</div>`,
  })
}

function action(words: Words, name: string, label: SignInTextKey, more: Readonly<Record<string, string>> = {}): Html {
  return html`<form method="post">${hiddenFields({ do: name, ...more })}${button(words, label, 'second')}</form>`
}

function addPasskeyForm(words: Words): Html {
  const more = field(words, { name: 'name', label: 'passkey.name', type: 'text', autocomplete: 'off', lengthMax: 60 })
  const fields = { do: actions.addPasskey }
  return passkeyForm(words, { purpose: 'register', action: '/admin/account', label: 'passkey.add', fields, more })
}

function passkeyEntry(words: Words, { id, name, createdAt, usedAt }: Passkey): Html {
  const label = words.say('passkey.name')
  return html`<li class="entry">
<form method="post" class="inline">${hiddenFields({ do: actions.namePasskey, passkey: id })}<span class="field"><input name="name" value="${name}" maxlength="60" aria-label="${label}" autocomplete="off" dir="auto" required></span>${button(words, 'action.save', 'second')}</form>
<span class="hint">${usedAt === null ? words.say('passkey.added', { date: words.date(createdAt) }) : words.say('account.seen', { date: words.date(usedAt) })}</span>
${action(words, actions.removePasskey, 'passkey.remove', { passkey: id })}
</li>`
}

function demandEntry(words: Words, { id, name, needsSecondFactor }: UserMerchant): Html {
  return html`<li class="entry">
<span><span class="entry-name" dir="auto">${name}</span>
<span class="hint">${words.say(needsSecondFactor ? 'demand.on' : 'demand.off')}</span></span>
${needsSecondFactor ? action(words, actions.release, 'demand.release', { shop: id }) : action(words, actions.demand, 'demand.demand', { shop: id })}
</li>`
}

function assistantsPart(words: Words, assistants: readonly OwnAssistant[]): Html {
  return html`<section class="part">
<h2>${words.say('assistants.title')}</h2>
<p>${words.say('assistants.lead')}</p>
<ul class="entries">${assistants.map((assistant) => assistantEntry(words, assistant))}</ul>
</section>`
}

function assistantEntry(words: Words, assistant: OwnAssistant): Html {
  const { id, name, mode, merchantName, createdAt, lastTokenAt } = assistant
  const key = lastTokenAt === null ? 'passkey.added' : 'account.seen'
  return html`<li class="entry">
<span><span class="entry-name" dir="auto">${name}</span>
<span class="hint"><span dir="auto">${merchantName}</span>${mode === 'test' && html` · ${words.say('assistants.test')}`} · ${words.say(key, { date: words.date(lastTokenAt ?? createdAt) })}</span></span>
${action(words, actions.endAssistant, 'account.end', { assistant: id })}
</li>`
}

function sessionEntry(words: Words, { id, browser, seenAt }: Session, isThis: boolean): Html {
  return html`<li class="entry">
<span><span class="entry-name" dir="auto">${browser || words.say('account.unknown')}${isThis && html` (${words.say('account.here')})`}</span>
<span class="hint">${words.say('account.seen', { date: words.date(seenAt) })}</span></span>
${!isThis && action(words, actions.end, 'account.end', { session: id })}
</li>`
}

export interface TotpView {
  // In groups of four, as a person types it.
  key: string
  uri: string
  // Undefined where the text is too long for a picture.
  modules: readonly (readonly boolean[])[] | undefined
  // The secret, sealed for this person.
  sealed: string
  isWrong: boolean
}

export function totpSheet(words: Words, { key, uri, modules, sealed, isWrong }: TotpView): string {
  return sheetPage(words, {
    title: words.say('account.setUp'),
    problem: isWrong ? words.say('code.failed') : null,
    body: html`<p class="lead">${words.say('totp.lead')}</p>
${modules && qrImage(words, modules)}
<p class="secret" dir="ltr"><span class="soft">${words.say('totp.key')}:</span> ${key}</p>
<p><a href="${uri}">${words.say('totp.open')}</a></p>
<form method="post" action="/admin/account">
${hiddenFields({ do: actions.turnOn, sealed })}
${field(words, { name: 'code', label: 'code.label', type: 'text', autocomplete: 'one-time-code', lengthMax: 10, isWrong })}
<div class="choice">${button(words, 'totp.turnOn')}<a class="second" href="/admin/account">${words.say('action.back')}</a></div>
</form>`,
  })
}

function qrImage(words: Words, modules: readonly (readonly boolean[])[]): Html {
  const { side, path } = qrPath(modules)
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${words.say('totp.picture')}">
<path class="qr-paper" d="M0 0h${side}v${side}h-${side}z"/><path class="qr-ink" d="${path}"/></svg>`
}

export function codesSheet(words: Words, codes: readonly string[]): string {
  return sheetPage(words, {
    title: words.say('codes.title'),
    body: html`<p class="lead">${words.say('codes.lead')}</p>
<ul class="codes" dir="ltr">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<div class="choice"><a class="first" href="/admin/account">${words.say('codes.done')}</a></div>`,
  })
}

export interface ConfirmView {
  email: string
  next: string
  problem: SignInProblem | 'passkey' | null
  hasPasskey: boolean
  // The password alone does not help: a second factor is demanded, and the passkey is the one there is.
  isPasskeyNeeded: boolean
}

export function confirmSheet(words: Words, { email, next, problem, hasPasskey, isPasskeyNeeded }: ConfirmView): string {
  const byPasskey =
    hasPasskey &&
    passkeyForm(words, { purpose: 'confirm', action: '/admin/confirm', label: 'passkey.confirm', fields: { next } })
  if (isPasskeyNeeded)
    return sheetPage(words, {
      title: words.say('confirm.passkeyTitle'),
      problem: problem && words.say('passkey.failed'),
      hasPasskeys: true,
      body: html`<p class="lead">${words.say('confirm.passkeyLead')}</p>
${byPasskey}`,
    })
  return sheetPage(words, {
    title: words.say('confirm.title'),
    problem: problem && words.say(problem === 'passkey' ? 'passkey.failed' : `signin.${problem}`),
    hasPasskeys: hasPasskey,
    body: html`<p class="lead">${words.say('confirm.lead')}</p>
<form method="post" action="/admin/confirm">
${hiddenFields({ next })}
${usernameField(email)}
${field(words, { name: 'password', label: 'signin.password', type: 'password', autocomplete: 'current-password', lengthMax: 200, isFirst: true, isWrong: problem === 'failed' })}
<div class="choice">${button(words, 'action.continue')}</div>
</form>
${byPasskey}`,
  })
}
