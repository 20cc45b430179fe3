// The page on which the merchant chooses the shop, sees what the app asks for, and decides.

import type { Scope } from '../../../contract/words.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { appHead, framed, placeOf } from './frame.ts'
import { type ConsentProblem, type ConsentView, type MerchantChoice, steps } from './views.ts'
import { alwaysAllowed, scopeWords } from './words.ts'

export function consentPage(view: ConsentView): string {
  const { app, email, merchants, scopes, problem } = view
  const [only, second] = merchants
  const chosen = view.merchantId ?? (only && !second ? only.id : null)
  const body = html`${appHead(app)}
<h1>Connect <span dir="auto">${app.name}</span> to your shop?</h1>
${app.description !== '' && html`<p class="lead" dir="auto">${app.description}</p>`}
<p class="soft">Signed in as <strong>${email}</strong></p>
${problem !== null && html`<p class="problem" id="problem" role="alert">${problems[problem]}</p>`}
<form method="post">
${hiddenFields({ step: steps.consent })}
<fieldset${problem === 'merchant_missing' && html` aria-describedby="problem"`}>
<legend>Which shop?</legend>
${merchants.map((merchant) => merchantRow(merchant, merchant.id === chosen))}
</fieldset>
<fieldset${problem === 'scope_missing' && html` aria-describedby="problem"`}>
<legend>What may it do?</legend>
<p class="hint">Untick anything you do not want to allow. The app may then not work fully.</p>
${inOrder(scopes).map((scope) => scopeRow(scope, view.ticked.includes(scope)))}
</fieldset>
<p class="note">${alwaysAllowed.text}</p>
${app.mode === 'test' && html`<p class="note">In test mode its checkouts charge no real card and do not touch your live stock.</p>`}
<div class="choice">
<button class="first" name="decision" value="approve">Approve</button>
<button class="second" name="decision" value="decline" formnovalidate>Decline</button>
</div>
</form>
<p class="hint">Either way you return to <span class="place">${placeOf(app)}</span>. Approve only if you know this app and came from there.</p>`
  return framed(`${problem === null ? '' : 'Not done yet: '}Connect ${app.name} – Cartwright`, body)
}

function merchantRow({ id, slug, name, isInstalled }: MerchantChoice, isChosen: boolean): Html {
  const rowId = `merchant-${slug}`
  return html`<div class="row">
<input type="radio" id="${rowId}" name="merchant" value="${id}" required${isChosen && html` checked`}${isInstalled && html` aria-describedby="${rowId}-note"`}>
<label for="${rowId}"><span dir="auto">${name}</span> <span class="name-of">${slug}</span></label>
${isInstalled && html`<p class="row-note" id="${rowId}-note">Already installed here. Approving adds a second installation.</p>`}
</div>`
}

// The widest permission first, whatever order the app asks in.
function inOrder(asked: readonly Scope[]): Scope[] {
  return (Object.keys(scopeWords) as Scope[]).filter((scope) => asked.includes(scope))
}

function scopeRow(scope: Scope, isTicked: boolean): Html {
  const { title, note, points } = scopeWords[scope]
  const rowId = `scope-${scope.replace(':', '-')}`
  return html`<div class="row">
<input type="checkbox" id="${rowId}" name="scope" value="${scope}"${isTicked && html` checked`} aria-describedby="${rowId}-points">
<label for="${rowId}">${title} <span class="name-of">${scope}</span></label>
<div class="row-note" id="${rowId}-points">
${note !== undefined && html`<p>${note}</p>`}
<ul>${points.map(({ text, isSensitive }) => html`<li${isSensitive === true && html` class="grave"`}>${text}</li>`)}</ul>
</div>
</div>`
}

const problems: Readonly<Record<ConsentProblem, string>> = {
  merchant_missing: 'Choose the shop to connect the app to.',
  scope_missing: 'Tick at least one thing the app may do, or decline.',
}
