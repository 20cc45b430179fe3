// Turns a queued e-mail into a message: decrypts the recipient, reads the facts and renders the texts. Writes nothing.

import type { LegalEntry } from '../../contract/entries.ts'
import type { PaymentAccountProblem, Role } from '../../contract/words.ts'
import { loadAwaitedMoney } from '../../domain/checkout/awaited.ts'
import { customerHash, listCustomerKeys } from '../../domain/checkout/customer.ts'
import { type CheckoutTools, findSessionFacts, renderSession } from '../../domain/checkout/sessions.ts'
import { listDocumentsOfOrder } from '../../domain/documents/store.ts'
import { findDraft } from '../../domain/drafts/store.ts'
import { draftStatus } from '../../domain/drafts/view.ts'
import { headerText } from '../../domain/emails/header.ts'
import { emailsMax, emailsWindowMs } from '../../domain/emails/schedule.ts'
import type { DiscardReason } from '../../domain/emails/send.ts'
import type { OutgoingEmail } from '../../domain/emails/smtp.ts'
import {
  countBefore,
  type EmailRow,
  findRefundedPayment,
  findSealedOrder,
  type RefundedPayment,
  type SealedOrder,
} from '../../domain/emails/store.ts'
import { listSkuNames } from '../../domain/inventory/store.ts'
import { findMailSettings } from '../../domain/merchants/mail.ts'
import { findMerchantFace, type PublicMerchantFacts, withdrawalPathOf } from '../../domain/merchants/store.ts'
import { findOrderFacts } from '../../domain/orders/change.ts'
import { decryptCustomer } from '../../domain/orders/customer.ts'
import { orderPageUrl } from '../../domain/orders/secret.ts'
import { findExchangeOf } from '../../domain/orders/store.ts'
import type { OrderFacts } from '../../domain/orders/view.ts'
import { findDispute } from '../../domain/payments/disputes.ts'
import { findPayment } from '../../domain/payments/store.ts'
import { findReturn } from '../../domain/returns/store.ts'
import { listShownTexts } from '../../domain/texts/read.ts'
import { isLinkOpen } from '../../domain/users/invitations.ts'
import { decryptStatement } from '../../domain/withdrawals/receive.ts'
import { refundDueAt } from '../../domain/withdrawals/statement.ts'
import { findWithdrawal } from '../../domain/withdrawals/store.ts'
import { guaranteeYears } from '../../platform/kit/duties.ts'
import { isPlainAddress, withoutTag } from '../../platform/kit/email.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import {
  decryptContactMessage,
  decryptUserEmail,
  emailKinds,
  type LinkEmailKind,
  type NoticeKind,
} from '../../platform/outbox/emails.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import type { SignInLanguage } from '../signin/page/words.ts'
import {
  type ConfirmationContents,
  codeEmail,
  contactMessageEmail,
  draftEmail,
  type Email,
  type HowToPay,
  linkEmail,
  noticeEmail,
  type OrderEmail,
  orderCancelledEmail,
  orderEditedEmail,
  orderPlacedEmail,
  orderReceivedEmail,
  parcelShippedEmail,
  paymentReceivedEmail,
  personNoticeEmail,
  refundedEmail,
  returnEmail,
  returnExchangedEmail,
  withdrawalAcknowledgedEmail,
  withdrawalReceivedEmail,
} from './content.ts'
import { type EmailFrame, type MerchantFacts, pictureUrl } from './frame.ts'
import { emailHtml } from './html.ts'
import { emailText } from './text.ts'

export interface PrepareTools extends CheckoutTools {
  clock: () => Date
}

export async function prepareEmail(
  tools: PrepareTools,
  db: Reader,
  email: EmailRow,
): Promise<OutgoingEmail | { discarded: DiscardReason }> {
  const audience = emailKinds[email.kind]
  if (email.recipientHash === null) return { discarded: 'erased' }
  const merchant = await findMerchantFace(db, email.merchantId)
  if (!merchant) return { discarded: 'missing' }
  const settings = await findMailSettings(db, email.merchantId)
  const written = await write(tools, db, email, {
    slug: merchant.slug,
    name: merchant.name,
    timeZone: merchant.timeZone,
    locale: settings?.locale ?? 'en',
  })
  if ('discarded' in written) return written
  const to = audience === 'merchant' ? merchant.supportEmail : written.to
  if (to === null) return { discarded: 'no_address' }
  if (!isPlainAddress(to)) return { discarded: 'bad_address' }
  const recipientHash = await recipientHashOf(tools, db, email, to)
  // The limit only applies to the first attempt, since later attempts have already passed it.
  if (email.attempts === 0) {
    const before = await countBefore(db, { ...email, recipientHash }, emailsWindowMs)
    if (before >= emailsMax[audience]) return { discarded: 'too_many' }
  }
  const replyTo = audience === 'shopper' ? (settings?.replyTo ?? merchant.supportEmail) : null
  const facts: MerchantFacts = {
    name: merchant.name,
    replyTo: replyTo !== null && isPlainAddress(replyTo) ? replyTo : null,
    links: JSON.parse(merchant.links) as MerchantFacts['links'],
    withdrawalUrl: withdrawalUrlOf(tools, merchant, written.orderNumber),
    logo: pictureUrl(tools.publicOrigin(), merchant.logo),
    color: merchant.color,
    look: merchant.look,
  }
  const { speaker, isTest, email: text, replyTo: sender = '' } = written
  const frame: EmailFrame = { speaker, audience, merchant: facts, isTest, origin: tools.publicOrigin() }
  return {
    to,
    fromName: headerText(settings?.senderName ?? merchant.name),
    replyTo: isPlainAddress(sender) ? sender : facts.replyTo,
    subject: headerText(text.subject),
    text: emailText(text, frame),
    html: emailHtml(text, frame),
    pictures: text.parts.flatMap((part) => (part.kind === 'legal' && part.picture ? [part.picture] : [])),
    messageId: email.messageId ?? '',
    recipientHash,
    keepsAddress: audience !== 'shopper' || email.orderId !== null,
  }
}

// Returns the link to the withdrawal form for an e-mail about an order, or null.
function withdrawalUrlOf(
  { publicOrigin }: PrepareTools,
  merchant: PublicMerchantFacts,
  orderNumber: string | undefined,
): string | null {
  const path = orderNumber === undefined ? null : withdrawalPathOf(merchant, orderNumber)
  return path === null ? null : publicOrigin() + path
}

// An address with a tag counts as the address without the tag, because anyone can make any number of tags. After the first attempt the
// row has this hash.
async function recipientHashOf(
  { rootSecret }: PrepareTools,
  db: Reader,
  { kind, merchantId, recipientHash }: EmailRow,
  to: string,
): Promise<string | null> {
  const untagged = withoutTag(to)
  if (emailKinds[kind] !== 'shopper' || untagged === to) return recipientHash
  const [key] = await listCustomerKeys(db, rootSecret)
  return key ? customerHash(key, merchantId, untagged) : recipientHash
}

interface Written {
  // Null: the e-mail is for the merchant.
  to: string | null
  // The e-mail address for replies, if it is not the merchant's.
  replyTo?: string
  speaker: Speaker
  isTest: boolean
  email: Email
  // Set for an e-mail about an order.
  orderNumber?: string
}

type Writing = Promise<Written | { discarded: DiscardReason }>

interface Merchant {
  slug: string
  name: string
  timeZone: string
  // Locale of e-mails to the merchant.
  locale: string
}

function write(tools: PrepareTools, db: Reader, email: EmailRow, merchant: Merchant): Writing {
  switch (email.kind) {
    case 'order_placed':
    case 'payment_received':
    case 'shipped':
    case 'order_cancelled':
    case 'order_edited':
    case 'refunded':
    case 'order_received':
    case 'return_requested':
    case 'return_approved':
    case 'return_refused':
    case 'return_received':
    case 'return_exchanged':
    case 'return_closed':
    case 'return_asked':
      return writeOfOrder(tools, db, email, merchant)
    case 'payment_returned':
      return writeOfReturn(tools, db, email, merchant)
    case 'withdrawal_acknowledged':
    case 'withdrawal_received':
      return writeOfWithdrawal(tools, db, email, merchant)
    case 'contact_message':
      return writeOfContact(tools, email, merchant)
    case 'draft_link':
      return writeOfDraft(tools, db, email, merchant)
    case 'refund_failed':
      return writeOfFailure(db, email, merchant)
    case 'dispute_opened':
      return writeOfDispute(db, email, merchant)
    case 'payment_account_problem':
      return writeOfAccount(email, merchant)
    case 'endpoint_disabled':
    case 'stock_low':
      return writeToMerchant(db, email, merchant)
    case 'invitation':
    case 'password_reset':
      return writeToPerson(tools, db, email, email.kind, merchant)
    case 'customer_code':
      return writeCode(tools, email, merchant)
    case 'reset_made':
    case 'password_changed':
    case 'role_changed':
    case 'factor_removed':
    case 'member_joined':
      return writeNotice(tools, email, email.kind, merchant)
  }
}

async function writeOfOrder(tools: PrepareTools, db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const key = { installationId: email.installationId, orderId: email.orderId ?? '' }
  const [facts, sealed] = await Promise.all([findOrderFacts(db, key), findSealedOrder(db, key)])
  if (!facts || !sealed) return { discarded: 'missing' }
  const isToShopper = emailKinds[email.kind] === 'shopper'
  if (isToShopper && sealed.customerSealed === null) return { discarded: 'erased' }
  const customer = isToShopper
    ? decryptCustomer(tools.rootSecret, sealed.checkoutSessionId, sealed.customerSealed)
    : undefined
  if (isToShopper && !customer) return { discarded: 'unreadable' }
  const locale = isToShopper ? localeOf(facts.order.locale, sealed.readLocale) : merchant.locale
  const speaker = speakerFor(locale, undefined).inTimeZone(merchant.timeZone)
  const of = {
    speaker,
    merchantName: merchant.name,
    facts,
    country: sealed.country,
    url: isToShopper ? pageOf(tools, key.orderId, sealed) : null,
    dashboardUrl: dashboardUrlOf(tools, merchant, facts.order),
    documents: isToShopper ? await documentsOf(db, facts) : [],
  }
  const described = await describe(db, email, of)
  if (!described) return { discarded: 'missing' }
  const { number: orderNumber, mode } = facts.order
  return { to: customer?.email ?? null, speaker, isTest: mode === 'test', email: described, orderNumber }
}

// Only the newest documents are listed, because an order with many refunds has many.
const documentsMax = 10

async function documentsOf(db: Reader, { order }: OrderFacts): Promise<OrderEmail['documents']> {
  return (await listDocumentsOfOrder(db, order.merchantId, order.id)).slice(-documentsMax)
}

// Returns the language that the shopper chose, otherwise the language in which the page was shown.
function localeOf(chosen: string | null, read: string | null): string {
  return chosen !== null && chosen !== 'auto' ? chosen : (read ?? 'en')
}

// Returns the URL of an order in the dashboard. A person who is not signed in must sign in there first.
function dashboardUrlOf(
  { publicOrigin }: PrepareTools,
  { slug }: Merchant,
  { id, mode }: { id: string; mode: string },
): string {
  return `${publicOrigin()}/admin/${slug}/${mode === 'test' ? 'test/' : ''}orders/${id}`
}

function pageOf(
  { rootSecret, publicOrigin }: PrepareTools,
  orderId: string,
  { secretSealed }: SealedOrder,
): string | null {
  return orderPageUrl({ rootSecret, publicOrigin }, { orderId, sealed: secretSealed })
}

// The legal texts are those that were in force when the order was placed, in the language of its checkout or in English.
async function confirmationOf(
  db: Reader,
  merchantId: string,
  { speaker, facts }: OrderEmail,
): Promise<ConfirmationContents> {
  const [face, texts] = await Promise.all([
    findMerchantFace(db, merchantId),
    listShownTexts(db, {
      merchantId,
      kinds: ['terms', 'withdrawal', 'privacy', 'shipping', 'imprint', 'guarantee'],
      languages: [speaker.language, 'en'],
      at: facts.order.placedAt,
    }),
  ])
  if (!face?.offersWithdrawal && texts.length === 0)
    return { seller: [], texts: [], guaranteeYears: null, notice: null, hasForm: false }
  const notice = texts.find(({ kind }) => kind === 'guarantee')
  return {
    seller: face ? sellerLines(face) : [],
    texts: texts
      .filter((text) => text !== notice)
      .map(({ kind, text, createdAt }) => ({ kind, text, since: toInstant(createdAt) })),
    guaranteeYears: face?.showsGuarantee && facts.order.shippingChoice ? guaranteeYears : null,
    notice: notice?.text ?? null,
    hasForm: face?.offersWithdrawal ?? false,
  }
}

function sellerLines({ name, legal, supportEmail }: PublicMerchantFacts): string[] {
  const seller: Partial<LegalEntry> = legal === null ? {} : (JSON.parse(legal) as LegalEntry)
  const { address, street, postalCode, city, registration, vatId, phone } = seller
  const place = [[street], [postalCode, city]].map((parts) => parts.filter(Boolean).join(' ')).filter(Boolean)
  const lines = [seller.name ?? name, ...(address ?? place), registration, vatId, supportEmail, phone]
  return lines.filter((line): line is string => typeof line === 'string' && line !== '')
}

// Returns undefined if the payment, refund, parcel or return that the e-mail is about no longer exists.
async function describe(db: Reader, email: EmailRow, of: OrderEmail): Promise<Email | undefined> {
  const { payments, refunds } = of.facts
  const known = JSON.parse(email.facts) as { isCancelled?: boolean; by?: string; moneyBack?: number }
  switch (email.kind) {
    case 'order_placed':
      return orderPlacedEmail(of, await howToPay(db, of.facts), await confirmationOf(db, email.merchantId, of))
    case 'order_received':
      return orderReceivedEmail(of)
    case 'payment_received': {
      const payment = payments.find(({ id }) => id === email.subjectId)
      return payment && paymentReceivedEmail(of, { amount: payment.amount, isCancelled: known.isCancelled ?? false })
    }
    case 'shipped':
      return parcelShippedEmail(of, email.subjectId)
    case 'order_cancelled':
      return orderCancelledEmail(of, { by: known.by ?? '', moneyBack: known.moneyBack ?? 0 })
    case 'order_edited':
      return orderEditedEmail(of, known.moneyBack ?? 0)
    case 'refunded': {
      const refund = refunds.find(({ id }) => id === email.subjectId)
      return refund && refundedEmail(of, refund.amount)
    }
    case 'return_requested':
    case 'return_approved':
    case 'return_refused':
    case 'return_received':
    case 'return_closed':
    case 'return_asked': {
      const found = await findReturn(db, { installationId: email.installationId, returnId: email.subjectId })
      return found && returnEmail(of, email.kind, found)
    }
    case 'return_exchanged': {
      const { installationId, subjectId: orderId } = email
      const key = await findExchangeOf(db, { installationId, orderId })
      const found = key && (await findReturn(db, { installationId, returnId: key.returnId }))
      const exchange = found?.exchanges.find((one) => one.orderId === orderId)
      return exchange && found && returnExchangedEmail(of, found, exchange)
    }
    default:
      return undefined
  }
}

async function howToPay(db: Reader, { order, payments }: OrderFacts): Promise<HowToPay | null> {
  const awaited = await loadAwaitedMoney(db, order, payments)
  const payment = payments.find(({ status }) => status === 'pending')
  if (!awaited || !payment) return null
  return { ...awaited, settles: payment.settles === 'by_provider' ? 'by_provider' : 'by_hand', method: payment.method }
}

async function writeOfReturn(tools: PrepareTools, db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const refund = await findRefundedPayment(db, email.installationId, email.subjectId)
  if (!refund) return { discarded: 'missing' }
  if (refund.customerSealed === null) return { discarded: 'erased' }
  const customer = decryptCustomer(tools.rootSecret, refund.checkoutSessionId, refund.customerSealed)
  if (!customer) return { discarded: 'unreadable' }
  const speaker = speakerFor(localeOf(refund.sessionLocale, refund.readLocale), undefined)
  const values = { merchant: merchant.name, amount: speaker.amount(refund.amount, refund.currency) }
  const described = noticeEmail(speaker, 'payment_returned', { key: 'payment_returned.text', values })
  return { to: customer.email, speaker, isTest: refund.mode === 'test', email: described }
}

async function writeOfWithdrawal(tools: PrepareTools, db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const { mode } = JSON.parse(email.facts) as { mode: 'test' | 'live' }
  const { merchantId, subjectId: withdrawalId } = email
  const row = await findWithdrawal(db, { merchantId, mode, withdrawalId })
  const { timeZone } = merchant
  if (!row) return { discarded: 'missing' }
  const isToShopper = email.kind === 'withdrawal_acknowledged'
  const speaker = speakerFor(isToShopper ? row.locale : merchant.locale, undefined).inTimeZone(timeZone)
  const of = {
    speaker,
    merchantName: merchant.name,
    receivedAt: speaker.moment(toInstant(row.receivedAt), timeZone),
    due: speaker.date(toInstant(refundDueAt(row.receivedAt))),
  }
  const isTest = mode === 'test'
  if (!isToShopper) return { to: null, speaker, isTest, email: withdrawalReceivedEmail(of, row.orderNumber) }
  const statement = decryptStatement(tools.rootSecret, row)
  if (!statement) return { discarded: statement === null ? 'erased' : 'unreadable' }
  return { to: statement.email, speaker, isTest, email: withdrawalAcknowledgedEmail(of, statement) }
}

// Replies to this e-mail go to the shopper.
async function writeOfContact({ rootSecret }: PrepareTools, { id, sealed }: EmailRow, merchant: Merchant): Writing {
  const message = sealed === null ? undefined : decryptContactMessage(rootSecret, id, sealed)
  if (!message) return { discarded: 'unreadable' }
  const speaker = speakerFor(merchant.locale, undefined)
  return { to: null, replyTo: message.email, speaker, isTest: false, email: contactMessageEmail(speaker, message) }
}

// Shows the state of the draft at the time of sending.
async function writeOfDraft(tools: PrepareTools, db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const { merchantId, installationId } = email
  const { draftId, mode } = JSON.parse(email.facts) as { draftId: string; mode: 'test' | 'live' }
  const now = tools.clock().getTime()
  const row = await findDraft(db, { merchantId, mode }, draftId)
  const facts = row && (await findSessionFacts(tools, db, { installationId, sessionId: row.sessionId }, now))
  if (!facts) return { discarded: 'missing' }
  if (draftStatus(row, now) !== 'open') return { discarded: 'expired' }
  const { session, quote } = facts
  if (session.customerSealed === null) return { discarded: 'erased' }
  const customer = decryptCustomer(tools.rootSecret, session.id, session.customerSealed)
  const { url, currency, totals, items, address, shipping } = renderSession(tools, facts, now)
  if (!customer || url === null) return { discarded: 'unreadable' }
  const { locale } = session
  const speaker = speakerFor(locale === 'auto' ? merchant.locale : locale, undefined)
  const shown = draftEmail(speaker, {
    ...{ merchantName: merchant.name, url, currency, items },
    total: address !== null || shipping.optionId !== null ? totals.total : null,
    expiresAt: toInstant(session.expiresAt),
    timeZone: merchant.timeZone,
  })
  return { to: customer.email, speaker, isTest: quote.cart.mode === 'test', email: shown }
}

async function writeOfFailure(db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const refund = await findRefundedPayment(db, email.installationId, email.subjectId)
  if (!refund) return { discarded: 'missing' }
  const speaker = speakerFor(merchant.locale, undefined)
  const values = {
    subject: await nameOf(db, email.installationId, refund, speaker),
    amount: speaker.amount(refund.amount, refund.currency),
  }
  const described = noticeEmail(speaker, 'refund_failed', { key: 'refund_failed.text', values })
  return { to: null, speaker, isTest: refund.mode === 'test', email: described }
}

async function writeOfDispute(db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const { installationId, orderId } = email
  const dispute = await findDispute(db, installationId, email.subjectId)
  const payment = dispute && (await findPayment(db, installationId, dispute.paymentId))
  if (!payment) return { discarded: 'missing' }
  const { amount, currency, dueAt } = dispute
  const speaker = speakerFor(merchant.locale, undefined).inTimeZone(merchant.timeZone)
  const values = {
    subject: await nameOf(db, installationId, { orderId, paymentId: payment.id }, speaker),
    amount: speaker.amount(amount, currency),
    date: dueAt === null ? '' : speaker.date(toInstant(dueAt)),
  }
  const key = dueAt === null ? 'dispute_opened.text' : 'dispute_opened.due'
  const described = noticeEmail(speaker, 'dispute_opened', { key, values })
  return { to: null, speaker, isTest: payment.mode === 'test', email: described }
}

async function writeOfAccount(email: EmailRow, merchant: Merchant): Writing {
  const { provider, mode, problem } = JSON.parse(email.facts) as Record<'provider' | 'mode', string> & {
    problem: PaymentAccountProblem
  }
  const speaker = speakerFor(merchant.locale, undefined)
  const values = { provider: provider.charAt(0).toUpperCase() + provider.slice(1) }
  const described = noticeEmail(speaker, email.kind as 'payment_account_problem', {
    key: `payment_account_problem.${problem}`,
    values,
  })
  return { to: null, speaker, isTest: mode === 'test', email: described }
}

async function nameOf(
  db: Reader,
  installationId: string,
  { orderId, paymentId }: Pick<RefundedPayment, 'orderId' | 'paymentId'>,
  speaker: Speaker,
): Promise<string> {
  const facts = orderId === null ? undefined : await findOrderFacts(db, { installationId, orderId })
  return facts ? speaker.say('status.title', { number: facts.order.number }) : paymentId
}

async function writeToMerchant(db: Reader, email: EmailRow, merchant: Merchant): Writing {
  const speaker = speakerFor(merchant.locale, undefined)
  const known = JSON.parse(email.facts) as { url?: string; reason?: string; skuId?: string; left?: number }
  if (email.kind === 'endpoint_disabled') {
    const key = known.reason === 'gone' ? 'endpoint_disabled.gone' : 'endpoint_disabled.failing'
    const described = noticeEmail(speaker, email.kind, { key, values: { url: known.url ?? '' } })
    return { to: null, speaker, isTest: false, email: described }
  }
  const [sku] = await listSkuNames(db, email.merchantId, [known.skuId ?? ''])
  if (!sku) return { discarded: 'missing' }
  const count = known.left ?? 0
  const key = count === 0 ? 'stock_low.none' : 'stock_low.text'
  const { name, productName, code } = sku
  const item = name === productName ? name : `${productName}, ${name}`
  const described = noticeEmail(speaker, 'stock_low', { key, values: { item, code, count } })
  return { to: null, speaker, isTest: false, email: described }
}

async function writeToPerson(
  { rootSecret, publicOrigin, clock }: PrepareTools,
  db: Reader,
  { id, subjectId, sealed, createdAt, facts }: EmailRow,
  kind: LinkEmailKind,
  merchant: Merchant,
): Writing {
  const { expiresAt, locale } = JSON.parse(facts) as { expiresAt: number; locale: string | null }
  if (expiresAt <= clock().getTime()) return { discarded: 'expired' }
  // The link was replaced, revoked or used, or the person who created it no longer has the right to do so.
  if (!(await isLinkOpen(db, subjectId, clock().getTime()))) return { discarded: 'missing' }
  const opened = sealed === null ? undefined : decryptUserEmail(rootSecret, id, sealed)
  if (!opened) return { discarded: 'unreadable' }
  const speaker = speakerFor(locale ?? merchant.locale, undefined)
  const url = publicOrigin() + (opened.path ?? '')
  const described = linkEmail(speaker, kind, { merchantName: merchant.name, url, validMs: expiresAt - createdAt })
  return { to: opened.email, speaker, isTest: false, email: described }
}

async function writeCode(
  { rootSecret, publicOrigin, clock }: PrepareTools,
  { id, sealed, createdAt, facts }: EmailRow,
  merchant: Merchant,
): Writing {
  const { expiresAt, locale, mode } = JSON.parse(facts) as { expiresAt: number; locale: string; mode: string }
  if (expiresAt <= clock().getTime()) return { discarded: 'expired' }
  const opened = sealed === null ? undefined : decryptUserEmail(rootSecret, id, sealed)
  if (!opened) return { discarded: 'unreadable' }
  const speaker = speakerFor(locale === 'auto' ? merchant.locale : locale, undefined)
  // `path` may be an absolute URL with the host of a shop.
  const url = opened.path === undefined ? null : new URL(opened.path, publicOrigin()).href
  const shown = { merchantName: merchant.name, code: opened.code ?? '', url, validMs: expiresAt - createdAt }
  return { to: opened.email, speaker, isTest: mode === 'test', email: codeEmail(speaker, shown) }
}

// The texts of the sign-in pages are loaded with the first such page or e-mail rather than at the start.
async function roleName(language: SignInLanguage, role: Role): Promise<string> {
  const { signInTexts } = await import('../signin/page/words.ts')
  return signInTexts[language][`role.${role}`]
}

async function writeNotice(
  { rootSecret }: PrepareTools,
  { id, sealed, facts }: EmailRow,
  kind: NoticeKind,
  merchant: Merchant,
): Writing {
  const opened = sealed === null ? undefined : decryptUserEmail(rootSecret, id, sealed)
  if (!opened) return { discarded: 'unreadable' }
  const speaker = speakerFor(merchant.locale, undefined)
  const { role } = JSON.parse(facts) as { role?: Role }
  const named = role === undefined ? '' : await roleName(speaker.language, role)
  const described = personNoticeEmail(speaker, kind, {
    merchant: merchant.name,
    role: named,
    address: opened.address ?? '',
  })
  return { to: opened.email, speaker, isTest: false, email: described }
}
