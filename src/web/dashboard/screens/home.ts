// Home: open tasks, thirty days of sales, and the remaining setup steps of a new shop.

import type { AdminBestSeller } from '../../../contract/admin/home.ts'
import type { AdminOrderSummary } from '../../../contract/admin/orders.ts'
import type { AdminSalesReport } from '../../../contract/admin/reports.ts'
import { type Html, type HtmlValue, html } from '../../../platform/html/html.ts'
import { chart } from '../chart.ts'
import { type GuideStep, guideSteps, isOptional, loadGuideProgress } from '../guide.ts'
import { icon } from '../icons.ts'
import { countText, linkButton, renderCard, statusPill } from '../parts.ts'
import type { Screen, ScreenVisit } from '../screen.ts'
import type { TextKey } from '../words.ts'
import { renderComparison } from './reports.ts'

// A shop with more orders than this in thirty days no longer sees the first steps.
const firstOrders = 5

export const homeScreen: Screen = {
  path: 'home',
  name: 'dashboard home',
  place: 'home',
  needs: 'getAdminHome',
  async get(visit) {
    const { words } = visit
    const [{ data }, latest] = await Promise.all([
      visit.ask('getAdminHome'),
      visit.ask('listAdminOrders', { query: { limit: listedMax } }),
    ])
    const steps = data.sales.sum.orders < firstOrders ? await firstSteps(visit) : []
    const isReady = steps.every(({ isDone }) => isDone)
    return {
      title: words.say('home.title'),
      body: html`${!isReady && stepList(visit, steps)}
<div data-live="todo">${todoCards(visit, data)}</div>
${salesCard(visit, data.sales)}
<div class="columns even">${latestCard(visit, latest.data)}${sellersCard(visit, data.bestSellers, data.sales.currency)}</div>`,
    }
  },
}

const listedMax = 5

function latestCard({ words, to }: ScreenVisit, orders: readonly AdminOrderSummary[]): Html | false {
  if (orders.length === 0) return false
  return renderCard({
    title: words.say('home.latest'),
    aside: html`<a href="${to('orders', { view: 'all' })}">${words.say('home.allOrders')}</a>`,
    isFlush: true,
    body: html`<ul class="results">${orders.map(
      ({ id, number, status, paymentStatus, fulfillmentStatus, city, total, currency }) =>
        html`<li><a class="result" href="${to(`orders/${id}`)}"><span class="result-name">${number}</span>${
          status === 'cancelled'
            ? statusPill(words, 'order', status)
            : paymentStatus === 'paid'
              ? statusPill(words, 'sending', fulfillmentStatus)
              : statusPill(words, 'payment', paymentStatus)
        }<span class="soft" dir="auto">${city}</span><span class="result-end">${words.money(total, currency)}</span></a></li>`,
    )}</ul>`,
  })
}

function sellersCard({ words, to }: ScreenVisit, sellers: readonly AdminBestSeller[], currency: string): Html | false {
  if (sellers.length === 0) return false
  return renderCard({
    title: words.say('home.bestSellers'),
    aside: html`<a href="${to('reports', { by: 'product' })}">${words.say('home.report')}</a>`,
    isFlush: true,
    body: html`<ul class="results">
      ${sellers.map(
        ({ name, items, total }) =>
          html`<li>
          <span class="result">
            <span class="result-name" dir="auto">${name}</span>
            <span class="soft">${words.say('home.pieces', { count: items })}</span>
            <span class="result-end">${words.money(total, currency)}</span>
          </span>
        </li>`,
      )}
    </ul>`,
  })
}

interface Todo {
  toSend: number
  awaitingPayment: number
  refundsFailed: number
  disputesOpen: number
  withdrawals: number
  lowStock: number
  webhooksFailing: number
  paymentAccountsFailing: number
  paymentsUnsettled: number
}

// `isAlarm`: a problem rather than daily work. Alarms and rare tasks are shown only if their count is above 0.
function todoCards(visit: ScreenVisit, { todo, agentOrders }: { todo: Todo; agentOrders: number }): Html {
  const { words, to, may } = visit
  const cards: readonly { key: TextKey; count: number; href: string; isAlarm?: boolean; isRare?: boolean }[] = [
    { key: 'home.toSend', count: todo.toSend, href: to('orders') },
    { key: 'home.awaitingPayment', count: todo.awaitingPayment, href: to('orders', { view: 'unpaid' }) },
    { key: 'home.lowStock', count: todo.lowStock, href: to('stock', { stock: 'low' }) },
    {
      key: 'home.agentOrders',
      count: agentOrders,
      href: to('orders', { view: 'all', channel: 'agents' }),
      isRare: true,
    },
    {
      key: 'home.refundsFailed',
      count: todo.refundsFailed,
      href: to('orders', { view: 'all', attention: 'refund_failed' }),
      isAlarm: true,
    },
    {
      key: 'home.disputesOpen',
      count: todo.disputesOpen,
      href: to('orders', { view: 'all', attention: 'dispute_open' }),
      isAlarm: true,
    },
    { key: 'home.paymentsUnsettled', count: todo.paymentsUnsettled, href: to('payments'), isAlarm: true },
    { key: 'home.withdrawals', count: todo.withdrawals, href: to('withdrawals'), isAlarm: true },
    {
      key: 'home.paymentAccountsFailing',
      count: todo.paymentAccountsFailing,
      href: to('settings/payments'),
      isAlarm: true,
    },
    {
      key: 'home.webhooksFailing',
      count: may('listAdminWebhookEndpoints') ? todo.webhooksFailing : 0,
      href: to('developers'),
      isAlarm: true,
    },
  ]
  return html`<section class="todo" aria-label="${words.say('home.todo')}">
    ${cards
      .filter(({ count, isAlarm, isRare }) => !(isAlarm || isRare) || count > 0)
      .map(
        ({ key, count, href, isAlarm }) =>
          html`<a class="todo-card${isAlarm ? ' alarm' : count === 0 ? ' none' : ''}" href="${href}">
        <span class="number">${countText(words, count)}</span>
        <span>${words.say(key)}</span>
      </a>`,
      )}
  </section>`
}

function salesCard(visit: ScreenVisit, report: AdminSalesReport): Html {
  const { rows, sum, currency } = report
  const { words, to, may } = visit
  const money = (amount: number) => words.money(amount, currency)
  const average = sum.orders === 0 ? 0 : Math.round(sum.total / sum.orders)
  const today = rows.at(-1)
  const sums: readonly (readonly [key: TextKey, text: HtmlValue])[] = [
    [
      'home.today',
      html`${money(today?.total ?? 0)} <span class="soft small">${words.say('home.todayOrders', { count: today?.orders ?? 0 })}</span>`,
    ],
    ['home.salesTotal', html`${money(sum.total)}${renderComparison(words, report, 'total')}`],
    ['home.salesOrders', html`${words.number(sum.orders)}${renderComparison(words, report, 'orders')}`],
    ['home.salesAverage', money(average)],
    ['home.salesRefunded', money(sum.refunded)],
  ]
  return renderCard({
    title: words.say('home.sales'),
    aside:
      may('getAdminSalesReport') && visit.places.includes('reports')
        ? html`<a href="${to('reports')}">${words.say('home.report')}</a>`
        : false,
    body: html`<dl class="sums-row">${sums.map(([key, text]) => html`<div><dt>${words.say(key)}</dt><dd>${text}</dd></div>`)}</dl>
${chart(words, {
  title: words.say('home.sales'),
  heads: [words.say('home.day'), words.say('home.amount'), words.say('home.orders')],
  bars: rows.map(({ key, total, orders }) => ({
    label: words.calendarDay(key),
    value: total,
    text: money(total),
    more: [words.number(orders)],
  })),
  top: money,
})}`,
  })
}

interface Step {
  name: GuideStep | 'mail' | 'order'
  isDone: boolean
  // The page of the step, if this dashboard has one.
  href?: string | undefined
}

// The required steps of the guide. Two steps (sending e-mail, a test order) are inserted before the last, which opens the shop.
async function firstSteps(visit: ScreenVisit): Promise<Step[]> {
  const { to, may } = visit
  const [progress, orders] = await Promise.all([loadGuideProgress(visit), visit.inMode('test').ask('listAdminOrders')])
  const steps = guideSteps
    .filter((step) => !isOptional[step])
    .map(
      (step): Step => ({
        name: step,
        isDone: progress[step],
        href: may('updateAdminShop') ? to(`start/${step}`) : undefined,
      }),
    )
  const more: Step[] = [
    { name: 'mail', isDone: visit.server.sendsMail },
    { name: 'order', isDone: orders.data.length > 0 },
  ]
  return [...steps.filter(({ name }) => name !== 'open'), ...more, ...steps.filter(({ name }) => name === 'open')]
}

function textOf(name: Step['name'], part: '' | 'Text' = ''): TextKey {
  if (name === 'mail' || name === 'order') return `home.setup.${name}${part}`
  return part === '' ? `guide.${name}` : `guide.${name}Lead`
}

function stepList(visit: ScreenVisit, steps: readonly Step[]): Html {
  const { words } = visit
  return renderCard({
    title: words.say('home.firstRun'),
    aside: html`<span class="soft">${words.say('home.firstRunText')}</span>`,
    isFlush: true,
    body: html`<ol class="steps">
      ${steps.map(
        ({
          name,
          isDone,
          href,
        }) => html`<li${isDone && html` class="done"`}><span class="step-sign">${icon('check')}</span>
<div class="step-text">
  <p class="step-name">
    ${words.say(textOf(name))}
    ${isDone && html` <span class="hidden">${words.say('home.setup.done')}</span>`}
  </p>
${!isDone && html`<p class="soft small">${words.say(textOf(name, 'Text'))}</p>`}</div>
${!isDone && href !== undefined && linkButton({ label: words.say('home.setup.open'), href })}</li>`,
      )}
    </ol>`,
  })
}
