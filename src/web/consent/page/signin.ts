// The page on which the merchant's user signs in, and the page that first signs out another user.

import { hiddenFields } from '../../../platform/html/form.ts'
import { html } from '../../../platform/html/html.ts'
import { passkeyScript } from '../../signin/page/assets.ts'
import { redirectHostOf, renderAppHeading, renderConsentFrame } from './frame.ts'
import { type CodeView, consentSteps, type SignInView, type SignOutView } from './views.ts'

export function signInPage({ app, email, problem }: SignInView): string {
  const described = problem !== null && html` aria-describedby="problem"`
  const invalid = problem === 'failed' && html` aria-invalid="true"`
  const body = html`${renderAppHeading(app)}
<h1>Sign in</h1>
<p class="lead">
  <strong dir="auto">${app.name}</strong> wants to connect to your shop. Sign in to see what it asks for.</p>
${problem !== null && html`<p class="problem" id="problem" role="alert">${problems[problem]}</p>`}
<form method="post">
${hiddenFields({ step: consentSteps.signIn })}
<div class="field">
<label for="email">E-mail</label>
<input
  id="email"
  name="email"
  type="email"
  value="${email}"
  autocomplete="username"
  autocapitalize="none"
  spellcheck="false"
  maxlength="254"
  required${described}${invalid}>
</div>
<div class="field">
<label for="password">Password</label>
<input
  id="password"
  name="password"
  type="password"
  autocomplete="current-password"
  maxlength="200"
  required${described}${invalid}>
</div>
<div class="choice">
<button class="first">Sign in</button>
<button class="second" name="decision" value="decline" formnovalidate>Cancel</button>
</div>
</form>
<form method="post" data-passkey="sign_in" hidden>
${hiddenFields({ step: consentSteps.passkey, response: '' })}
<p class="problem" data-problem role="alert" hidden>${problems.passkey}</p>
<div class="choice"><button class="second">Sign in with a passkey</button></div>
</form>
<p class="hint">
  Your password stays here: the app never sees it. Afterwards you return to <span class="place">${redirectHostOf(app)}</span>.</p>`
  return renderConsentFrame(
    problem === null ? 'Sign in – Cartwright' : 'Could not sign in – Cartwright',
    body,
    passkeyScript.href,
  )
}

export function codePage({ app, pending, problem }: CodeView): string {
  const described = problem !== null && html` aria-describedby="problem"`
  const invalid = problem === 'failed' && html` aria-invalid="true"`
  const body = html`${renderAppHeading(app)}
<h1>Enter your code</h1>
<p class="lead">Open your authenticator app and enter the six digits that it shows. A recovery code works too, once.</p>
${problem !== null && html`<p class="problem" id="problem" role="alert">${codeProblems[problem]}</p>`}
<form method="post">
${hiddenFields({ step: consentSteps.code, pending })}
<div class="field">
<label for="code">Code</label>
<input
  id="code"
  name="code"
  autocomplete="one-time-code"
  autocapitalize="none"
  spellcheck="false"
  maxlength="40"
  required
  autofocus${described}${invalid}>
</div>
<div class="choice">
<button class="first">Continue</button>
<button class="second" name="decision" value="decline" formnovalidate>Cancel</button>
</div>
</form>`
  return renderConsentFrame(problem === null ? 'Enter your code – Cartwright' : 'Wrong code – Cartwright', body)
}

export function signOutPage({ action, fields }: SignOutView): string {
  const body = html`<h1>Another user was signed in</h1>
<p class="lead">Continue to sign them out in this browser and go on as yourself. Apps they connected stay connected.</p>
<form method="post" action="${action}">
${hiddenFields(fields)}
<div class="choice"><button class="first" autofocus>Continue</button></div>
</form>`
  return renderConsentFrame('Sign in – Cartwright', body)
}

const codeProblems: Readonly<Record<NonNullable<CodeView['problem']>, string>> = {
  failed: 'The code is not correct, or was used before.',
  limited: 'Too many attempts. Wait a few minutes, then try again.',
}

const problems: Readonly<Record<NonNullable<SignInView['problem']>, string>> = {
  failed: 'The e-mail address or password is not correct.',
  limited: 'Too many attempts. Wait a few minutes, then try again.',
  passkey: 'That did not work. Try again, or sign in with your password.',
  busy: 'Many people are signing in right now. Try again in a moment.',
}
