// Customers: shoppers with orders, and their orders. The e-mail address is masked. Name and addresses are shown by a post, because each
// access is recorded.

import { randomUUID } from 'node:crypto'
import type { CustomerDetails, CustomerRecord, CustomerSummary } from '../../../contract/admin/customers.ts'
import type { AdminOrderSummary } from '../../../contract/admin/orders.ts'
import type { AdminReturnSummary } from '../../../contract/admin/returns.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { dialog } from '../dialog.ts'
import { renderFilters } from '../filters.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { dashboardHeaders } from '../headers.ts'
import {
  button,
  exactTime,
  linkButton,
  renderCard,
  renderFacts,
  renderNotice,
  renderTime,
  statusPill,
} from '../parts.ts'
import { loadActorNames } from '../people.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderTable } from '../table.ts'
import { redirectWithToast } from '../toast.ts'
import { savedViews } from '../views.ts'
import type { DashboardWords } from '../words.ts'
import { actorName, changesList } from './order.ts'

export const customersScreen: Screen = {
  path: 'customers',
  name: 'dashboard customers',
  place: 'customers',
  needs: 'listAdminCustomers',
  async get(visit) {
    const { words, query, to } = visit
    const q = query.get('q')?.trim()
    const cursor = query.get('cursor') ?? undefined
    const { data, meta } = await visit.ask('listAdminCustomers', { query: q ? { q } : {}, cursor })
    const empty = q ? 'notFound' : 'none'
    return {
      title: words.say('customers.title'),
      body: html`<div class="toolbar">${renderFilters(visit, [], [{ name: 'q', label: words.say('customers.find'), kind: 'line' }])}</div>
${savedViews(visit, 'customers')}
${renderTable(visit, {
  label: words.say('customers.title'),
  columns: [
    { head: words.say('customers.customer'), cell: nameOf, isMain: true },
    { head: words.say('customers.place'), cell: (row) => placeOf(words, row), isPlain: true },
    { head: words.say('customers.last'), cell: ({ lastOrderAt }) => renderTime(words, lastOrderAt), isMinor: true },
    { head: words.say('customers.orders'), cell: ({ orderCount }) => words.number(orderCount), align: 'end' },
    {
      head: words.say('customers.spent'),
      cell: ({ spent, currency }) => words.money(spent, currency),
      align: 'end',
      isCorner: true,
    },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`customers/${id}`),
  next: meta.next,
  empty: { title: words.say(`customers.${empty}`), text: words.say(`customers.${empty}Text`) },
})}`,
    }
  },
}

export const customerScreen: Screen = {
  path: 'customers/:customerId',
  name: 'dashboard customer',
  place: 'customers',
  needs: 'getAdminCustomer',
  get: async (visit) => customerSheet(visit, await find(visit)),
}

export const customerDetailsScreen: Screen = {
  path: 'customers/:customerId/details',
  name: 'dashboard customer details',
  place: 'customers',
  needs: 'getAdminCustomerDetails',
  // Answers a GET of this URL, such as from the browser history.
  get: async (visit) => customerSheet(visit, await find(visit)),
  async post(posted) {
    const { data } = await posted.ask('getAdminCustomerDetails', { path: { customerId: idOf(posted) } })
    return customerSheet(posted, await find(posted), { details: data })
  },
}

export const customerFileScreen: Screen = {
  path: 'customers/:customerId/data',
  name: 'dashboard customer data',
  place: 'customers',
  needs: 'getAdminCustomerData',
  get: async (visit) => customerSheet(visit, await find(visit)),
  async post(posted) {
    const customerId = idOf(posted)
    const { data } = await posted.ask('getAdminCustomerData', { path: { customerId } })
    return {
      status: 200,
      body: `${JSON.stringify(data, null, 2)}\n`,
      headers: {
        ...dashboardHeaders,
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="${customerId}.json"`,
      },
    }
  },
}

export const customerNoteScreen: Screen = {
  path: 'customers/:customerId/notes',
  name: 'dashboard customer note',
  place: 'customers',
  needs: 'addAdminCustomerNote',
  get: async (visit) => customerSheet(visit, await find(visit)),
  async post(posted) {
    const { words, form: sent } = posted
    const customerId = idOf(posted)
    const fields = noteFields(words)
    const read = buildBody(words, fields, sent)
    const text = 'body' in read ? String(read.body.text ?? '') : ''
    const outcome = await catchRefusal(
      posted.ask('addAdminCustomerNote', { path: { customerId }, body: { text }, key: readKey(sent) }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(posted.to(`customers/${customerId}`), 'done.noted')
    const note = noteForm(
      posted,
      customerId,
      readTypedValues(fields, sent),
      problemsFromRefusal(words, outcome.refusal, fields),
    )
    return { ...(await customerSheet(posted, await find(posted), { note })), status: 409 }
  },
}

export const customerErasureScreen: Screen = {
  path: 'customers/:customerId/erase',
  name: 'dashboard customer erase',
  place: 'customers',
  needs: 'eraseAdminCustomer',
  asksAgain: true,
  get: (visit) => eraseSheet(visit),
  async post(posted) {
    const customerId = idOf(posted)
    await posted.ask('eraseAdminCustomer', { path: { customerId }, body: {}, key: readKey(posted.form) })
    return redirectWithToast(posted.to('customers'), 'done.customerErased')
  },
}

function idOf({ path }: ScreenVisit): string {
  return path.customerId ?? ''
}

interface Shown extends CustomerRecord {
  orders: readonly AdminOrderSummary[]
  returns: readonly AdminReturnSummary[]
}

async function find(visit: ScreenVisit): Promise<Shown> {
  const customerId = idOf(visit)
  const { data } = await visit.ask('getAdminCustomer', { path: { customerId } })
  const [orders, returns, named] = await Promise.all([
    visit.ask('listAdminOrders', { query: { customerId } }),
    visit.ask('listAdminReturns', { query: { customerId } }),
    loadActorNames(
      visit,
      [...data.changes, ...data.notes].map(({ actor }) => actor),
    ),
  ])
  return {
    ...data,
    orders: orders.data,
    returns: returns.data,
    notes: data.notes.map((note) => ({ ...note, actor: named(note.actor) })),
    changes: data.changes.map((change) => ({ ...change, actor: named(change.actor) })),
  }
}

function nameOf({ emailMasked }: CustomerSummary): string {
  return emailMasked ?? '–'
}

function placeOf(words: DashboardWords, { city, country }: CustomerSummary): string {
  return [city, country && words.country(country)].filter(Boolean).join(', ') || '–'
}

interface Extra {
  details?: CustomerDetails
  // The form of the note, after a refusal.
  note?: Html
}

async function customerSheet(visit: ScreenVisit, given: Shown, { details, note }: Extra = {}): Promise<ScreenSheet> {
  const { words, to, may } = visit
  const { id, orderCount, spent, currency, firstOrderAt, lastOrderAt, eraseAskedAt } = given
  const file =
    may('getAdminCustomerData') &&
    html`<form method="post" action="${to(`customers/${id}/data`)}">${button({ label: words.say('customers.data') })}</form>`
  const erase =
    may('eraseAdminCustomer') &&
    eraseAskedAt === null &&
    linkButton({
      label: words.say('customers.erase'),
      href: to(`customers/${id}/erase`),
      isDialog: true,
    })
  return {
    title: nameOf(given),
    back: { href: to('customers'), label: words.say('customers.title') },
    sub: placeOf(words, given),
    actions: html`${file}${erase}`,
    body: html`${eraseAskedAt !== null && renderNotice('info', words.say('customers.erasing'))}<div class="columns"><div>
${ordersCard(visit, given)}
${returnsCard(visit, given.returns)}
${consentsCard(visit, given)}
${renderCard({ title: words.say('order.changes'), body: changesList(words, given.changes) })}
</div><div>
${renderCard({
  title: words.say('customers.customer'),
  body: renderFacts([
    [words.say('customers.orders'), words.number(orderCount)],
    [words.say('customers.spent'), words.money(spent, currency)],
    [words.say('customers.first'), renderTime(words, firstOrderAt)],
    [words.say('customers.last'), renderTime(words, lastOrderAt)],
  ]),
})}
${renderCard({ title: words.say('customers.who'), body: whoPart(visit, id, details), id: 'customer' })}
${renderCard({ title: words.say('order.notes'), body: notesPart(visit, given, note) })}
</div></div>`,
  }
}

function ordersCard({ words, to }: ScreenVisit, { orders }: Shown): Html {
  return renderCard({
    title: words.say('customers.orders'),
    isFlush: true,
    body: html`<div class="scroll">
      <table>
        <caption class="hidden">${words.say('customers.orders')}</caption>
        <tbody>
          ${orders.map(
            ({ id, number, status, paymentStatus, fulfillmentStatus, total, currency, placedAt }) =>
              html`<tr>
              <th scope="row">
                <a href="${to(`orders/${id}`)}">${number}</a>
                <br>
                <span class="soft small">${exactTime(words, placedAt)}</span>
              </th>
              <td>
                ${statusPill(words, 'payment', paymentStatus)} ${
                  status === 'cancelled'
                    ? statusPill(words, 'order', status)
                    : statusPill(words, 'sending', fulfillmentStatus)
                }
              </td>
              <td class="end">${words.money(total, currency)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  })
}

function returnsCard({ words, to }: ScreenVisit, returns: readonly AdminReturnSummary[]): Html | false {
  if (returns.length === 0) return false
  return renderCard({
    title: words.say('order.returns'),
    isFlush: true,
    body: html`<div class="scroll">
      <table>
        <caption class="hidden">${words.say('order.returns')}</caption>
        <tbody>
          ${returns.map(
            ({ id, number, status, requestedAt }) =>
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

function consentsCard({ words, to }: ScreenVisit, { consents }: Shown): Html | false {
  if (consents.length === 0) return false
  return renderCard({
    title: words.say('customers.consents'),
    isFlush: true,
    body: html`<div class="scroll">
      <table>
        <caption class="hidden">${words.say('customers.consents')}</caption>
        <tbody>
          ${consents.map(
            ({ kind, at, orderId, orderNumber }) =>
              html`<tr>
              <th scope="row">
                <a href="${to(`orders/${orderId}`)}">${orderNumber}</a>
                <br>
                <span class="soft small">${exactTime(words, at)}</span>
              </th>
              <td class="end">${words.say(`customers.consent.${kind}`)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  })
}

function whoPart({ words, to }: ScreenVisit, id: string, shown: CustomerDetails | undefined): Html {
  if (!shown)
    return html`<form class="reveal" method="post" action="${to(`customers/${id}/details`)}">
      ${button({ label: words.say('customers.show'), icon: 'eye' })}
      <p class="help">${words.say('order.showNote')}</p>
    </form>`
  const { name, email, phone, addresses } = shown
  const gone = words.say('customers.erased')
  return renderFacts([
    [words.say('order.name'), html`<span dir="auto">${name ?? gone}</span>`],
    [words.say('order.email'), email === null ? gone : html`<a href="mailto:${email}">${email}</a>`],
    phone !== null && [words.say('order.phone'), html`<a href="tel:${phone}">${phone}</a>`],
    [
      words.say('customers.addresses'),
      addresses.length === 0
        ? gone
        : addresses.map(
            ({ label }) =>
              html`<address class="address">${label.map((line) => html`<p dir="auto">${line}</p>`)}</address>`,
          ),
    ],
  ])
}

function noteFields(words: DashboardWords): Field[] {
  return [
    {
      ...{ name: 'text', label: words.say('order.note'), kind: 'text', rows: 2, lengthMax: 2000, isRequired: true },
      help: words.say('order.noteHelp'),
    },
  ]
}

function noteForm(visit: ScreenVisit, id: string, values: FieldValues = {}, problems?: Problems): Html {
  return renderForm(visit, {
    action: visit.to(`customers/${id}/notes`),
    fields: noteFields(visit.words),
    values,
    problems,
    submit: visit.words.say('order.addNote'),
    kind: 'second',
  })
}

function notesPart(visit: ScreenVisit, { id, notes }: Shown, drawn: Html | undefined): Html {
  const { words, may } = visit
  const list =
    notes.length === 0
      ? html`<p class="soft notes-none">${words.say('customers.noNotes')}</p>`
      : html`<ul class="notes">${notes.map(
          ({ text, actor, at }) =>
            html`<li><p dir="auto">${text}</p><span class="soft small">${actorName(words, actor)} · ${exactTime(words, at)}</span></li>`,
        )}</ul>`
  return html`${list}${may('addAdminCustomerNote') && (drawn ?? noteForm(visit, id))}`
}

// Previews an erasure: what is erased and what remains.
async function eraseSheet(visit: ScreenVisit): Promise<ScreenSheet> {
  const { words, to } = visit
  const customerId = idOf(visit)
  const { data: given } = await visit.ask('getAdminCustomer', { path: { customerId } })
  const asked = { path: { customerId }, body: { dryRun: true }, key: randomUUID() }
  const { data } = await visit.ask('eraseAdminCustomer', asked)
  const back = { href: to(`customers/${customerId}`), label: nameOf(given) }
  const numbers = data.kept.map(({ number }) => number).join(', ')
  return dialog({
    title: words.say('customers.eraseTitle'),
    back,
    lead: words.say('customers.eraseLead'),
    body: renderForm(visit, {
      action: to(`customers/${customerId}/erase`),
      fields: [],
      before: html`<p>${words.say('customers.eraseOrders', { count: data.orders })}</p>
      ${data.kept.length > 0 && renderNotice('info', words.say('customers.eraseKept', { numbers }))}`,
      submit: words.say('customers.eraseSubmit'),
      kind: 'danger',
      cancel: back.href,
    }),
  })
}
