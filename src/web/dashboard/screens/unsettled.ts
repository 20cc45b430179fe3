// Payments whose provider has reported no outcome, or another amount: the list, and closing a payment with the outcome that the person
// saw at the provider.

import type { AdminSinglePayment } from '../../../contract/admin/unsettled.ts'
import { closedOutcomes } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { providerNames } from '../../../platform/html/paymentnames.ts'
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
import { paymentName } from '../ordermoney.ts'
import { exactTime, renderFacts, renderNotice, renderTime, statusPill } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderTable } from '../table.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'

export const unsettledPaymentsScreen: Screen = {
  path: 'payments',
  name: 'dashboard unsettled payments',
  place: 'orders',
  needs: 'listAdminUnsettledPayments',
  async get(visit) {
    const { words, query, to, may } = visit
    const cursor = query.get('cursor') ?? undefined
    const { data, meta } = await visit.ask('listAdminUnsettledPayments', { cursor })
    return {
      title: words.say('unsettled.title'),
      back: { href: to('orders'), label: words.say('orders.title') },
      sub: words.say('unsettled.sub'),
      body: renderTable(visit, {
        label: words.say('unsettled.title'),
        columns: [
          { head: words.say('orders.payment'), cell: (row) => nameOf(words, row), isMain: true },
          {
            head: words.say('orders.number'),
            cell: ({ order }) => order?.number ?? words.say('unsettled.noOrder'),
            isPlain: true,
          },
          { head: words.say('orders.placed'), cell: ({ createdAt }) => renderTime(words, createdAt), isPlain: true },
          {
            head: words.say('products.status'),
            cell: ({ status }) => statusPill(words, 'charge', status),
            isPlain: true,
          },
          {
            head: words.say('orders.total'),
            cell: ({ amount, currency }) => words.money(amount, currency),
            align: 'end',
            isCorner: true,
          },
        ],
        rows: data,
        idOf: ({ id }) => id,
        ...(may('closeAdminPayment') && { hrefOf: ({ id }: AdminSinglePayment) => to(`payments/${id}/close`) }),
        next: meta.next,
        empty: { title: words.say('unsettled.empty'), text: words.say('unsettled.emptyText') },
      }),
    }
  },
}

function nameOf(words: DashboardWords, payment: AdminSinglePayment): string {
  const provider = providerNames[payment.provider] ?? payment.provider
  const name = paymentName(words, payment)
  return name === provider ? name : `${name} · ${provider}`
}

function closeFields(words: DashboardWords, { provider }: AdminSinglePayment): Field[] {
  return [
    {
      name: 'outcome',
      label: words.say('unsettled.outcome'),
      kind: 'choice',
      isRequired: true,
      options: [
        { value: '', label: words.say('unsettled.choose') },
        ...closedOutcomes.map((value) => ({ value, label: words.say(`unsettled.${value}`) })),
      ],
    },
    {
      name: 'isSeen',
      label: words.say('unsettled.isSeen', { provider: providerNames[provider] ?? provider }),
      kind: 'check',
    },
  ]
}

export const closeUnsettledScreen: Screen = {
  path: 'payments/:paymentId/close',
  name: 'dashboard close payment',
  place: 'orders',
  needs: 'closeAdminPayment',
  get: async (visit) => closeSheet(visit, await findPayment(visit), {}),
  async post(posted) {
    const { words, form: sent } = posted
    const payment = await findPayment(posted)
    const fields = closeFields(words, payment)
    const values = readTypedValues(fields, sent)
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return closeSheet(posted, payment, values, read.problems)
    const outcome = closedOutcomes.find((known) => known === read.body.outcome)
    if (!outcome) return closeSheet(posted, payment, values, { at: { '/outcome': words.say('form.required') } })
    const { isSeen } = read.body
    if (!isSeen) return closeSheet(posted, payment, values, { at: { '/isSeen': words.say('unsettled.lookFirst') } })
    const path = { paymentId: payment.id }
    const closed = await catchRefusal(posted.ask('closeAdminPayment', { path, body: { outcome }, key: readKey(sent) }))
    if ('refusal' in closed)
      return closeSheet(posted, payment, values, problemsFromRefusal(words, closed.refusal, fields))
    const { order } = closed.reply.data
    return redirectWithToast(posted.to(order ? `orders/${order.id}` : 'payments'), 'done.closedPayment')
  },
}

async function findPayment({ ask, path }: ScreenVisit): Promise<AdminSinglePayment> {
  return (await ask('getAdminPayment', { path: { paymentId: path.paymentId ?? '' } })).data
}

function closeSheet(
  visit: ScreenVisit,
  payment: AdminSinglePayment,
  values: Readonly<Record<string, string>>,
  problems?: Problems,
): ScreenSheet {
  const { words, to } = visit
  const back = { href: to('payments'), label: words.say('unsettled.title') }
  return dialog({
    title: words.say('unsettled.close'),
    back,
    lead: words.say('unsettled.lead'),
    status: problems ? 409 : 200,
    body: payment.closable
      ? renderForm(visit, {
          action: to(`payments/${payment.id}/close`),
          fields: closeFields(words, payment),
          values,
          problems,
          before: paymentFacts(visit, payment),
          submit: words.say('unsettled.submit'),
          kind: 'danger',
          cancel: back.href,
        })
      : html`${paymentFacts(visit, payment)}<div class="after">${renderNotice('info', words.say('unsettled.notClosable'))}</div>`,
  })
}

function paymentFacts({ words, to }: ScreenVisit, payment: AdminSinglePayment): Html {
  const { amount, collected, currency, createdAt, order, status, reference, providerUrl } = payment
  return renderFacts([
    [words.say('orders.payment'), nameOf(words, payment)],
    [
      words.say('orders.total'),
      html`<strong>${words.money(amount, currency)}</strong> ${statusPill(words, 'charge', status)}`,
    ],
    collected > 0 && collected !== amount && [words.say('unsettled.collected'), words.money(collected, currency)],
    [words.say('unsettled.began'), exactTime(words, createdAt)],
    [
      words.say('orders.number'),
      order ? html`<a href="${to(`orders/${order.id}`)}">${order.number}</a>` : words.say('unsettled.noOrder'),
    ],
    reference !== null && [
      words.say('dispute.reference'),
      providerUrl === null
        ? html`<code>${reference}</code>`
        : html`<a href="${providerUrl}" target="_blank" rel="noopener noreferrer"><code>${reference}</code></a>`,
    ],
  ])
}
