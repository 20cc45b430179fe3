// Returns: the list, one return with its actions, and opening a return for a customer.

import type { AdminOrder } from '../../../contract/admin/orders.ts'
import type { AdminReturn, AdminReturnSummary } from '../../../contract/admin/returns.ts'
import { type ReturnReason, returnReasons } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { dialog } from '../dialog.ts'
import { bodyOf, type Field, field, form, keyIn, type Problems, problemsOf, valuesOf } from '../form.ts'
import { card, facts, linkButton, moment, pill, time } from '../parts.ts'
import { namerFor } from '../people.ts'
import { attempt, type Posted, type Screen, type Sheet, type Visit } from '../screen.ts'
import { table, tabs } from '../table.ts'
import { done } from '../toast.ts'
import type { Words } from '../words.ts'
import { backToOrder, changesList, findOrder, lineName, openChangeNotice, orderIdOf } from './order.ts'
import {
  chosenOf,
  nothingChosen,
  type QuantityLine,
  quantitiesOf,
  quantityFields,
  quantityTable,
  withExcess,
} from './quantities.ts'
import { versionIn } from './send.ts'

export const returns: Screen = {
  path: 'returns',
  name: 'dashboard returns',
  place: 'orders',
  needs: 'listAdminReturns',
  async get(visit) {
    const { words, query, to, may } = visit
    const isAll = query.get('view') === 'all'
    const cursor = query.get('cursor') ?? undefined
    const { data, meta } = await visit.ask('listAdminReturns', { query: isAll ? {} : { open: true }, cursor })
    return {
      title: words.say('returns.title'),
      back: { href: to('orders'), label: words.say('orders.title') },
      actions: html`${
        may('listAdminExport') &&
        linkButton({
          label: words.say('transfers.export'),
          href: to('settings/export', { of: 'returns', view: isAll ? 'all' : 'open' }),
        })
      }`,
      body: html`${tabs(visit, words.say('returns.views'), [
        { label: words.say('returns.open'), query: { view: undefined } },
        { label: words.say('returns.all'), query: { view: 'all' } },
      ])}${table(visit, {
        label: words.say('returns.title'),
        columns: [
          { head: words.say('returns.number'), cell: ({ number }) => number, isMain: true, isOneLine: true },
          { head: words.say('returns.requested'), cell: (row) => time(words, row.requestedAt), isPlain: true },
          { head: words.say('returns.items'), cell: itemNames, isMinor: true },
          { head: words.say('returns.reason'), cell: ({ reason }) => words.say(`returns.reason.${reason}`) },
          { head: words.say('returns.state'), cell: ({ status }) => pill(words, 'return', status), isPlain: true },
        ],
        rows: data,
        idOf: ({ id }) => id,
        hrefOf: ({ id }) => to(`returns/${id}`),
        next: meta.next,
        empty: { title: words.say('returns.empty'), text: words.say('returns.emptyText') },
      })}`,
    }
  },
}

function itemNames({ items }: AdminReturnSummary): Html {
  return html`<span dir="auto">${items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ')}</span>`
}

export const oneReturn: Screen = {
  path: 'returns/:returnId',
  name: 'dashboard return',
  place: 'orders',
  needs: 'getAdminReturn',
  get: async (visit) => returnSheet(visit, await returnShown(visit)),
}

export async function returnShown(visit: Visit): Promise<AdminReturn> {
  const { data } = await visit.ask('getAdminReturn', { path: { returnId: visit.path.returnId ?? '' } })
  const named = await namerFor(
    visit,
    data.changes.map(({ actor }) => actor),
  )
  return { ...data, changes: data.changes.map((change) => ({ ...change, actor: named(change.actor) })) }
}

function returnSheet(visit: Visit, given: AdminReturn): Sheet {
  const { words, to } = visit
  const { number, status, orderNumber, orderId, requestedAt, items, currency } = given
  return {
    title: words.say('returns.one', { number }),
    back: { href: to('returns'), label: words.say('returns.title') },
    badge: pill(words, 'return', status),
    actions: returnActions(visit, given),
    sub: html`${moment(words, requestedAt)} · <a href="${to(`orders/${orderId}`)}">
      ${words.say('order.title', { number: orderNumber })}
    </a>`,
    body: html`${openChangeNotice(visit, { open: given.openExchange, currency, sentence: 'returns.openExchange' })}
<div class="columns"><div>
${card({
  title: words.say('order.items'),
  isFlush: true,
  body: html`<div class="scroll"><table>
<thead>
  <tr>
    <th scope="col">${words.say('print.item')}</th>
    <th scope="col" class="end">${words.say('order.quantity')}</th>
    <th scope="col" class="end">${words.say('returns.received')}</th>
    <th scope="col" class="end">${words.say('returns.restocked')}</th>
  </tr></thead>
<tbody>
  ${items.map(
    (item) =>
      html`<tr>
      <th scope="row">${lineName(item)}</th>
      <td class="end">${words.number(item.quantity)}</td>
      <td class="end">${words.number(item.received)}</td>
      <td class="end">${words.number(item.restocked)}</td>
    </tr>`,
  )}</tbody></table></div>`,
})}
${exchangesCard(visit, given)}
${
  given.refunds.length > 0 &&
  card({
    title: words.say('returns.refunds'),
    isFlush: true,
    body: html`<div class="scroll">
    <table>
      <caption class="hidden">${words.say('returns.refunds')}</caption>
      <tbody>
        ${given.refunds.map(
          (refund) =>
            html`<tr>
            <th scope="row">${moment(words, refund.createdAt)}</th>
            <td>${pill(words, 'refund', refund.status)}</td>
            <td class="end">${words.money(refund.amount, currency)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`,
  })
}
${card({ title: words.say('order.changes'), body: changesList(words, given.changes) })}
</div><div>
${card({ title: words.say('returns.request'), body: requestFacts(words, given) })}
</div></div>`,
  }
}

function exchangesCard({ words, to }: Visit, { exchanges, currency }: AdminReturn): Html | false {
  if (exchanges.length === 0) return false
  const title = words.say('returns.exchanges')
  const rows = exchanges.map(
    ({ orderId, orderNumber, credit, refunded, paid, at }) =>
      html`<tr>
        <th scope="row">
          <a href="${to(`orders/${orderId}`)}">${words.say('order.title', { number: orderNumber })}</a>
          <br>
          <span class="soft small">${moment(words, at)}</span>
        </th>
        <td class="end">
          ${words.money(credit, currency)}
          ${
            refunded > 0 &&
            html`<br>
            <span class="soft small">
              ${words.say('returns.exchangeBack', { amount: words.money(refunded, currency) })}
            </span>`
          }
          ${
            paid > 0 &&
            html`<br>
            <span class="soft small">
              ${words.say('returns.exchangePaid', { amount: words.money(paid, currency) })}
            </span>`
          }
        </td>
      </tr>`,
  )
  const body = html`<div class="scroll"><table><caption class="hidden">${title}</caption><tbody>${rows}</tbody></table></div>`
  return card({ title, isFlush: true, body })
}

function requestFacts(words: Words, { reason, wish, openedBy, note, answer, labelUrl }: AdminReturn): Html {
  return facts([
    [words.say('returns.reason'), words.say(`returns.reason.${reason}`)],
    [words.say('returns.wish'), words.say(`returns.wish.${wish}`)],
    [words.say('returns.openedBy'), words.say(`returns.openedBy.${openedBy}`)],
    note !== null && [words.say('returns.note'), html`<span class="lines" dir="auto">${note}</span>`],
    answer !== null && [words.say('returns.answer'), html`<span class="lines" dir="auto">${answer}</span>`],
    labelUrl !== null && [
      words.say('returns.label'),
      html`<a href="${labelUrl}" target="_blank" rel="noopener noreferrer">${words.say('returns.open')}</a>`,
    ],
  ])
}

// Shows only actions that the return's state and the person's scopes allow. The usual next action comes last, as in other forms.
function returnActions({ words, to, may }: Visit, { id, allowed, status, wish }: AdminReturn): Html {
  const usual = status === 'requested' ? 'approve' : status === 'received' ? wish : 'receive'
  const links = [
    { operation: 'closeAdminReturn', path: 'close', label: words.say('returns.close'), isDialog: true },
    { operation: 'refuseAdminReturn', path: 'refuse', label: words.say('returns.refuse'), isDialog: true },
    { operation: 'exchangeAdminReturn', path: 'exchange', label: words.say('returns.exchange'), isDialog: false },
    { operation: 'refundAdminReturn', path: 'refund', label: words.say('returns.refund'), isDialog: true },
    { operation: 'approveAdminReturn', path: 'approve', label: words.say('returns.approve'), isDialog: true },
    { operation: 'receiveAdminReturn', path: 'receive', label: words.say('returns.receive'), isDialog: true },
  ] as const
  const shown = links.filter(({ operation }) => allowed.includes(operation) && may(operation))
  const inOrder = [...shown.filter(({ path }) => path !== usual), ...shown.filter(({ path }) => path === usual)]
  return html`${inOrder.map(({ path, label, isDialog }) =>
    linkButton({
      ...{ label, href: to(`returns/${id}/${path}`), kind: path === usual ? 'first' : 'second' },
      ...(isDialog && { isDialog }),
    }),
  )}`
}

export function backToReturn({ words, to }: Visit, { id, number }: AdminReturn): { href: string; label: string } {
  return { href: to(`returns/${id}`), label: words.say('returns.one', { number }) }
}

function answerFields(words: Words): Field[] {
  return [
    {
      name: 'instructions',
      label: words.say('returns.instructions'),
      kind: 'text',
      rows: 4,
      lengthMax: 2000,
      help: words.say('returns.instructionsHelp'),
    },
    { name: 'labelUrl', label: words.say('returns.label'), kind: 'url', lengthMax: 2000 },
  ]
}

function refuseFields(words: Words): Field[] {
  return [
    {
      name: 'text',
      label: words.say('returns.refuseText'),
      kind: 'text',
      rows: 4,
      lengthMax: 2000,
      isRequired: true,
      help: words.say('returns.refuseHelp'),
    },
  ]
}

interface Answering {
  path: 'approve' | 'refuse' | 'close'
  lead?: 'returns.closeLead'
  needs: 'approveAdminReturn' | 'refuseAdminReturn' | 'closeAdminReturn'
  fields: (words: Words) => Field[]
  title: 'returns.approveTitle' | 'returns.refuseTitle' | 'returns.closeTitle'
  submit: 'returns.approve' | 'returns.refuse' | 'returns.close'
  done: 'done.returnApproved' | 'done.returnRefused' | 'done.returnClosed'
}

// A dialog with one form.
function answering({ path, lead, needs, fields, title, submit, done: said }: Answering): Screen {
  const sheet = (visit: Visit, given: AdminReturn, values = {}, problems?: Problems): Sheet => {
    const back = backToReturn(visit, given)
    return dialog({
      title: visit.words.say(title, { number: given.number }),
      back,
      lead: lead && visit.words.say(lead),
      status: problems ? 409 : 200,
      body: form(visit, {
        action: visit.to(`returns/${given.id}/${path}`),
        fields: fields(visit.words),
        values,
        problems,
        hidden: { version: given.version },
        submit: visit.words.say(submit),
        cancel: back.href,
      }),
    })
  }
  return {
    path: `returns/:returnId/${path}`,
    name: `dashboard return ${path}`,
    place: 'orders',
    needs,
    get: async (visit) => sheet(visit, await returnShown(visit)),
    async post(posted) {
      const { words, form: sent } = posted
      const returnId = posted.path.returnId ?? ''
      const drawn = fields(words)
      const read = bodyOf(words, drawn, sent)
      const values = valuesOf(drawn, sent)
      if ('problems' in read) return sheet(posted, await returnShown(posted), values, read.problems)
      // The form's fields are the members of the operation.
      const body = { ...read.body, ...versionIn(sent) } as never
      const outcome = await attempt(posted.ask(needs, { path: { returnId }, body, key: keyIn(sent) }))
      if (!('refusal' in outcome)) return done(posted.to(`returns/${returnId}`), said)
      return sheet(posted, await returnShown(posted), values, problemsOf(words, outcome.refusal, drawn))
    },
  }
}

export const returnReceipt: Screen = {
  path: 'returns/:returnId/receive',
  name: 'dashboard return receive',
  place: 'orders',
  needs: 'receiveAdminReturn',
  get: async (visit) => receiveSheet(visit, await returnShown(visit), new URLSearchParams()),
  async post(posted) {
    const { words, form: sent } = posted
    const given = await returnShown(posted)
    const lines = receiveLines(words, given, sent)
    const fields = quantityFields(words, lines, askedReceived)
    const read = bodyOf(words, fields, sent)
    if ('problems' in read) return receiveSheet(posted, given, sent, read.problems)
    const items = chosenOf(read.body).map((one) => ({ ...one, restock: sent.get(`restock-${one.skuId}`) === 'on' }))
    if (items.length === 0) return receiveSheet(posted, given, sent, nothingChosen(words, lines))
    const body = { items, ...versionIn(sent) }
    const outcome = await attempt(
      posted.ask('receiveAdminReturn', { path: { returnId: given.id }, body, key: keyIn(sent) }),
    )
    if (!('refusal' in outcome)) return done(posted.to(`returns/${given.id}`), 'done.returnReceived')
    const problems = problemsOf(words, outcome.refusal, fields)
    return receiveSheet(posted, given, sent, withExcess(words, lines, quantitiesOf(read.body), problems))
  },
}

const askedReceived = { prefix: 'quantity', label: 'returns.receivedOf' } as const

// Items are restocked unless the posted form says otherwise.
function receiveLines(words: Words, { items }: AdminReturn, sent: FormFields): QuantityLine[] {
  return items.map((item) => {
    const most = item.quantity - item.received
    const isRestocked = sent.size === 0 || sent.get(`restock-${item.skuId}`) === 'on'
    const below = html`<label class="check">
      <input type="checkbox" name="restock-${item.skuId}" value="on"${isRestocked && html` checked`}> ${words.say(
        'returns.restock',
      )}
    </label>`
    return { item, most, preset: most, note: words.say('refund.of', { count: most }), below }
  })
}

function receiveSheet(visit: Visit, given: AdminReturn, sent: FormFields, problems?: Problems): Sheet {
  const { words, to } = visit
  const back = backToReturn(visit, given)
  const lines = receiveLines(words, given, sent).filter(({ most }) => most > 0)
  return dialog({
    title: words.say('returns.receiveTitle', { number: given.number }),
    back,
    status: problems ? 409 : 200,
    body: form(visit, {
      action: to(`returns/${given.id}/receive`),
      fields: [],
      problems,
      drawn: quantityFields(words, lines, askedReceived),
      hidden: { version: given.version },
      before: quantityTable(words, lines, {
        asked: askedReceived,
        title: words.say('returns.receiveItems'),
        sent,
        problems,
      }),
      submit: words.say('returns.receive'),
      cancel: back.href,
    }),
  })
}

function openFields(words: Words): Field[] {
  return [
    {
      name: 'reason',
      label: words.say('returns.reason'),
      kind: 'choice',
      isRequired: true,
      options: returnReasons.map((value) => ({ value, label: words.say(`returns.reason.${value}`) })),
    },
    ...answerFields(words),
  ]
}

export const newReturn: Screen = {
  path: 'orders/:orderId/return',
  name: 'dashboard return new',
  place: 'orders',
  needs: 'createAdminReturn',
  get: async (visit) => openSheet(visit, await findOrder(visit), new URLSearchParams()),
  async post(posted: Posted) {
    const { words, form: sent } = posted
    const order = await findOrder(posted)
    const lines = openLines(words, order)
    const fields = [...quantityFields(words, lines, askedReturned), ...openFields(words)]
    const read = bodyOf(words, fields, sent)
    if ('problems' in read) return openSheet(posted, order, sent, read.problems)
    const { quantities: _, ...answer } = read.body
    const items = chosenOf(read.body)
    if (items.length === 0) return openSheet(posted, order, sent, nothingChosen(words, lines))
    const body = { ...(answer as { reason: ReturnReason }), items, ...versionIn(sent) }
    const outcome = await attempt(
      posted.ask('createAdminReturn', { path: { orderId: orderIdOf(posted) }, body, key: keyIn(sent) }),
    )
    if (!('refusal' in outcome)) return done(posted.to(`returns/${outcome.reply.data.id}`), 'done.returnOpened')
    const problems = problemsOf(words, outcome.refusal, fields)
    return openSheet(posted, order, sent, withExcess(words, lines, quantitiesOf(read.body), problems))
  },
}

const askedReturned = { prefix: 'quantity', label: 'returns.quantityOf' } as const

function openLines(words: Words, { items }: AdminOrder): QuantityLine[] {
  return items.map((item) => {
    const { fulfilled: most } = item
    return { item, most, preset: 0, note: words.say('refund.of', { count: most }) }
  })
}

function openSheet(visit: Visit, order: AdminOrder, sent: FormFields, problems?: Problems): Sheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  const lines = openLines(words, order).filter(({ most }) => most > 0)
  const fields = openFields(words)
  const values = valuesOf(fields, sent)
  return dialog({
    title: words.say('returns.openTitle', { number: order.number }),
    back,
    lead: words.say('returns.openLead'),
    status: problems ? 409 : 200,
    body: form(visit, {
      action: to(`orders/${order.id}/return`),
      fields: [],
      problems,
      drawn: [...quantityFields(words, lines, askedReturned), ...fields],
      hidden: { version: order.version },
      before: html`${quantityTable(words, lines, { asked: askedReturned, title: words.say('returns.openItems'), sent, problems })}
      <div class="fields">${fields.map((one) => field(words, one, values[one.name], problems))}</div>`,
      submit: words.say('returns.openSubmit'),
      cancel: back.href,
    }),
  })
}

export const returnAnswers: readonly Screen[] = [
  answering({
    path: 'approve',
    needs: 'approveAdminReturn',
    fields: answerFields,
    title: 'returns.approveTitle',
    submit: 'returns.approve',
    done: 'done.returnApproved',
  }),
  answering({
    path: 'refuse',
    needs: 'refuseAdminReturn',
    fields: refuseFields,
    title: 'returns.refuseTitle',
    submit: 'returns.refuse',
    done: 'done.returnRefused',
  }),
  answering({
    path: 'close',
    lead: 'returns.closeLead',
    needs: 'closeAdminReturn',
    fields: () => [],
    title: 'returns.closeTitle',
    submit: 'returns.close',
    done: 'done.returnClosed',
  }),
]
