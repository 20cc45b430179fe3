// Manufacturer of a product, the responsible person in the EU, and warnings, as a page that offers the product must show them.

import type { Product } from '../../packages/client/src/index.ts'
import { type Html, html } from './html.ts'
import type { Speaker } from './speaker.ts'

type Safety = NonNullable<Product['safety']>

export function safetyOf(speaker: Speaker, { safety }: Pick<Product, 'safety'>): Html | false {
  if (!safety) return false
  const { say, language } = speaker
  const warnings = warningsFor(safety.warnings, language)
  const part = (term: string, parties: Safety['makers']) =>
    parties.length > 0 && html`<div><dt>${term}</dt>${parties.map((party) => partyOf(speaker, party))}</div>`
  return html`<section class="safety" aria-labelledby="safety"><h2 id="safety">${say('safety.title')}</h2>
<dl>
${warnings.length > 0 && html`<div><dt>${say('safety.warnings')}</dt>${warnings.map(({ text, language: own }) => html`<dd dir="auto"${own !== null && html` lang="${own}"`}>${text}</dd>`)}</div>`}
${part(say('safety.maker'), safety.makers)}
${part(say('safety.responsible'), safety.responsible)}
</dl></section>`
}

// Returns the warnings in the shopper's language and those without a language. If there are none, returns all: a warning is never left
// out.
export function warningsFor(warnings: Safety['warnings'], language: string): Safety['warnings'] {
  const own = warnings.filter((warning) => warning.language === null || warning.language === language)
  return own.length > 0 ? own : warnings
}

function partyOf(speaker: Speaker, { name, address, country, contact }: Safety['makers'][number]): Html {
  const href = contact.startsWith('https://') ? contact : `mailto:${encodeURI(contact)}`
  return html`<dd dir="auto">${name}<br>${address.map((line) => html`${line}<br>`)}${speaker.country(country)}<br><a href="${href}" rel="nofollow">${contact.replace(/^https:\/\//, '')}</a></dd>`
}
