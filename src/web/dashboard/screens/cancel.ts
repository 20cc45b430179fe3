// Cancels an order after one confirmation.

import type { AdminOrder } from '../../../contract/admin/orders.ts'
import { type OrderCancellationReason, orderCancellationReasons } from '../../../contract/words.ts'
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
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { backToOrder, findOrder, orderIdInPath } from './order.ts'
import { readShownVersion } from './send.ts'

function cancelFields(words: DashboardWords): Field[] {
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

export const cancelOrderScreen: Screen = {
  path: 'orders/:orderId/cancel',
  name: 'dashboard cancel',
  place: 'orders',
  needs: 'cancelAdminOrder',
  get: async (visit) => cancelSheet(visit, await findOrder(visit), { restock: 'on' }),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const fields = cancelFields(words)
    const read = buildBody(words, fields, sent)
    const values = readTypedValues(fields, sent)
    if ('problems' in read) return cancelSheet(posted, await findOrder(posted), values, read.problems)
    const body = read.body as { reason?: OrderCancellationReason; note?: string; restock: boolean }
    const outcome = await catchRefusal(
      posted.ask('cancelAdminOrder', {
        path: { orderId },
        body: { ...body, ...readShownVersion(sent) },
        key: readKey(sent),
      }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`orders/${orderId}`), 'done.cancelled')
    return cancelSheet(posted, await findOrder(posted), values, problemsFromRefusal(words, outcome.refusal, fields))
  },
}

function cancelSheet(
  visit: ScreenVisit,
  order: AdminOrder,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  return dialog({
    title: words.say('cancel.title', { number: order.number }),
    back,
    lead: words.say('cancel.lead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
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
