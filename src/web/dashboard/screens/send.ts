// Sending: one parcel of an order, with all or some of what is left; and correcting what a parcel says.

import type { AdminFulfillment, AdminOrder } from '../../../contract/admin/orders.ts'
import { carrierNames } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import { bodyOf, type Field, type FieldValues, form, keyIn, type Problems, problemsOf, valuesOf } from '../form.ts'
import { attempt, type Posted, type Screen, type Sheet, type Visit } from '../screen.ts'
import { done } from '../toast.ts'
import type { Words } from '../words.ts'
import { backToOrder, findOrder, lineName, orderIdOf } from './order.ts'

interface Parcel {
  carrier?: string | null
  trackingNumber?: string | null
  trackingUrl?: string | null
}

function parcelFields(words: Words, isNullable: boolean): Field[] {
  const line = { kind: 'line', lengthMax: 100, isHalf: true, isNullable } as const
  return [
    { ...line, ...carrierField(words), name: 'carrier', label: words.say('send.carrier'), isFirst: true },
    { ...line, name: 'trackingNumber', label: words.say('send.tracking') },
    {
      name: 'trackingUrl',
      label: words.say('send.url'),
      kind: 'url',
      lengthMax: 2000,
      isNullable,
      help: words.say('send.urlHelp'),
    },
  ]
}

// One of the list, or any other name.
export function carrierField(words: Words): Pick<Field, 'suggestions' | 'help'> {
  return { suggestions: carrierNames, help: words.say('send.carrierHelp') }
}

interface Drawn {
  values?: FieldValues
  // What the person began with.
  was?: FieldValues
  quantities?: ReadonlyMap<string, string>
  problems?: Problems
}

export const send: Screen = {
  path: 'orders/:orderId/send',
  name: 'dashboard send',
  place: 'orders',
  needs: 'fulfilAdminOrder',
  get: async (visit) => sendSheet(visit, await findOrder(visit)),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdOf(posted)
    const order = await findOrder(posted)
    const fields = parcelFields(words, false)
    const read = bodyOf(words, fields, sent)
    const quantities = quantitiesIn(sent)
    const drawn = { values: valuesOf(fields, sent), quantities }
    if ('problems' in read) return sendSheet(posted, order, { ...drawn, problems: read.problems })
    const items = itemsIn(order, quantities, sent)
    if (items === 'nothing')
      return sendSheet(posted, order, { ...drawn, problems: { summary: words.say('send.nothing'), at: {} } })
    const outcome = await attempt(
      posted.ask('fulfilAdminOrder', {
        path: { orderId },
        body: { ...(read.body as Parcel), ...versionIn(sent), ...(items !== 'all' && { items }) },
        key: keyIn(sent),
      }),
    )
    if ('refusal' in outcome)
      return sendSheet(posted, order, { ...drawn, problems: problemsOf(words, outcome.refusal, fields) })
    return done(posted.to(`orders/${orderId}`), 'done.sent')
  },
}

// The version that the page showed, so a change in between is seen before anything is done.
export function versionIn(sent: FormFields): { expectedVersion?: number } {
  const text = sent.get('version') ?? ''
  return /^\d{1,9}$/.test(text) ? { expectedVersion: Number(text) } : {}
}

function quantitiesIn(sent: FormFields): Map<string, string> {
  return new Map(
    [...sent].flatMap(([name, value]) => (name.startsWith('quantity-') ? [[name.slice(9), value.slice(0, 10)]] : [])),
  )
}

const left = ({ quantity, fulfilled }: AdminOrder['items'][number]) => quantity - fulfilled

// All that the page showed as left is asked for without a list, which also holds where two lines are of one SKU. By what the page
// showed, so a second press of one form asks for the same.
function itemsIn({ items }: AdminOrder, quantities: ReadonlyMap<string, string>, shown: FormFields) {
  const wanted = items
    .map((item) => ({
      skuId: item.skuId,
      quantity: Number(quantities.get(item.skuId) ?? left(item)),
      most: Number(shown.get(`left-${item.skuId}`) ?? left(item)),
    }))
    .filter(({ most }) => most > 0)
  if (wanted.every(({ quantity, most }) => quantity === most)) return 'all'
  const some = wanted.filter(({ quantity }) => quantity !== 0).map(({ skuId, quantity }) => ({ skuId, quantity }))
  return some.length === 0 ? 'nothing' : some
}

function sendSheet(visit: Visit, order: AdminOrder, { values = {}, quantities, problems }: Drawn = {}): Sheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('send.title', { number: order.number }),
    back,
    lead: words.say('send.lead'),
    status: problems ? 409 : 200,
    body: form(visit, {
      action: to(`orders/${order.id}/send`),
      fields: parcelFields(words, false),
      values,
      problems,
      hidden: { version: order.version },
      before: itemsTable(words, order, quantities),
      submit: words.say('send.submit'),
      cancel: back.href,
    }),
  })
}

function itemsTable(words: Words, { items }: AdminOrder, quantities: ReadonlyMap<string, string> | undefined): Html {
  return html`<fieldset class="lines-form">
    <legend>${words.say('send.what')}</legend>
    <table>
      <tbody>
        ${items
          .filter((item) => left(item) > 0)
          .map(
            (item) =>
              html`<tr>
            <th scope="row">${lineName(item)}</th>
            <td class="end soft">${words.say('send.left', { count: left(item) })}</td>
            <td class="end">
              <input
                type="number"
                name="quantity-${item.skuId}"
                min="0"
                max="${left(item)}"
                value="${quantities?.get(item.skuId) ?? left(item)}"
                aria-label="${words.say('send.quantityOf', { name: item.name })}">
              ${hiddenFields({ [`left-${item.skuId}`]: left(item) })}
            </td>
          </tr>`,
          )}
      </tbody>
    </table>
  </fieldset>`
}

export const parcel: Screen = {
  path: 'orders/:orderId/parcels/:fulfillmentId',
  name: 'dashboard parcel',
  place: 'orders',
  needs: 'updateAdminFulfillment',
  async get(visit) {
    const order = await findOrder(visit)
    const { carrier, trackingNumber, trackingUrl } = parcelOf(visit, order)
    const values = { carrier: carrier ?? '', trackingNumber: trackingNumber ?? '', trackingUrl: trackingUrl ?? '' }
    return parcelSheet(visit, order, { values, was: values })
  },
  async post(posted: Posted) {
    const { words, form: sent } = posted
    const order = await findOrder(posted)
    const { id } = parcelOf(posted, order)
    const fields = parcelFields(words, true)
    const read = bodyOf(words, fields, sent)
    const drawn = { values: valuesOf(fields, sent), was: wasIn(fields, sent) }
    if ('problems' in read) return parcelSheet(posted, order, { ...drawn, problems: read.problems })
    const body = changed(read.body, drawn.was)
    if (Object.keys(body).length === 0) return done(posted.to(`orders/${order.id}`), 'done.nothing')
    const outcome = await attempt(
      posted.change('updateAdminFulfillment', {
        path: { orderId: order.id, fulfillmentId: id },
        body,
        key: keyIn(sent),
      }),
    )
    if ('refusal' in outcome)
      return parcelSheet(posted, order, { ...drawn, problems: problemsOf(words, outcome.refusal, fields) })
    return done(posted.to(`orders/${order.id}`), 'done.parcel', { change: outcome.reply.change })
  },
}

// Only what differs from what the page showed: what someone else entered meanwhile stays.
function changed(typed: Parcel, was: FieldValues): Parcel {
  return Object.fromEntries(Object.entries(typed).filter(([name, value]) => (value ?? '') !== was[name]))
}

function wasIn(fields: readonly Field[], sent: FormFields): FieldValues {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const text = sent.get(`was-${name}`)
      return text === null ? [] : [[name, text.slice(0, 2_000)]]
    }),
  )
}

function parcelOf({ path }: Visit, { fulfillments }: AdminOrder): AdminFulfillment {
  const found = fulfillments.find(({ id }) => id === path.fulfillmentId)
  if (!found) throw refuse('fulfillment_not_found')
  return found
}

function parcelSheet(visit: Visit, order: AdminOrder, { values = {}, was = {}, problems }: Drawn): Sheet {
  const { words, to, path } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('parcel.title'),
    back,
    status: problems ? 409 : 200,
    body: form(visit, {
      action: to(`orders/${order.id}/parcels/${path.fulfillmentId}`),
      fields: parcelFields(words, true),
      values,
      problems,
      hidden: Object.fromEntries(Object.entries(was).map(([name, value]) => [`was-${name}`, value])),
      submit: words.say('action.save'),
      cancel: back.href,
    }),
  })
}
