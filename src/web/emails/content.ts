// The content of each e-mail: one description, which is rendered as text and as HTML. Pure. No e-mail to a shopper contains what a
// shopper typed, not even the name or the city: anyone can order with another person's e-mail address, and could use a name to send any
// words to any mailbox in the name of the merchant. The only exception is the acknowledgement of a withdrawal, which must repeat the
// statement (Directive 2011/83/EU, Art. 11a(4)), truncated and without links.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import type { LegalTextKind } from '../../contract/words.ts'
import type { AwaitedPayment } from '../../domain/checkout/port.ts'
import type { OrderLine } from '../../domain/orders/store.ts'
import type { OrderFacts } from '../../domain/orders/view.ts'
import { orderTotals, trackingUrlOf } from '../../domain/orders/view.ts'
import type { ReturnExchangeRow, ReturnFacts } from '../../domain/returns/store.ts'
import { returnNumber } from '../../domain/returns/view.ts'
import { type Statement, withoutLinks } from '../../domain/withdrawals/statement.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { pricedMeasure } from '../../platform/kit/unitprice.ts'
import type { EmailKind, LinkEmailKind, NoticeKind } from '../../platform/outbox/emails.ts'
import { guaranteeNoticeText, guaranteeUrl } from '../checkout/guarantee.ts'
import { measureNote } from '../checkout/measures.ts'
import { exemptNote } from '../checkout/summary.ts'
import { documentTitle } from '../documents/print.ts'
import type { Speaker } from '../languages/language.ts'
import { emailSentence } from './texts.ts'

export interface Email {
  subject: string
  title: string
  parts: readonly EmailPart[]
}

// A picture that is attached, and that the HTML references.
export interface EmailPicture {
  // Path of the picture, below `/media/`.
  path: string
  cid: string
  alt: string
}

export type EmailPart =
  | { kind: 'text'; text: string }
  // A text of the merchant, or a shopper's message to the merchant. Its line breaks are preserved.
  | { kind: 'box'; title: string; texts: readonly string[] }
  | { kind: 'facts'; rows: readonly EmailFact[] }
  | { kind: 'items'; title: string; rows: readonly EmailItem[] }
  | { kind: 'totals'; rows: readonly { name: string; value: string; note?: string; isSum?: boolean }[] }
  | { kind: 'button'; label: string; url: string }
  // A long text in a small font. Its line breaks are preserved.
  | { kind: 'legal'; title: string; text: string; picture?: EmailPicture }

export interface EmailFact {
  name: string
  value: string
  isCode?: boolean
  // Target of a link around the value.
  url?: string | null
}

export interface EmailItem {
  name: string
  detail: string
  // Empty if no amount is shown.
  amount: string
  // URL of the picture, as stored in the line of the order.
  image: string | null
}

export type ReturnEmailKind = Exclude<Extract<EmailKind, `return_${string}`>, 'return_exchanged'>

export interface OrderEmail {
  speaker: Speaker
  merchantName: string
  facts: OrderFacts
  // Country code of the destination; null if nothing is shipped.
  country: string | null
  // URL of the order's page.
  url: string | null
  // URL of the order in the dashboard.
  dashboardUrl: string
  // Invoices and credit notes, from oldest to newest. Empty in e-mails to the merchant.
  documents: readonly Pick<AdminDocument, 'id' | 'kind' | 'number'>[]
}

// How to pay a placed order.
export interface HowToPay extends AwaitedPayment {
  settles: 'by_hand' | 'by_provider'
  method: string
}

// Contents that make the e-mail a confirmation of the contract on a durable medium (Directive 2011/83/EU, Art. 8(7)), for which a link
// does not suffice (C-49/11).
export interface ConfirmationContents {
  // Name, address, numbers and contact, as lines.
  seller: readonly string[]
  texts: readonly { kind: LegalTextKind; text: string; since: string }[]
  // Years of the legal guarantee; null if the e-mail does not mention the guarantee.
  guaranteeYears: number | null
  // Path of the picture of the harmonised notice on the guarantee.
  notice: string | null
  // Whether the e-mail contains the model withdrawal form.
  hasForm: boolean
}

export function orderPlacedEmail(of: OrderEmail, awaited: HowToPay | null, confirmation: ConfirmationContents): Email {
  const { speaker, merchantName, facts } = of
  const { order } = facts
  const amount = speaker.amount(order.total, order.currency)
  return {
    subject: emailSentence(speaker, 'order_placed.subject', { number: order.number, merchant: merchantName }),
    title: emailSentence(speaker, 'order_placed.title'),
    parts: [
      { kind: 'text', text: emailSentence(speaker, placedKey(order, awaited), { amount }) },
      ...(awaited ? howToPay(of, awaited) : []),
      ...viewButton(of),
      orderFacts(of),
      ...itemsAndTotals(of),
      ...consentParts(of),
      ...confirmationParts(of, confirmation),
    ],
  }
}

function confirmationParts(
  { speaker }: OrderEmail,
  { seller, texts, guaranteeYears, notice, hasForm }: ConfirmationContents,
): EmailPart[] {
  const { say } = speaker
  const guarantee = say('guarantee.text', { count: guaranteeYears ?? 0 })
  const alt = guaranteeNoticeText(say('guarantee.title'), guarantee)
  return [
    ...(seller.length === 0
      ? []
      : [{ kind: 'legal' as const, title: emailSentence(speaker, 'confirmation.seller'), text: seller.join('\n') }]),
    ...texts.map(({ kind, text, since }) => ({
      kind: 'legal' as const,
      title: `${say(`legal.${kind}`)} (${say('legal.version', { date: speaker.date(since) })})`,
      text,
    })),
    ...(guaranteeYears === null
      ? []
      : [
          {
            kind: 'legal' as const,
            title: say('guarantee.title'),
            text: `${guarantee}\n${say('guarantee.more')}: ${guaranteeUrl(speaker.language)}`,
            ...(notice !== null && { picture: { path: notice, cid: 'guarantee', alt } }),
          },
        ]),
    ...(hasForm
      ? [
          {
            kind: 'legal' as const,
            title: emailSentence(speaker, 'confirmation.form'),
            text: emailSentence(speaker, 'confirmation.formText', { seller: seller.join(', ') }),
          },
        ]
      : []),
  ]
}

// Uses the state of the order when the e-mail is sent, which may be long after the order was placed. It then does not ask for money that
// was already paid or is no longer owed.
function placedKey(order: OrderFacts['order'], awaited: HowToPay | null) {
  if (order.total === 0) return 'order_placed.free'
  if (wasPaid(order)) return 'order_placed.paid'
  if (!awaited) return 'order_placed.received'
  return awaited.settles === 'by_provider' ? 'order_placed.processing' : 'order_placed.awaiting'
}

// Also true if the money was refunded later.
function wasPaid({ paymentStatus }: OrderFacts['order']): boolean {
  return paymentStatus !== 'pending' && paymentStatus !== 'voided'
}

function howToPay({ speaker, facts: { order } }: OrderEmail, awaited: HowToPay): EmailPart[] {
  if (awaited.settles === 'by_provider') return []
  const isCash = awaited.method === 'cash_on_delivery'
  const texts = [
    ...(awaited.instructions === null ? [] : [awaited.instructions]),
    isCash
      ? speaker.say('method.cash_on_delivery.note')
      : emailSentence(speaker, 'order_placed.reference', { number: order.number }),
    ...(awaited.dueAt === null ? [] : [speaker.say('awaited.due', { date: speaker.date(awaited.dueAt) })]),
  ]
  return [{ kind: 'box', title: speaker.say('awaited.title'), texts }]
}

export function paymentReceivedEmail(
  of: OrderEmail,
  { amount, isCancelled }: { amount: number; isCancelled: boolean },
): Email {
  const { speaker, merchantName, facts } = of
  const { number, currency } = facts.order
  const values = { number, merchant: merchantName, amount: speaker.amount(amount, currency) }
  return {
    subject: emailSentence(speaker, 'payment_received.subject', values),
    title: emailSentence(speaker, 'payment_received.title'),
    parts: [
      {
        kind: 'text',
        text: emailSentence(speaker, isCancelled ? 'payment_received.cancelled' : 'payment_received.text', values),
      },
      ...viewButton(of),
      orderFacts(of),
    ],
  }
}

// The e-mail about a parcel. Returns undefined if the order does not have this parcel.
export function parcelShippedEmail(of: OrderEmail, fulfillmentId: string): Email | undefined {
  const { speaker, facts } = of
  const { order, lines, fulfillments } = facts
  const at = fulfillments.findIndex(({ id }) => id === fulfillmentId)
  const parcel = fulfillments[at]
  if (!parcel) return undefined
  // Counts this parcel and earlier ones, but not parcels that were sent after it.
  const sent = fulfillments.slice(0, at + 1).flatMap(({ items }) => items)
  const trackingUrl = trackingUrlOf(parcel)
  const isAll = lines.every(({ skuId, quantity }) => sentOf(sent, skuId) >= quantity)
  return {
    subject: emailSentence(speaker, 'shipped.subject', { number: order.number }),
    title: emailSentence(speaker, 'shipped.title'),
    parts: [
      { kind: 'text', text: emailSentence(speaker, isAll ? 'shipped.all' : 'shipped.part') },
      {
        kind: 'facts',
        rows: [
          ...(parcel.carrier === null
            ? []
            : [{ name: emailSentence(speaker, 'shipped.carrier'), value: parcel.carrier }]),
          ...(parcel.trackingNumber === null
            ? []
            : [{ name: speaker.say('status.tracking'), value: parcel.trackingNumber, isCode: true, url: trackingUrl }]),
          { name: speaker.say('done.number'), value: order.number, isCode: true, url: trackingUrl && of.url },
          ...destination(of),
        ],
      },
      // One button only: to track the parcel if possible, otherwise to view the order.
      ...(trackingUrl === null
        ? viewButton(of)
        : [{ kind: 'button' as const, label: speaker.say('status.track'), url: trackingUrl }]),
      {
        kind: 'items',
        title: emailSentence(speaker, 'shipped.items'),
        rows: parcel.items.flatMap(({ skuId, quantity }) => {
          const line = lines.find((one) => one.skuId === skuId)
          return line ? [{ ...named(speaker, line, quantity), amount: '' }] : []
        }),
      },
    ],
  }
}

function sentOf(items: readonly { skuId: string; quantity: number }[], skuId: string): number {
  return items.reduce((sum, item) => (item.skuId === skuId ? sum + item.quantity : sum), 0)
}

export function orderCancelledEmail(of: OrderEmail, { by, moneyBack }: { by: string; moneyBack: number }): Email {
  const { speaker, merchantName, facts } = of
  const { number, currency } = facts.order
  const values = { number, merchant: merchantName, amount: speaker.amount(moneyBack, currency) }
  const money = moneyBack > 0 ? 'order_cancelled.back' : 'order_cancelled.nothing'
  const why = by === 'system' ? speaker.say('status.overdue') : emailSentence(speaker, money, values)
  return {
    subject: emailSentence(speaker, 'order_cancelled.subject', values),
    title: emailSentence(speaker, 'order_cancelled.title'),
    parts: [
      { kind: 'text', text: emailSentence(speaker, 'order_cancelled.text', values) },
      { kind: 'text', text: why },
      ...viewButton(of),
      ...itemsAndTotals(of),
    ],
  }
}

export function orderEditedEmail(of: OrderEmail, moneyBack: number): Email {
  const { speaker, merchantName, facts } = of
  const { number, currency, paymentStatus, total } = facts.order
  const values = { number, merchant: merchantName }
  const money = (key: 'order_cancelled.back' | 'order_edited.due', minor: number) => [
    { kind: 'text' as const, text: emailSentence(speaker, key, { amount: speaker.amount(minor, currency) }) },
  ]
  return {
    subject: emailSentence(speaker, 'order_edited.subject', values),
    title: emailSentence(speaker, 'order_edited.title'),
    parts: [
      { kind: 'text', text: emailSentence(speaker, 'order_edited.text', values) },
      ...(moneyBack > 0 ? money('order_cancelled.back', moneyBack) : []),
      ...(paymentStatus === 'pending' ? money('order_edited.due', total) : []),
      ...viewButton(of),
      ...itemsAndTotals(of),
    ],
  }
}

export function refundedEmail(of: OrderEmail, amount: number): Email {
  const { speaker, facts } = of
  const { number, currency } = facts.order
  const values = { number, amount: speaker.amount(amount, currency) }
  return {
    subject: emailSentence(speaker, 'refunded.subject', values),
    title: emailSentence(speaker, 'refunded.title'),
    parts: [{ kind: 'text', text: emailSentence(speaker, 'refunded.text', values) }, ...viewButton(of), orderFacts(of)],
  }
}

// The e-mail to the shopper about a return.
export function returnEmail(of: OrderEmail, kind: ReturnEmailKind, { row, lines }: ReturnFacts): Email {
  const { speaker } = of
  const values = { number: returnNumber(row), order: row.orderNumber }
  const isAnswer = kind === 'return_approved' || kind === 'return_refused'
  const title = emailSentence(speaker, kind === 'return_approved' ? 'return.instructions' : 'return.answer')
  return {
    subject: emailSentence(speaker, `${kind}.subject`, values),
    title: emailSentence(speaker, `${kind}.title`, values),
    parts: [
      { kind: 'text', text: emailSentence(speaker, `${kind}.text`, values) },
      ...(isAnswer && row.answer !== null ? [{ kind: 'box' as const, title, texts: [row.answer] }] : []),
      ...(kind === 'return_approved' && row.labelUrl !== null
        ? [{ kind: 'button' as const, label: emailSentence(speaker, 'return.label'), url: row.labelUrl }]
        : viewButton(of)),
      {
        kind: 'items',
        title: emailSentence(speaker, 'return.items'),
        rows: lines.map((line) => ({ ...named(speaker, line, line.quantity), amount: '' })),
      },
    ],
  }
}

export function returnExchangedEmail(
  of: OrderEmail,
  { row, lines }: ReturnFacts,
  { orderNumber, refunded: moneyBack }: ReturnExchangeRow,
): Email {
  const { speaker } = of
  const values = { number: returnNumber(row), exchange: orderNumber }
  const back = { amount: speaker.amount(moneyBack, row.currency) }
  return {
    subject: emailSentence(speaker, 'return_exchanged.subject', values),
    title: emailSentence(speaker, 'return_exchanged.title', values),
    parts: [
      { kind: 'text', text: emailSentence(speaker, 'return_exchanged.text', values) },
      ...(moneyBack > 0 ? [{ kind: 'text' as const, text: emailSentence(speaker, 'order_cancelled.back', back) }] : []),
      ...viewButton(of),
      {
        kind: 'items',
        title: emailSentence(speaker, 'return.items'),
        rows: lines.map((line) => ({ ...named(speaker, line, line.quantity), amount: '' })),
      },
    ],
  }
}

export interface WithdrawalEmail {
  speaker: Speaker
  merchantName: string
  // The time at which the statement was received, and the day by which the money must be refunded.
  receivedAt: string
  due: string
}

export function withdrawalAcknowledgedEmail(
  { speaker, merchantName, receivedAt }: WithdrawalEmail,
  { name, order, email, items }: Statement,
): Email {
  const values = { merchant: merchantName, date: receivedAt }
  const { say } = speaker
  return {
    subject: emailSentence(speaker, 'withdrawal_acknowledged.subject', values),
    title: emailSentence(speaker, 'withdrawal_acknowledged.title'),
    parts: [
      { kind: 'text', text: emailSentence(speaker, 'withdrawal_acknowledged.text', values) },
      { kind: 'text', text: say('withdrawal.statement', values) },
      {
        kind: 'facts',
        rows: [
          { name: say('contact.name'), value: withoutLinks(name) },
          { name: say('withdrawal.order'), value: withoutLinks(order) },
          { name: say('withdrawal.items'), value: items === '' ? say('withdrawal.all') : withoutLinks(items) },
          { name: say('contact.email'), value: withoutLinks(email) },
          { name: say('withdrawal.receivedAt'), value: receivedAt },
        ],
      },
      { kind: 'text', text: emailSentence(speaker, 'withdrawal_acknowledged.next', values) },
    ],
  }
}

// The e-mail to the merchant about a withdrawal. It names only the number of the order and dates, and no shopper.
export function withdrawalReceivedEmail(
  { speaker, receivedAt, due }: WithdrawalEmail,
  orderNumber: string | null,
): Email {
  const order = orderNumber ?? emailSentence(speaker, 'withdrawal_received.unnamed')
  const values = { order, date: receivedAt, due }
  return {
    subject: emailSentence(speaker, 'withdrawal_received.subject', values),
    title: emailSentence(speaker, 'withdrawal_received.title'),
    parts: [{ kind: 'text', text: emailSentence(speaker, 'withdrawal_received.text', values) }],
  }
}

// The e-mail to the merchant with a shopper's message.
export function contactMessageEmail(
  speaker: Speaker,
  { name, email, text }: Readonly<{ name: string; email: string; text: string }>,
): Email {
  return {
    subject: emailSentence(speaker, 'contact_message.subject', { name }),
    title: emailSentence(speaker, 'contact_message.title'),
    parts: [
      {
        kind: 'facts',
        rows: [
          { name: speaker.say('contact.name'), value: name },
          { name: speaker.say('contact.email'), value: email },
        ],
      },
      { kind: 'box', title: speaker.say('message.body'), texts: [text] },
      { kind: 'text', text: emailSentence(speaker, 'contact_message.reply') },
    ],
  }
}

// The e-mail to the merchant about a new order.
export function orderReceivedEmail(of: OrderEmail): Email {
  const { speaker, facts, dashboardUrl } = of
  const { number, currency, total, paymentStatus } = facts.order
  const values = { number, amount: speaker.amount(total, currency) }
  const paid = wasPaid(facts.order) ? 'order_received.paid' : 'order_received.awaiting'
  const key = total === 0 ? 'order_received.free' : paid
  const isGivenUp = total > 0 && paymentStatus === 'voided'
  return {
    subject: emailSentence(speaker, 'order_received.subject', values),
    title: emailSentence(speaker, 'order_received.title', values),
    parts: [
      ...(isGivenUp ? [] : [{ kind: 'text' as const, text: emailSentence(speaker, key, values) }]),
      { kind: 'button', label: emailSentence(speaker, 'order_received.open'), url: dashboardUrl },
      orderFacts(of),
      ...itemsAndTotals(of),
    ],
  }
}

// An e-mail with a single sentence.
export function noticeEmail(
  speaker: Speaker,
  kind: Extract<
    EmailKind,
    | 'payment_returned'
    | 'refund_failed'
    | 'dispute_opened'
    | 'payment_account_problem'
    | 'endpoint_disabled'
    | 'stock_low'
  >,
  { key, values }: { key: Parameters<typeof emailSentence>[1]; values: Readonly<Record<string, string | number>> },
): Email {
  return {
    subject: emailSentence(speaker, `${kind}.subject`, values),
    title: emailSentence(speaker, `${kind}.title`, values),
    parts: [{ kind: 'text', text: emailSentence(speaker, key, values) }],
  }
}

// An e-mail with a link for a person. Only the owner of the mailbox may use the link.
export function linkEmail(
  speaker: Speaker,
  kind: LinkEmailKind,
  { merchantName, url, validMs }: { merchantName: string; url: string; validMs: number },
): Email {
  const values = { merchant: merchantName }
  return {
    subject: emailSentence(speaker, `${kind}.subject`, values),
    title: emailSentence(speaker, `${kind}.title`, values),
    parts: [
      { kind: 'text', text: emailSentence(speaker, `${kind}.text`, values) },
      { kind: 'button', label: emailSentence(speaker, `${kind}.button`), url },
      { kind: 'text', text: emailSentence(speaker, 'email.expires', { duration: speaker.duration(validMs) }) },
      { kind: 'text', text: emailSentence(speaker, `${kind}.ignore`) },
    ],
  }
}

// The e-mail to a shopper who signs in. The link only works in the browser that requested the code. Shops on other sites have no link.
export function codeEmail(
  speaker: Speaker,
  { merchantName, code, url, validMs }: { merchantName: string; code: string; url: string | null; validMs: number },
): Email {
  const values = { merchant: merchantName }
  const duration = speaker.duration(validMs)
  return {
    subject: emailSentence(speaker, 'customer_code.subject', values),
    title: emailSentence(speaker, 'customer_code.title', values),
    parts: [
      { kind: 'facts', rows: [{ name: emailSentence(speaker, 'customer_code.code'), value: code, isCode: true }] },
      ...(url === null
        ? []
        : [{ kind: 'button' as const, label: emailSentence(speaker, 'customer_code.button'), url }]),
      {
        kind: 'text',
        text: emailSentence(speaker, url === null ? 'customer_code.alone' : 'customer_code.text', { duration }),
      },
      { kind: 'text', text: emailSentence(speaker, 'customer_code.ignore') },
    ],
  }
}

export interface DraftEmailContents {
  merchantName: string
  url: string
  currency: string
  // Items as shown on the draft's page.
  items: readonly {
    name: string
    options: readonly { name: string; value: string }[]
    imageUrl: string | null
    quantity: number
    subtotal: number
  }[]
  // Null as long as tax and shipping still depend on the address.
  total: number | null
  // RFC 3339 instant.
  expiresAt: string
  timeZone: string
}

// The e-mail to a shopper about a draft that the merchant prepared.
export function draftEmail(speaker: Speaker, shown: DraftEmailContents): Email {
  const { merchantName, url, currency, items, total, expiresAt, timeZone } = shown
  const values = { merchant: merchantName }
  return {
    subject: emailSentence(speaker, 'draft_link.subject', values),
    title: emailSentence(speaker, 'draft_link.title'),
    parts: [
      { kind: 'text', text: emailSentence(speaker, 'draft_link.text', values) },
      { kind: 'button', label: emailSentence(speaker, 'draft_link.button'), url },
      {
        kind: 'items',
        title: speaker.say('status.items'),
        rows: items.map((item) => ({
          ...named(speaker, { ...item, image: item.imageUrl }, item.quantity),
          amount: speaker.amount(item.subtotal, currency),
        })),
      },
      ...(total === null
        ? []
        : [
            {
              kind: 'totals' as const,
              rows: [{ name: speaker.say('total.total'), value: speaker.amount(total, currency), isSum: true }],
            },
          ]),
      { kind: 'text', text: emailSentence(speaker, 'draft_link.valid', { date: speaker.moment(expiresAt, timeZone) }) },
    ],
  }
}

// The e-mail to a person about a change of their account or team. Such e-mails are read in a hurry and often imitated, so it has no link.
export function personNoticeEmail(
  speaker: Speaker,
  kind: NoticeKind,
  values: Readonly<{ merchant: string; role: string; address: string }>,
): Email {
  return {
    subject: emailSentence(speaker, `${kind}.subject`, values),
    title: emailSentence(speaker, `${kind}.title`, values),
    parts: [
      { kind: 'text', text: emailSentence(speaker, `${kind}.text`, values) },
      {
        kind: 'text',
        text: emailSentence(speaker, kind === 'member_joined' ? 'member_joined.unexpected' : 'email.unexpected'),
      },
    ],
  }
}

function viewButton({ speaker, url }: OrderEmail): EmailPart[] {
  return url === null ? [] : [{ kind: 'button', label: emailSentence(speaker, 'email.view'), url }]
}

function orderFacts(of: OrderEmail): EmailPart {
  const { speaker, facts } = of
  const { order } = facts
  return {
    kind: 'facts',
    rows: [
      { name: speaker.say('done.number'), value: order.number, isCode: true },
      ...(order.shippingChoice === null
        ? []
        : [{ name: speaker.say('shipping.title'), value: order.shippingChoice.label }]),
      ...destination(of),
      ...documentRows(of),
    ],
  }
}

// Links to documents. An invoice is issued seconds after the payment: an earlier e-mail links to the receipt, which later links to the
// invoice.
function documentRows({ speaker, url, documents, facts }: OrderEmail): EmailFact[] {
  if (url === null) return []
  const name = emailSentence(speaker, 'email.document')
  if (documents.length > 0)
    return documents.map((document) => ({
      name,
      value: documentTitle(speaker, document),
      url: `${url}/documents/${document.id}`,
    }))
  if (!facts.timeline.some(({ type }) => type === 'paid')) return []
  return [{ name, value: speaker.say('receipt.title', { number: facts.order.number }), url: `${url}/receipt` }]
}

function destination({ speaker, country }: OrderEmail) {
  return country === null ? [] : [{ name: speaker.say('status.address'), value: speaker.country(country) }]
}

function itemsAndTotals({ speaker, facts }: OrderEmail): EmailPart[] {
  const { order, lines, refunds } = facts
  const money = (amount: number) => speaker.amount(amount, order.currency)
  const totals = orderTotals(order, refunds)
  return [
    {
      kind: 'items',
      title: speaker.say('status.items'),
      rows: lines.map((line) => ({ ...describedLine(speaker, line, order.currency), amount: money(line.subtotal) })),
    },
    {
      kind: 'totals',
      rows: [
        { name: speaker.say('total.subtotal'), value: money(totals.subtotal) },
        ...(totals.discount > 0 ? [{ name: speaker.say('total.discount'), value: money(-totals.discount) }] : []),
        ...(order.shippingChoice === null
          ? []
          : [
              {
                name: speaker.say('total.shipping'),
                value: totals.shipping === 0 ? speaker.say('total.free') : money(totals.shipping),
              },
            ]),
        ...(totals.taxIncluded ? [] : [{ name: speaker.say('total.tax'), value: money(totals.tax) }]),
        {
          name: speaker.say('total.total'),
          value: money(totals.total),
          isSum: true,
          ...(totals.taxIncluded && totals.tax > 0
            ? { note: speaker.say('total.taxIncluded', { amount: money(totals.tax) }) }
            : {}),
          ...(totals.taxReason && { note: speaker.say(`document.reason.${totals.taxReason}`) }),
        },
      ],
    },
  ]
}

function named(
  speaker: Speaker,
  { name, options, image }: Pick<OrderLine, 'name' | 'options' | 'image'>,
  quantity: number,
): Omit<EmailItem, 'amount'> {
  const chosen = options.map((option) => `${option.name}: ${option.value}`)
  return { name, image, detail: [...chosen, speaker.say('item.quantityShort', { count: quantity })].join(' · ') }
}

// Describes a line with its unit price and, if there is no right of withdrawal, the reason.
function describedLine(speaker: Speaker, line: OrderLine, currency: string): Omit<EmailItem, 'amount'> {
  const { detail, ...item } = named(speaker, line, line.quantity)
  const { unitPrice, withdrawalExempt } = line
  const notes = [
    measureNote(speaker, { measure: pricedMeasure(line.measure, unitPrice), unitPrice }, currency),
    exemptNote(speaker, withdrawalExempt),
  ]
  return { ...item, detail: [detail, ...notes.filter((note) => note !== false)].join(' · ') }
}

// The shopper's consent to the immediate supply of digital content must be confirmed (Directive 2011/83/EU, Art. 8(7)(b)).
function consentParts({ speaker, facts: { order } }: OrderEmail): EmailPart[] {
  return order.consents.map(({ at }) => ({
    kind: 'legal',
    title: speaker.say('consent.title', { date: speaker.date(toInstant(at)) }),
    text: speaker.say('consent.digital'),
  }))
}
