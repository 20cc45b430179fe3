// A secret that is shown once: in the answer to the post that created it, and never in a URL, a redirect or a cache.
//
//   return secretSheet(visit, { title, lead, label: 'Key', secret, back: { href, label } })

import { type Html, type HtmlValue, html } from '../../platform/html/html.ts'
import { linkButton } from './parts.ts'
import type { ScreenSheet, ScreenVisit } from './screen.ts'

export interface SecretParts {
  title: string
  lead: string
  label: string
  secret: string
  back: { href: string; label: string }
  // Rendered below the secret, such as instructions.
  more?: HtmlValue
}

export function secretSheet(
  { words }: ScreenVisit,
  { title, lead, label, secret, back, more }: SecretParts,
): ScreenSheet {
  return {
    title,
    back,
    width: 'narrow',
    body: html`<div class="card"><div class="card-body"><p class="lead">${lead}</p>
${copyField({ id: 'secret', label, text: secret, copy: words.say('secret.copy'), copied: words.say('secret.copied') })}
<p class="help">${words.say('secret.once')}</p>${more}
<div class="form-foot">${linkButton({ label: words.say('secret.stored'), href: back.href, kind: 'first' })}</div></div></div>`,
  }
}

// Without script, the person selects and copies the text.
export function copyField(parts: { id: string; label: string; text: string; copy: string; copied: string }): Html {
  const { id, label, text, copy, copied } = parts
  return html`<div class="field secret"><label for="${id}">${label}</label>
<div class="copy-row">
  <input id="${id}" class="mono" readonly autocomplete="off" spellcheck="false" dir="ltr" value="${text}">
  <button type="button" class="button second with-script" data-copy="${id}" data-copied="${copied}">${copy}</button></div>
  </div>`
}
