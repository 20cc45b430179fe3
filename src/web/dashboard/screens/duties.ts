// Legal duties of a shop in the countries in which it sells, with their status.

import { html } from '../../../platform/html/html.ts'
import { euCountries } from '../../../platform/kit/countryfacts.ts'
import { dutyList } from '../duties.ts'
import { renderCard } from '../parts.ts'
import type { Screen } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'

export const dutiesScreen: Screen = {
  path: 'settings/duties',
  name: 'dashboard duties',
  place: 'settings',
  needs: 'getAdminDuties',
  async get(visit) {
    const { words } = visit
    const { data: shown } = await visit.ask('getAdminDuties')
    const countries = shown.duties.find(({ id }) => id === 'seller')?.countries ?? []
    const isEverywhere = countries.length === euCountries.length
    const where = isEverywhere
      ? words.say('duties.everywhere')
      : words.say('duties.countries', { countries: countries.map((code) => words.country(code)).join(', ') })
    return {
      title: words.say('settings.title'),
      body: html`${renderSections(visit, settingSections, 'duties')}
${
  countries.length === 0
    ? renderCard({ title: words.say('settings.duties'), body: html`<p>${words.say('duties.none')}</p>` })
    : html`<p class="lead gap">${words.say('duties.lead')}</p>${renderCard({ title: where, body: dutyList(visit, shown) })}`
}`,
    }
  },
}
