// Withdrawals: the open ones, the days left for the refund, and the outcome of each. The statement is shown by a post, because each
// access is recorded.

import type { AdminWithdrawal, AdminWithdrawalStatement } from '../../../contract/admin/withdrawals.ts'
import { type WithdrawalOutcome, type WithdrawalStatus, withdrawalOutcomes } from '../../../contract/words.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { type Field, keyField, problemsFromRefusal, readKey, renderForm } from '../form.ts'
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
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderTable, renderTabs } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { exemptText } from './order.ts'
import { readShownVersion } from './send.ts'

const dayMs = 24 * 60 * 60_000

export const withdrawalsScreen: Screen = {
  path: 'withdrawals',
  name: 'dashboard withdrawals',
  place: 'orders',
  needs: 'listAdminWithdrawals',
  async get(visit) {
    const { words, query, to } = visit
    const status = statusOf(query.get('view'))
    const cursor = query.get('cursor') ?? undefined
    const { data, meta } = await visit.ask('listAdminWithdrawals', { query: status ? { status } : {}, cursor })
    return {
      title: words.say('withdrawals.title'),
      back: { href: to('orders'), label: words.say('orders.title') },
      sub: words.say('withdrawals.sub'),
      body: html`${renderTabs(visit, words.say('withdrawals.views'), [
        { label: words.say('withdrawals.open'), query: { view: undefined } },
        { label: words.say('withdrawals.settled'), query: { view: 'settled' } },
        { label: words.say('orders.all'), query: { view: 'all' } },
      ])}
${renderTable(visit, {
  label: words.say('withdrawals.title'),
  columns: [
    { head: words.say('orders.number'), cell: (row) => orderText(words, row), isMain: true },
    { head: words.say('withdrawals.received'), cell: ({ receivedAt }) => renderTime(words, receivedAt), isPlain: true },
    { head: words.say('withdrawals.left'), cell: (row) => leftText(visit, row), isPlain: true },
    { head: words.say('products.status'), cell: (row) => statePill(words, row), isCorner: true },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`withdrawals/${id}`),
  next: meta.next,
  empty: { title: words.say('withdrawals.empty'), text: words.say('withdrawals.emptyText') },
})}`,
    }
  },
}

export const withdrawalScreen: Screen = {
  path: 'withdrawals/:withdrawalId',
  name: 'dashboard withdrawal',
  place: 'orders',
  needs: 'getAdminWithdrawal',
  get: async (visit) => oneSheet(visit, await find(visit)),
  async post(posted) {
    const { words, form: sent } = posted
    const path = { withdrawalId: idOf(posted) }
    const outcome = sent.get('outcome') as WithdrawalOutcome
    const body = { outcome, ...readShownVersion(sent) }
    const settled = await catchRefusal(posted.ask('settleAdminWithdrawal', { path, body, key: readKey(sent) }))
    if (!('refusal' in settled)) return redirectWithToast(posted.to('withdrawals'), 'done.settled')
    const problems = problemsFromRefusal(words, settled.refusal, settleFields(words))
    return { ...(await oneSheet(posted, await find(posted), { problems })), status: 409 }
  },
}

export const withdrawalReturnScreen: Screen = {
  path: 'withdrawals/:withdrawalId/return',
  name: 'dashboard withdrawal return',
  place: 'orders',
  needs: 'openAdminWithdrawalReturn',
  async post(posted) {
    const path = { withdrawalId: idOf(posted) }
    const body = readShownVersion(posted.form)
    const opened = await catchRefusal(
      posted.ask('openAdminWithdrawalReturn', { path, body, key: readKey(posted.form) }),
    )
    if ('refusal' in opened) return redirectWithRefusal(posted.to(`withdrawals/${path.withdrawalId}`), opened.refusal)
    return redirectWithToast(posted.to(`returns/${opened.reply.data.returnId}`), 'done.withdrawalReturn')
  },
}

export const withdrawalStatementScreen: Screen = {
  path: 'withdrawals/:withdrawalId/statement',
  name: 'dashboard withdrawal statement',
  place: 'orders',
  needs: 'getAdminWithdrawalStatement',
  // Answers a GET of this URL, such as from the browser history.
  get: async (visit) => oneSheet(visit, await find(visit)),
  async post(posted) {
    const { data } = await posted.ask('getAdminWithdrawalStatement', { path: { withdrawalId: idOf(posted) } })
    return oneSheet(posted, await find(posted), { statement: data })
  },
}

// Returns undefined for all withdrawals.
function statusOf(view: string | null): WithdrawalStatus | undefined {
  if (view === 'all') return undefined
  return view === 'settled' ? 'settled' : 'received'
}

function idOf({ path }: ScreenVisit): string {
  return path.withdrawalId ?? ''
}

async function find(visit: ScreenVisit): Promise<AdminWithdrawal> {
  return (await visit.ask('getAdminWithdrawal', { path: { withdrawalId: idOf(visit) } })).data
}

function orderText(words: DashboardWords, { order }: AdminWithdrawal): string {
  return order?.number ?? words.say('withdrawals.noOrder')
}

function statePill(words: DashboardWords, { status, outcome }: AdminWithdrawal): Html {
  return statusPill(words, 'withdrawal', outcome ?? status)
}

function leftText({ words, now }: ScreenVisit, { status, refundDueAt }: AdminWithdrawal): Html | string {
  if (status === 'settled') return '–'
  const days = Math.floor((Date.parse(refundDueAt) - now.getTime()) / dayMs)
  if (days < 0) return html`<strong class="bad-text">${words.say('withdrawals.overdue')}</strong>`
  return words.say('withdrawals.days', { count: days })
}

interface Shown {
  // Undefined: not requested. Null: the statement was erased.
  statement?: AdminWithdrawalStatement | null
  problems?: ReturnType<typeof problemsFromRefusal>
}

// Returns items of the order without a right of withdrawal. The statement shows whether the shopper means these items.
async function exemptItems({ ask, may }: ScreenVisit, { order }: AdminWithdrawal) {
  if (!order || !may('getAdminOrder')) return []
  const { data } = await ask('getAdminOrder', { path: { orderId: order.id } })
  return data.items.filter(({ withdrawalExempt }) => withdrawalExempt != null)
}

async function oneSheet(
  visit: ScreenVisit,
  row: AdminWithdrawal,
  { statement, problems }: Shown = {},
): Promise<ScreenSheet> {
  const exempt = await exemptItems(visit, row)
  const { words, to, may } = visit
  const { id, order, receivedAt, refundDueAt, settledAt, version } = row
  const { returnId } = row
  const returned =
    returnId !== null && html`<a href="${to(`returns/${returnId}`)}">${words.say('withdrawals.toReturn')}</a>`
  const link = order && html`<a href="${to(`orders/${order.id}`)}">${order.number}</a>`
  return {
    title: words.say('withdrawals.one', { order: orderText(words, row) }),
    back: { href: to('withdrawals'), label: words.say('withdrawals.title') },
    badge: statePill(words, row),
    actions:
      order && may('refundAdminOrder')
        ? linkButton({ label: words.say('withdrawals.toOrder'), href: to(`orders/${order.id}`) })
        : undefined,
    body: html`<div class="columns"><div>
${renderCard({
  title: words.say('withdrawals.statement'),
  body: html`${renderFacts([
    [words.say('orders.number'), link ?? words.say('withdrawals.noOrder')],
    [words.say('withdrawals.received'), exactTime(words, receivedAt)],
    [words.say('withdrawals.due'), exactTime(words, refundDueAt)],
    returned && [words.say('withdrawals.return'), returned],
    ...(settledAt === null ? [] : [[words.say('withdrawals.settledAt'), exactTime(words, settledAt)] as const]),
  ])}
${exempt.map(({ name, withdrawalExempt }) => renderNotice('info', html`<bdi>${name}</bdi>: ${exemptText(words, withdrawalExempt ?? '')}`))}
${order !== null && !order.emailMatches && renderNotice('info', words.say('withdrawals.otherEmail'))}
${statementPart(visit, id, statement)}`,
})}
${order !== null && returnId === null && returnPart(visit, row)}
</div><div>
${
  may('settleAdminWithdrawal') &&
  renderCard({
    title: words.say('withdrawals.settle'),
    body: renderForm(visit, {
      action: to(`withdrawals/${id}`),
      fields: settleFields(words),
      values: { outcome: row.outcome ?? 'accepted' },
      problems,
      hidden: { version },
      submit: words.say('withdrawals.settleButton'),
    }),
  })
}
</div></div>`,
  }
}

// A return is not opened automatically if the statement names another e-mail address than the order's, or came before the order was
// sent.
function returnPart({ words, to, may }: ScreenVisit, { id, version }: AdminWithdrawal): Html | false {
  if (!may('openAdminWithdrawalReturn')) return false
  return renderCard({
    title: words.say('withdrawals.return'),
    body: html`<p>${words.say('withdrawals.returnText')}</p>
<form method="post" action="${to(`withdrawals/${id}/return`)}">
  ${keyField()}
  ${hiddenFields({ version })}
  ${button({ label: words.say('withdrawals.openReturn'), kind: 'second' })}</form>`,
  })
}

function statementPart(
  visit: ScreenVisit,
  id: string,
  statement: AdminWithdrawalStatement | null | undefined,
): Html | false {
  const { words, to, may } = visit
  if (statement === null) return html`<p class="soft">${words.say('withdrawals.erased')}</p>`
  if (statement === undefined)
    return (
      may('getAdminWithdrawalStatement') &&
      html`<form method="post" action="${to(`withdrawals/${id}/statement`)}">${button({ label: words.say('withdrawals.show') })}
<p class="soft small">${words.say('withdrawals.showText')}</p></form>`
    )
  const { name, order, email, items } = statement
  return renderFacts([
    [words.say('withdrawals.name'), html`<bdi>${name}</bdi>`],
    [words.say('withdrawals.email'), html`<a href="mailto:${email}" dir="ltr">${email}</a>`],
    [words.say('withdrawals.typedOrder'), html`<bdi>${order}</bdi>`],
    [words.say('withdrawals.items'), items === '' ? words.say('withdrawals.whole') : html`<bdi>${items}</bdi>`],
  ])
}

function settleFields(words: DashboardWords): Field[] {
  return [
    {
      name: 'outcome',
      label: words.say('withdrawals.outcome'),
      kind: 'choice',
      isRequired: true,
      help: words.say('withdrawals.settleText'),
      options: withdrawalOutcomes.map((value) => ({ value, label: words.say(`withdrawals.outcome.${value}`) })),
    },
  ]
}
