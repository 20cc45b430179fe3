// The pages before the sign-in: signing in, entering a code, requesting a new password, setting it, and joining a merchant.

import { limits } from '../../../contract/limits.ts'
import type { Role } from '../../../contract/words.ts'
import type { PasswordFault } from '../../../domain/users/password.ts'
import type { CodeProblem, SignInProblem } from '../../../domain/users/signin.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { passkeyScript } from './assets.ts'
import { type FetchedAhead, passkeyForm, renderSignInButton, renderSignInField, sheetPage } from './frame.ts'
import type { SignInWords } from './words.ts'

// Values of the hidden field `step`, which tells which form was posted.
export const signInSteps = { password: 'password', code: 'code', passkey: 'passkey' } as const

export interface SignInView {
  email: string
  // Path on this server to which the person is redirected after signing in.
  next: string
  problem: SignInProblem | 'passkey' | null
  // Whether the person has just set a password.
  isSet: boolean
  // Files of the next page, which are prefetched while the person types.
  fetchedAhead?: readonly FetchedAhead[]
}

export function signInSheet(words: SignInWords, view: SignInView): string {
  const { email, next, problem, isSet, fetchedAhead = [] } = view
  const isWrong = problem === 'failed'
  return sheetPage(words, {
    title: words.say('signin.title'),
    problem: problem && words.say(problem === 'passkey' ? 'passkey.failed' : `signin.${problem}`),
    script: passkeyScript,
    fetchedAhead,
    note: isSet ? words.say('signin.set') : null,
    body: html`<form method="post" action="/admin/sign-in">
${hiddenFields({ step: signInSteps.password, next })}
${renderSignInField(words, { name: 'email', label: 'signin.email', type: 'email', autocomplete: 'username', value: email, lengthMax: 254, isWrong })}
${renderSignInField(words, { name: 'password', label: 'signin.password', type: 'password', autocomplete: 'current-password', lengthMax: 200, isWrong })}
<div class="choice">${renderSignInButton(words, 'signin.title')}</div>
</form>
${passkeyForm(words, { purpose: 'sign_in', action: '/admin/sign-in', label: 'passkey.signIn', fields: { step: signInSteps.passkey, next } })}
<p><a href="/admin/forgotten">${words.say('signin.forgotten')}</a></p>`,
  })
}

export interface CodeView {
  pending: string
  next: string
  problem: Exclude<CodeProblem, 'lost'> | null
}

export function codeSheet(words: SignInWords, { pending, next, problem }: CodeView): string {
  return sheetPage(words, {
    title: words.say('code.title'),
    problem: problem && words.say(problem === 'failed' ? 'code.failed' : 'signin.limited'),
    body: html`<p class="lead">${words.say('code.lead')}</p>
<form method="post" action="/admin/sign-in">
${hiddenFields({ step: signInSteps.code, pending, next })}
${renderSignInField(words, {
  name: 'code',
  label: 'code.label',
  type: 'text',
  autocomplete: 'one-time-code',
  lengthMax: 40,
  isFirst: true,
  isWrong: problem === 'failed',
})}
<div class="choice">${renderSignInButton(words, 'action.continue')}</div>
</form>`,
  })
}

export type ForgottenState = 'ask' | 'sent' | 'off' | 'limited'

export function forgottenSheet(words: SignInWords, state: ForgottenState): string {
  const back = html`<p><a href="/admin/sign-in">${words.say('action.back')}</a></p>`
  const title = words.say('forgotten.title')
  if (state === 'sent' || state === 'off')
    return sheetPage(words, {
      title,
      body: html`<p class="lead" role="status">${words.say(`forgotten.${state}`)}</p>${back}`,
    })
  return sheetPage(words, {
    title,
    problem: state === 'limited' ? words.say('signin.limited') : null,
    body: html`<p class="lead">${words.say('forgotten.lead')}</p>
<form method="post">
${renderSignInField(words, { name: 'email', label: 'signin.email', type: 'email', autocomplete: 'username', lengthMax: 254 })}
<div class="choice">${renderSignInButton(words, 'forgotten.send')}</div>
</form>
${back}`,
  })
}

export type NewPasswordProblem = PasswordFault | 'busy'

export function problemText(words: SignInWords, problem: NewPasswordProblem | null): string | null {
  return problem && words.say(problem === 'busy' ? 'signin.busy' : `password.${problem}`)
}

export function newPasswordField(words: SignInWords, isWrong: boolean): Html {
  return renderSignInField(words, {
    name: 'password',
    label: 'password.new',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'password.hint',
    lengthMax: 200,
    isWrong,
  })
}

export function resetSheet(
  words: SignInWords,
  { email, problem }: { email: string; problem: NewPasswordProblem | null },
) {
  return sheetPage(words, {
    title: words.say('password.title'),
    problem: problemText(words, problem),
    body: html`<form method="post">
<p class="soft" dir="auto"><strong>${email}</strong></p>
${usernameField(email)}
${newPasswordField(words, problem !== null)}
<div class="choice">${renderSignInButton(words, 'action.save')}</div>
</form>`,
  })
}

// Tells a password manager which account the password belongs to. Password managers ignore inputs of the type `hidden`.
export function usernameField(email: string): Html {
  return html`<input hidden type="text" name="username" autocomplete="username" value="${email}">`
}

export interface InvitationView {
  merchantName: string
  role: Role
  email: string
  // `new`: the person has no account and sets a password. `sign_in`: the person has an account. `accept`: the invited person is signed
  // in. `other`: another person is signed in.
  state: 'new' | 'sign_in' | 'accept' | 'other'
  // E-mail address of the signed-in user.
  signedInAs: string | null
  path: string
  // The name that was typed with a refused password.
  typedName?: string
  problem: NewPasswordProblem | null
}

export function invitationSheet(words: SignInWords, view: InvitationView): string {
  const { merchantName, role, email, problem } = view
  return sheetPage(words, {
    title: words.say('invitation.title', { merchant: merchantName }),
    problem: problemText(words, problem),
    body: html`<p class="lead">${words.say(`invitation.${role}`)}</p>
${invitationForm(words, view, email)}`,
  })
}

export function nameField(words: SignInWords, value: string): Html {
  return renderSignInField(words, {
    name: 'name',
    label: 'account.name',
    type: 'text',
    autocomplete: 'name',
    hint: 'account.nameHint',
    lengthMax: limits.userNameLengthMax,
    isName: true,
    value,
  })
}

function invitationForm(words: SignInWords, view: InvitationView, email: string): Html {
  const { state, signedInAs, path, problem, typedName = '' } = view
  if (state === 'new')
    return html`<p>${words.say('invitation.asNew', { email })}</p>
<form method="post">
${usernameField(email)}
${nameField(words, typedName)}
${newPasswordField(words, problem !== null)}
<div class="choice">${renderSignInButton(words, 'invitation.accept')}</div>
</form>`
  if (state === 'sign_in')
    return html`<p>${words.say('invitation.asUser', { email })}</p>
<div class="choice"><a class="first" href="/admin/sign-in?next=${encodeURIComponent(path)}">${words.say('signin.title')}</a></div>`
  if (state === 'other')
    return html`<p>${words.say('invitation.other', { email: signedInAs ?? '' })}</p>
<form method="post" action="/admin/sign-out">
${hiddenFields({ next: path })}
<div class="choice">${renderSignInButton(words, 'action.signOut')}</div>
</form>`
  return html`<p>${words.say('home.as', { email })}</p>
<form method="post"><div class="choice">${renderSignInButton(words, 'invitation.accept')}</div></form>`
}
