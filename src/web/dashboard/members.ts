// Shows a changed member in the words of the page: its name and its values. Unknown names and values are shown as they are, without JSON
// syntax.

import type { AdminSubjectChange } from '../../contract/admin/changes.ts'
import type { ChangeSubject } from '../../contract/words.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { measureText } from '../../platform/kit/measuretext.ts'
import type { SkuMeasure } from '../../platform/kit/unitprice.ts'
import { moneyText } from './form.ts'
import { unbrokenWords } from './parts.ts'
import type { ScreenVisit } from './screen.ts'

export function memberName({ words }: ScreenVisit, member: string): string {
  return words.sayKnown(`member.${member}`, member)
}

// Renders `from` and `to` with an arrow between them.
export function memberValues(
  visit: ScreenVisit,
  type: ChangeSubject,
  { member, from, to }: AdminSubjectChange['members'][number],
): Html {
  return html`${valuePart(visit, type, member, from, 'from')} <span aria-hidden="true">→</span>
  <span class="hidden"> ${visit.words.say('changes.to')} </span> ${valuePart(visit, type, member, to, 'to')}`
}

const shownMax = 160
const titleMax = 2_000

function valuePart(
  visit: ScreenVisit,
  type: ChangeSubject,
  member: string,
  value: unknown,
  which: 'from' | 'to',
): Html {
  if (value === null || value === undefined) return html`<span class="value none ${which}">–</span>`
  const text = memberText(visit, type, member, value)
  const isLong = text.length > shownMax
  const shown = isLong ? `${text.slice(0, shownMax)}…` : text
  return html`<span class="value ${which}" dir="auto"${isLong && html` title="${text.slice(0, titleMax)}"`}>${unbrokenWords(shown)}</span>`
}

const states: Partial<Record<ChangeSubject, Readonly<Record<string, string>>>> = {
  order: { status: 'state.order', paymentStatus: 'state.payment', fulfillmentStatus: 'state.sending' },
  return: { status: 'state.return', reason: 'returns.reason' },
  withdrawal: { status: 'state.withdrawal', outcome: 'state.withdrawal' },
  draft: { status: 'state.draft' },
  transfer: { state: 'state.transfer' },
  webhook: { status: 'state.endpoint' },
}
const moneyMembers: ReadonlySet<string> = new Set([
  'price',
  'compareAtPrice',
  'unitPrice',
  'amount',
  'refunded',
  'received',
  'discount',
  'total',
  'credit',
])
const momentMembers: ReadonlySet<string> = new Set([
  'publishedAt',
  'archivedAt',
  'startsAt',
  'endsAt',
  'expiresAt',
  'passwordReset',
])

export function memberText(
  { words, shop }: Pick<ScreenVisit, 'words' | 'shop'>,
  type: ChangeSubject,
  member: string,
  value: unknown,
): string {
  const kind = states[type]?.[member]
  if (kind !== undefined && typeof value === 'string') return words.sayKnown(`${kind}.${value}`, value)
  if (member === 'measure' && typeof value === 'object' && value !== null) return measureText(value as SkuMeasure)
  if (member === 'withdrawalExempt' && typeof value === 'string') return words.sayKnown(`exempt.${value}`, value)
  if (member === 'role') return words.sayKnown(`role.${value}`, String(value))
  if (member === 'country' && typeof value === 'string') return words.country(value)
  if (momentMembers.has(member) && (typeof value === 'number' || typeof value === 'string')) return words.moment(value)
  if (typeof value === 'number') {
    // A promotion may have another currency than the shop, and its change does not name the currency.
    if (type === 'promotion' && (member === 'amount' || member === 'minimumSubtotal'))
      return moneyText(value, shop.currency)
    if (type === 'shipping' || moneyMembers.has(member)) return words.money(value, shop.currency)
    if (member === 'weightGrams') return `${words.number(value)} g`
    if (member === 'percentage') return `${words.number(value)} %`
  }
  return plainText(words, value, shop.currency)
}

// Members that contain ids, which are for programs only.
const idMembers: ReadonlySet<string> = new Set(['skuId', 'draftId', 'orderId'])

function plainText(words: ScreenVisit['words'], value: unknown, currency: string): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return words.say(value ? 'member.yes' : 'member.no')
  if (typeof value === 'number') return words.number(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.map((one) => plainText(words, one, currency)).join(', ') || '–'
  return Object.entries(value)
    .filter(([name, one]) => one !== null && !idMembers.has(name))
    .map(([name, one]) => {
      const isMoney = moneyMembers.has(name) && typeof one === 'number'
      return `${words.sayKnown(`member.${name}`, name)}: ${isMoney ? words.money(one, currency) : plainText(words, one, currency)}`
    })
    .join(', ')
}
