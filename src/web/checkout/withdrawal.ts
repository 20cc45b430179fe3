// The page on which a shopper withdraws from a contract (Directive 2011/83/EU, Art. 11a), in two steps: the statement and its
// confirmation. Neither a reason nor signing in is needed. The page shows only typed values, nothing about an order.

import type { Issue } from '../../contract/issues.ts'
import type {
  ReceivedStatement,
  StatementInput,
  WithdrawalPort,
  WithdrawalShop,
} from '../../domain/withdrawals/receive.ts'
import { type Statement, statementIssues, statementLengthsMax } from '../../domain/withdrawals/statement.ts'
import { type FormErrorStatus, hiddenFields, readForm, readLineField } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { isCrossSite } from '../../platform/html/origin.ts'
import type { HtmlPage, PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import { normalizeTypedEmail } from '../../platform/kit/email.ts'
import { newId } from '../../platform/kit/ids.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import { refusedPage, slowPage, statusIcons } from './ended.ts'
import { renderField } from './fields.ts'
import { answerPage, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import { closeAfterAnswer, failedAnswer, lostAnswer, waitingAnswer } from './show.ts'

export interface WithdrawalPageParts {
  withdrawals: WithdrawalPort
  // The origin is only known once the port is open.
  origin: () => string
  // Whether the confirmation is also sent by e-mail.
  sendsMail: boolean
  // Milliseconds until another statement from this IP address, and to this shop, is accepted; 0: now.
  waitMs?: (shopId: string, address: string) => number
}

export function withdrawalPages({ withdrawals, origin, sendsMail, waitMs = () => 0 }: WithdrawalPageParts): HtmlPage[] {
  async function show(request: PageRequest): Promise<PageAnswer> {
    const shop = await withdrawals.findShop(request.path.merchant ?? '')
    if (!shop) return lostAnswer(request)
    const order = new URL(request.raw.url ?? '', origin()).searchParams.get('order') ?? ''
    const typed = { name: '', order: cut(order, 'order'), email: '', items: '' }
    return answerPage(200, formPage(speakerOf(request), shop, typed, []))
  }

  async function post(request: PageRequest): Promise<PageAnswer> {
    const speaker = speakerOf(request)
    const path = `/w/${encodeURIComponent(request.path.merchant ?? '')}`
    if (isCrossSite(request.raw, request.shop?.origin ?? origin()))
      return closeAfterAnswer(answerPage(403, refusedPage(speaker, 'forbidden', path)))
    const shop = await withdrawals.findShop(request.path.merchant ?? '')
    if (!shop) return closeAfterAnswer(lostAnswer(request))
    const form = await request.receive(() => readForm(request.raw))
    if (typeof form === 'number') return refused(speaker, form, path)
    const typed = typedIn((name) => readLineField(form, name))
    const issues = statementIssues(typed)
    const step = readLineField(form, 'step')
    if (issues.length > 0 || step === 'change') {
      return answerPage(200, formPage(speaker, shop, typed, step === 'change' ? [] : issues))
    }
    if (step !== 'confirm') return answerPage(200, reviewPage(speaker, shop, typed, newId('wdr')))
    const pauseMs = waitMs(shop.id, request.address)
    const attempt = readLineField(form, 'attempt')
    if (pauseMs > 0) {
      const fields = { ...typed, attempt, step }
      return waitingAnswer(answerPage(429, slowPage(speaker, path, { action: '', fields })), pauseMs)
    }
    const given: StatementInput = { statement: typed, attempt, locale: speaker.locale }
    const received = await withdrawals.receive(shop, given)
    return answerPage(200, receivedPage(speaker, shop, typed, { ...received, sendsMail }))
  }

  return [
    {
      path: '/w/:merchant',
      name: 'withdrawal',
      isOfShop: ({ path: { merchant }, shop }) => merchant === shop?.slug,
      methods: ['GET', 'POST'],
      answer: (request) => (request.raw.method === 'POST' ? post(request) : show(request)),
      isExpensive: true,
      failed: failedAnswer,
    },
  ]
}

function speakerOf(request: PageRequest): Speaker {
  return speakerFor('auto', request.raw.headers['accept-language'])
}

function refused(speaker: Speaker, status: FormErrorStatus, path: string): PageAnswer {
  return closeAfterAnswer(answerPage(status, refusedPage(speaker, 'refused', path)))
}

function cut(text: string, name: keyof Statement): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, statementLengthsMax[name])
}

function typedIn(form: (name: string) => string): Statement {
  const given = (name: keyof Statement) => cut(form(name), name)
  return {
    name: given('name'),
    order: given('order'),
    email: normalizeTypedEmail(given('email')),
    items: given('items'),
  }
}

function formPage(speaker: Speaker, shop: WithdrawalShop, typed: Statement, issues: readonly Issue[]): string {
  const { say } = speaker
  const errorOf = (name: keyof Statement, label: string) => {
    const issue = issues.find(({ path }) => path === `/${name}`)
    if (!issue) return undefined
    return issue.code === 'not_an_email' ? say('field.email') : say('field.required', { label })
  }
  const line = (name: keyof Statement, label: string, more: { autocomplete: string; hint?: string }) =>
    renderField(speaker, {
      id: name,
      name,
      label,
      value: typed[name],
      required: name !== 'items',
      lengthMax: statementLengthsMax[name],
      error: errorOf(name, label),
      ...(name === 'email' && { type: 'email', inputMode: 'email', isLatin: true }),
      ...more,
    })
  const inside = html`<div class="statement">
<h1>${say('withdrawal.title')}</h1>
<p>${say('withdrawal.text', { merchant: shop.name })}</p>
<form method="post" action="/w/${shop.slug}">
${line('name', say('contact.name'), { autocomplete: 'name' })}
${line('order', say('withdrawal.order'), { autocomplete: 'off', hint: say('withdrawal.orderHint') })}
${line('email', say('contact.email'), { autocomplete: 'email' })}
${line('items', say('withdrawal.items'), { autocomplete: 'off', hint: say('withdrawal.itemsHint') })}
<button class="first wide">${say('withdrawal.continue')}</button>
</form>
</div>`
  const title = say('withdrawal.title')
  return page(speaker, shop, issues.length > 0 ? say('page.errorTitle', { title }) : title, inside)
}

function reviewPage(speaker: Speaker, shop: WithdrawalShop, typed: Statement, attempt: string): string {
  const { say } = speaker
  const sent = hiddenFields({ ...typed, attempt })
  const inside = html`<div class="statement">
<h1>${say('withdrawal.reviewTitle')}</h1>
<p>${say('withdrawal.reviewText')}</p>
${statementFacts(speaker, shop, typed)}
<form method="post" action="/w/${shop.slug}">${sent}
<button class="first wide" name="step" value="confirm">${say('withdrawal.confirm')}</button>
<button class="second wide" name="step" value="change">${say('withdrawal.change')}</button>
</form>
</div>`
  return page(speaker, shop, say('withdrawal.reviewTitle'), inside)
}

function receivedPage(
  speaker: Speaker,
  shop: WithdrawalShop,
  typed: Statement,
  { receivedAt, sendsMail }: ReceivedStatement & { sendsMail: boolean },
): string {
  const { say } = speaker
  const moment = html`<time datetime="${receivedAt}">${speaker.moment(receivedAt, shop.timeZone)}</time>`
  const inside = html`<div class="statement" role="status">
${statusIcons.check}
<h1>${say('withdrawal.doneTitle')}</h1>
<p>${say(sendsMail ? 'withdrawal.doneText' : 'withdrawal.doneUnmailed', { email: typed.email, merchant: shop.name })}</p>
${statementFacts(speaker, shop, typed, fact(say('withdrawal.receivedAt'), moment))}
<a class="second wide" href="/w/${shop.slug}">${say('withdrawal.again')}</a>
</div>`
  return page(speaker, shop, say('withdrawal.doneTitle'), inside)
}

function statementFacts({ say }: Speaker, shop: WithdrawalShop, typed: Statement, more: Html | null = null): Html {
  return html`<p class="stated">${say('withdrawal.statement', { merchant: shop.name })}</p>
<dl class="facts">
${more}
${fact(say('contact.name'), html`<bdi>${typed.name}</bdi>`)}
${fact(say('withdrawal.order'), html`<bdi>${typed.order}</bdi>`)}
${fact(say('withdrawal.items'), typed.items === '' ? say('withdrawal.all') : html`<bdi>${typed.items}</bdi>`)}
${fact(say('contact.email'), html`<bdi dir="ltr">${typed.email}</bdi>`)}
</dl>`
}

function fact(name: string, value: Html | string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

function page(speaker: Speaker, shop: WithdrawalShop, title: string, inside: Html): string {
  const merchant = { ...shop, links: JSON.parse(shop.links) as Record<string, string> }
  return renderCheckoutFrame({
    speaker,
    title: `${title} – ${shop.name}`,
    state: 'withdrawal',
    body: renderCheckoutSheet(speaker, merchant, false, inside),
  })
}
