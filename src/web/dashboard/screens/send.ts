// Sends a parcel of an order with all or some of the remaining units, and corrects the data of a parcel.

import type { AdminFulfillment, AdminOrder } from '../../../contract/admin/orders.ts'
import { carrierNames } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
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
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { backToOrder, findOrder, orderIdInPath } from './order.ts'
import {
  nothingChosenProblem,
  type QuantityLine,
  quantityFields,
  quantityTable,
  readQuantities,
  withExcessProblems,
} from './quantities.ts'

interface Parcel {
  carrier?: string | null
  trackingNumber?: string | null
  trackingUrl?: string | null
}

function parcelFields(words: DashboardWords, isNullable: boolean): Field[] {
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

// Suggests carriers, but accepts any other name.
export function carrierField(words: DashboardWords): Pick<Field, 'suggestions' | 'help'> {
  return { suggestions: carrierNames, help: words.say('send.carrierHelp') }
}

interface Drawn {
  values?: FieldValues
  // Values that the page showed.
  was?: FieldValues
  problems?: Problems
}

export const sendParcelScreen: Screen = {
  path: 'orders/:orderId/send',
  name: 'dashboard send',
  place: 'orders',
  needs: 'fulfilAdminOrder',
  get: async (visit) => sendSheet(visit, await findOrder(visit), new URLSearchParams()),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const order = await findOrder(posted)
    const lines = sendLines(words, order)
    const fields = [...quantityFields(words, lines, asked), ...parcelFields(words, false)]
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return sendSheet(posted, order, sent, read.problems)
    const { quantities: _, ...parcel } = read.body
    const quantities = readQuantities(read.body)
    const items = itemsIn(order, quantities, sent)
    if (items === 'nothing') return sendSheet(posted, order, sent, nothingChosenProblem(words, lines))
    const outcome = await catchRefusal(
      posted.ask('fulfilAdminOrder', {
        path: { orderId },
        body: { ...(parcel as Parcel), ...readShownVersion(sent), ...(items !== 'all' && { items }) },
        key: readKey(sent),
      }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`orders/${orderId}`), 'done.sent')
    const problems = withExcessProblems(words, lines, quantities, problemsFromRefusal(words, outcome.refusal, fields))
    return sendSheet(posted, order, sent, problems)
  },
}

// Returns the version that the page showed, so the operation detects later changes before it does anything.
export function readShownVersion(sent: FormFields): { expectedVersion?: number } {
  const text = sent.get('version') ?? ''
  return /^\d{1,9}$/.test(text) ? { expectedVersion: Number(text) } : {}
}

const left = ({ quantity, fulfilled }: AdminOrder['items'][number]) => quantity - fulfilled

const asked = { prefix: 'quantity', label: 'send.quantityOf' } as const

function sendLines(words: DashboardWords, { items }: AdminOrder): QuantityLine[] {
  return items.map((item) => {
    const most = left(item)
    const note = words.say('send.left', { count: most })
    return { item, most, preset: most, note, hidden: hiddenFields({ [`left-${item.skuId}`]: most }) }
  })
}

// Returns 'all' if all units are sent that the page showed as remaining. Comparing with the page rather than the order makes a second
// press send the same request.
function itemsIn({ items }: AdminOrder, quantities: ReadonlyMap<string, number>, shown: FormFields) {
  const wanted = items
    .map((item) => ({
      skuId: item.skuId,
      quantity: quantities.get(item.skuId) ?? 0,
      most: Number(shown.get(`left-${item.skuId}`) ?? left(item)),
    }))
    .filter(({ most }) => most > 0)
  if (wanted.every(({ quantity, most }) => quantity === most)) return 'all'
  const some = wanted.filter(({ quantity }) => quantity !== 0).map(({ skuId, quantity }) => ({ skuId, quantity }))
  return some.length === 0 ? 'nothing' : some
}

function sendSheet(visit: ScreenVisit, order: AdminOrder, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  const lines = sendLines(words, order).filter(({ most }) => most > 0)
  const fields = parcelFields(words, false)
  return dialog({
    title: words.say('send.title', { number: order.number }),
    back,
    lead: words.say('send.lead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`orders/${order.id}/send`),
      fields,
      values: readTypedValues(fields, sent),
      problems,
      drawn: quantityFields(words, lines, asked),
      hidden: { version: order.version },
      before: quantityTable(words, lines, { asked, title: words.say('send.what'), sent, problems }),
      submit: words.say('send.submit'),
      cancel: back.href,
    }),
  })
}

export const parcelTrackingScreen: Screen = {
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
  async post(posted: PostedScreen) {
    const { words, form: sent } = posted
    const order = await findOrder(posted)
    const { id } = parcelOf(posted, order)
    const fields = parcelFields(words, true)
    const read = buildBody(words, fields, sent)
    const drawn = { values: readTypedValues(fields, sent), was: wasIn(fields, sent) }
    if ('problems' in read) return parcelSheet(posted, order, { ...drawn, problems: read.problems })
    const body = changed(read.body, drawn.was)
    if (Object.keys(body).length === 0) return redirectWithToast(posted.to(`orders/${order.id}`), 'done.nothing')
    const outcome = await catchRefusal(
      posted.change('updateAdminFulfillment', {
        path: { orderId: order.id, fulfillmentId: id },
        body,
        key: readKey(sent),
      }),
    )
    if ('refusal' in outcome)
      return parcelSheet(posted, order, { ...drawn, problems: problemsFromRefusal(words, outcome.refusal, fields) })
    return redirectWithToast(posted.to(`orders/${order.id}`), 'done.parcel', { change: outcome.reply.change })
  },
}

// Returns only values that the person changed, so later changes by others are preserved.
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

function parcelOf({ path }: ScreenVisit, { fulfillments }: AdminOrder): AdminFulfillment {
  const found = fulfillments.find(({ id }) => id === path.fulfillmentId)
  if (!found) throw refuse('fulfillment_not_found')
  return found
}

function parcelSheet(visit: ScreenVisit, order: AdminOrder, { values = {}, was = {}, problems }: Drawn): ScreenSheet {
  const { words, to, path } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('parcel.title'),
    back,
    status: problems ? 409 : 200,
    body: renderForm(visit, {
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
