// Refunds items or an amount. The first press shows the sum; only the second moves money.

import { randomUUID } from 'node:crypto'
import type { AdminOrder } from '../../../contract/admin/orders.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import {
  buildBody,
  type Field,
  field,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { refundedUnits } from '../ordermoney.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { backToOrder, findOrder, orderIdInPath } from './order.ts'
import { chosenQuantities, type QuantityLine, quantityFields, quantityTable, withExcessProblems } from './quantities.ts'
import { readShownVersion } from './send.ts'

// Values of the hidden field `step`: the preview, then the action.
const steps = { preview: 'preview', refund: 'refund' } as const

function refundFields(words: DashboardWords, { currency, payments }: AdminOrder): Field[] {
  // Orders that were paid without a provider are always refunded by hand.
  const isAtProvider = payments.some(({ provider }) => provider !== 'manual')
  return [
    { name: 'restock', label: words.say('refund.restock'), kind: 'check' },
    {
      name: 'amount',
      label: words.say('refund.amount'),
      kind: 'money',
      currency,
      help: words.say('refund.amountHelp'),
      isHalf: true,
    },
    {
      name: 'reason',
      label: words.say('refund.reason'),
      kind: 'line',
      lengthMax: 500,
      help: words.say('refund.reasonHelp'),
    },
    ...(isAtProvider
      ? [
          {
            name: 'byHand',
            label: words.say('refund.byHand'),
            kind: 'check' as const,
            help: words.say('refund.byHandHelp'),
          },
        ]
      : []),
  ]
}

const asked = { prefix: 'quantity', label: 'refund.quantityOf' } as const

function refundLines(words: DashboardWords, order: AdminOrder): QuantityLine[] {
  const refunded = refundedUnits(order)
  return order.items.map((item) => {
    const most = item.quantity - (refunded.get(item.skuId) ?? 0)
    const note = most <= 0 ? words.say('refund.noneLeft') : words.say('refund.of', { count: most })
    return { item, most, preset: 0, note }
  })
}

function allFields(words: DashboardWords, order: AdminOrder): Field[] {
  return [...quantityFields(words, refundLines(words, order), asked), ...refundFields(words, order)]
}

export const refundOrderScreen: Screen = {
  path: 'orders/:orderId/refund',
  name: 'dashboard refund',
  place: 'orders',
  needs: 'refundAdminOrder',
  get: async (visit) => refundSheet(visit, await findOrder(visit), new URLSearchParams()),
  async post(posted) {
    const { form: sent } = posted
    const orderId = orderIdInPath(posted)
    const order = await findOrder(posted)
    const read = bodyIn(posted, order)
    if ('problems' in read) return refundSheet(posted, order, sent, read.problems)
    const body = { ...read.body, ...readShownVersion(sent), ...refundedIn(sent) }
    const isPreview = sent.get('step') !== steps.refund
    const outcome = await catchRefusal(
      isPreview
        ? posted.ask('refundAdminOrder', { path: { orderId }, body: { ...body, dryRun: true }, key: randomUUID() })
        : posted.ask('refundAdminOrder', { path: { orderId }, body, key: readKey(sent) }),
    )
    if ('refusal' in outcome)
      return refundSheet(posted, order, sent, problemsIn(posted, order, read.body, outcome.refusal))
    if (isPreview) return previewSheet(posted, order, outcome.reply.data)
    return redirectWithToast(posted.to(`orders/${orderId}`), 'done.refunded')
  },
}

// Shows problems of a typed amount at its field.
function problemsIn(
  { words, form: sent }: PostedScreen,
  order: AdminOrder,
  body: RefundBody,
  refusal: Refusal,
): Problems {
  const quantities = new Map((body.items ?? []).map(({ skuId, quantity }) => [skuId, quantity]))
  const found = problemsFromRefusal(words, refusal, refundFields(words, order))
  const problems = withExcessProblems(words, refundLines(words, order), quantities, found)
  if (!refusal.code.startsWith('refund_amount_') || (sent.get('amount') ?? '') === '') return problems
  return { at: { ...problems.at, '/amount': words.refusal(refusal) } }
}

function refundedOf({ totals }: AdminOrder): number {
  return totals.refunded + totals.refundPending
}

// Reads the refunded amount that the page showed. The operation compares it to detect a refund in progress, which does not change the
// version.
function refundedIn(sent: FormFields): { expectedRefunded?: number } {
  const text = sent.get('refunded') ?? ''
  return /^\d{1,15}$/.test(text) ? { expectedRefunded: Number(text) } : {}
}

interface RefundBody {
  amount?: number
  items?: { skuId: string; quantity: number }[]
  shipping?: boolean
  restock?: boolean
  reason?: string
  byHand?: boolean
}

function bodyIn({ words, form: sent }: PostedScreen, order: AdminOrder): { body: RefundBody } | { problems: Problems } {
  const read = buildBody(words, allFields(words, order), sent)
  if ('problems' in read) return read
  const { amount, restock, reason, byHand } = read.body as RefundBody
  const items = chosenQuantities(read.body)
  const shipping = sent.get('shipping') === 'on'
  const isByItem = items.length > 0 || shipping
  if (isByItem && amount !== undefined) return { problems: { at: { '/amount': words.say('refund.both') } } }
  const nothing = words.say('refund.nothing')
  if (!isByItem && amount === undefined) return { problems: { summary: nothing, at: { '/amount': nothing } } }
  return {
    body: {
      ...(amount !== undefined && { amount }),
      ...(items.length > 0 && { items }),
      ...(shipping && { shipping }),
      // Only a refund of items can restock.
      ...(items.length > 0 && { restock: restock ?? false }),
      ...(reason !== undefined && { reason }),
      ...(byHand && { byHand }),
    },
  }
}

function refundSheet(visit: ScreenVisit, order: AdminOrder, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const { totals, currency, number, version } = order
  const back = backToOrder(visit, order)
  const refunded = refundedOf(order)
  const rest = totals.total - refunded
  const fields = refundFields(words, order)
  const values = readTypedValues(fields, sent)
  return dialog({
    title: words.say('refund.title', { number }),
    back,
    lead: words.say('refund.lead', { amount: words.money(rest, currency) }),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`orders/${order.id}/refund`),
      fields: [],
      problems,
      drawn: allFields(words, order),
      hidden: { version, refunded, step: steps.preview },
      before: html`${quantityTable(words, refundLines(words, order), {
        asked,
        title: words.say('refund.items'),
        sent,
        problems,
        more: shippingBox(words, order, sent),
      })}
      <div class="fields">${fields.map((one) => field(words, one, values[one.name], problems))}</div>`,
      submit: words.say('refund.preview'),
      cancel: back.href,
    }),
  })
}

function shippingBox(
  words: DashboardWords,
  { shipping, totals, currency, refunds }: AdminOrder,
  sent: FormFields,
): Html | false {
  if (refunds.some((made) => made.shipping && made.status !== 'failed'))
    return html`<p class="help">${words.say('refund.shippingDone')}</p>`
  if (shipping === null || totals.shipping <= 0) return false
  const label = words.say('refund.shipping', { amount: words.money(totals.shipping, currency) })
  return html`<label class="check">
    <input type="checkbox" name="shipping" value="on"${sent.get('shipping') === 'on' && html` checked`}> ${label}
  </label>`
}

interface Preview {
  amount: number
  restocked: readonly { skuId: string; quantity: number }[]
}

function previewSheet(posted: PostedScreen, order: AdminOrder, { amount, restocked }: Preview): ScreenSheet {
  const { words, to, form: sent } = posted
  const back = backToOrder(posted, order)
  const sum = words.money(amount, order.currency)
  const kept = [...sent].filter(
    ([name]) => name.startsWith('quantity-') || ['amount', 'restock', 'reason', 'shipping', 'byHand'].includes(name),
  )
  const names = new Map(order.items.map(({ skuId, name }) => [skuId, name]))
  return dialog({
    title: words.say('refund.title', { number: order.number }),
    back,
    body: renderForm(posted, {
      action: to(`orders/${order.id}/refund`),
      fields: [],
      hidden: { version: order.version, refunded: refundedOf(order), step: steps.refund },
      before: html`${hiddenFields(Object.fromEntries(kept))}
<div>
  <p class="soft">${words.say('refund.sum')}</p>
  <p class="amount-big">${sum}</p>
  <p class="soft small">${words.say(sent.get('byHand') === 'on' ? 'refund.byHandText' : 'refund.sumText')}</p></div>
${
  restocked.length > 0 &&
  html`<div>
    <p class="soft">${words.say('refund.restocked')}</p>
    <ul>
      ${restocked.map(
        ({ skuId, quantity }) => html`<li>${words.number(quantity)} × <span dir="auto">${names.get(skuId)}</span></li>`,
      )}
    </ul>
  </div>`
}`,
      submit: words.say('refund.submit', { amount: sum }),
      kind: 'danger',
      actions: html`<a class="button plain" href="${to(`orders/${order.id}/refund`)}">${words.say('refund.change')}</a>`,
      cancel: back.href,
    }),
  })
}
