// Corrects the address of an unsent order. The form is opened by a post, because it shows the address and each access is recorded.

import type { AdminCustomer } from '../../../contract/admin/orders.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { html } from '../../../platform/html/html.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { editSheet } from './edit.ts'
import { backToOrder, findOrder, type OrderWithReturns, orderIdInPath } from './order.ts'
import { readShownVersion } from './send.ts'

type AddressField = AdminCustomer['addressFields'][number]
type AddressMember = AddressField['name']

// Value of the hidden field `step` when a correction is sent.
const correct = 'correct'

export const editAddressScreen: Screen = {
  path: 'orders/:orderId/address',
  name: 'dashboard order address',
  place: 'orders',
  needs: 'editAdminOrder',
  // Answers a GET of this URL, such as from the browser history.
  get: async (visit) => editSheet(visit, await findOrder(visit), new URLSearchParams()),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    if (sent.get('step') !== correct) {
      const { data } = await posted.ask('getAdminOrderCustomer', { path: { orderId } })
      return addressSheet(posted, await findOrder(posted), openForm(data))
    }
    const fixed = { country: sent.get('country') ?? '', region: sent.get('region') ?? '' }
    const fields = fieldsNamed(sent.get('fields') ?? '')
    const read = buildBody(words, fieldsOf(words, fields), sent)
    const typed = 'body' in read ? (read.body.address as Partial<Record<AddressMember, string>> | undefined) : {}
    const { name = '', line1 = '', city = '', ...others } = typed ?? {}
    const place = { country: fixed.country, ...(fixed.region !== '' && { region: fixed.region }) }
    const body = { address: { ...others, name, line1, city, ...place }, ...readShownVersion(sent) }
    const outcome = await catchRefusal(posted.ask('editAdminOrder', { path: { orderId }, body, key: readKey(sent) }))
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`orders/${orderId}`), 'done.edited')
    const problems = problemsFromRefusal(words, outcome.refusal, fieldsOf(words, fields))
    return addressSheet(posted, await findOrder(posted), {
      fields,
      fixed,
      values: typedIn(words, fields, sent),
      problems,
    })
  },
}

interface AddressForm {
  fields: readonly AddressField[]
  // Members that cannot be changed, because taxes and shipping depend on them.
  fixed: { country: string; region: string }
  values: FieldValues
  problems?: Problems
}

function openForm({ address, addressFields }: AdminCustomer): AddressForm {
  const fields = addressFields.filter(({ name }) => isTyped(name))
  return {
    fields,
    fixed: { country: address?.country ?? '', region: address?.region ?? '' },
    values: Object.fromEntries(fields.map(({ name }) => [name, address?.[name] ?? ''])),
  }
}

function typedIn(words: DashboardWords, fields: readonly AddressField[], sent: FormFields): FieldValues {
  return readTypedValues(fieldsOf(words, fields), sent)
}

const lengthsMax = { name: 200, company: 200, line1: 200, line2: 200, city: 100, postalCode: 20, phone: 32 } as const

function isTyped(name: string): name is keyof typeof lengthsMax {
  return Object.hasOwn(lengthsMax, name)
}

// Reads the names of the form's fields from the form, because loading the address again would record another access. `name!`: a required
// field.
function fieldsNamed(text: string): AddressField[] {
  return text.split(' ').flatMap((word) => {
    const name = word.replace('!', '')
    return isTyped(name) ? [{ name, required: word.endsWith('!') }] : []
  })
}

function fieldsOf(words: DashboardWords, fields: readonly AddressField[]): Field[] {
  return fields.flatMap(({ name, required }): Field[] =>
    isTyped(name)
      ? [
          {
            ...{ name, label: words.say(`address.${name}`), kind: 'line', lengthMax: lengthsMax[name] },
            ...{ pointer: `/address/${name}`, isRequired: required, isHalf: name === 'city' || name === 'postalCode' },
          },
        ]
      : [],
  )
}

function addressSheet(
  visit: ScreenVisit,
  order: OrderWithReturns,
  { fields, fixed, values, problems }: AddressForm,
): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  const place = [fixed.region, words.country(fixed.country)].filter(Boolean).join(', ')
  const title = words.say('address.title', { number: order.number })
  if (fields.length === 0)
    return { title, back, status: 409, width: 'narrow', body: html`<p>${words.say('order.erased')}</p>` }
  return {
    title,
    back,
    sub: words.say('address.lead', { place }),
    status: problems ? 409 : 200,
    width: 'narrow',
    body: renderForm(visit, {
      action: to(`orders/${order.id}/address`),
      fields: fieldsOf(words, fields),
      values,
      problems,
      hidden: {
        ...{ version: order.version, step: correct, ...fixed },
        fields: fields.map(({ name, required }) => `${name}${required ? '!' : ''}`).join(' '),
      },
      submit: words.say('address.submit'),
      cancel: back.href,
    }),
  }
}
