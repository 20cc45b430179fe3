// An order: lines, payments, customer, parcels, notes, timeline and changes. The address is shown by a post, because each access is
// recorded.

import type { AdminChange } from '../../../contract/admin/changes.ts'
import type { AdminDocumentSummary } from '../../../contract/admin/documents.ts'
import type { AdminCustomer, AdminFulfillment, AdminOrder } from '../../../contract/admin/orders.ts'
import type { AdminReturnSummary } from '../../../contract/admin/returns.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { documentFile, fileAnswer } from '../../documents/files.ts'
import { documentPage } from '../../documents/page.ts'
import { speakerFor } from '../../languages/language.ts'
import { renderThumbnail } from '../catalog.ts'
import { buildBody, type Field, problemsFromRefusal, readKey, readTypedValues, renderForm } from '../form.ts'
import { dashboardHeaders } from '../headers.ts'
import { disputesCard, moneyCard, refundedUnits } from '../ordermoney.ts'
import {
  button,
  emptyState,
  exactTime,
  linkButton,
  renderCard,
  renderFacts,
  renderNotice,
  statusPill,
  unbrokenWords,
} from '../parts.ts'
import { loadActorNames } from '../people.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'

const common = { place: 'orders', needs: 'getAdminOrder' } as const

export const orderScreen: Screen = {
  ...common,
  path: 'orders/:orderId',
  name: 'dashboard order',
  get: async (visit) => orderSheet(visit, await findOrder(visit), { documents: await listDocuments(visit) }),
}

async function listDocuments(visit: ScreenVisit): Promise<AdminDocumentSummary[]> {
  const { data } = await visit.ask('listAdminDocuments', { query: { orderId: orderIdInPath(visit) } })
  return data.reverse()
}

// Shows an invoice or a credit note in a new tab. Opened by a post, because it names the buyer and each access is recorded.
export const documentOfOrderScreen: Screen = {
  path: 'orders/:orderId/documents/:documentId',
  name: 'dashboard document',
  place: 'orders',
  needs: 'getAdminDocument',
  // Answers a GET of this URL, such as from the browser history.
  get: async (visit) => orderSheet(visit, await findOrder(visit), { documents: await listDocuments(visit) }),
  async post(posted) {
    const { words, path } = posted
    const { data } = await posted.ask('getAdminDocument', { path: { documentId: path.documentId ?? '' } })
    const back = {
      href: posted.to(`orders/${data.orderId}`),
      label: words.say('order.title', { number: data.order.number }),
    }
    const format = posted.form.get('format')
    if (format !== null) {
      const file = documentFile(data, format)
      return file ? fileAnswer(file) : noFile(words, data, back)
    }
    return {
      status: 200,
      headers: { ...dashboardHeaders },
      body: documentPage(speakerFor(data.locale, words.locale), data, { back }),
    }
  },
}

function noFile(
  words: DashboardWords,
  { kind, number }: AdminDocumentSummary,
  back: NonNullable<ScreenSheet['back']>,
): ScreenSheet {
  return {
    title: words.say(`document.${kind}`, { number }),
    back,
    status: 409,
    width: 'narrow',
    body: html`<div class="card">${emptyState({ title: words.say('document.noFile'), text: words.say('document.noFileText') })}</div>`,
  }
}

function documentsCard(
  { words, to, may }: ScreenVisit,
  orderId: string,
  documents: readonly AdminDocumentSummary[],
): Html | false {
  if (documents.length === 0) return false
  const open = { isNewTab: true, kind: 'plain', icon: 'print' } as const
  return renderCard({
    title: words.say('order.documents'),
    isFlush: true,
    body: html`<div class="scroll">
      <table>
        <caption class="hidden">${words.say('order.documents')}</caption>
        <tbody>
          ${documents.map(
            ({ id, kind, number, day, total, currency }) =>
              html`<tr>
              <th scope="row">
                ${unbrokenWords(words.say(`document.${kind}`, { number }))}
                <br>
                <span class="soft small">${words.calendarDay(day)}</span>
              </th>
              <td class="end">${words.money(kind === 'invoice' ? total : -total, currency)}</td>
              <td class="end">
                ${
                  may('getAdminDocument') &&
                  html`<form method="post" target="_blank" action="${to(`orders/${orderId}/documents/${id}`)}">
                    ${button({ ...open, label: words.say('document.open') })}
                    ${button({ kind: 'plain', label: 'PDF', name: 'format', value: 'pdf' })}
                    ${button({ kind: 'plain', label: 'XML', name: 'format', value: 'ubl' })}
                  </form>`
                }
              </td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  })
}

export const orderCustomerScreen: Screen = {
  path: 'orders/:orderId/customer',
  name: 'dashboard order customer',
  place: 'orders',
  needs: 'getAdminOrderCustomer',
  // Answers a GET of this URL, such as from the browser history.
  get: async (visit) => orderSheet(visit, await findOrder(visit)),
  async post(posted) {
    const { data } = await posted.ask('getAdminOrderCustomer', { path: { orderId: orderIdInPath(posted) } })
    return orderSheet(posted, await findOrder(posted), { customer: data })
  },
}

export const orderNoteScreen: Screen = {
  path: 'orders/:orderId/notes',
  name: 'dashboard order note',
  place: 'orders',
  needs: 'addAdminOrderNote',
  get: async (visit) => orderSheet(visit, await findOrder(visit)),
  async post(posted) {
    const { words, form: sent } = posted
    const orderId = orderIdInPath(posted)
    const [field] = noteFields(words)
    const read = buildBody(words, noteFields(words), sent)
    const text = 'body' in read ? String(read.body.text ?? '') : ''
    const outcome = await catchRefusal(
      posted.ask('addAdminOrderNote', { path: { orderId }, body: { text }, key: readKey(sent) }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`orders/${orderId}`), 'done.noted')
    const note = html`${noteForm(
      posted,
      orderId,
      readTypedValues(field ? [field] : [], sent),
      problemsFromRefusal(words, outcome.refusal, noteFields(words)),
    )}`
    return { ...orderSheet(posted, await findOrder(posted), { note }), status: 409 }
  },
}

export function orderIdInPath({ path }: ScreenVisit): string {
  return path.orderId ?? ''
}

export async function findOrder(visit: ScreenVisit): Promise<OrderWithReturns> {
  const { data } = await visit.ask('getAdminOrder', { path: { orderId: orderIdInPath(visit) } })
  const named = await loadActorNames(
    visit,
    [...data.changes, ...data.notes].map(({ actor }) => actor),
  )
  const isSent = data.fulfillments.length > 0
  const orderId = data.id
  const returns = isSent ? (await visit.ask('listAdminReturns', { query: { orderId } })).data : []
  return {
    ...data,
    returns,
    changes: data.changes.map((change) => ({ ...change, actor: named(change.actor) })),
    notes: data.notes.map((note) => ({ ...note, actor: named(note.actor) })),
  }
}

export function backToOrder({ words, to }: ScreenVisit, { id, number }: AdminOrder): { href: string; label: string } {
  return { href: to(`orders/${id}`), label: words.say('order.title', { number }) }
}

export interface OrderWithReturns extends AdminOrder {
  returns: readonly AdminReturnSummary[]
}

interface Extra {
  customer?: AdminCustomer
  // The form of the note, after a refusal.
  note?: Html
  documents?: readonly AdminDocumentSummary[]
}

function orderSheet(
  visit: ScreenVisit,
  given: OrderWithReturns,
  { customer, note, documents = [] }: Extra = {},
): ScreenSheet {
  const { words, to } = visit
  const { number, status, paymentStatus, fulfillmentStatus, placedAt, installation } = given
  return {
    title: words.say('order.title', { number }),
    back: { href: to('orders', { view: 'all' }), label: words.say('orders.title') },
    badge: html`${status === 'cancelled' && statusPill(words, 'order', status)}
    ${statusPill(words, 'payment', paymentStatus)}
    ${status !== 'cancelled' && statusPill(words, 'sending', fulfillmentStatus)}`,
    actions: orderActions(visit, given),
    sub: `${words.say('order.placedAt', { date: words.moment(placedAt) })} ${words.say('order.by', { shop: installation.name })}`,
    body: html`<div class="columns"><div>
${openChangeNotice(visit, { open: given.openChange, currency: given.currency, sentence: 'order.openChange' })}
${disputesCard(visit, given)}
${lines(visit, given)}
${parcels(visit, given)}
${moneyCard(visit, given)}
${documentsCard(visit, given.id, documents)}
${returnsCard(visit, given)}
${renderCard({ title: words.say('order.changes'), body: changesList(words, given.changes) })}
</div><div>
${customerCard(visit, given, customer)}
${renderCard({ title: words.say('order.notes'), body: notes(visit, given, note) })}
${renderCard({ title: words.say('order.timeline'), body: timeline(words, given) })}
${details(words, given)}
</div></div>`,
  }
}

export function openChangeNotice(
  { words, to, may }: ScreenVisit,
  {
    open,
    currency,
    sentence,
  }: { open: AdminOrder['openChange']; currency: string; sentence: 'order.openChange' | 'returns.openExchange' },
): Html | null {
  if (open === null) return null
  const { draftId, total, expiresAt } = open
  const text = words.say(sentence, { amount: words.money(total, currency), date: words.moment(expiresAt) })
  const link =
    may('getAdminDraft') && html` <a href="${to(`drafts/${draftId}`)}">${words.say('order.openChangeLink')}</a>`
  return renderNotice('info', html`${text}${link}`)
}

// Offers only actions that the order's state and the person's scopes allow.
function orderActions(visit: ScreenVisit, { id, allowed, status, items }: AdminOrder): Html {
  const isSent = status !== 'cancelled' && items.some(({ fulfilled }) => fulfilled > 0)
  const { words, to, may } = visit
  const can = (operation: (typeof allowed)[number]) => allowed.includes(operation) && may(operation)
  const link = (path: string, label: string, kind: 'first' | 'second' = 'second', shortcut?: string) =>
    linkButton({
      label,
      href: to(`orders/${id}/${path}`),
      kind,
      isDialog: true,
      ...(shortcut !== undefined && { shortcut }),
    })
  const print = { action: to('orders/print'), isNewTab: true, icon: 'print', name: 'kind', kind: 'plain' } as const
  return html`<form method="post" class="print-form">
    <input type="hidden" name="order" value="${id}">
    ${
      status !== 'cancelled' &&
      may('getAdminOrderCustomer') &&
      button({ ...print, label: words.say('order.printSlip'), value: 'slips' })
    }
    ${button({ ...print, label: words.say('order.printReceipt'), value: 'receipts' })}
  </form>
${can('returnAdminOrder') && link('undelivered', words.say('order.undelivered'))}
  ${can('cancelAdminOrder') && link('cancel', words.say('order.cancel'))}
  ${isSent && may('createAdminReturn') && link('return', words.say('order.return'))}
  ${can('editAdminOrder') && linkButton({ label: words.say('order.edit'), href: to(`orders/${id}/edit`) })}
  ${can('refundAdminOrder') && link('refund', words.say('order.refund'))}
  ${can('payAdminOrder') && link('pay', words.say('order.pay'), 'first')}
  ${can('fulfilAdminOrder') && link('send', words.say('order.send'), 'first', 'f')}`
}

export function lineName({
  name,
  options,
  code,
}: Pick<AdminOrder['items'][number], 'name' | 'options' | 'code'>): Html {
  const kind = [...options.map(({ value }) => value), code].join(' · ')
  return html`<span class="line-name" dir="auto">${name}</span><span class="soft small" dir="auto">${kind}</span>`
}

export function exemptText(words: DashboardWords, reason: string): string {
  return words.say('exempt.none', { reason: words.sayKnown(`exempt.${reason}`, reason) })
}

function lines({ words }: ScreenVisit, order: AdminOrder): Html {
  const { items, totals, currency, shipping, promotion, fulfillmentStatus, consents = [] } = order
  const refunded = refundedUnits(order)
  const amount = (minor: number) => words.money(minor, currency)
  const isPartly = fulfillmentStatus === 'partially_fulfilled'
  const sums: readonly (readonly [label: string, minor: number, isStrong?: boolean] | false)[] = [
    [words.say('order.subtotal'), totals.subtotal],
    totals.discount > 0 && [
      promotion ? words.say('order.promotion', { code: promotion.code }) : words.say('order.discount'),
      -totals.discount,
    ],
    shipping !== null && [`${words.say('order.shipping')} · ${shipping.label}`, totals.shipping],
    !totals.taxIncluded && [words.say('order.tax'), totals.tax],
    [words.say('order.total'), totals.total, true],
    totals.taxIncluded && [words.say('order.taxIncluded'), totals.tax],
    totals.refunded > 0 && [words.say('order.refundedSum'), -totals.refunded],
    totals.refundPending > 0 && [words.say('order.refundPending'), -totals.refundPending],
  ]
  return renderCard({
    title: words.say('order.items'),
    isFlush: true,
    body: html`<div class="scroll"><table>
<thead>
  <tr>
    <th scope="col">${words.say('print.item')}</th>
    <th scope="col" class="end minor">${words.say('order.price')}</th>
    <th scope="col" class="end">${words.say('order.quantity')}</th>
    ${isPartly && html`<th scope="col" class="end">${words.say('order.sent')}</th>`}
    <th scope="col" class="end">${words.say('order.sum')}</th>
  </tr></thead>
<tbody>
  ${items.map(
    (item) =>
      html`<tr>
      <th scope="row">
        <span class="order-line">
          ${renderThumbnail(item.image, item.name)}
          <span>
            ${lineName(item)}
            ${
              item.withdrawalExempt && html`<span class="soft small">${exemptText(words, item.withdrawalExempt)}</span>`
            }
            ${
              refunded.has(item.skuId) &&
              html`<br>
              <span class="soft small">
                ${words.say('order.refundedUnits', { count: refunded.get(item.skuId) ?? 0 })}
              </span>`
            }
          </span>
        </span>
      </th>
      <td class="end minor">${amount(item.unitPrice)}</td>
      <td class="end">${words.number(item.quantity)}</td>
      ${isPartly && html`<td class="end">${words.number(item.fulfilled)}</td>`}
      <td class="end">${amount(item.subtotal)}</td>
    </tr>`,
  )}</tbody></table></div>
${consents.map(
  ({ at }) => html`<p class="card-note soft small">${words.say('order.consented', { date: words.moment(at) })}</p>`,
)}
<dl class="facts sums order-sums">
  ${sums.map(
    (row) => row && html`<div${row[2] && html` class="strong"`}><dt>${row[0]}</dt><dd>${amount(row[1])}</dd></div>`,
  )}</dl>
${
  totals.taxReason &&
  html`<p class="help">${words.say('order.noTax', { reason: words.say(`taxreport.${totals.taxReason}`) })}</p>`
}`,
  })
}

function parcels(visit: ScreenVisit, { id, fulfillments, shipping }: AdminOrder): Html | false {
  const { words } = visit
  if (shipping === null && fulfillments.length === 0) return false
  return renderCard({
    title: words.say('order.parcels'),
    body:
      fulfillments.length === 0
        ? html`<p class="soft">${words.say('order.noParcels')}</p>`
        : html`<ul class="parcels">${fulfillments.map((parcel) => html`<li>${parcelLine(visit, id, parcel)}</li>`)}</ul>`,
  })
}

function parcelLine({ words, to, may }: ScreenVisit, orderId: string, parcel: AdminFulfillment): Html {
  const { id, carrier, trackingNumber, trackingUrl, items, at } = parcel
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const name = [carrier, trackingNumber].filter((part) => part !== null).join(' ')
  return html`<p><strong dir="auto">${name === '' ? words.say('order.parcel', { count }) : name}</strong></p>
<p class="soft small">${name !== '' && html`${words.say('order.parcel', { count })} · `}${exactTime(words, at)}</p>
<p class="links small">${
    trackingUrl !== null &&
    html`<a href="${trackingUrl}" target="_blank" rel="noopener noreferrer">${words.say('order.track')}</a> `
  }${
    may('updateAdminFulfillment') &&
    html`<a href="${to(`orders/${orderId}/parcels/${id}`)}" data-dialog>${words.say('order.correct')}</a>`
  }</p>`
}

function returnsCard({ words, to }: ScreenVisit, { returns, exchangeOf }: OrderWithReturns): Html | false {
  if (returns.length === 0 && !exchangeOf) return false
  const exchange =
    exchangeOf &&
    html`<tr>
      <th scope="row">
        <a href="${to(`returns/${exchangeOf.returnId}`)}">
          ${words.say('order.exchangeOf', { number: exchangeOf.orderNumber })}
        </a>
      </th>
      <td></td>
    </tr>`
  return renderCard({
    title: words.say('order.returns'),
    isFlush: true,
    body: html`<div class="scroll">
      <table>
        <caption class="hidden">${words.say('order.returns')}</caption>
        <tbody>
          ${exchange}
          ${returns.map(
            ({ id, number, requestedAt, status }) =>
              html`<tr>
              <th scope="row">
                <a href="${to(`returns/${id}`)}">${number}</a>
                <br>
                <span class="soft small">${exactTime(words, requestedAt)}</span>
              </th>
              <td class="end">${statusPill(words, 'return', status)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  })
}

function customerCard(visit: ScreenVisit, given: AdminOrder, shown: AdminCustomer | undefined): Html {
  const { words, to, may } = visit
  const { id, customer, city, country } = given
  const place = [city, country && words.country(country)].filter(Boolean).join(', ')
  const body = shown
    ? html`${renderFacts([
        [words.say('order.name'), html`<span dir="auto">${shown.name ?? '–'}</span>`],
        shown.email !== null && [words.say('order.email'), html`<a href="mailto:${shown.email}">${shown.email}</a>`],
        shown.phone !== null && [words.say('order.phone'), html`<a href="tel:${shown.phone}">${shown.phone}</a>`],
        vatFact(words, given, shown.vatId),
        [
          words.say('order.address'),
          shown.label.length === 0
            ? words.say('order.erased')
            : html`<address class="address">${shown.label.map((line) => html`<p dir="auto">${line}</p>`)}</address>`,
        ],
      ])}
${
  shown.address !== null &&
  given.allowed.includes('editAdminOrder') &&
  may('editAdminOrder') &&
  html`<form class="reveal" method="post" action="${to(`orders/${id}/address`)}">${button({ label: words.say('address.open') })}</form>`
}`
    : html`${renderFacts([
        [words.say('order.masked'), customer.emailMasked ?? '–'],
        place !== '' && [words.say('order.place'), html`<span dir="auto">${place}</span>`],
        vatFact(words, given, null),
      ])}
${
  may('getAdminOrderCustomer') &&
  html`<form class="reveal" method="post" action="${to(`orders/${id}/customer`)}">
    ${button({ label: words.say('order.showAddress'), icon: 'eye' })}
    <p class="help">${words.say('order.showNote')}</p>
  </form>`
}`
  const more =
    given.customerId !== null &&
    may('getAdminCustomer') &&
    html`<a class="small" href="${to(`customers/${given.customerId}`)}">${words.say('customers.allOrders')}</a>`
  return renderCard({ title: words.say('order.customer'), aside: more, body, id: 'customer' })
}

// The VAT number itself is only shown together with the address.
function vatFact(words: DashboardWords, { vat }: AdminOrder, vatId: string | null): readonly [string, Html] | false {
  if (!vat) return false
  const { country, status, checkedAt, consultationNumber, nameMatch } = vat
  const notes = [
    status !== 'pending' && words.say(`order.vat.${status}`, { date: words.moment(checkedAt) }),
    consultationNumber !== null && words.say('order.vat.consultation', { number: consultationNumber }),
    nameMatch !== 'unknown' && words.say(`order.vat.${nameMatch}`),
  ].filter((note) => note !== false)
  return [
    words.say('order.vatId'),
    html`${vatId ?? words.country(country)}${notes.map((note) => html`<span class="soft small block">${note}</span>`)}`,
  ]
}

function noteFields(words: DashboardWords): Field[] {
  return [
    {
      name: 'text',
      label: words.say('order.note'),
      kind: 'text',
      rows: 2,
      lengthMax: 2000,
      isRequired: true,
      help: words.say('order.noteHelp'),
    },
  ]
}

function noteForm(
  visit: ScreenVisit,
  orderId: string,
  values = {},
  problems?: ReturnType<typeof problemsFromRefusal>,
): Html {
  return renderForm(visit, {
    action: visit.to(`orders/${orderId}/notes`),
    fields: noteFields(visit.words),
    values,
    problems,
    submit: visit.words.say('order.addNote'),
    kind: 'second',
  })
}

function notes(visit: ScreenVisit, { id, notes: all }: AdminOrder, drawn: Html | undefined): Html {
  const { words, may } = visit
  const list =
    all.length === 0
      ? html`<p class="soft notes-none">${words.say('order.noNotes')}</p>`
      : html`<ul class="notes">${all.map(
          ({ text, actor, at }) =>
            html`<li><p dir="auto">${text}</p><span class="soft small">${actorName(words, actor)} · ${exactTime(words, at)}</span></li>`,
        )}</ul>`
  return html`${list}${may('addAdminOrderNote') && (drawn ?? noteForm(visit, id))}`
}

function timeline(words: DashboardWords, { timeline: entries }: AdminOrder): Html {
  return html`<ol class="timeline">${entries.map(
    ({ type, at }) => html`<li>${words.say(`timeline.${type}`)}${exactTime(words, at)}</li>`,
  )}</ol>`
}

export function actorName(words: DashboardWords, { kind, name }: AdminChange['actor']): string {
  return name ?? words.say(`actor.${kind}`)
}

export function changesList(words: DashboardWords, all: readonly AdminChange[]): Html {
  if (all.length === 0) return html`<p class="soft">${words.say('order.noChanges')}</p>`
  return html`<ol class="timeline">${all.map(
    ({ actor, operation, at }) =>
      html`<li><strong dir="auto">${actorName(words, actor)}</strong> ${words.sayKnown(
        `change.${operation}`,
        words.say('change.other', { operation }),
      )}${exactTime(words, at)}</li>`,
  )}</ol>`
}

function agentText(words: DashboardWords, { host, protocol, proof }: NonNullable<AdminOrder['agent']>): string {
  const how = words.say(proof === null ? 'order.agentUnproved' : 'order.agentProved')
  return `${host ?? words.say('order.agentNameless')} (${protocol.toUpperCase()}, ${how})`
}

function details(words: DashboardWords, { id, clientReferenceId, installation, metadata, agent }: AdminOrder): Html {
  return renderCard({
    title: words.say('order.details'),
    body: renderFacts([
      [words.say('order.installation'), html`<span dir="auto">${installation.name}</span>`],
      agent !== null && [words.say('order.agent'), html`<span dir="auto">${agentText(words, agent)}</span>`],
      clientReferenceId !== null && [words.say('order.reference'), html`<span dir="auto">${clientReferenceId}</span>`],
      ['ID', html`<code>${id}</code>`],
      ...Object.entries(metadata).map(
        ([name, value]) => [name, html`<span dir="auto">${String(value)}</span>`] as const,
      ),
    ]),
  })
}
