// The duties of a shop as the dashboard lists them: in Settings, and in the guide through a new shop.

import type { AdminShop } from '../../contract/admin/shop.ts'
import type { AdminText } from '../../contract/admin/texts.ts'
import { textLanguages } from '../../contract/words.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { type DutyNeed, type DutyState, duties, dutyStates, lacksResponsible } from '../../platform/kit/duties.ts'
import { makersOf } from './catalog.ts'
import { pill } from './parts.ts'
import type { Visit } from './screen.ts'

const unmadeMax = 200

export interface ShownDuties {
  states: DutyState[]
  // Products without a maker; null: more than are counted.
  withoutMaker: number | null
}

export async function dutiesOf(visit: Visit): Promise<ShownDuties> {
  const [{ data: shop }, { data: texts }, { data: unmeasured }, unmade, makers] = await Promise.all([
    visit.ask('getAdminShop'),
    visit.ask('getAdminTexts'),
    visit.ask('listAdminSkus', { query: { measure: 'missing', limit: 1 } }),
    visit.ask('listAdminProducts', { query: { lacks: 'maker', status: 'published', limit: unmadeMax } }),
    makersOf(visit),
  ])
  return {
    states: dutyStates({
      ...factsOf(shop, texts),
      hasMeasures: unmeasured.length === 0,
      withoutMaker: unmade.data.length,
      withoutResponsible: makers.filter(({ maker }) => lacksResponsible(maker)).length,
    }),
    withoutMaker: unmade.meta.next === null ? unmade.data.length : null,
  }
}

function factsOf({ shop, shipping }: AdminShop, texts: readonly AdminText[]) {
  const { legal, supportEmail, links = {} } = shop
  return {
    country: shop.country,
    zoneCountries: shipping.flatMap(({ countries }) => countries),
    hasSeller: legal !== undefined && (legal.address ?? []).length > 0 && (supportEmail ?? null) !== null,
    texts: new Set(texts.filter(({ text }) => text !== '').map(({ kind }) => kind)),
    links: new Set(Object.keys(links)),
  }
}

// Those that the shop has, in the order of the table; what is missing first.
export function dutyList(visit: Visit, { states, withoutMaker }: ShownDuties): Html {
  const ranks = { missing: 0, by_hand: 1, done: 2, not_needed: 3 } as const
  const sorted = states.toSorted((one, other) => ranks[one.status] - ranks[other.status])
  return html`<ul class="duties">${sorted.map((state) => dutyRow(visit, state, withoutMaker))}</ul>`
}

function dutyRow(visit: Visit, { id, status, lacks }: DutyState, withoutMaker: number | null): Html {
  const { words } = visit
  const { since, source } = duties[id]
  const places = lacks.map((need) => placeOf(visit, need, withoutMaker))
  return html`<li><p class="duty-head"><strong>${words.say(`duty.${id}`)}</strong> ${pill(words, 'duty', status)}</p>
<p>${words.say(`duty.${id}.text`)}</p>
${places.length > 0 && html`<p>${words.say('duties.lacks')} ${places.map((place, at) => html`${at > 0 && ', '}${place}`)}</p>`}
<p class="soft small">${words.say('duties.since', { day: words.day(new Date(`${since}T12:00:00Z`)), source })}</p></li>`
}

function placeOf({ words, to }: Visit, need: DutyNeed, withoutMaker: number | null): Html {
  if (need === 'makers') {
    const text =
      withoutMaker === null
        ? words.say('duties.makersMany', { count: unmadeMax })
        : words.say('duties.makers', { count: withoutMaker })
    return html`<a href="${to('products', { lacks: 'maker', status: 'published' })}">${text}</a>`
  }
  if (need === 'responsible') return html`<a href="${to('makers')}">${words.say('duties.responsible')}</a>`
  if (need === 'seller') return html`<a href="${to('settings')}">${words.say('duties.seller')}</a>`
  if (need === 'measures')
    return html`<a href="${to('stock', { measure: 'missing' })}">${words.say('duties.measures')}</a>`
  const language = textLanguages.find((one) => one === words.language) ?? 'en'
  const label = words.say(`settings.texts.kind.${need}`)
  return html`<a href="${to(`settings/texts/${need}/${language}`)}">${label}</a>`
}
