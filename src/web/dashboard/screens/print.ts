// Packing slips and receipts of many orders: one document, with each order on a sheet of its own. Printed by a post, because a slip
// contains the address and each access is recorded.

import type { AdminCustomer, AdminOrder } from '../../../contract/admin/orders.ts'
import type { AdminShop } from '../../../contract/admin/shop.ts'
import { limits } from '../../../contract/limits.ts'
import { brandName } from '../../../platform/html/cardbrands.ts'
import { renderHtmlDocument } from '../../../platform/html/frame.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { printStyle, scriptsFor } from '../assets.ts'
import { dashboardHeaders } from '../headers.ts'
import { type PostedScreen, redirectTo, type Screen } from '../screen.ts'
import type { DashboardWords } from '../words.ts'
import { listOrders } from './sendmany.ts'

export const printOrdersScreen: Screen = {
  path: 'orders/print',
  name: 'dashboard print',
  place: 'orders',
  needs: 'getAdminOrder',
  get: async (visit) => redirectTo(visit.to('orders')),
  async post(posted) {
    const { words, form, to } = posted
    const ids = [...new Set(form.getAll('order'))].slice(0, limits.bulkItemsMax)
    if (ids.length === 0) return redirectTo(to('orders'))
    const isSlips = form.get('kind') === 'slips'
    const [orders, { data: shop }] = await Promise.all([listOrders(posted, ids), posted.ask('getAdminShop')])
    const sheets = isSlips ? await slips(posted, orders, shop) : orders.map((order) => receipt(words, order, shop))
    return document(posted, words.say(isSlips ? 'print.slips' : 'print.receipts'), sheets)
  },
}

function document({ words, to }: PostedScreen, title: string, sheets: readonly Html[]) {
  const body = html`<nav class="tools">
    <a href="${to('orders')}">${words.say('print.back')}</a>
    <button type="button" data-print>${words.say('print.print')}</button>
  </nav>
<main>${sheets}</main>`
  return {
    status: 200,
    headers: { ...dashboardHeaders },
    body: renderHtmlDocument({
      title,
      locale: words.locale,
      direction: words.direction,
      style: printStyle.href,
      head: html`${scriptsFor(body).map((href) => html`<script src="${href}" defer></script>`)}`,
      body,
    }),
  }
}

async function slips(posted: PostedScreen, orders: readonly AdminOrder[], shop: AdminShop): Promise<Html[]> {
  const customers: AdminCustomer[] = []
  // The addresses are loaded one after another, because each access is recorded in a transaction of its own.
  for (const { id } of orders) {
    const { data } = await posted.ask('getAdminOrderCustomer', { path: { orderId: id } })
    customers.push(data)
  }
  return orders.map((order, index) => slip(posted.words, order, shop, customers[index]))
}

function slip(words: DashboardWords, order: AdminOrder, shop: AdminShop, customer: AdminCustomer | undefined): Html {
  const { items, shipping } = order
  const isPartlySent = items.some(({ fulfilled }) => fulfilled > 0)
  return html`<article class="sheet">
    <h1>${words.say('print.slip')} · ${words.say('print.order', { number: order.number })}</h1>
${testNote(words, order)}
<div class="ends">
  <section class="to">
    <p class="soft">${words.say('print.deliverTo')}</p>
    ${
      customer?.label.length
        ? customer.label.map(
            (line) => html`<p dir="auto"${line === customer.address?.name && html` class="name"`}>${line}</p>`,
          )
        : '–'
    }
  </section>
<section>
  ${seller(words, shop)}
  <p class="soft">${words.say('order.placedAt', { date: words.day(order.placedAt) })}</p>
  ${shipping && html`<p class="soft" dir="auto">${shipping.label}</p>`}</section></div>
<table>
  <thead>
    <tr>
      <th scope="col">${words.say('print.item')}</th>
      ${isPartlySent && html`<th scope="col" class="end">${words.say('print.sentBefore')}</th>`}
      <th scope="col" class="end">${words.say('print.inParcel')}</th>
    </tr>
  </thead>
<tbody>
  ${items.map(
    (item) => html`<tr>
      <td>${itemName(item)}</td>
      ${isPartlySent && html`<td class="end">${words.number(item.fulfilled)}</td>`}
      <td class="end">${words.number(item.quantity - item.fulfilled)}</td>
    </tr>`,
  )}</tbody></table></article>`
}

function receipt(words: DashboardWords, order: AdminOrder, shop: AdminShop): Html {
  const { items, totals, currency, payments, shipping, promotion } = order
  const amount = (minor: number) => words.money(minor, currency)
  const sums: readonly (readonly [label: string, minor: number, isStrong?: boolean] | false)[] = [
    [words.say('order.subtotal'), totals.subtotal],
    totals.discount > 0 && [
      promotion ? words.say('order.promotion', { code: promotion.code }) : words.say('order.discount'),
      -totals.discount,
    ],
    shipping !== null && [words.say('order.shipping'), totals.shipping],
    !totals.taxIncluded && [words.say('order.tax'), totals.tax],
    [words.say('order.total'), totals.total, true],
    totals.taxIncluded && [words.say('order.taxIncluded'), totals.tax],
    totals.refunded > 0 && [words.say('order.refundedSum'), -totals.refunded],
  ]
  const paid = payments.filter(({ status }) => status === 'succeeded')
  return html`<article class="sheet">
    <h1>${words.say('print.receipt')} · ${words.say('print.order', { number: order.number })}</h1>
${testNote(words, order)}
<div class="ends">
  <section>${seller(words, shop)}</section>
  <section>
    <p>${words.say('order.placedAt', { date: words.day(order.placedAt) })}</p>
    ${
      paid.length === 0 && totals.total > 0
        ? html`<p class="soft">${words.say('print.notPaid')}</p>`
        : paid.map(
            ({ method, brand, last4, amount: sum }) =>
              html`<p class="soft">
        ${words.sayKnown(`method.${method}`, method)}
        ${brand !== null && last4 !== null && ` ${brandName(brand)} ···· ${last4}`} ${amount(sum)}
      </p>`,
          )
    }
  </section></div>
<table>
  <thead>
    <tr>
      <th scope="col">${words.say('print.item')}</th>
      <th scope="col" class="end">${words.say('order.quantity')}</th>
      <th scope="col" class="end">${words.say('order.price')}</th>
      <th scope="col" class="end">${words.say('order.sum')}</th>
    </tr>
  </thead>
<tbody>
  ${items.map(
    (item) => html`<tr>
      <td>${itemName(item)}</td>
      <td class="end">${words.number(item.quantity)}</td>
      <td class="end">${amount(item.unitPrice)}</td>
      <td class="end">${amount(item.subtotal)}</td>
    </tr>`,
  )}</tbody>
<tfoot>
  ${sums.map(
    (row) =>
      row &&
      html`<tr${row[2] && html` class="strong"`}>
      <th scope="row" colspan="3">${row[0]}</th>
      <td class="end">${amount(row[1])}</td>
    </tr>`,
  )}</tfoot></table></article>`
}

function testNote(words: DashboardWords, { mode }: AdminOrder): Html | false {
  return mode === 'test' && html`<p class="test">${words.say('print.test')}</p>`
}

function itemName({ name, options, code }: AdminOrder['items'][number]): Html {
  return html`<p class="name" dir="auto">${name}</p>
  <p class="soft" dir="auto">${[...options.map(({ value }) => value), code].join(' · ')}</p>`
}

function seller(words: DashboardWords, { shop: { name, legal } }: AdminShop): Html {
  return html`<p class="name" dir="auto">${legal?.name ?? name}</p>
  ${legal?.address?.map((line) => html`<p dir="auto">${line}</p>`)}
  ${legal?.vatId !== undefined && html`<p class="soft">${words.say('print.vat', { number: legal.vatId })}</p>`}
  ${legal?.registration !== undefined && html`<p class="soft" dir="auto">${legal.registration}</p>`}`
}
