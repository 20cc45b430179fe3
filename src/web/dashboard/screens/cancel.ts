// Cancelling an order: one confirmation.

import type { AdminOrder } from '../../../contract/admin/orders.ts'
import { type OrderCancellationReason, orderCancellationReasons } from '../../../contract/words.ts'
import { dialog } from '../dialog.ts'
import { bodyOf, type Field, form, keyIn, type Problems, problemsOf, valuesOf } from '../form.ts'
import { attempt, type Screen, type Sheet, type Visit } from '../screen.ts'
import { done } from '../toast.ts'
import type { Words } from '../words.ts'
import { backToOrder, findOrder, orderIdOf } from './order.ts'
import { versionIn } from './send.ts'

function cancelFields(words: Words): Field[] {
  return [
    {
      name: 'reason',
      label: words.say('cancel.reason'),
      kind: 'choice',
      isRequired: true,
      options: orderCancellationReasons.map((value) => ({ value, label: words.say(`reason.${value}`) })),
    },
    {
      name: 'note',
      label: words.say('cancel.note'),
      kind: 'text',
      rows: 2,
      lengthMax: 500,
      help: words.say('cancel.noteHelp'),
    },
    { name: 'restock', label: words.say('cancel.restock'), kind: 'check' },
  ]
}

export const cancel: Screen = {
  path: 'orders/:orderId/cancel',
  name: 'dashboard cancel',
  place: 'orders',
  needs: 'cancelAdminOrder',
  get: async (visit) => cancelSheet(visit, await findOrder(visit), { restock: 'on' }),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdOf(posted)
    const fields = cancelFields(words)
    const read = bodyOf(words, fields, sent)
    const values = valuesOf(fields, sent)
    if ('problems' in read) return cancelSheet(posted, await findOrder(posted), values, read.problems)
    const body = read.body as { reason?: OrderCancellationReason; note?: string; restock: boolean }
    const outcome = await attempt(
      posted.ask('cancelAdminOrder', { path: { orderId }, body: { ...body, ...versionIn(sent) }, key: keyIn(sent) }),
    )
    if (!('refusal' in outcome)) return done(posted.to(`orders/${orderId}`), 'done.cancelled')
    return cancelSheet(posted, await findOrder(posted), values, problemsOf(words, outcome.refusal, fields))
  },
}

function cancelSheet(
  visit: Visit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): Sheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('cancel.title', { number: order.number }),
    back,
    lead: words.say('cancel.lead'),
    status: problems ? 409 : 200,
    body: form(visit, {
      action: to(`orders/${order.id}/cancel`),
      fields: cancelFields(words),
      values,
      problems,
      hidden: { version: order.version },
      submit: words.say('cancel.submit'),
      kind: 'danger',
      cancel: back.href,
    }),
  })
}
