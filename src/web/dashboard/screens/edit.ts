// Edits the items of an order before they are sent. The first press shows the price; the second changes the order.

import { randomUUID } from 'node:crypto'
import type { AdminOrderEditRequest, AdminOrderEditResponse } from '../../../contract/admin/edits.ts'
import type { AdminOrder } from '../../../contract/admin/orders.ts'
import { limits } from '../../../contract/limits.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import {
  buildBody,
  type Field,
  field,
  moneyText,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { button, renderCard } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import {
  atRowPointers,
  countUpTo,
  findTypedSku,
  itemRowFields,
  itemRows,
  missingProductProblem,
  type TypedItemRow,
} from './itemrows.ts'
import { backToOrder, findOrder, lineName, orderIdInPath } from './order.ts'
import {
  pointerOfQuantity,
  type QuantityLine,
  quantityFields,
  quantityTable,
  readQuantities,
  withExcessProblems,
} from './quantities.ts'
import { readShownVersion } from './send.ts'

// Values of the hidden field `step`: the preview, then the action.
const steps = { preview: 'preview', edit: 'edit' } as const

// Enough for most edits. For more new items, the order is edited again.
const newRows = 3

export const editOrderScreen: Screen = {
  path: 'orders/:orderId/edit',
  name: 'dashboard order edit',
  place: 'orders',
  needs: 'editAdminOrder',
  get: async (visit) => editSheet(visit, await findOrder(visit), new URLSearchParams()),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const order = await findOrder(posted)
    const read = await bodyIn(posted, order)
    if ('problems' in read) return editSheet(posted, order, sent, read.problems)
    const isPreview = sent.get('step') !== steps.edit
    const isReceived = isPreview || sent.get(received) === 'on'
    const body = {
      ...read.body,
      ...readShownVersion(sent),
      ...(isReceived ? { differenceReceived: true } : { payByLink: true }),
    }
    const outcome = await catchRefusal(
      isPreview
        ? posted.ask('editAdminOrder', { path: { orderId }, body: { ...body, dryRun: true }, key: randomUUID() })
        : posted.ask('editAdminOrder', { path: { orderId }, body: { ...body, ...totalIn(sent) }, key: readKey(sent) }),
    )
    if ('refusal' in outcome) {
      const found = problemsFromRefusal(
        words,
        atRowPointers(outcome.refusal, 'items', read.places),
        allFields(words, order),
      )
      const quantities = new Map((body.items ?? []).map(({ skuId, quantity }) => [skuId, quantity]))
      const problems = withExcessProblems(words, editLines(words, order), quantities, found)
      const why = sentenceFor(words, outcome.refusal.details.current?.reason)
      return editSheet(posted, order, sent, why === undefined ? problems : { ...problems, summary: why })
    }
    if (isPreview) return previewSheet(posted, order, outcome.reply.data)
    const { draftId } = outcome.reply.data
    if (draftId !== null) return redirectWithToast(posted.to(`drafts/${draftId}`), 'done.linkMade')
    return redirectWithToast(posted.to(`orders/${orderId}`), 'done.edited')
  },
}

// Name of the checkbox in the preview of a more expensive order: the customer has already paid the difference.
const received = 'received'

function sentenceFor(words: DashboardWords, reason: unknown): string | undefined {
  if (reason === 'nothing_added') return words.say('edit.nothingAdded')
  if (reason === 'change_open') return words.say('edit.changeOpen')
  if (reason === 'settled') return words.say('edit.settled')
  if (reason === 'refunded') return words.say('edit.refunded')
  return reason === 'nothing_left' ? words.say('edit.nothingLeft') : undefined
}

function shippingField(words: DashboardWords, { currency }: AdminOrder): Field {
  return { name: 'shipping', label: words.say('edit.shipping'), kind: 'money', currency, isHalf: true }
}

const asked = { prefix: 'of', label: 'edit.quantityOf' } as const

function editLines(words: DashboardWords, { items }: AdminOrder): QuantityLine[] {
  return items.map((item) => ({
    ...{ item, least: item.fulfilled, most: limits.quantityMax, preset: item.quantity },
    note: item.fulfilled > 0 && words.say('edit.sent', { count: item.fulfilled }),
  }))
}

// An empty quantity is refused, because it could mean none or unchanged.
function emptied({ words, form: sent }: PostedScreen, { items }: AdminOrder): Problems | undefined {
  const empty = items.filter(({ skuId }) => sent.get(`of-${skuId}`)?.trim() === '')
  if (empty.length === 0) return undefined
  const at = Object.fromEntries(empty.map(({ skuId }) => [pointerOfQuantity(skuId), words.say('form.required')]))
  return { summary: words.say('form.problem'), at }
}

function allFields(words: DashboardWords, order: AdminOrder): Field[] {
  return [
    ...quantityFields(words, editLines(words, order), asked),
    ...countUpTo(newRows).flatMap((row) => itemRowFields(words, order.currency, row)),
    shippingField(words, order),
  ]
}

// Finds products by code or name, because the operation takes ids.
async function bodyIn(
  posted: PostedScreen,
  order: AdminOrder,
): Promise<{ body: AdminOrderEditRequest; places: string[] } | { problems: Problems }> {
  const { words, form: sent } = posted
  const read = buildBody(words, allFields(words, order), sent)
  if ('problems' in read) return read
  const empty = emptied(posted, order)
  if (empty) return { problems: empty }
  const { rows = {}, shipping } = read.body as { rows?: Readonly<Record<string, TypedItemRow>>; shipping?: number }
  const quantities = readQuantities(read.body)
  const items: NonNullable<AdminOrderEditRequest['items']> = order.items.flatMap(({ skuId, quantity: before }) => {
    const quantity = quantities.get(skuId) ?? before
    return quantity === before ? [] : [{ skuId, quantity }]
  })
  const rowOf = new Map<string, string>()
  for (const [row, { product, quantity = 1, unitPrice }] of Object.entries(rows)) {
    if (!product) return missingProductProblem(words, row)
    const sku = await findTypedSku(posted, product)
    if (typeof sku === 'string') return { problems: { summary: sku, at: { [`/rows/${row}/product`]: sku } } }
    rowOf.set(sku.id, `/rows/${row}`)
    const known = order.items.find(({ skuId }) => skuId === sku.id)
    if (known && unitPrice !== undefined && unitPrice !== known.unitPrice) {
      const text = words.say('edit.priceStays')
      return { problems: { summary: text, at: { [`/rows/${row}/unitPrice`]: text } } }
    }
    const all = quantity + (items.find(({ skuId }) => skuId === sku.id)?.quantity ?? known?.quantity ?? 0)
    const others = items.filter(({ skuId }) => skuId !== sku.id)
    const price = unitPrice !== undefined && !known ? { unitPrice } : {}
    items.splice(0, items.length, ...others, { skuId: sku.id, quantity: all, ...price })
  }
  const isMoved = shipping !== undefined && shipping !== order.totals.shipping
  if (items.length === 0 && !isMoved) return { problems: { summary: words.say('edit.nothing'), at: {} } }
  const places = items.map(({ skuId }) => rowOf.get(skuId) ?? pointerOfQuantity(skuId))
  return { body: { ...(items.length > 0 && { items }), ...(isMoved && { shipping }) }, places }
}

function totalIn(sent: FormFields): { expectedTotal?: number } {
  const text = sent.get('expectedTotal') ?? ''
  return /^\d{1,15}$/.test(text) ? { expectedTotal: Number(text) } : {}
}

export function editSheet(visit: ScreenVisit, order: AdminOrder, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const { number, version, shipping, totals, currency } = order
  const back = backToOrder(visit, order)
  const values = readTypedValues(allFields(words, order), sent)
  const added = itemRows(visit, {
    caption: words.say('edit.new'),
    values,
    rows: newRows,
    canGrow: false,
    ...(problems && { problems }),
  })
  const title = words.say('edit.items')
  const costs = { ...values, shipping: sent.get('shipping') ?? moneyText(totals.shipping, currency) }
  return {
    title: words.say('edit.title', { number }),
    back,
    sub: words.say('edit.lead'),
    status: problems ? 409 : 200,
    width: 'narrow',
    body: html`<div class="cards">${renderForm(visit, {
      action: to(`orders/${order.id}/edit`),
      fields: [],
      problems,
      drawn: allFields(words, order),
      hidden: { version, step: steps.preview },
      before: html`${renderCard({ title, body: quantityTable(words, editLines(words, order), { asked, title, isTitleHidden: true, sent, problems }) })}
${renderCard({ title: words.say('edit.new'), body: added })}
${
  shipping !== null &&
  renderCard({
    title: words.say('order.shipping'),
    body: html`<div class="fields">${field(words, shippingField(words, order), costs.shipping, problems)}</div>`,
  })
}`,
      submit: words.say('edit.preview'),
      cancel: back.href,
    })}
${addressCard(visit, order)}</div>`,
  }
}

// The button opens the form by a post, because the form shows personal data.
function addressCard({ words, to, may }: ScreenVisit, { id, city, country, shipping }: AdminOrder): Html | false {
  if (shipping === null || !may('getAdminOrderCustomer')) return false
  const place = [city, country && words.country(country)].filter(Boolean).join(', ')
  return renderCard({
    title: words.say('order.address'),
    body: html`<p dir="auto">${place}</p>
    <form class="reveal" method="post" action="${to(`orders/${id}/address`)}">
      ${button({ label: words.say('address.open') })}
      <p class="help">${words.say('order.showNote')}</p>
    </form>`,
  })
}

type Preview = AdminOrderEditResponse['data']

function headline(
  { paymentStatus }: AdminOrder,
  difference: number,
): 'edit.same' | 'edit.due' | 'edit.more' | 'edit.back' {
  if (difference === 0) return 'edit.same'
  if (paymentStatus === 'pending') return 'edit.due'
  return difference > 0 ? 'edit.more' : 'edit.back'
}

function receivedField(words: DashboardWords): Field {
  return { name: received, label: words.say('edit.received'), kind: 'check', help: words.say('edit.receivedHelp') }
}

function previewSheet(posted: PostedScreen, order: AdminOrder, preview: Preview): ScreenSheet {
  const { words, to, form: sent } = posted
  const back = backToOrder(posted, order)
  const { totals, difference, items } = preview
  const amount = (minor: number) => words.money(minor, order.currency)
  const kept = [...sent].filter(([name]) => /^(?:of-|product-|quantity-|price-|shipping$)/.test(name))
  const rows: readonly (readonly [string, number, number] | false)[] = [
    [words.say('order.subtotal'), order.totals.subtotal, totals.subtotal],
    order.totals.discount + totals.discount > 0 && [
      words.say('order.discount'),
      -order.totals.discount,
      -totals.discount,
    ],
    order.totals.shipping + totals.shipping > 0 && [
      words.say('order.shipping'),
      order.totals.shipping,
      totals.shipping,
    ],
    [words.say(totals.taxIncluded ? 'order.taxIncluded' : 'order.tax'), order.totals.tax, totals.tax],
    [words.say('order.total'), order.totals.total, totals.total],
  ]
  return {
    title: words.say('edit.title', { number: order.number }),
    back,
    width: 'narrow',
    body: renderForm(posted, {
      action: to(`orders/${order.id}/edit`),
      fields: [],
      hidden: { version: order.version, step: steps.edit, expectedTotal: totals.total },
      before: html`${hiddenFields(Object.fromEntries(kept))}
<div>
  <p class="soft">${words.say(headline(order, difference))}</p>
  <p class="amount-big">${amount(order.paymentStatus === 'pending' ? totals.total : Math.abs(difference))}</p></div>
${renderCard({
  title: words.say('order.items'),
  isFlush: true,
  body: html`<div class="scroll"><table><caption class="hidden">${words.say('edit.items')}</caption>
<thead>
  <tr>
    <th scope="col">${words.say('print.item')}</th>
    <th scope="col" class="end">${words.say('edit.before')}</th>
    <th scope="col" class="end">${words.say('edit.after')}</th>
  </tr></thead>
<tbody>
  ${items.map(
    (item) =>
      html`<tr>
      <th scope="row">${lineName(item)}</th>
      <td class="end">${words.number(item.before)}</td>
      <td class="end">${words.number(item.quantity)} × ${amount(item.unitPrice)}</td>
    </tr>`,
  )}
  ${rows.map(
    (row) =>
      row &&
      html`<tr>
      <th scope="row">${row[0]}</th>
      <td class="end">${amount(row[1])}</td>
      <td class="end">${amount(row[2])}</td>
    </tr>`,
  )}</tbody></table></div>`,
})}`,
      ...(difference > 0 && order.paymentStatus !== 'pending' && { fields: [receivedField(words)] }),
      submit: words.say('edit.submit'),
      actions: html`<a class="button plain" href="${to(`orders/${order.id}/edit`)}">${words.say('edit.change')}</a>`,
      cancel: back.href,
    }),
  }
}
