// The notice on the legal guarantee for goods (Directive (EU) 2024/825), shown before the order is placed and in its confirmation e-mail.

import type { CheckoutView } from '../../domain/checkout/port.ts'
import { chooseGuaranteeNotice } from '../../domain/merchants/store.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { legalGuaranteeYears } from '../../platform/kit/duties.ts'
import type { Speaker } from '../languages/language.ts'

// Returns the URL of the European Commission's page about guarantees: in the given language if it is a European one of the checkout,
// otherwise in English.
export function guaranteeUrl(language: string): string {
  const known = ['en', 'de', 'fr', 'es', 'nl'].includes(language) ? language : 'en'
  return `https://europa.eu/youreurope/citizens/consumers/shopping/guarantees-returns/index_${known}.htm`
}

// Names the years that the country of the address grants, or the minimum while the address is unknown.
export function guaranteeNotice(
  { say, language }: Speaker,
  { merchant, address, needsShipping }: CheckoutView,
): Html | false {
  if (!merchant.showsGuarantee || !needsShipping) return false
  const years = legalGuaranteeYears(address?.country ?? null)
  if (years === null) return false
  const title = say('guarantee.title')
  const text = say('guarantee.text', { count: years })
  const notice = chooseGuaranteeNotice(merchant, language)
  return html`<aside class="guarantee" aria-labelledby="guarantee-title">
    <h3 id="guarantee-title">${title}</h3>
<p>${text}</p>
${notice !== null && html`<p><img src="${notice.path}" lang="${notice.language}" alt="${guaranteeNoticeText(title, text)}"></p>`}
<p>
  <a href="${guaranteeUrl(language)}" target="_blank" rel="noopener noreferrer">
    ${say('guarantee.more')}
    <span class="hidden"> (${say('page.newTab')})</span>
  </a></p></aside>`
}

// Alternative text for the picture of the harmonised notice.
export function guaranteeNoticeText(title: string, text: string): string {
  return `${title}: ${text}`
}
