// Returns: the list, a return with its actions, and opening a return for a customer.

import type { AdminOrder } from '../../../contract/admin/orders.ts'
import type { AdminReturn, AdminReturnSummary } from '../../../contract/admin/returns.ts'
import { type ReturnReason, returnReasons } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
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
import { exactTime, linkButton, renderCard, renderFacts, renderTime, statusPill } from '../parts.ts'
import { loadActorNames } from '../people.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderTable, renderTabs } from '../table.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { backToOrder, changesList, findOrder, lineName, openChangeNotice, orderIdInPath } from './order.ts'
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

export const returnsScreen: Screen = {
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
      body: html`${renderTabs(visit, words.say('returns.views'), [
        { label: words.say('returns.open'), query: { view: undefined } },
        { label: words.say('returns.all'), query: { view: 'all' } },
      ])}${renderTable(visit, {
        label: words.say('returns.title'),
        columns: [
          { head: words.say('returns.number'), cell: ({ number }) => number, isMain: true, isOneLine: true },
          { head: words.say('returns.requested'), cell: (row) => renderTime(words, row.requestedAt), isPlain: true },
          { head: words.say('returns.items'), cell: itemNames, isMinor: true },
          { head: words.say('returns.reason'), cell: ({ reason }) => words.say(`returns.reason.${reason}`) },
          {
            head: words.say('returns.state'),
            cell: ({ status }) => statusPill(words, 'return', status),
            isPlain: true,
          },
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

export const returnScreen: Screen = {
  path: 'returns/:returnId',
  name: 'dashboard return',
  place: 'orders',
  needs: 'getAdminReturn',
  get: async (visit) => returnSheet(visit, await loadShownReturn(visit)),
}

export async function loadShownReturn(visit: ScreenVisit): Promise<AdminReturn> {
  const { data } = await visit.ask('getAdminReturn', { path: { returnId: visit.path.returnId ?? '' } })
  const named = await loadActorNames(
    visit,
    data.changes.map(({ actor }) => actor),
  )
  return { ...data, changes: data.changes.map((change) => ({ ...change, actor: named(change.actor) })) }
}

function returnSheet(visit: ScreenVisit, given: AdminReturn): ScreenSheet {
  const { words, to } = visit
  const { number, status, orderNumber, orderId, requestedAt, items, currency } = given
  return {
    title: words.say('returns.one', { number }),
    back: { href: to('returns'), label: words.say('returns.title') },
    badge: statusPill(words, 'return', status),
    actions: returnActions(visit, given),
    sub: html`${exactTime(words, requestedAt)} · <a href="${to(`orders/${orderId}`)}">
      ${words.say('order.title', { number: orderNumber })}
    </a>`,
    body: html`${openChangeNotice(visit, { open: given.openExchange, currency, sentence: 'returns.openExchange' })}
<div class="columns"><div>
${renderCard({
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
  renderCard({
    title: words.say('returns.refunds'),
    isFlush: true,
    body: html`<div class="scroll">
    <table>
      <caption class="hidden">${words.say('returns.refunds')}</caption>
      <tbody>
        ${given.refunds.map(
          (refund) =>
            html`<tr>
            <th scope="row">${exactTime(words, refund.createdAt)}</th>
            <td>${statusPill(words, 'refund', refund.status)}</td>
            <td class="end">${words.money(refund.amount, currency)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`,
  })
}
${renderCard({ title: words.say('order.changes'), body: changesList(words, given.changes) })}
</div><div>
${renderCard({ title: words.say('returns.request'), body: requestFacts(words, given) })}
</div></div>`,
  }
}

function exchangesCard({ words, to }: ScreenVisit, { exchanges, currency }: AdminReturn): Html | false {
  if (exchanges.length === 0) return false
  const title = words.say('returns.exchanges')
  const rows = exchanges.map(
    ({ orderId, orderNumber, credit, refunded, paid, at }) =>
      html`<tr>
        <th scope="row">
          <a href="${to(`orders/${orderId}`)}">${words.say('order.title', { number: orderNumber })}</a>
          <br>
          <span class="soft small">${exactTime(words, at)}</span>
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
  return renderCard({ title, isFlush: true, body })
}

function requestFacts(words: DashboardWords, { reason, wish, openedBy, note, answer, labelUrl }: AdminReturn): Html {
  return renderFacts([
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

// Offers only actions that the return's state and the person's scopes allow. The usual next action comes last, as in other forms.
function returnActions({ words, to, may }: ScreenVisit, { id, allowed, status, wish }: AdminReturn): Html {
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

export function backToReturn({ words, to }: ScreenVisit, { id, number }: AdminReturn): { href: string; label: string } {
  return { href: to(`returns/${id}`), label: words.say('returns.one', { number }) }
}

function answerFields(words: DashboardWords): Field[] {
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

function refuseFields(words: DashboardWords): Field[] {
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
  fields: (words: DashboardWords) => Field[]
  title: 'returns.approveTitle' | 'returns.refuseTitle' | 'returns.closeTitle'
  submit: 'returns.approve' | 'returns.refuse' | 'returns.close'
  done: 'done.returnApproved' | 'done.returnRefused' | 'done.returnClosed'
}

// Builds the screen of a dialog with one form.
function answering({ path, lead, needs, fields, title, submit, done: said }: Answering): Screen {
  const sheet = (visit: ScreenVisit, given: AdminReturn, values = {}, problems?: Problems): ScreenSheet => {
    const back = backToReturn(visit, given)
    return dialog({
      title: visit.words.say(title, { number: given.number }),
      back,
      lead: lead && visit.words.say(lead),
      status: problems ? 409 : 200,
      body: renderForm(visit, {
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
    get: async (visit) => sheet(visit, await loadShownReturn(visit)),
    async post(posted) {
      const { words, form: sent } = posted
      const returnId = posted.path.returnId ?? ''
      const drawn = fields(words)
      const read = buildBody(words, drawn, sent)
      const values = readTypedValues(drawn, sent)
      if ('problems' in read) return sheet(posted, await loadShownReturn(posted), values, read.problems)
      // The cast holds: the form's fields are the members of the operation.
      const body = { ...read.body, ...readShownVersion(sent) } as never
      const outcome = await catchRefusal(posted.ask(needs, { path: { returnId }, body, key: readKey(sent) }))
      if (!('refusal' in outcome)) return redirectWithToast(posted.to(`returns/${returnId}`), said)
      return sheet(posted, await loadShownReturn(posted), values, problemsFromRefusal(words, outcome.refusal, drawn))
    },
  }
}

export const returnReceiptScreen: Screen = {
  path: 'returns/:returnId/receive',
  name: 'dashboard return receive',
  place: 'orders',
  needs: 'receiveAdminReturn',
  get: async (visit) => receiveSheet(visit, await loadShownReturn(visit), new URLSearchParams()),
  async post(posted) {
    const { words, form: sent } = posted
    const given = await loadShownReturn(posted)
    const lines = receiveLines(words, given, sent)
    const fields = quantityFields(words, lines, askedReceived)
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return receiveSheet(posted, given, sent, read.problems)
    const items = chosenQuantities(read.body).map((one) => ({
      ...one,
      restock: sent.get(`restock-${one.skuId}`) === 'on',
    }))
    if (items.length === 0) return receiveSheet(posted, given, sent, nothingChosenProblem(words, lines))
    const body = { items, ...readShownVersion(sent) }
    const outcome = await catchRefusal(
      posted.ask('receiveAdminReturn', { path: { returnId: given.id }, body, key: readKey(sent) }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`returns/${given.id}`), 'done.returnReceived')
    const problems = problemsFromRefusal(words, outcome.refusal, fields)
    return receiveSheet(posted, given, sent, withExcessProblems(words, lines, readQuantities(read.body), problems))
  },
}

const askedReceived = { prefix: 'quantity', label: 'returns.receivedOf' } as const

// The box for restocking is ticked unless the posted form says otherwise.
function receiveLines(words: DashboardWords, { items }: AdminReturn, sent: FormFields): QuantityLine[] {
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

function receiveSheet(visit: ScreenVisit, given: AdminReturn, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const back = backToReturn(visit, given)
  const lines = receiveLines(words, given, sent).filter(({ most }) => most > 0)
  return dialog({
    title: words.say('returns.receiveTitle', { number: given.number }),
    back,
    status: problems ? 409 : 200,
    body: renderForm(visit, {
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

function openFields(words: DashboardWords): Field[] {
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

export const newReturnScreen: Screen = {
  path: 'orders/:orderId/return',
  name: 'dashboard return new',
  place: 'orders',
  needs: 'createAdminReturn',
  get: async (visit) => openSheet(visit, await findOrder(visit), new URLSearchParams()),
  async post(posted: PostedScreen) {
    const { words, form: sent } = posted
    const order = await findOrder(posted)
    const lines = openLines(words, order)
    const fields = [...quantityFields(words, lines, askedReturned), ...openFields(words)]
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return openSheet(posted, order, sent, read.problems)
    const { quantities: _, ...answer } = read.body
    const items = chosenQuantities(read.body)
    if (items.length === 0) return openSheet(posted, order, sent, nothingChosenProblem(words, lines))
    const body = { ...(answer as { reason: ReturnReason }), items, ...readShownVersion(sent) }
    const outcome = await catchRefusal(
      posted.ask('createAdminReturn', { path: { orderId: orderIdInPath(posted) }, body, key: readKey(sent) }),
    )
    if (!('refusal' in outcome))
      return redirectWithToast(posted.to(`returns/${outcome.reply.data.id}`), 'done.returnOpened')
    const problems = problemsFromRefusal(words, outcome.refusal, fields)
    return openSheet(posted, order, sent, withExcessProblems(words, lines, readQuantities(read.body), problems))
  },
}

const askedReturned = { prefix: 'quantity', label: 'returns.quantityOf' } as const

function openLines(words: DashboardWords, { items }: AdminOrder): QuantityLine[] {
  return items.map((item) => {
    const { fulfilled: most } = item
    return { item, most, preset: 0, note: words.say('refund.of', { count: most }) }
  })
}

function openSheet(visit: ScreenVisit, order: AdminOrder, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const back = backToOrder(visit, order)
  const lines = openLines(words, order).filter(({ most }) => most > 0)
  const fields = openFields(words)
  const values = readTypedValues(fields, sent)
  return dialog({
    title: words.say('returns.openTitle', { number: order.number }),
    back,
    lead: words.say('returns.openLead'),
    status: problems ? 409 : 200,
    body: renderForm(visit, {
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
