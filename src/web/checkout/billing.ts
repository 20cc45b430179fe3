// The billing address within a payment method that needs one. All countries share one set of fields, because without script the fields
// cannot follow the selected country. The payment checks which fields the country requires.

import { type AddressFieldName, autocompleteFor, formatFor } from '../../domain/addresses/formats.ts'
import type { CheckoutMethod, CheckoutView } from '../../domain/checkout/port.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import {
  detailId,
  type FieldErrors,
  lengthsMax,
  listCountryChoices,
  renderChoice,
  renderField,
  renderFoldedField,
} from './fields.ts'
import { fieldName, type TypedBilling } from './input.ts'

type Name = Exclude<AddressFieldName, 'company' | 'phone'>

const rows: readonly (readonly Name[])[] = [
  ['country'],
  ['name'],
  ['line1'],
  ['line2', 'region'],
  ['postalCode', 'city'],
]

export interface BillingParts {
  speaker: Speaker
  view: CheckoutView
  method: CheckoutMethod
  typed: TypedBilling | null
  errors: FieldErrors
}

export function billingFields(parts: BillingParts): Html {
  const { view, method, typed } = parts
  const { say } = parts.speaker
  const id = detailId(method, 'billing.other')
  const title = `${detailId(method, 'billing')}-title`
  // The style sheet hides the fields below the checkbox until the checkbox is ticked.
  return html`<fieldset class="billing choices" aria-labelledby="${title}">
${
  view.needsShipping
    ? html`<label class="tick" for="${id}"><input type="checkbox" id="${id}" name="${fieldName(method, 'billing.other')}" value="1"${
        typed?.isOther && html` checked`
      }> <span id="${title}">${say('billing.other')}</span></label>`
    : html`<p class="notice-title" id="${title}">${say('billing.title')}</p>`
}
<div class="billing-fields">${rows.map(
    (row) => html`<div class="row">${row.map((name) => billingField(parts, name))}</div>`,
  )}</div>
</fieldset>`
}

function billingField({ speaker, view, method, typed, errors }: BillingParts, name: Name): Html {
  const id = detailId(method, `billing.${name}`)
  const country = typed?.country ?? view.address?.country ?? view.merchant.country
  const isFolded = name === 'line2' || (name === 'region' && formatFor(country).region.need !== 'required')
  const given = {
    id,
    name: fieldName(method, `billing.${name}`),
    label: speaker.say(`address.${name}`),
    value: typed?.[name] ?? (name === 'country' ? country : ''),
    autocomplete: `billing ${autocompleteFor(name)}`,
    // Only some countries have postal codes or regions.
    required: name === 'postalCode' || name === 'region' ? ('maybe' as const) : name !== 'line2',
    lengthMax: lengthsMax[name] ?? 200,
    error: errors.get(id),
    ...(name === 'postalCode' && { isLatin: true }),
  }
  if (name === 'country') return renderChoice(speaker, given, listCountryChoices(speaker))
  return isFolded ? renderFoldedField(speaker, given) : renderField(speaker, given)
}
