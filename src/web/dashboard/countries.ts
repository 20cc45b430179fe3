// Countries by name, in the language of the page: as options, and as a select.

import { type Html, html } from '../../platform/html/html.ts'
import { countryCodes } from '../../platform/kit/country.ts'
import type { DashboardWords } from './words.ts'

export function countryOptions(words: DashboardWords): { value: string; label: string }[] {
  const order = new Intl.Collator(words.language)
  return countryCodes
    .map((value) => ({ value, label: words.country(value) }))
    .toSorted((one, other) => order.compare(one.label, other.label))
}

// A select in a table. All rows share the list of options.
export function countrySelect(
  options: readonly { value: string; label: string }[],
  given: { name: string; label: string; value: string; more?: Html },
): Html {
  const { name, label, value, more } = given
  return html`<select name="${name}" aria-label="${label}"${more}><option value=""></option>${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
  )}</select>`
}
