// Estimate of the shipping cost of a cart before its address is known: for the country that the shopper chose, or else for the likeliest.

import type { Cart, ShippingEstimate } from '../../packages/client/src/index.ts'
import { type Html, html } from './html.ts'
import type { Speaker } from './speaker.ts'

export interface EstimateView {
  estimate: ShippingEstimate
  // Countries to which the shop delivers.
  countries: readonly string[]
}

const elsewhere = '*'
const codePattern = /^[A-Z]{2}$/

// Returns the first of the wanted countries to which the shop delivers. Callers pass the country that was asked for, the country where
// the shopper seems to be and the country of the shop.
export function destinationFor(
  shipsTo: readonly string[],
  wanted: readonly (string | null | undefined)[],
): string | undefined {
  const isServed = (country: string) =>
    codePattern.test(country) && (shipsTo.includes(country) || (shipsTo.includes(elsewhere) && isCountry(country)))
  return wanted.find((country) => country != null && isServed(country)) ?? shipsTo.find(isServed)
}

export function countriesOf(shipsTo: readonly string[]): readonly string[] {
  return shipsTo.includes(elsewhere) ? [...allCountries()] : shipsTo
}

export function shippingRow({ say, money, country }: Speaker, cart: Cart, view: EstimateView | null) {
  if (view === null) return { name: say('total.shipping'), value: say('total.shippingLater') }
  const { estimate } = view
  const name = say('total.shippingTo', { country: country(estimate.country) })
  if (!estimate.requiresShipping) return { name: say('total.shipping'), value: say('total.shippingNone') }
  if (estimate.optionId === null) return { name, value: say('estimate.none') }
  const { shipping } = estimate.totals
  return { name, value: shipping === 0 ? say('total.free') : money(shipping, cart.currency) }
}

// Lists the prices of all shipping options. The shopper chooses one at the checkout.
export function estimateForm(speaker: Speaker, base: string, currency: string, view: EstimateView | null): Html | null {
  if (!view?.estimate.requiresShipping) return null
  const { estimate, countries } = view
  const { say, money, country: nameOf } = speaker
  const named = countries.map((code) => ({ code, name: nameOf(code) }))
  const sorted = named.toSorted((one, other) => one.name.localeCompare(other.name, speaker.language))
  const { options } = estimate
  return html`<form class="estimate" method="post" action="${base}/cart/country">
<label for="country">${say('estimate.label')}</label>
<div><select id="country" name="country">${sorted.map(
    ({ code, name }) => html`<option value="${code}"${code === estimate.country && html` selected`}>${name}</option>`,
  )}</select><button class="button quiet">${say('estimate.show')}</button></div>
${options.length > 1 && html`<ul class="small">${options.map(({ label, amount }) => html`<li><bdi>${label}</bdi> <span>${amount === 0 ? say('total.free') : money(amount, currency)}</span></li>`)}</ul>`}
<p class="small">${say('estimate.text')}</p>
</form>`
}

// Region codes of Unicode that are not countries: unions, a currency zone, pseudo-locales and the code for unknown.
const noCountries: ReadonlySet<string> = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'])
let all: ReadonlySet<string> | undefined

function isCountry(code: string): boolean {
  return allCountries().has(code)
}

// The country codes of ISO 3166-1. Codes of former countries are replaced by the current ones.
function allCountries(): ReadonlySet<string> {
  if (all) return all
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((one) => letters.map((other) => one + other))
  all = new Set(
    codes.filter((code) => {
      const [tag] = Intl.getCanonicalLocales(`und-${code}`)
      return !noCountries.has(code) && tag === `und-${code}` && names.of(code) !== undefined
    }),
  )
  return all
}
