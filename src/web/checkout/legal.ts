// The current text of a merchant's legal page, on a page of its own.

import type { LegalPagePort } from '../../domain/texts/read.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { guaranteeYears } from '../../platform/kit/duties.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import { answerPage, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import { guaranteeNoticeText, guaranteeUrl } from './guarantee.ts'
import { failedAnswer, lostAnswer } from './show.ts'

function paragraphs(text: string): Html[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${paragraph}</p>`)
}

function noticePicture({ say, language }: Speaker, path: string): Html {
  const text = say('guarantee.text', { count: guaranteeYears })
  return html`<p><img src="${path}" alt="${guaranteeNoticeText(say('guarantee.title'), text)}"></p>
<p><a href="${guaranteeUrl(language)}">${say('guarantee.more')}</a></p>`
}

export function legalPage(find: LegalPagePort): HtmlPage {
  return {
    path: '/legal/:merchant/:kind',
    name: 'legal text',
    isOfShop: ({ path: { merchant }, shop }) => merchant === shop?.slug,
    async answer(request) {
      const speaker = speakerFor('auto', request.raw.headers['accept-language'])
      const { merchant = '', kind = '' } = request.path
      const found = await find(merchant, kind, [speaker.language, 'en'])
      if (!found) return lostAnswer(request)
      const { shop, text } = found
      const title = speaker.say(`legal.${text.kind}`)
      const inside = html`<article class="statement">
<h1>${title}</h1>
<p class="soft">${speaker.say('legal.version', { date: speaker.date(toInstant(text.createdAt)) })}</p>
<div class="legal-text" lang="${text.language}" dir="auto">${
        text.kind === 'guarantee' ? noticePicture(speaker, text.text) : paragraphs(text.text)
      }</div>
</article>`
      const face = { ...shop, links: JSON.parse(shop.links) as Record<string, string> }
      const body = renderCheckoutSheet(speaker, face, false, inside)
      return answerPage(200, renderCheckoutFrame({ speaker, title: `${title} – ${shop.name}`, state: 'legal', body }))
    },
    isExpensive: true,
    failed: failedAnswer,
  }
}
