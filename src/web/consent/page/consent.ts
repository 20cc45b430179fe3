// The page on which the merchant chooses the shop, sees the requested permissions and decides.

import { type Mode, modes, type Scope } from '../../../contract/words.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { redirectHostOf, renderAppHeading, renderConsentFrame } from './frame.ts'
import { type ConsentProblem, type ConsentView, consentSteps, type MerchantChoice } from './views.ts'
import { alwaysAllowed, scopeWords } from './words.ts'

export function consentPage(view: ConsentView): string {
  const { app, email, merchants, scopes, problem } = view
  const [only, second] = merchants
  const chosen = view.merchantId ?? (only && !second ? only.id : null)
  const isAssistant = app.claimedName !== undefined
  const body = html`${renderAppHeading(app)}
${
  isAssistant
    ? html`<h1><span dir="auto">${app.name}</span> wants to work for your shop</h1>`
    : html`<h1>Connect <span dir="auto">${app.name}</span> to your shop?</h1>`
}
${
  isAssistant &&
  html`<p class="lead">
    It calls itself <strong dir="auto">${app.claimedName}</strong>. Anyone can choose a name, so look at the address.
  </p>`
}
${app.description !== '' && html`<p class="lead" dir="auto">${app.description}</p>`}
<p class="soft">Signed in as <strong>${email}</strong></p>
${problem !== null && html`<p class="problem" id="problem" role="alert">${problems[problem]}</p>`}
<form method="post">
${hiddenFields({ step: consentSteps.consent })}
<fieldset${problem === 'merchant_missing' && html` aria-describedby="problem"`}>
<legend>Which shop?</legend>
${merchants.map((merchant) => merchantRow(merchant, merchant.id === chosen))}
</fieldset>
${isAssistant && modeRows(view)}
<fieldset${(problem === 'scope_missing' || problem === 'beyond_role') && html` aria-describedby="problem"`}>
<legend>What may it do?</legend>
<p class="hint">
  ${
    isAssistant
      ? 'Tick what you want to allow. It can never do more than you may do yourself.'
      : 'Untick anything you do not want to allow. The app may then not work fully.'
  }</p>
${inOrder(scopes).map((scope) => scopeRow(scope, view.ticked.includes(scope), !isAssistant))}
</fieldset>
<p class="note">
  ${
    isAssistant
      ? 'It reaches the whole shop. Its changes stand in the list of changes under its name, and most can be undone there. You can end it at any time in your account, and an owner under Developers. It also ends when you leave the shop or set a new password.'
      : alwaysAllowed.text
  }</p>
${
  app.mode === 'test' &&
  html`<p class="note">In test mode its checkouts charge no real card and do not touch your live stock.</p>`
}
<div class="choice">
<button class="first" name="decision" value="approve">Approve</button>
<button class="second" name="decision" value="decline" formnovalidate>Decline</button>
</div>
</form>
<p class="hint">
  Either way you return to <span class="place">${redirectHostOf(app)}</span>. Approve only if you know
  this ${isAssistant ? 'assistant' : 'app'} and came from there.</p>`
  return renderConsentFrame(`${problem === null ? '' : 'Not done yet: '}Connect ${app.name} – Cartwright`, body)
}

function merchantRow({ id, slug, name, isInstalled }: MerchantChoice, isChosen: boolean): Html {
  const rowId = `merchant-${slug}`
  return html`<div class="row">
<input
  type="radio"
  id="${rowId}"
  name="merchant"
  value="${id}"
  required${isChosen && html` checked`}${isInstalled && html` aria-describedby="${rowId}-note"`}>
<label for="${rowId}"><span dir="auto">${name}</span> <span class="name-of">${slug}</span></label>
${
  isInstalled &&
  html`<p class="row-note" id="${rowId}-note">Already installed here. Approving adds a second installation.</p>`
}
</div>`
}

const modeTexts: Readonly<Record<Mode, { title: string; note: string }>> = {
  test: { title: 'Test mode', note: 'A copy to try things out, without real orders and money.' },
  live: { title: 'Live mode', note: 'Your real orders, products and stock.' },
}

function modeRows({ mode, problem }: ConsentView): Html {
  return html`<fieldset${problem === 'mode_missing' && html` aria-describedby="problem"`}>
<legend>Where does it work?</legend>
${modes.map(
  (one) => html`<div class="row">
<input
  type="radio"
  id="mode-${one}"
  name="mode"
  value="${one}"
  required${one === mode && html` checked`}
  aria-describedby="mode-${one}-note">
<label for="mode-${one}">${modeTexts[one].title}</label>
<p class="row-note" id="mode-${one}-note">${modeTexts[one].note}</p>
</div>`,
)}
</fieldset>`
}

// Sorts the scopes, those for the whole shop first, whatever the order of the request.
function inOrder(asked: readonly Scope[]): Scope[] {
  return (Object.keys(scopeWords) as Scope[]).filter((scope) => asked.includes(scope))
}

function scopeRow(scope: Scope, isTicked: boolean, hasNote: boolean): Html {
  const { title, note, points } = scopeWords[scope]
  const rowId = `scope-${scope.replace(':', '-')}`
  return html`<div class="row">
<input type="checkbox" id="${rowId}" name="scope" value="${scope}"${isTicked && html` checked`} aria-describedby="${rowId}-points">
<label for="${rowId}">${title} <span class="name-of">${scope}</span></label>
<div class="row-note" id="${rowId}-points">
${hasNote && note !== undefined && html`<p>${note}</p>`}
<ul>${points.map(({ text, isSensitive }) => html`<li${isSensitive === true && html` class="grave"`}>${text}</li>`)}</ul>
</div>
</div>`
}

const problems: Readonly<Record<ConsentProblem, string>> = {
  merchant_missing: 'Choose the shop to connect the app to.',
  scope_missing: 'Tick at least one thing that it may do, or decline.',
  mode_missing: 'Choose whether it works in test mode or in live mode.',
  beyond_role: 'You ticked more than you may do in this shop yourself.',
  too_many_yours: 'You have as many assistants in this shop as one person can have. End one of them first.',
  too_many: 'This shop has as many apps and assistants as it can have. End one of them first.',
}
