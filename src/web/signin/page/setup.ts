// The page behind the setup link.

import { html } from '../../../platform/html/html.ts'
import { type NewPasswordProblem, newPasswordField, problemText } from './entry.ts'
import { renderSignInButton, renderSignInField, sheetPage } from './frame.ts'
import type { SignInWords } from './words.ts'

export type SetupProblem = NewPasswordProblem | 'email' | 'shop'

export interface SetupView {
  email: string
  shop: string
  problem: SetupProblem | null
}

export function setupSheet(words: SignInWords, { email, shop, problem }: SetupView): string {
  const isOfField = problem === 'email' || problem === 'shop'
  return sheetPage(words, {
    title: words.say('setup.title'),
    problem: isOfField ? words.say(`setup.${problem}Problem`) : problemText(words, problem),
    body: html`<p class="lead">${words.say('setup.lead')}</p>
<form method="post">
${renderSignInField(words, {
  name: 'shop',
  label: 'setup.shop',
  type: 'text',
  autocomplete: 'organization',
  hint: 'setup.shopHint',
  value: shop,
  lengthMax: 200,
  isWrong: problem === 'shop',
  isFirst: true,
})}
${renderSignInField(words, {
  name: 'email',
  label: 'signin.email',
  type: 'email',
  autocomplete: 'username',
  value: email,
  lengthMax: 254,
  isWrong: problem === 'email',
})}
${newPasswordField(words, problem !== null && !isOfField)}
<div class="choice">${renderSignInButton(words, 'setup.begin')}</div>
</form>`,
  })
}
