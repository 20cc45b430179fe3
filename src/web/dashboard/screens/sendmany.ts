// Sends many orders at once, each with its tracking number. A column of numbers can be pasted into the first field (browser/sheet.ts).
// Without script each number is typed.

import type { BulkOutcome } from '../../../contract/admin/bulk.ts'
import type { AdminOrder } from '../../../contract/admin/orders.ts'
import { limits } from '../../../contract/limits.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { html } from '../../../platform/html/html.ts'
import { type Field, field, type Problems, problemsFromRefusal, readKey, renderForm } from '../form.ts'
import { emptyState, linkButton, pasteNote } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import { carrierField, readShownVersion } from './send.ts'

export const sendManyOrdersScreen: Screen = {
  path: 'orders/send',
  name: 'dashboard send many',
  place: 'orders',
  needs: 'fulfilAdminOrders',
  get: async (visit) => sheetOf(visit, await listOrders(visit, chosenIn(visit.query))),
  async post(posted) {
    const { words, form: sent, to } = posted
    const ids = chosenIn(sent)
    const carrier = readTrackingLine(sent, 'carrier')
    const link = readTrackingLine(sent, 'link')
    const rows = ids.map((orderId) => {
      const trackingNumber = readTrackingLine(sent, `tracking-${orderId}`)
      return {
        orderId,
        ...readShownVersion(new URLSearchParams({ version: sent.get(`version-${orderId}`) ?? '' })),
        ...(carrier !== '' && { carrier }),
        ...(trackingNumber !== '' && {
          trackingNumber,
          ...(link !== '' && { trackingUrl: linkOf(link, trackingNumber) }),
        }),
      }
    })
    if (rows.length === 0) return sheetOf(posted, [])
    if (link !== '' && !isTemplate(link)) {
      const problems = {
        summary: words.say('form.problem'),
        at: { '/link': words.say('sendMany.linkWrong', { place }) },
      }
      return sheetOf(posted, await listOrders(posted, ids), { sent, problems })
    }
    const outcome = await catchRefusal(posted.ask('fulfilAdminOrders', { body: { rows }, key: readKey(sent) }))
    if ('refusal' in outcome)
      return sheetOf(posted, await listOrders(posted, ids), {
        sent,
        problems: problemsFromRefusal(words, outcome.refusal),
      })
    const { data, meta } = outcome.reply
    if (meta.refused === 0) return redirectWithToast(to('orders'), 'done.sentMany', { count: meta.done })
    const refused = data.filter((one) => one.outcome === 'refused')
    const known = await listOrders(posted, existing(refused))
    return sheetOf(posted, known, { sent, refused, problems: { summary: words.say('sendMany.refused'), at: {} } })
  },
}

const place = '{number}'

function isTemplate(link: string): boolean {
  return /^https?:\/\/\S+$/.test(link) && link.includes(place)
}

function linkOf(link: string, trackingNumber: string): string {
  return link.replaceAll(place, encodeURIComponent(trackingNumber.replace(/\s/g, '')))
}

// Omits ids without an order, for which there is nothing to show.
function existing(refused: readonly BulkOutcome[]): string[] {
  return refused.filter(({ code }) => code !== 'order_not_found').map(({ id }) => id)
}

function chosenIn(values: FormFields): string[] {
  return [...new Set(values.getAll('order'))].slice(0, limits.bulkItemsMax)
}

export function readTrackingLine(values: FormFields, name: string): string {
  return (values.get(name) ?? '')
    .slice(0, 200)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

export async function listOrders(visit: ScreenVisit, ids: readonly string[]): Promise<AdminOrder[]> {
  const replies = await Promise.all(ids.map((orderId) => visit.ask('getAdminOrder', { path: { orderId } })))
  return replies.map(({ data }) => data)
}

interface Drawn {
  sent?: FormFields
  refused?: readonly BulkOutcome[]
  problems?: Problems
}

function sheetOf(
  visit: ScreenVisit,
  orders: readonly AdminOrder[],
  { sent, refused = [], problems }: Drawn = {},
): ScreenSheet {
  const { words, to } = visit
  const back = { href: to('orders'), label: words.say('orders.title') }
  if (orders.length === 0) {
    const text = problems?.summary ?? words.say('sendMany.noneText')
    const empty = {
      title: words.say('sendMany.none'),
      text,
      action: linkButton({ label: back.label, href: back.href }),
    }
    return { title: words.say('orders.send'), back, body: html`<div class="card">${emptyState(empty)}</div>` }
  }
  const count = orders.length
  const why = new Map(refused.map(({ id, code, message }) => [id, { code, message }]))
  return {
    title: words.say('sendMany.title', { count }),
    back,
    status: problems ? 409 : 200,
    body: renderForm(visit, {
      action: to('orders/send'),
      fields: [],
      problems,
      drawn: commonFields(words),
      submit: words.say('sendMany.submit', { count }),
      cancel: back.href,
      before: html`<p class="lead with-script">${words.say('sendMany.lead')}</p>
<div class="fields">${commonFields(words).map((one) => field(words, one, sent?.get(one.name) ?? '', problems))}</div>
<div class="card flush"><div class="scroll"><table class="rows sheet-cells" data-sheet>
<caption class="hidden">${words.say('sendMany.tracking')}</caption>
<thead>
  <tr>
    <th scope="col">${words.say('sendMany.number')}</th>
    <th scope="col">${words.say('sendMany.to')}</th>
    <th scope="col" class="end">${words.say('sendMany.items')}</th>
    <th scope="col">${words.say('sendMany.tracking')}</th>
  </tr></thead>
<tbody>
  ${orders.map(({ id, number, city, country, items, version }) => {
    const left = items.reduce((sum, item) => sum + item.quantity - item.fulfilled, 0)
    const refusal = why.get(id)
    const problem = `problem-${id}`
    return html`<tr>
      <th scope="row" class="main">
        <input type="hidden" name="order" value="${id}">
        <input type="hidden" name="version-${id}" value="${version}">
        ${number}
      </th>
<td data-head="${words.say('sendMany.to')}"><span dir="auto">${[city, country].filter(Boolean).join(', ')}</span></td>
<td data-head="${words.say('sendMany.items')}" class="end">${words.number(left)}</td>
<td data-head="${words.say('sendMany.tracking')}">
  <span class="cell-field">
    <input
      name="tracking-${id}"
      maxlength="100"
      autocomplete="off"
      dir="auto"
      value="${sent ? readTrackingLine(sent, `tracking-${id}`) : ''}"
      aria-label="${words.say('sendMany.trackingOf', { number })}"${
        refusal && html` aria-invalid="true" aria-describedby="${problem}"`
      }>
    ${refusal && html`<span class="wrong" id="${problem}">${reason(visit, refusal)}</span>`}
  </span></td></tr>`
  })}</tbody></table></div>
  ${pasteNote(words.say('table.leftOut', { count: '{count}' }))}</div>`,
    }),
  }
}

function commonFields(words: ScreenVisit['words']): Field[] {
  const shared = { isHalf: true, kind: 'line', lengthMax: 100 } as const
  return [
    { ...shared, ...carrierField(words), name: 'carrier', label: words.say('sendMany.carrier') },
    {
      ...shared,
      name: 'link',
      label: words.say('sendMany.link'),
      help: words.say('sendMany.linkHelp', { place }),
      lengthMax: 200,
    },
  ]
}

function reason({ words }: ScreenVisit, { code, message }: Pick<BulkOutcome, 'code' | 'message'>): string {
  // The cast holds: codes of outcomes are codes of refusals.
  return words.refusal({ code: code as Parameters<typeof words.refusal>[0]['code'], message: message ?? code ?? '' })
}
