// The contact form of a shop: sends a shopper's message to the merchant by e-mail. Works without script and calls no other server.
// Messages per network and per shop are limited.

import type { Issue } from '../../contract/issues.ts'
import {
  type ContactMessage,
  type ContactPort,
  type ContactShop,
  contactIssues,
  contactLengthsMax,
} from '../../domain/emails/contact.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { readForm, readLineField } from '../../platform/html/form.ts'
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

export interface ContactPageParts {
  contact: ContactPort
  // The origin is only known once the port is open.
  origin: () => string
  // Milliseconds until another message from this IP address, and to this shop, is accepted; 0: now.
  waitMs: (shopId: string, address: string) => number
}

export function contactPage({ contact, origin, waitMs }: ContactPageParts): HtmlPage {
  async function show(request: PageRequest): Promise<PageAnswer> {
    const shop = await contact.findShop(request.path.merchant ?? '')
    if (!shop) return lostAnswer(request)
    return answerPage(200, formPage(speakerOf(request), shop, { name: '', email: '', text: '' }, newId('req'), []))
  }

  async function post(request: PageRequest): Promise<PageAnswer> {
    const speaker = speakerOf(request)
    const path = `/contact/${encodeURIComponent(request.path.merchant ?? '')}`
    if (isCrossSite(request.raw, request.shop?.origin ?? origin()))
      return closeAfterAnswer(answerPage(403, refusedPage(speaker, 'forbidden', path)))
    const shop = await contact.findShop(request.path.merchant ?? '')
    if (!shop) return closeAfterAnswer(lostAnswer(request))
    const form = await request.receive(() => readForm(request.raw))
    if (typeof form === 'number') return closeAfterAnswer(answerPage(form, refusedPage(speaker, 'refused', path)))
    const typed = typedIn(form)
    const attempt = readLineField(form, 'attempt').slice(0, 40)
    const issues = contactIssues(typed)
    if (issues.length > 0) return answerPage(200, formPage(speaker, shop, typed, attempt, issues))
    const pauseMs = waitMs(shop.id, request.address)
    if (pauseMs > 0)
      return waitingAnswer(
        answerPage(429, slowPage(speaker, path, { action: '', fields: { ...typed, attempt } })),
        pauseMs,
      )
    await contact.send(shop, typed, attempt)
    return answerPage(200, sentPage(speaker, shop, typed))
  }

  return {
    path: '/contact/:merchant',
    name: 'contact',
    isOfShop: ({ path: { merchant }, shop }) => merchant === shop?.slug,
    methods: ['GET', 'POST'],
    answer: (request) => (request.raw.method === 'POST' ? post(request) : show(request)),
    isExpensive: true,
    failed: failedAnswer,
  }
}

function speakerOf(request: PageRequest): Speaker {
  return speakerFor('auto', request.raw.headers['accept-language'])
}

function typedIn(form: FormFields): ContactMessage {
  const line = (name: 'name' | 'email') =>
    readLineField(form, name)
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, contactLengthsMax[name])
  const text = (form.get('text') ?? '')
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
  return {
    name: line('name'),
    email: normalizeTypedEmail(line('email')),
    text: text.trim().slice(0, contactLengthsMax.text),
  }
}

function formPage(
  speaker: Speaker,
  shop: ContactShop,
  typed: ContactMessage,
  attempt: string,
  issues: readonly Issue[],
): string {
  const { say } = speaker
  const errorOf = (name: keyof ContactMessage, label: string) => {
    const issue = issues.find(({ path }) => path === `/${name}`)
    if (!issue) return undefined
    return issue.code === 'not_an_email' ? say('field.email') : say('field.required', { label })
  }
  const line = (name: 'name' | 'email', label: string) =>
    renderField(speaker, {
      ...{ id: name, name, label, value: typed[name], required: true, lengthMax: contactLengthsMax[name] },
      ...{ error: errorOf(name, label), autocomplete: name },
      ...(name === 'email' && { type: 'email', inputMode: 'email', isLatin: true }),
    })
  const error = errorOf('text', say('message.body'))
  const inside = html`<div class="statement">
<h1>${say('message.title')}</h1>
<p>${say('message.text', { merchant: shop.name })}</p>
<form method="post" action="/contact/${shop.slug}">
<input type="hidden" name="attempt" value="${attempt}">
${line('name', say('contact.name'))}
${line('email', say('contact.email'))}
<div class="field field-text">
<label for="text">${say('message.body')}</label>
<textarea
  id="text"
  name="text"
  rows="7"
  maxlength="${contactLengthsMax.text}"
  dir="auto"
  required${error !== undefined && html` aria-describedby="text-error" aria-invalid="true"`}>
${typed.text}</textarea>
${error !== undefined && html`<p class="error" id="text-error">${error}</p>`}
</div>
<button class="first wide">${say('message.send')}</button>
</form>
</div>`
  const title = say('message.title')
  return page(speaker, shop, issues.length > 0 ? say('page.errorTitle', { title }) : title, inside)
}

function sentPage(speaker: Speaker, shop: ContactShop, { email }: ContactMessage): string {
  const { say } = speaker
  const inside = html`<div class="statement" role="status">
${statusIcons.check}
<h1>${say('message.doneTitle')}</h1>
<p>${say('message.doneText', { merchant: shop.name, email })}</p>
<a class="second wide" href="/contact/${shop.slug}">${say('message.again')}</a>
</div>`
  return page(speaker, shop, say('message.doneTitle'), inside)
}

function page(speaker: Speaker, shop: ContactShop, title: string, inside: Html): string {
  const merchant = { ...shop, links: JSON.parse(shop.links) as Record<string, string> }
  const state = 'contact'
  return renderCheckoutFrame({
    speaker,
    title: `${title} – ${shop.name}`,
    state,
    body: renderCheckoutSheet(speaker, merchant, false, inside),
  })
}
