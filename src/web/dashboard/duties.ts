// The list of a shop's duties, shown in Settings and in the setup guide.

import type { AdminDuties, AdminDuty } from '../../contract/admin/duties.ts'
import { type DutyNeed, noticeLanguages, type TextLanguage, textLanguages } from '../../contract/words.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { statusPill } from './parts.ts'
import type { ScreenVisit } from './screen.ts'

// Lists the given duties by status, missing ones first. Duties of the same status keep their order.
export function dutyList(visit: ScreenVisit, { duties, productsWithoutMaker }: AdminDuties): Html {
  const ranks = { missing: 0, by_hand: 1, done: 2, not_needed: 3 } as const
  const sorted = duties.toSorted((one, other) => ranks[one.status] - ranks[other.status])
  return html`<ul class="duties">${sorted.map((state) => dutyRow(visit, state, productsWithoutMaker))}</ul>`
}

function dutyRow(visit: ScreenVisit, { id, status, lacks, since, source }: AdminDuty, withoutMaker: number): Html {
  const { words } = visit
  const places = lacks.map((need) => placeOf(visit, need, withoutMaker))
  return html`<li><p class="duty-head"><strong>${words.say(`duty.${id}`)}</strong> ${statusPill(words, 'duty', status)}</p>
<p>${words.say(`duty.${id}.text`)}</p>
${places.length > 0 && html`<p>${words.say('duties.lacks')} ${places.map((place, at) => html`${at > 0 && ', '}${place}`)}</p>`}
<p class="soft small">${words.say('duties.since', { day: words.day(new Date(`${since}T12:00:00Z`)), source })}</p></li>`
}

function placeOf({ words, to }: ScreenVisit, need: DutyNeed, withoutMaker: number): Html {
  if (need === 'makers') {
    const text = words.say('duties.makers', { count: withoutMaker })
    return html`<a href="${to('products', { lacks: 'maker', status: 'published' })}">${text}</a>`
  }
  if (need === 'responsible') return html`<a href="${to('makers')}">${words.say('duties.responsible')}</a>`
  if (need === 'seller') return html`<a href="${to('settings')}">${words.say('duties.seller')}</a>`
  if (need === 'measures')
    return html`<a href="${to('stock', { measure: 'missing' })}">${words.say('duties.measures')}</a>`
  const offered: readonly TextLanguage[] = need === 'guarantee' ? noticeLanguages : textLanguages
  const language = offered.find((one) => one === words.language) ?? 'en'
  const label = words.say(`settings.texts.kind.${need}`)
  return html`<a href="${to(`settings/texts/${need}/${language}`)}">${label}</a>`
}
