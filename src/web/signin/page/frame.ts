// The frame of every sign-in page, and elements that the pages share.

import type { ServedFile } from '../../../platform/html/files.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { renderHtmlDocument } from '../../../platform/html/frame.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { logoMark, siteBranding } from '../../../platform/html/mark.ts'
import { privateHeaders, self } from '../../../platform/html/policy.ts'
import type { PageAnswer } from '../../../platform/http/pages.ts'
import type { SignInTextKey } from '../../languages/signin/en.ts'
import { style } from './assets.ts'
import type { SignInWords } from './words.ts'

export interface SignInSheet {
  title: string
  // Shown above the body, and announced to screen readers.
  problem?: string | null | undefined
  note?: string | null | undefined
  // Script of the page (default: none).
  script?: ServedFile
  fetchedAhead?: readonly FetchedAhead[]
  body: Html
}

export interface FetchedAhead {
  file: Pick<ServedFile, 'href'>
  as: 'style' | 'script'
}

export function sheetPage(words: SignInWords, sheet: SignInSheet): string {
  const { title, problem, note, script, fetchedAhead = [], body } = sheet
  return renderHtmlDocument({
    ...siteBranding,
    locale: words.language,
    direction: words.direction,
    title: `${title} – Cartwright`,
    style: style.href,
    ...(script && { script: script.href }),
    head: html`${fetchedAhead.map(({ file, as }) => html`<link rel="prefetch" href="${file.href}" as="${as}">\n`)}`,
    header: html`<header class="bar"><span class="name">${logoMark()}<span>Cartwright</span></span></header>`,
    body: html`<main class="sheet">
<h1>${title}</h1>
${note !== undefined && note !== null && html`<p class="done" role="status">${note}</p>`}
${problem !== undefined && problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
${body}
</main>`,
  })
}

// The referrer is sent within this server's origin only, so browsers name the origin when posting its forms (Fetch, 3.2), and other sites
// never learn a URL with a secret.
export const signInHeaders = {
  ...privateHeaders({ style: [self], script: [self], connect: [self], img: [self, 'data:'], form: [self] }),
  'referrer-policy': 'same-origin',
  // The language depends on the browser and the person's cookie.
  vary: 'accept-language, cookie',
}

export function answerSheet(status: number, text: string): PageAnswer {
  return { status, body: text, headers: { ...signInHeaders } }
}

export const errorStatuses = { lost: 404, foreign: 403, unreadable: 400, limited: 429, server: 500 } as const
export type SignInErrorKind = keyof typeof errorStatuses

export function errorSheet(words: SignInWords, kind: SignInErrorKind): PageAnswer {
  const body = html`<p class="lead">${words.say(`${kind}.text`)}</p>
<p><a href="/admin/sign-in">${words.say('signin.title')}</a></p>`
  return answerSheet(errorStatuses[kind], sheetPage(words, { title: words.say(`${kind}.title`), body }))
}

export interface SignInField {
  name: string
  // Required if two forms of a page have the same field (default: the name).
  id?: string
  label: SignInTextKey
  type: 'email' | 'password' | 'text'
  autocomplete: string
  value?: string
  hint?: SignInTextKey
  lengthMax: number
  // Whether the field is for a person's name, which is optional and may be in any script.
  isName?: boolean
  isFirst?: boolean
  isWrong?: boolean
}

export function renderSignInField(words: SignInWords, given: SignInField): Html {
  const { name, label, type, autocomplete, value, hint, lengthMax, isName, isFirst, isWrong } = given
  const id = given.id ?? name
  const described = [hint !== undefined && `${id}-hint`, isWrong && 'problem'].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${id}">${words.say(label)}</label>
<input
  id="${id}"
  name="${name}"
  type="${type}"
  autocomplete="${autocomplete}"
  spellcheck="false"${type === 'text' && !isName && html` autocapitalize="none"`}
  dir="${isName ? 'auto' : 'ltr'}"
  maxlength="${lengthMax}"${!isName && html` required`}${value !== undefined && html` value="${value}"`}${
    described !== '' && html` aria-describedby="${described}"`
  }${isWrong && html` aria-invalid="true"`}${isFirst && html` autofocus`}>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${words.say(hint)}</p>`}
</div>`
}

// The form is hidden until the script has checked that the browser supports passkeys. `fields` are posted with the authenticator's
// response.
export function passkeyForm(
  words: SignInWords,
  given: {
    purpose: PasskeyPurpose
    action: string
    label: SignInTextKey
    fields: Readonly<Record<string, string>>
    more?: Html
  },
): Html {
  const { purpose, action, label, fields, more } = given
  return html`<form method="post" action="${action}" data-passkey="${purpose}" hidden>
${hiddenFields({ ...fields, response: '' })}
${more}
<p class="problem" data-problem role="alert" hidden>${words.say('passkey.failed')}</p>
<div class="choice">${renderSignInButton(words, label, 'second')}</div>
</form>`
}

export type PasskeyPurpose = 'sign_in' | 'register' | 'confirm'

export function renderSignInButton(words: SignInWords, label: SignInTextKey, kind: 'first' | 'second' = 'first'): Html {
  return html`<button class="${kind}">${words.say(label)}</button>`
}
