// A legal text of a merchant, on a page of its own, as it holds now.

import type { LegalPagePort } from '../../domain/texts/read.ts'
import { html } from '../../platform/html/html.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { speakerFor } from '../languages/language.ts'
import { answerPage, framed, sheet } from './frame.ts'
import { failed, lost } from './show.ts'

export function legalPage(find: LegalPagePort): HtmlPage {
  return {
    path: '/legal/:merchant/:kind',
    name: 'legal text',
    isOfShop: ({ path: { merchant }, shop }) => merchant === shop?.slug,
    async answer(request) {
      const speaker = speakerFor('auto', request.raw.headers['accept-language'])
      const { merchant = '', kind = '' } = request.path
      const found = await find(merchant, kind, [speaker.language, 'en'])
      if (!found) return lost(request)
      const { shop, text } = found
      const title = speaker.say(`legal.${text.kind}`)
      const inside = html`<article class="statement">
<h1>${title}</h1>
<p class="soft">${speaker.say('legal.version', { date: speaker.date(toInstant(text.createdAt)) })}</p>
<div class="legal-text" lang="${text.language}" dir="auto">${text.text
        .split(/\n{2,}/)
        .filter((paragraph) => paragraph.trim() !== '')
        .map((paragraph) => html`<p>${paragraph}</p>`)}</div>
</article>`
      const face = { ...shop, links: JSON.parse(shop.links) as Record<string, string> }
      const body = sheet(speaker, face, false, inside)
      return answerPage(200, framed({ speaker, title: `${title} – ${shop.name}`, state: 'legal', body }))
    },
    isExpensive: true,
    failed,
  }
}
