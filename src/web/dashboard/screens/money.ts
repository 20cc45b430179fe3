// Money that is recorded by hand, with a form for each case: a received transfer or cash, a refund by hand, and cash on delivery that was
// not collected.

import type { AdminOrder } from '../../../contract/admin/orders.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import {
  buildBody,
  type Field,
  moneyText,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { backToOrder, findOrder, orderIdInPath } from './order.ts'
import { readShownVersion } from './send.ts'

function payFields(words: DashboardWords, { currency }: AdminOrder): Field[] {
  return [
    {
      name: 'amount',
      label: words.say('pay.amount'),
      kind: 'money',
      currency,
      isRequired: true,
      help: words.say('pay.amountHelp'),
      isHalf: true,
    },
    { name: 'settles', label: words.say('pay.settles'), kind: 'check' },
  ]
}

// Returns the amount that is missing. `moneyReceived.due` is 0 for an order whose payment was voided, but such an order can still be
// paid.
function dueOf({ total, moneyReceived }: AdminOrder): number {
  return Math.max(0, total - (moneyReceived?.sum ?? 0))
}

export const recordPaymentScreen: Screen = {
  path: 'orders/:orderId/pay',
  name: 'dashboard pay',
  place: 'orders',
  needs: 'payAdminOrder',
  get: async (visit) => {
    const order = await findOrder(visit)
    return paySheet(visit, order, { amount: moneyText(dueOf(order), order.currency) })
  },
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const order = await findOrder(posted)
    const fields = payFields(words, order)
    const values = readTypedValues(fields, sent)
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return paySheet(posted, order, values, read.problems)
    const { amount, settles } = read.body as { amount: number; settles: boolean }
    const asked = { path: { orderId }, key: readKey(sent) }
    const outcome = await catchRefusal(
      posted.ask('recordAdminMoney', { ...asked, body: { ...readShownVersion(sent), amount, settles } }),
    )
    if ('refusal' in outcome)
      return paySheet(posted, await findOrder(posted), values, amountProblems(words, outcome.refusal, fields))
    const isPaid = outcome.reply.data.paymentStatus !== 'pending'
    return redirectWithToast(posted.to(`orders/${orderId}`), isPaid ? 'done.paid' : 'done.partPaid')
  },
}

function amountProblems(words: DashboardWords, refusal: Refusal, fields: readonly Field[]): Problems {
  const problems = problemsFromRefusal(words, refusal, fields)
  return refusal.code === 'money_not_recordable' ? { ...problems, at: { '/amount': words.refusal(refusal) } } : problems
}

function paySheet(
  visit: ScreenVisit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  const amount = words.money(dueOf(order), order.currency)
  return dialog({
    title: words.say('pay.title', { number: order.number }),
    back,
    lead: words.say('pay.lead', { amount }),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`orders/${order.id}/pay`),
      fields: payFields(words, order),
      values,
      problems,
      hidden: { version: order.version },
      submit: words.say('pay.submit'),
      cancel: back.href,
    }),
  })
}

function giveBackFields(words: DashboardWords, { currency }: AdminOrder): Field[] {
  const help = words.say('giveBack.amountHelp')
  return [{ name: 'amount', label: words.say('giveBack.amount'), kind: 'money', currency, isRequired: true, help }]
}

export const moneyBackScreen: Screen = {
  path: 'orders/:orderId/give-back',
  name: 'dashboard give back',
  place: 'orders',
  needs: 'recordAdminMoney',
  get: async (visit) => {
    const order = await findOrder(visit)
    return giveBackSheet(visit, order, { amount: moneyText(order.moneyReceived?.excess ?? 0, order.currency) })
  },
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const order = await findOrder(posted)
    const fields = giveBackFields(words, order)
    const values = readTypedValues(fields, sent)
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return giveBackSheet(posted, order, values, read.problems)
    const { amount } = read.body as { amount: number }
    const outcome = await catchRefusal(
      posted.ask('recordAdminMoney', {
        path: { orderId },
        body: { ...readShownVersion(sent), amount: -amount },
        key: readKey(sent),
      }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`orders/${orderId}`), 'done.givenBack')
    return giveBackSheet(posted, await findOrder(posted), values, amountProblems(words, outcome.refusal, fields))
  },
}

function giveBackSheet(
  visit: ScreenVisit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('giveBack.title', { number: order.number }),
    back,
    lead: words.say('giveBack.lead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`orders/${order.id}/give-back`),
      fields: giveBackFields(words, order),
      values,
      problems,
      hidden: { version: order.version },
      submit: words.say('giveBack.submit'),
      cancel: back.href,
    }),
  })
}

function undeliveredFields(words: DashboardWords): Field[] {
  return [{ name: 'restock', label: words.say('undelivered.restock'), kind: 'check' }]
}

export const undeliveredOrderScreen: Screen = {
  path: 'orders/:orderId/undelivered',
  name: 'dashboard undelivered',
  place: 'orders',
  needs: 'returnAdminOrder',
  get: async (visit) => undeliveredSheet(visit, await findOrder(visit), { restock: 'on' }),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const fields = undeliveredFields(words)
    const body = { ...readShownVersion(sent), restock: sent.get('restock') === 'on' }
    const outcome = await catchRefusal(posted.ask('returnAdminOrder', { path: { orderId }, body, key: readKey(sent) }))
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`orders/${orderId}`), 'done.undelivered')
    const problems = problemsFromRefusal(words, outcome.refusal, fields)
    return undeliveredSheet(posted, await findOrder(posted), readTypedValues(fields, sent), problems)
  },
}

function undeliveredSheet(
  visit: ScreenVisit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('undelivered.title', { number: order.number }),
    back,
    lead: words.say('undelivered.lead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to(`orders/${order.id}/undelivered`),
      fields: undeliveredFields(words),
      values,
      problems,
      hidden: { version: order.version },
      submit: words.say('undelivered.submit'),
      kind: 'danger',
      cancel: back.href,
    }),
  })
}
