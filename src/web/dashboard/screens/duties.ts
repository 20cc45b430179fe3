// What the law of the countries that a shop sells to demands of it, and what of that is done.

import { html } from '../../../platform/html/html.ts'
import { duties } from '../../../platform/kit/duties.ts'
import { dutiesOf, dutyList } from '../duties.ts'
import { card } from '../parts.ts'
import type { Screen } from '../screen.ts'
import { sections, settingSections } from '../sections.ts'

export const dutiesScreen: Screen = {
  path: 'settings/duties',
  name: 'dashboard duties',
  place: 'settings',
  needs: 'getAdminTexts',
  async get(visit) {
    const { words } = visit
    const shown = await dutiesOf(visit)
    const countries = shown.states.find(({ id }) => id === 'seller')?.countries ?? []
    const isEverywhere = countries.length === duties.seller.countries.length
    const where = isEverywhere
      ? words.say('duties.everywhere')
      : words.say('duties.countries', { countries: countries.map((code) => words.country(code)).join(', ') })
    return {
      title: words.say('settings.duties'),
      body: html`${sections(visit, settingSections, 'duties')}
${
  countries.length === 0
    ? card({ title: words.say('settings.duties'), body: html`<p>${words.say('duties.none')}</p>` })
    : html`<p class="lead">${words.say('duties.lead')}</p>${card({ title: where, body: dutyList(visit, shown) })}`
}`,
    }
  },
}
