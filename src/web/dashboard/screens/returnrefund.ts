// Refunds a return. The first press shows the exact sum; only the second moves money.

import { randomUUID } from 'node:crypto'
import type { AdminReturn } from '../../../contract/admin/returns.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { html } from '../../../platform/html/html.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import {
  buildBody,
  type Field,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { renderFacts } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import {
  chosenQuantities,
  nothingChosenProblem,
  type QuantityLine,
  quantityFields,
  quantityTable,
  readQuantities,
  withExcessProblems,
} from './quantities.ts'
import { readShownVersion } from './send.ts'

const steps = { preview: 'preview', refund: 'refund' } as const

interface RefundBody {
  items?: { skuId: string; quantity: number }[]
  shipping?: boolean
  deduction?: number
  close?: boolean
}

function refundFields(words: DashboardWords, { currency }: AdminReturn): Field[] {
  return [
    {
      name: 'shipping',
      label: words.say('returns.shipping'),
      kind: 'choice',
      isRequired: true,
      help: words.say('returns.shippingHelp'),
      options: [
        { value: 'auto', label: words.say('returns.shipping.auto') },
        { value: 'yes', label: words.say('returns.shipping.yes') },
        { value: 'no', label: words.say('returns.shipping.no') },
      ],
    },
    {
      name: 'deduction',
      label: words.say('returns.deduction'),
      kind: 'money',
      currency,
      isHalf: true,
      help: words.say('returns.deductionHelp'),
    },
    { name: 'close', label: words.say('returns.closeToo'), kind: 'check' },
  ]
}

const asked = { prefix: 'quantity', label: 'refund.quantityOf' } as const

function refundLines(words: DashboardWords, given: AdminReturn): QuantityLine[] {
  return returnedUnits(given).map(({ item, most }) => ({
    ...{ item, most, preset: most },
    note: words.say('refund.of', { count: most }),
  }))
}

// Returns the units that can be refunded or exchanged. Once a parcel was received, these are the received units.
export function returnedUnits({ items, status }: AdminReturn) {
  return items
    .map((item) => ({ item, most: status === 'received' ? item.received : item.quantity }))
    .filter(({ most }) => most > 0)
}

export const returnRefundScreen: Screen = {
  path: 'returns/:returnId/refund',
  name: 'dashboard return refund',
  place: 'orders',
  needs: 'refundAdminReturn',
  get: async (visit) => formSheet(visit, await findReturn(visit), new URLSearchParams({ close: 'on' })),
  async post(posted) {
    const { words, form: sent } = posted
    const given = await findReturn(posted)
    const lines = refundLines(words, given)
    const fields = [...quantityFields(words, lines, asked), ...refundFields(words, given)]
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return formSheet(posted, given, sent, read.problems)
    const body = bodyIn(read.body)
    if (!body.items) return formSheet(posted, given, sent, nothingChosenProblem(words, lines))
    const isPreview = sent.get('step') !== steps.refund
    const expected = isPreview ? {} : { expectedAmount: wholeAmountIn(posted) }
    const path = { returnId: given.id }
    const outcome = await catchRefusal(
      posted.ask('refundAdminReturn', {
        path,
        body: { ...body, ...readShownVersion(sent), ...(isPreview ? { dryRun: true } : expected) },
        key: isPreview ? randomUUID() : readKey(sent),
      }),
    )
    if ('refusal' in outcome) {
      const problems = deductionProblems(posted, outcome.refusal, fields)
      return formSheet(posted, given, sent, withExcessProblems(words, lines, readQuantities(read.body), problems))
    }
    if (isPreview) return previewSheet(posted, given, outcome.reply.data)
    return redirectWithToast(posted.to(`returns/${given.id}`), 'done.refunded')
  },
}

// `nothing_to_refund` after a typed deduction means that the deduction is too large.
export function deductionProblems(
  { words, form: sent }: PostedScreen,
  refusal: Refusal,
  fields: readonly Field[],
): Problems {
  const problems = problemsFromRefusal(words, refusal, fields)
  if (refusal.code !== 'nothing_to_refund' || !sent.get('deduction')) return problems
  return { ...problems, at: { '/deduction': words.refusal(refusal) } }
}

async function findReturn(visit: ScreenVisit): Promise<AdminReturn> {
  return (await visit.ask('getAdminReturn', { path: { returnId: visit.path.returnId ?? '' } })).data
}

function wholeAmountIn({ form: sent }: PostedScreen): number {
  const text = sent.get('shown') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

function bodyIn(read: Readonly<Record<string, unknown>>): RefundBody {
  const wanted = chosenQuantities(read)
  const { shipping, deduction, close } = read as { shipping?: string; deduction?: number; close?: boolean }
  return {
    ...(wanted.length > 0 && { items: wanted }),
    ...((shipping === 'yes' || shipping === 'no') && { shipping: shipping === 'yes' }),
    ...(deduction !== undefined && { deduction }),
    close: close ?? false,
  }
}

function formSheet(visit: ScreenVisit, given: AdminReturn, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const lines = refundLines(words, given)
  const fields = refundFields(words, given)
  const back = { href: to(`returns/${given.id}`), label: words.say('returns.one', { number: given.number }) }
  return dialog({
    title: words.say('returns.refundTitle', { number: given.number }),
    back,
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`returns/${given.id}/refund`),
      fields,
      values: readTypedValues(fields, sent),
      problems,
      drawn: quantityFields(words, lines, asked),
      hidden: { version: given.version, step: steps.preview },
      before: quantityTable(words, lines, { asked, title: words.say('refund.items'), sent, problems }),
      submit: words.say('refund.preview'),
      cancel: back.href,
    }),
  })
}

interface Preview {
  amount: number
  items: readonly { skuId: string; quantity: number; amount: number; tax: number }[]
  shipping: number
  deduction: number
  capped: number
}

function previewSheet(posted: PostedScreen, given: AdminReturn, preview: Preview): ScreenSheet {
  const { words, to, form: sent } = posted
  const { amount, items, shipping, deduction, capped } = preview
  const money = (minor: number) => words.money(minor, given.currency)
  const back = { href: to(`returns/${given.id}`), label: words.say('returns.one', { number: given.number }) }
  const kept = [...sent].filter(
    ([name]) => name.startsWith('quantity-') || ['shipping', 'deduction', 'close'].includes(name),
  )
  const names = new Map(given.items.map(({ skuId, name }) => [skuId, name]))
  const tax = items.reduce((sum, item) => sum + item.tax, 0)
  return dialog({
    title: words.say('returns.refundTitle', { number: given.number }),
    back,
    body: renderForm(posted, {
      action: to(`returns/${given.id}/refund`),
      fields: [],
      hidden: { version: given.version, step: steps.refund, shown: amount },
      before: html`${hiddenFields(Object.fromEntries(kept))}
<div>
  <p class="soft">${words.say('refund.sum')}</p>
  <p class="amount-big">${money(amount)}</p>
  <p class="soft small">${words.say('refund.sumText')}</p></div>
${renderFacts([
  ...items.map(
    (item) =>
      [
        html`${words.number(item.quantity)} × <span dir="auto">${names.get(item.skuId)}</span>`,
        money(item.amount),
      ] as const,
  ),
  tax > 0 && [words.say('returns.taxPart'), money(tax)],
  shipping > 0 && [words.say('order.shipping'), money(shipping)],
  deduction > 0 && [words.say('returns.deduction'), money(-deduction)],
  capped > 0 && [words.say('returns.capped'), money(-capped)],
])}`,
      submit: words.say('refund.submit', { amount: money(amount) }),
      kind: 'danger',
      actions: html`<a class="button plain" href="${to(`returns/${given.id}/refund`)}">${words.say('refund.change')}</a>`,
      cancel: back.href,
    }),
  })
}
