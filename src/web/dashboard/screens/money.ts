// Money that is recorded by hand, as one form each: a received transfer or cash, a refund by hand, and cash on delivery that came back
// unpaid.

import type { AdminOrder } from '../../../contract/admin/orders.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import { bodyOf, type Field, form, keyIn, moneyText, type Problems, problemsOf, valuesOf } from '../form.ts'
import { attempt, type Screen, type Sheet, type Visit } from '../screen.ts'
import { done } from '../toast.ts'
import type { Words } from '../words.ts'
import { backToOrder, findOrder, orderIdOf } from './order.ts'
import { versionIn } from './send.ts'

function payFields(words: Words, { currency }: AdminOrder): Field[] {
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

// Amount still to be paid; of an abandoned order, the whole total.
function dueOf({ total, moneyReceived }: AdminOrder): number {
  return Math.max(0, total - (moneyReceived?.sum ?? 0))
}

export const pay: Screen = {
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
    const orderId = orderIdOf(posted)
    const order = await findOrder(posted)
    const fields = payFields(words, order)
    const values = valuesOf(fields, sent)
    const read = bodyOf(words, fields, sent)
    if ('problems' in read) return paySheet(posted, order, values, read.problems)
    const { amount, settles } = read.body as { amount: number; settles: boolean }
    const asked = { path: { orderId }, key: keyIn(sent) }
    const outcome = await attempt(
      posted.ask('recordAdminMoney', { ...asked, body: { ...versionIn(sent), amount, settles } }),
    )
    if ('refusal' in outcome)
      return paySheet(posted, await findOrder(posted), values, amountProblems(words, outcome.refusal, fields))
    const isPaid = outcome.reply.data.paymentStatus !== 'pending'
    return done(posted.to(`orders/${orderId}`), isPaid ? 'done.paid' : 'done.partPaid')
  },
}

function amountProblems(words: Words, refusal: Refusal, fields: readonly Field[]): Problems {
  const problems = problemsOf(words, refusal, fields)
  return refusal.code === 'money_not_recordable' ? { ...problems, at: { '/amount': words.refusal(refusal) } } : problems
}

function paySheet(
  visit: Visit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): Sheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  const amount = words.money(dueOf(order), order.currency)
  return dialog({
    title: words.say('pay.title', { number: order.number }),
    back,
    lead: words.say('pay.lead', { amount }),
    status: problems ? 409 : 200,
    body: form(visit, {
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

function giveBackFields(words: Words, { currency }: AdminOrder): Field[] {
  const help = words.say('giveBack.amountHelp')
  return [{ name: 'amount', label: words.say('giveBack.amount'), kind: 'money', currency, isRequired: true, help }]
}

export const moneyBack: Screen = {
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
    const orderId = orderIdOf(posted)
    const order = await findOrder(posted)
    const fields = giveBackFields(words, order)
    const values = valuesOf(fields, sent)
    const read = bodyOf(words, fields, sent)
    if ('problems' in read) return giveBackSheet(posted, order, values, read.problems)
    const { amount } = read.body as { amount: number }
    const outcome = await attempt(
      posted.ask('recordAdminMoney', {
        path: { orderId },
        body: { ...versionIn(sent), amount: -amount },
        key: keyIn(sent),
      }),
    )
    if (!('refusal' in outcome)) return done(posted.to(`orders/${orderId}`), 'done.givenBack')
    return giveBackSheet(posted, await findOrder(posted), values, amountProblems(words, outcome.refusal, fields))
  },
}

function giveBackSheet(
  visit: Visit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): Sheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('giveBack.title', { number: order.number }),
    back,
    lead: words.say('giveBack.lead'),
    status: problems ? 409 : 200,
    body: form(visit, {
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

function undeliveredFields(words: Words): Field[] {
  return [{ name: 'restock', label: words.say('undelivered.restock'), kind: 'check' }]
}

export const undelivered: Screen = {
  path: 'orders/:orderId/undelivered',
  name: 'dashboard undelivered',
  place: 'orders',
  needs: 'returnAdminOrder',
  get: async (visit) => undeliveredSheet(visit, await findOrder(visit), { restock: 'on' }),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdOf(posted)
    const fields = undeliveredFields(words)
    const body = { ...versionIn(sent), restock: sent.get('restock') === 'on' }
    const outcome = await attempt(posted.ask('returnAdminOrder', { path: { orderId }, body, key: keyIn(sent) }))
    if (!('refusal' in outcome)) return done(posted.to(`orders/${orderId}`), 'done.undelivered')
    const problems = problemsOf(words, outcome.refusal, fields)
    return undeliveredSheet(posted, await findOrder(posted), valuesOf(fields, sent), problems)
  },
}

function undeliveredSheet(
  visit: Visit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): Sheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('undelivered.title', { number: order.number }),
    back,
    lead: words.say('undelivered.lead'),
    status: problems ? 409 : 200,
    body: form(visit, {
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
