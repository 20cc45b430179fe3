// The home page that the merchant composed of sections.

import type { ProductSummary, Site } from '../../packages/client/src/index.ts'
import { Html, html } from './html.ts'
import { destinationOf, type SiteLink } from './links.ts'
import { absolute, cards, categoryTiles, page, pictureOf, type Surroundings, shopData } from './pages.ts'

export type Section = NonNullable<Site['home']>[number]

// A section and its products.
export interface ShownSection {
  section: Section
  products: readonly ProductSummary[]
}

export function homePage(at: Surroundings, shown: readonly ShownSection[]): string {
  const [first] = shown
  const hero = shown.find(({ section }) => section.kind === 'hero')?.section
  const image = at.picture(hero?.image ?? null)
  return page(at, {
    title: null,
    description: at.speaker.say('list.describedAll', { merchant: at.merchant.name }),
    current: 'home',
    found: {
      url: absolute(at, `${at.base}/`),
      image: image === null ? null : { url: absolute(at, image), alt: hero?.imageAlt ?? '' },
      data: shopData(at),
    },
    body: html`${first?.section.kind !== 'hero' && html`<h1 class="hidden">${at.merchant.name}</h1>`}
<div class="sections">${shown.map((one, index) => sectionHtml(at, one, index))}
</div>`,
  })
}

function sectionHtml(at: Surroundings, { section, products }: ShownSection, index: number): Html | false {
  const id = `section-${index + 1}`
  switch (section.kind) {
    case 'hero':
      return hero(at, section, index)
    case 'products':
      return (
        products.length > 0 &&
        html`
<section${labelled(section, id)}>${heading(section, id)}${cards(at, products)}</section>`
      )
    case 'categories':
      return categoryTiles(at, { id, title: section.title ?? '' })
    case 'text':
      return html`
<section class="section-text"${labelled(section, id)}>${heading(section, id)}${rich(section.bodyHtml)}</section>`
    case 'picture':
      return html`
<section class="section-picture ${section.imageSide === 'end' ? 'at-end' : ''}"${labelled(section, id)}>
${pictureOf(at, section.image ?? null, { alt: section.imageAlt ?? '' })}
<div>${heading(section, id)}${rich(section.bodyHtml)}${button(at, section.link)}</div></section>`
    case 'columns':
      return html`
<section${labelled(section, id)}>${heading(section, id)}<div class="section-columns">${(section.columns ?? []).map(
        ({ title, bodyHtml }) => html`
<div>${title !== '' && html`<h3 dir="auto">${title}</h3>`}${rich(bodyHtml)}</div>`,
      )}</div></section>`
    case 'notice':
      return html`
<aside class="section-notice">${rich(section.bodyHtml)}${noticeLink(at, section.link)}</aside>`
  }
}

// The title of the first section is the main heading of the page.
function hero(at: Surroundings, section: Section, index: number): Html {
  const { title = '', image = null, imageAlt = '' } = section
  const name = title === '' ? at.merchant.name : title
  return html`
<section class="feature ${image === null ? 'plain-feature' : ''}">
<div class="feature-text">${index === 0 ? html`<h1 dir="auto">${name}</h1>` : html`<h2 dir="auto">${name}</h2>`}
${rich(section.bodyHtml)}${button(at, section.link, 'button light')}</div>
${image !== null && pictureOf(at, image, { alt: imageAlt, isFirst: index === 0 })}
</section>`
}

function labelled({ title = '' }: Section, id: string): Html | false {
  return title !== '' && html` aria-labelledby="${id}"`
}

function heading({ title = '' }: Section, id: string): Html | false {
  return title !== '' && html`<h2 id="${id}" class="section-title" dir="auto">${title}</h2>`
}

// The HTML is safe, since the server sanitised it when it was stored.
function rich(bodyHtml = ''): Html | false {
  return bodyHtml !== '' && html`<div class="rich" dir="auto">${new Html(bodyHtml)}</div>`
}

function button(at: Surroundings, link: SiteLink | null | undefined, look = 'button'): Html | false {
  const to = link ? destinationOf(at, link) : null
  return to !== null && html`<p><a class="${look}" href="${to.href}" dir="auto">${to.label}</a></p>`
}

function noticeLink(at: Surroundings, link: SiteLink | null | undefined): Html | false {
  const to = link ? destinationOf(at, link) : null
  return to !== null && html`<p><a href="${to.href}" dir="auto">${to.label}</a></p>`
}
