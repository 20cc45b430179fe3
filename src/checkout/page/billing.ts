// The billing address, inside of a way to pay that asks for it. One set of fields serves every country, because without script they
// cannot follow the choice of the country; what a country needs is checked when it is paid.

import { autocompleteOf, type FieldName } from '../../addresses/formats.ts'
import { type Html, html } from '../../pages/html.ts'
import type { CheckoutMethod, CheckoutView } from '../port.ts'
import { choice, countriesIn, detailId, type FieldErrors, field, lengthsMax } from './fields.ts'
import { fieldName, type TypedBilling } from './input.ts'
import type { Speaker } from './language.ts'

const rows: readonly (readonly Exclude<FieldName, 'company' | 'phone'>[])[] = [
  ['country'],
  ['name'],
  ['line1'],
  ['line2'],
  ['postalCode', 'city', 'region'],
]

// In one country or another.
const maybe: readonly FieldName[] = ['postalCode', 'region']

export function billingFields(
  speaker: Speaker,
  view: CheckoutView,
  method: CheckoutMethod,
  typed: TypedBilling | null,
  errors: FieldErrors,
): Html {
  const { say } = speaker
  const other = fieldName(method, 'billing.other')
  const title = `${detailId(method, 'billing')}-title`
  // The style sheet hides the fields until the box is ticked.
  return html`<fieldset class="billing choices" aria-labelledby="${title}">
${
  view.needsShipping
    ? html`<label class="tick" for="${detailId(method, 'billing.other')}"><input type="checkbox" id="${detailId(method, 'billing.other')}" name="${other}" value="1"${
        typed?.isOther && html` checked`
      }> <span id="${title}">${say('billing.other')}</span></label>`
    : html`<p class="notice-title" id="${title}">${say('billing.title')}</p>`
}
<div class="billing-fields">${rows.map(
    (row) =>
      html`<div class="row">${row.map((name) => billingField(speaker, view, method, name, typed, errors))}</div>`,
  )}</div>
</fieldset>`
}

function billingField(
  speaker: Speaker,
  view: CheckoutView,
  method: CheckoutMethod,
  name: (typeof rows)[number][number],
  typed: TypedBilling | null,
  errors: FieldErrors,
): Html {
  const id = detailId(method, `billing.${name}`)
  const country = view.address?.country ?? view.merchant.country
  const given = {
    id,
    name: fieldName(method, `billing.${name}`),
    label: speaker.say(`address.${name}`),
    value: typed?.[name] ?? (name === 'country' ? country : ''),
    autocomplete: `billing ${autocompleteOf(name)}`,
    required: maybe.includes(name) ? ('maybe' as const) : name !== 'line2',
    lengthMax: lengthsMax[name] ?? 200,
    error: errors.get(id),
    ...(name === 'postalCode' && { isLatin: true }),
  }
  return name === 'country' ? choice(speaker, given, countriesIn(speaker)) : field(speaker, given)
}
