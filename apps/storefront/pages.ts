// Pages, rendered on the server, that work without script. Every change is a form that is posted and answered with a redirect. The `html`
// tag escapes everything from the catalog.

import { randomUUID } from 'node:crypto'
import type {
  Availability,
  Cart,
  CartItem,
  CartMessage,
  Category,
  CheckoutSession,
  Order,
  Product,
  ProductSummary,
  Site,
  SitePage,
  Sku,
  Totals,
} from '../../packages/client/src/index.ts'
import { type EstimateView, estimateForm, shippingRow } from './estimate.ts'
import { countWords, type FindingView, filters, isNothing, toolbar } from './finding.ts'
import { Html, html } from './html.ts'
import { categoryHref, destinationOf, type LinkPlace, productHref } from './links.ts'
import { measureWords } from './measures.ts'
import {
  type AttributeOf,
  breadcrumbData,
  jsonLd,
  openGraph,
  productData,
  type Shared,
  sellerData,
  trailTo,
} from './metadata.ts'
import { type PictureFacts, type PicturePlace, smallest, sourcesOf } from './pictures.ts'
import { safetyOf } from './safety.ts'
import { languages, type Speaker } from './speaker.ts'
import { isAboutCode, isGoodNews, type Notice } from './words.ts'

// Data that every page needs.
export interface Surroundings extends LinkPlace {
  // Origin under which browsers reach the shop.
  origin: string
  styleHref: string
  // Style sheet of the appearance that the merchant chose, or null.
  lookHref: string | null
  logo: string | null
  menus: Site['menus']
  // Whether the home page is composed of sections, with all products on their own page.
  hasHome: boolean
  merchant: { name: string; currency: string; country: string }
  // The language that the URL asks for, or null.
  lang: string | null
  details: ShopDetails
  isTest: boolean
  bar: ShopBar | null
  cartCount: number
  // Text in the search field.
  q: string
  notice: Notice | null
  // Whether shared caches may store the page, which then contains no data of a shopper.
  isShared: boolean
  scriptHref: string | null
  // Returns the URL of a picture, or null if a browser should not load it.
  picture: (url: string | null) => string | null
  // Returns what is known of a picture before it is loaded.
  factsOf: (src: string) => PictureFacts | undefined
}

// Bar above every page of a shop that is not public or takes no real money. It links to the dashboard.
export interface ShopBar {
  kind: 'closed' | 'test' | 'draft'
  href: string
}

// Details of the merchant in the footer of every page.
export interface ShopDetails {
  legal: Site['legal']
  supportEmail: string | null
  // Contact form, shown instead of the email address.
  contactHref: string | null
  links: Site['links']
  withdrawalUrl: string | null
  // Years for which the seller is liable for defects, or null if they are not shown.
  guaranteeYears: number | null
  // URLs of the picture of the harmonised notice, by language.
  guaranteeNotices: Readonly<Record<string, string>>
  // Null until the shop is loaded.
  pricesIncludeTax: boolean | null
}

export interface ListView {
  products: readonly ProductSummary[]
  // URL of the next page of the list.
  moreHref: string | null
  isStart: boolean
}

export function listPage(at: Surroundings, { products, moreHref, isStart }: ListView): string {
  const featured =
    isStart && !at.hasHome
      ? products.find(({ availability, imageUrl }) => imageUrl && availability !== 'out_of_stock')
      : undefined
  const rest = products.filter((product) => product !== featured)
  const { say } = at.speaker
  return page(at, {
    title: at.hasHome ? say('list.title') : null,
    description: say('list.describedAll', { merchant: at.merchant.name }),
    current: 'all',
    found: isStart
      ? {
          url: absolute(at, allHref(at)),
          image: featured ? shared(at, featured) : null,
          data: !at.hasHome && shopData(at),
        }
      : null,
    body: html`
<h1 class="hidden">${at.hasHome ? say('list.title') : at.merchant.name}</h1>
${featured && feature(at, featured)}
${isStart && !at.hasHome && categoryTiles(at)}
<section aria-labelledby="products">
<h2 id="products" class="rule">${say(isStart ? 'list.title' : 'list.further')}</h2>
${rest.length === 0 ? html`<p class="lead">${say(moreHref ? 'list.emptyPart' : 'list.empty')}</p>` : cards(at, rest)}
${moreHref && html`<p class="more"><a class="button quiet" href="${moreHref}">${say('list.more')}</a></p>`}
</section>`,
  })
}

export interface FoundView extends FindingView {
  // Category of the page, or null on other pages.
  category: Category | null
  firstHref: string
  moreHref: string | null
  // Products that are shown if nothing was found.
  newest: readonly ProductSummary[]
}

export function foundPage(at: Surroundings, view: FoundView): string {
  const { category, asked, found, firstHref, moreHref, isStart, newest } = view
  const { correctedTo, leftOut } = found.meta
  const { say } = at.speaker
  const [brand, ...otherBrands] = asked.brands
  // The page that a brand on a product page links to has the brand as its title.
  const plainTitle = brand !== undefined && otherBrands.length === 0 ? brand : say('search.short')
  const title = category?.name ?? (asked.q === '' ? plainTitle : say('search.titled', { words: asked.q }))
  const count = countWords(at.speaker, found)
  const isEmpty = found.data.length === 0
  return page(at, {
    title,
    description: category?.description || say('list.described', { title, merchant: at.merchant.name, count }),
    current: category?.path[0] ?? null,
    // Every filter and order has the unfiltered category as its canonical page. Pages after the first have no lasting URL.
    found:
      category && isStart
        ? {
            url: absolute(at, categoryHref(at, category.slug)),
            image: shared(at, { imageUrl: category.imageUrl, imageAlt: null }),
            data: trailData(at, trailTo(category, at.categories)),
          }
        : null,
    body: html`
${category ? categoryHead(at, category) : html`<header class="search-head"><h1 dir="auto">${asked.q === '' ? plainTitle : say('search.results', { words: asked.q })}</h1></header>`}
${leftOut.length > 0 && html`<p class="notice">${say('search.leftOut', { words: leftOut.join(', ') })}</p>`}
${correctedTo !== null && html`<p class="notice">${say('search.corrected', { words: asked.q, corrected: correctedTo })}</p>`}
${
  isNothing(view)
    ? html`<p class="lead nothing" role="status">${say(asked.q === '' ? 'list.empty' : 'search.none')}</p>`
    : html`<div class="finding">
${filters(view)}
<section aria-labelledby="products">
<h2 id="products" class="hidden">${say('list.products')}</h2>
${toolbar(view)}
${
  isEmpty ? html`<p class="lead">${say(isStart ? 'search.noneFiltered' : 'list.emptyPart')}</p>` : cards(at, found.data)
}
${
  (moreHref || !isStart) &&
  html`<nav class="more" aria-label="${say('nav.pages')}">${!isStart && html`<a class="button quiet" href="${firstHref}">${say('nav.firstPage')}</a> `}${moreHref && html`<a class="button quiet" href="${moreHref}" rel="next">${say('nav.nextPage')}</a>`}</nav>`
}
</section>
</div>`
}
${isEmpty && newest.length > 0 && html`<section aria-labelledby="newest"><h2 id="newest" class="rule">${say('list.newest')}</h2>${cards(at, newest)}</section>`}`,
  })
}

function feature(at: Surroundings, product: ProductSummary): Html {
  return html`<section class="feature" aria-labelledby="feature">
<div class="feature-text">
<p class="eyebrow">${at.speaker.say('feature.label')}</p>
<h2 id="feature" dir="auto">${product.name}</h2>
<p dir="auto">${product.summary}</p>
<p><a class="button light" href="${productHref(at, product.slug)}">${at.speaker.say('feature.see')}<span aria-hidden="true"> · ${priceWords(at, product)}</span></a></p>
</div>
${pictureOf(at, product.imageUrl, { alt: product.imageAlt ?? '', isFirst: true })}
</section>`
}

const tilesMax = 6

export function categoryTiles(at: Surroundings, { id, title } = { id: 'rooms', title: '' }): Html | false {
  const tops = at.categories.filter(({ path, imageUrl }) => path.length === 1 && imageUrl).slice(0, tilesMax)
  if (tops.length < 2) return false
  return html`<section aria-labelledby="${id}">
<h2 id="${id}" class="${title === '' ? 'hidden' : 'section-title'}" dir="auto">${title || at.speaker.say('nav.label')}</h2>
<ul class="tiles">${tops.map(
    ({ slug, name, imageUrl }) => html`
<li><a href="${categoryHref(at, slug)}">${pictureOf(at, imageUrl, { alt: '', place: 'card', isFirst: true })}<span dir="auto">${name}</span></a></li>`,
  )}
</ul>
</section>`
}

function categoryHead(at: Surroundings, category: Category): Html {
  const { say } = at.speaker
  const top = at.categories.find(({ slug }) => slug === category.path[0]) ?? category
  const siblings = at.categories.filter(({ path }) => path.length === 2 && path[0] === top.slug)
  const chip = (slug: string, name: string) =>
    html`<li><a href="${categoryHref(at, slug)}"${slug === category.slug && html` aria-current="page"`} dir="auto">${name}</a></li>`
  return html`<header class="category-head">
<div>
<h1 dir="auto">${category.name}</h1>
<p class="lead" dir="auto">${category.description}</p>
${
  siblings.length > 0 &&
  html`<nav aria-label="${say('nav.within', { category: top.name })}"><ul class="chips">${chip(top.slug, say('nav.allOf', { category: top.name }))}${siblings.map(({ slug, name }) => chip(slug, name))}</ul></nav>`
}
</div>
${pictureOf(at, category.imageUrl ?? top.imageUrl, { alt: '', isFirst: true })}
</header>`
}

export function cards(at: Surroundings, products: readonly ProductSummary[]): Html {
  return html`<ul class="cards${products.length > 0 && products.length % 4 === 0 ? ' in-fours' : ''}">${products.map(
    (product, index) => html`
<li>
<a class="card" href="${productHref(at, product.slug)}">
<span class="card-picture">${pictureOf(at, product.imageUrl, { alt: '', place: 'card', isFirst: index < 4 })}${badge(at, product)}</span>
${product.brand != null && html`<span dir="auto" class="card-brand">${product.brand}</span>`}
<span dir="auto" class="card-name">${product.name}</span>
<span class="card-price">${priorWords(at, product)}${priceWords(at, product)}</span>
${cardMeasure(at, product)}
</a>
</li>`,
  )}
</ul>`
}

function badge({ speaker: { say } }: Surroundings, { availability }: ProductSummary): Html | false {
  if (availability === 'in_stock') return false
  const words = say(availability === 'backorder' ? 'stock.backorderShort' : `stock.${availability}`)
  return html`<span class="badge ${availability}">${words}</span>`
}

export function priceWords(
  { speaker: { say, money } }: Pick<Surroundings, 'speaker'>,
  { priceRange: { min, max } }: ProductSummary,
): string {
  const amount = money(min.amount, min.currency)
  return min.amount === max.amount ? amount : say('price.from', { amount })
}

function priorWords({ speaker: { say, money } }: Surroundings, { priorPrice }: ProductSummary): Html | false {
  if (!priorPrice) return false
  return html`<span class="hidden">${say('price.formerly')} </span><s>${money(priorPrice.amount, priorPrice.currency)}</s><span class="hidden">, ${say('price.now')} </span> `
}

// The unit price of the SKU with the lowest price, which the card shows.
function cardMeasure({ speaker }: Surroundings, { measure, priceRange: { min } }: ProductSummary): Html | false {
  const words = measureWords(speaker, measure && { ...measure, price: measure.price.amount }, min.amount, min.currency)
  return words !== null && html`<span class="card-measure">${words}</span>`
}

function stockWords({ say }: Speaker, availability: Availability, available: number | null): string {
  return availability === 'low_stock' && available !== null
    ? say('stock.left', { count: available })
    : say(`stock.${availability}`)
}

export interface ProductView {
  product: Product
  chosen: Sku
  // Categories of the product, from the widest to the narrowest.
  trail: readonly Category[]
  alike: readonly ProductSummary[]
  // Barcodes by the id of the SKU.
  barcodes: ReadonlyMap<string, string>
  attributeOf: AttributeOf
  quantity: number
}

export function productPage(at: Surroundings, view: ProductView): string {
  const { product, chosen, trail, alike, barcodes, attributeOf, quantity } = view
  const { say } = at.speaker
  const note = taxNote(at)
  return page(at, {
    title: product.seoTitle ?? product.name,
    description: product.seoDescription ?? (product.summary || beginningOf(product.description) || product.name),
    current: trail[0]?.slug ?? null,
    found: {
      type: 'product',
      url: absolute(at, productHref(at, product.slug)),
      image: shared(at, product),
      price: { ...product.priceRange.min, availability: product.availability },
      data: html`${jsonLd(
        productData({
          product,
          barcodes,
          attributeOf,
          url: absolute(at, productHref(at, product.slug)),
          skuUrl: (code) => absolute(at, productHref(at, product.slug, code)),
          image: (url) => pictureAddress(at, url),
          seller: at.merchant.name,
        }),
      )}${trailData(at, trail)}`,
    },
    body: html`
${
  trail.length > 0 &&
  html`<nav aria-label="${say('nav.trail')}"><ol class="trail">${trail.map(
    ({ slug, name }) => html`<li><a href="${categoryHref(at, slug)}" dir="auto">${name}</a></li>`,
  )}</ol></nav>`
}
<article class="product">
${gallery(at, product, chosen)}
<div class="product-text">
${product.brand != null && brandLink(at, product.brand)}
<h1 dir="auto">${product.name}</h1>
<p class="lead" dir="auto">${product.summary}</p>
<section id="buy" class="buy" aria-label="${say('product.buy')}">
${noticeBox(at)}
${priceOf(at, chosen)}
${note !== null && html`<p class="price-note">${note}</p>`}
${choices(at, product, chosen)}
<p class="stock ${chosen.availability}">${stockWords(at.speaker, chosen.availability, chosen.availableQuantity)}${
      chosen.availability !== 'out_of_stock' &&
      chosen.maxPerOrder <= 5 &&
      html` <small>${say('stock.atMost', { count: chosen.maxPerOrder })}</small>`
    }</p>
${product.withdrawalExempt != null && html`<p class="price-note">${at.speaker.say(`exempt.${product.withdrawalExempt}`)}</p>`}
${addForm(at, product, chosen, quantity)}
</section>
<div class="about">
${describedAs(product)}
${factsOf(at, chosen)}
${guaranteeOf(at, product, chosen)}
${safetyOf(at.speaker, product)}
</div>
</div>
</article>
${
  alike.length > 0 &&
  html`<section aria-labelledby="alike"><h2 id="alike" class="rule">${say('product.related')}</h2>${cards(at, alike)}</section>`
}`,
  })
}

// Says whether prices include tax or whether it is added.
function taxNote({ details: { pricesIncludeTax }, speaker: { say } }: Surroundings): string | null {
  return pricesIncludeTax === null ? null : say(pricesIncludeTax ? 'price.taxIncluded' : 'price.taxAdded')
}

// Only a price from the price history is struck through, and the percentage is computed from it.
function priceOf({ speaker }: Surroundings, { price, priorPrice, measure }: Sku): Html {
  const { say, money, percent } = speaker
  const now = html`<strong>${money(price.amount, price.currency)}</strong>`
  const words = measureWords(
    speaker,
    measure && { ...measure, price: measure.price.amount },
    price.amount,
    price.currency,
  )
  const perUnit = words !== null && html`<small>${words}</small>`
  if (!priorPrice) return html`<p class="price">${now}${perUnit}</p>`
  const prior = money(priorPrice.amount, priorPrice.currency)
  const lower = reducedBy(price.amount, priorPrice.amount)
  return html`<p class="price"><span class="hidden">${say('price.formerly')} </span><s>${prior}</s><span class="hidden">, ${say('price.now')} </span> ${now}${
    lower > 0 && html` <span class="reduction">${percent(-lower)}</span>`
  }${perUnit}<small>${say('price.prior', { amount: prior })}</small></p>`
}

// Rounded down to whole per cent: a reduction is never shown larger than it is.
export function reducedBy(price: number, prior: number): number {
  return Math.floor(((prior - price) / prior) * 100) / 100
}

function brandLink({ base, speaker: { say } }: Surroundings, brand: string): Html {
  const href = `${base}/search?${new URLSearchParams({ brand })}`
  return html`<p class="brand"><span class="hidden">${say('product.brand')}: </span><a href="${href}" dir="auto">${brand}</a></p>`
}

// Renders a description; nothing else does. The server has sanitised the formatted description. The style sheet keeps the line breaks of
// the plain one.
function describedAs({ description, descriptionHtml }: Product): Html {
  if (descriptionHtml !== undefined)
    return html`<div class="description rich" dir="auto">${new Html(descriptionHtml)}</div>`
  const paragraphs = description.split(/\n\s*\n/).filter(Boolean)
  return html`<div class="description">${paragraphs.map((paragraph) => html`<p dir="auto">${paragraph}</p>`)}</div>`
}

function factsOf({ speaker: { say, weight } }: Surroundings, { code, weightGrams }: Sku): Html {
  return html`<dl class="facts">
<div><dt>${say('product.code')}</dt><dd><bdi>${code}</bdi></dd></div>
${weightGrams !== null && html`<div><dt>${say('product.weight')}</dt><dd>${weight(weightGrams)}</dd></div>`}
</dl>`
}

// The legal guarantee, and beside it the producer's guarantee.
function guaranteeOf(
  { details: { guaranteeYears, guaranteeNotices }, speaker: { say, language } }: Surroundings,
  { guarantee }: Product,
  { requiresShipping }: Sku,
): Html | false {
  const isOwed = guaranteeYears !== null && requiresShipping
  if (!isOwed && !guarantee) return false
  const title = say('guarantee.title')
  const text = isOwed ? say('guarantee.text', { count: guaranteeYears }) : ''
  const notice = isOwed && (guaranteeNotices[language] ?? guaranteeNotices.en ?? Object.values(guaranteeNotices)[0])
  return html`<section class="safety" aria-labelledby="guarantee"><h2 id="guarantee">${title}</h2>
${isOwed && html`<p>${text} <a href="${guaranteeUrl(language)}" rel="nofollow">${say('guarantee.more')}</a></p>`}
${notice && html`<p><img class="notice" src="${notice}" alt="${`${title}: ${text}`}" loading="lazy"></p>`}
${guarantee && html`<p><strong>${say('guarantee.producer', { count: guarantee.years })}</strong>${guarantee.url !== null && html` <a href="${guarantee.url}" rel="nofollow">${say('guarantee.terms')}</a>`}</p>`}
</section>`
}

// The European Commission's page about guarantees, in the given language if the storefront has it.
function guaranteeUrl(language: string): string {
  const known = ['en', 'de', 'fr', 'es', 'nl'].includes(language) ? language : 'en'
  return `https://europa.eu/youreurope/citizens/consumers/shopping/guarantees-returns/index_${known}.htm`
}

// The picture of the SKU comes first. Several pictures stand side by side and are scrolled, or chosen by a thumbnail that links to the
// picture's anchor, so no script is needed.
function gallery(at: Surroundings, { name, media }: Product, { imageUrl }: Sku): Html {
  const { say } = at.speaker
  const own = imageUrl === null ? [] : [{ url: imageUrl, alt: name, width: null, height: null }]
  const pictures = [...own, ...media.filter(({ url }) => url !== imageUrl)]
  const [first] = pictures
  if (pictures.length < 2) {
    return html`<div class="pictures">${pictureOf(at, first?.url ?? null, { ...first, alt: first?.alt ?? '', isFirst: true })}</div>`
  }
  const count = pictures.length
  return html`<div class="pictures">
<section class="slides" tabindex="0" aria-label="${say('product.pictures')}">${pictures.map(
    ({ url, alt, width, height }, index) => html`
<div class="slide" id="picture-${index + 1}">${pictureOf(at, url, { alt, width, height, isFirst: index === 0 })}</div>`,
  )}
</section>
<ul class="thumbs">${pictures.map(
    ({ url }, index) => html`
<li><a href="#picture-${index + 1}"><span class="hidden">${say('product.picture', { number: index + 1, count })}</span>${pictureOf(at, url, { alt: '', place: 'small' })}</a></li>`,
  )}
</ul>
</div>`
}

// One row of links for each option. A link leads to the SKU that differs only in this value, or else to the first SKU that has it, so a
// choice shows its own price and stock without script.
function choices(at: Surroundings, product: Product, chosen: Sku): Html | false {
  const { options, skus } = product
  if (skus.length < 2) return false
  if (options.length === 0) {
    return choiceRow(
      at.speaker.say('product.version'),
      skus.map((sku) => ({ text: sku.name, sku, isChosen: sku === chosen })),
    )
  }
  return html`${options.map(({ name, values }) =>
    choiceRow(
      name,
      values.flatMap((text) => {
        const having = skus.filter((sku) => valueIn(sku, name) === text)
        const sku =
          having.find((other) =>
            options.every(
              (option) => option.name === name || valueIn(other, option.name) === valueIn(chosen, option.name),
            ),
          ) ?? having[0]
        return sku ? [{ text, sku, isChosen: valueIn(chosen, name) === text }] : []
      }),
    ),
  )}`

  function choiceRow(name: string, values: readonly { text: string; sku: Sku; isChosen: boolean }[]): Html {
    return html`<div class="choice" role="group" aria-label="${name}">
<p class="choice-name" dir="auto">${name}</p>
<ul class="chips">${values.map(
      ({ text, sku, isChosen }) => html`
<li><a href="${productHref(at, product.slug, sku.code)}#buy"${isChosen && html` aria-current="true"`}${
        sku.availability === 'out_of_stock' && html` class="out"`
      } dir="auto">${
        sku.availability === 'out_of_stock'
          ? html`<span aria-hidden="true">${text}</span><span class="hidden">${at.speaker.say('product.soldOutValue', { value: text })}</span>`
          : text
      }</a></li>`,
    )}
</ul>
</div>`
  }
}

function valueIn(sku: Sku, option: string): string | undefined {
  return sku.options.find(({ name }) => name === option)?.value
}

// The buttons that change the quantity submit the form too, and are answered with the same page and the new quantity.
function addForm(at: Surroundings, { slug }: Product, sku: Sku, quantity: number): Html {
  const { say } = at.speaker
  if (sku.availability === 'out_of_stock') {
    return html`<p><button class="button wide" disabled>${say('stock.out_of_stock')}</button></p>`
  }
  const most = Math.min(sku.maxPerOrder, sku.availableQuantity ?? sku.maxPerOrder)
  return html`<form class="add" method="post" action="${at.base}/cart/add" data-once>
${!at.isShared && onceField()}
<input type="hidden" name="product" value="${slug}">
<input type="hidden" name="code" value="${sku.code}">
<input type="hidden" name="sku" value="${sku.id}">
<button class="hidden" tabindex="-1" aria-hidden="true">${say('product.add')}</button>
<div class="quantity"><label for="quantity">${say('product.quantity')}</label>
<div class="stepper">
<button name="step" value="-1" aria-label="${say('product.fewer')}"${quantity <= 1 && html` disabled`}>−</button>
<input id="quantity" type="number" name="quantity" value="${quantity}" min="1" max="999" required inputmode="numeric">
<button name="step" value="1" aria-label="${say('product.more')}"${quantity >= most && html` disabled`}>+</button>
</div></div>
<button class="button">${say('product.add')}</button>
</form>`
}

export interface CartView {
  newest: readonly ProductSummary[]
  // The promotion code from a link to the cart.
  offered: string
  // Null if the address is known, or if the cart is empty.
  estimate: EstimateView | null
}

export function cartPage(at: Surroundings, cart: Cart | null, { newest, offered, estimate }: CartView): string {
  const isEmpty = !cart || cart.items.length === 0
  const { say } = at.speaker
  return page(at, {
    title: say('cart.link'),
    description: say('cart.described'),
    current: 'cart',
    body: isEmpty
      ? html`<section class="plain"><h1>${say('cart.title')}</h1>${noticeBox(at)}
<p class="lead">${say('cart.empty')}</p>
<p><a class="button" href="${at.base}/">${say('cart.look')}</a></p></section>
${newest.length > 0 && html`<section aria-labelledby="newest"><h2 id="newest" class="rule">${say('list.perhaps')}</h2>${cards(at, newest)}</section>`}`
      : html`<h1>${say('cart.title')}</h1>
${at.notice && !isAboutCode(at.notice) && noticeBox(at)}
${cart.status === 'locked' && html`<p class="notice">${say('cart.locked')}</p>`}
<div class="cart">
<ul class="lines">${cart.items.map((item) => cartLine(at, cart, item))}</ul>
<aside class="summary" aria-label="${say('cart.summary')}">
${codeForm(at, cart, offered.slice(0, 64))}
${estimateForm(at.speaker, at.base, cart.currency, estimate)}
${totalsTable(at, estimate?.estimate.totals ?? cart.totals, cart.currency, cart.shipping.optionId === null ? shippingRow(at.speaker, cart, estimate) : null)}
<form method="post" action="${at.base}/cart/checkout">${onceField()}${versionField(cart)}
<button class="button wide">${say('cart.checkout')}</button></form>
<p class="small">${say('cart.secure')}${at.isTest && ` ${say('page.test')}`}</p>
</aside>
</div>`,
  })
}

function cartLine(at: Surroundings, cart: Cart, item: CartItem): Html {
  const { say, money } = at.speaker
  const { skuId, code, productSlug, name, options, quantity, unitPrice, subtotal, availability } = item
  const most = Math.min(item.maxQuantity, item.availableQuantity ?? item.maxQuantity)
  const label = [name, ...options.map(({ value }) => value)].join(', ')
  const messages = cart.messages.filter((message) => message.skuId === skuId)
  const measure = measureWords(at.speaker, item.measure, unitPrice, cart.currency)
  return html`
<li class="line">
<a class="line-picture" href="${productHref(at, productSlug, code)}" tabindex="-1" aria-hidden="true">${pictureOf(at, item.imageUrl, { alt: '', place: 'small' })}</a>
<div class="line-text">
<h2><a href="${productHref(at, productSlug, code)}" dir="auto">${name}</a></h2>
${options.length > 0 && html`<p dir="auto">${options.map(({ value }) => value).join(' · ')}</p>`}
<p>${money(unitPrice, cart.currency)}${availability !== 'in_stock' && html` · <span class="stock ${availability}">${stockWords(at.speaker, availability, item.availableQuantity)}</span>`}</p>
${measure !== null && html`<p>${measure}</p>`}
${messages.map((message) => html`<p class="warning">${messageWords(at, message, cart.currency)}</p>`)}
</div>
<form class="stepper" method="post" action="${at.base}/cart/change" aria-label="${say('cart.quantityOf', { item: label })}">
${onceField()}${versionField(cart)}<input type="hidden" name="sku" value="${skuId}">
<button class="update"><span aria-hidden="true">${say('cart.update')}</span><span class="hidden">${say('cart.updateOf', { item: label })}</span></button>
<button name="step" value="-1" aria-label="${say('cart.fewer', { item: label })}">−</button>
<input type="number" name="quantity" value="${quantity}" min="0" max="999" required inputmode="numeric" aria-label="${say('cart.quantityOf', { item: label })}">
<button name="step" value="1" aria-label="${say('cart.more', { item: label })}"${quantity >= most && html` disabled`}>+</button>
</form>
<form class="remove" method="post" action="${at.base}/cart/remove">
${onceField()}${versionField(cart)}<input type="hidden" name="sku" value="${skuId}">
<button class="link"><span aria-hidden="true">${say('cart.remove')}</span><span class="hidden">${say('cart.removeOf', { item: label })}</span></button>
</form>
<p class="line-total"><span class="hidden">${say('cart.lineTotal')} </span>${money(subtotal, cart.currency)}</p>
</li>`
}

// Messages of the API are in English and may change, so known codes have their own texts here.
function messageWords({ speaker: { say, money } }: Surroundings, message: CartMessage, currency: string): string {
  switch (message.code) {
    case 'price_changed':
      return say('message.price_changed', { amount: money(message.previous ?? 0, currency) })
    case 'insufficient_stock':
      return say('message.insufficient_stock', { count: message.current ?? 0 })
    case 'price_unavailable':
    case 'item_unavailable':
    case 'quantity_limit_exceeded':
    case 'promotion_lapsed':
      return say(`message.${message.code}`)
    default:
      return message.message
  }
}

function codeForm(at: Surroundings, cart: Cart, offered: string): Html {
  const { say } = at.speaker
  const { state, code } = cart.promotion
  const said = at.notice && isAboutCode(at.notice) ? at.notice : null
  const isBad = said !== null && !isGoodNews(said)
  // The notice already says that the code was applied, so it is not repeated beside the code.
  const isTold = said?.name === 'code_applied' && code !== null
  const lapsed = cart.messages.filter((message) => message.code === 'promotion_lapsed')
  const form = html`<form class="code-form" method="post" action="${at.base}/cart/code">${onceField()}
<label for="code">${say('code.label')}</label>
<div><input id="code" name="code" value="${offered}" maxlength="64" autocomplete="off" autocapitalize="characters" spellcheck="false" required${
    isBad && html` aria-describedby="said" aria-invalid="true"`
  }><button class="button quiet">${say('code.apply')}</button></div>
</form>`
  return html`<div class="codes">
${
  code === null
    ? form
    : html`<form class="kept-code" method="post" action="${at.base}/cart/code/remove">${onceField()}
<p${isTold && html` id="said" class="good" tabindex="-1"`}>${say(state === 'applied' ? 'code.applied' : 'code.waiting', { code })}</p>
<button class="link"><span aria-hidden="true">${say('code.takeOff')}</span><span class="hidden">${say('code.takeOffOf', { code })}</span></button></form>
<details${isBad && html` open`}><summary>${say('code.another')}</summary>${form}</details>`
}
${said && !isTold && html`<p id="said" class="said ${isBad ? 'bad' : 'good'}" role="status" tabindex="-1">${noticeWords(at, said)}</p>`}
${lapsed.map((message) => html`<p class="said bad">${messageWords(at, message, cart.currency)}</p>`)}
</div>`
}

interface NamedRow {
  name: string
  value: string
}

function totalsTable(at: Surroundings, totals: Totals, currency: string, shippingShown: NamedRow | null): Html {
  const { say, money } = at.speaker
  const { subtotal, discount, shipping, tax, taxIncluded, total } = totals
  const known = { name: say('total.shipping'), value: shipping === 0 ? say('total.free') : money(shipping, currency) }
  const { name: shippingName, value: shippingWords } = shippingShown ?? known
  const row = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<dl class="totals">
${row(say('total.subtotal'), money(subtotal, currency))}
${discount > 0 && row(say('total.discount'), `−${money(discount, currency)}`)}
${row(shippingName, shippingWords)}
${!taxIncluded && row(say('total.tax'), money(tax, currency))}
<div class="total"><dt>${say('total.total')}</dt><dd>${money(total, currency)}</dd></div>
${taxIncluded && tax > 0 && html`<div class="small"><dt>${say('total.taxIncluded')}</dt><dd>${money(tax, currency)}</dd></div>`}
</dl>`
}

// Anyone with the address of this page can see it, so it shows only the city and no name.
export function thanksPage(at: Surroundings, session: CheckoutSession, order: Order | null): string {
  if (!order) return unfinishedPage(at, session)
  const { say, money } = at.speaker
  const { number, currency, items, totals, shippingAddress, shipping, paymentStatus } = order
  const picture = (skuId: string) => session.items.find((item) => item.skuId === skuId)?.imageUrl ?? null
  return page(at, {
    title: say('thanks.title'),
    description: say('thanks.described'),
    current: null,
    body: html`<article class="thanks">
<header>
<p class="eyebrow">${say('thanks.order', { number })}</p>
<h1>${say('thanks.head')}</h1>
<p class="lead">${say(paymentStatus === 'pending' ? 'thanks.pending' : 'thanks.paid')}</p>
${
  shippingAddress &&
  html`<p>${shipping ? say('thanks.toBy', { place: shippingAddress.summary, method: shipping.label }) : say('thanks.to', { place: shippingAddress.summary })}</p>`
}
<p><a class="button" href="${at.base}/">${say('thanks.back')}</a></p>
</header>
<section class="summary" aria-labelledby="ordered">
<h2 id="ordered">${say('thanks.ordered')}</h2>
<ul class="ordered">${items.map(
      ({ skuId, name, options, quantity, subtotal }) => html`
<li>${pictureOf(at, picture(skuId), { alt: '', place: 'small' })}<p><bdi>${name}</bdi><small>${[...options.map(({ value }) => value), say('thanks.quantity', { count: quantity })].join(' · ')}</small></p><p>${money(subtotal, currency)}</p></li>`,
    )}
</ul>
${totalsTable(at, totals, currency, shipping ? null : { name: say('total.shipping'), value: say('total.shippingNone') })}
</section>
</article>`,
  })
}

function unfinishedPage(at: Surroundings, { status, url, id }: CheckoutSession): string {
  const { say } = at.speaker
  if (status === 'processing' || status === 'completed') {
    return messagePage(at, {
      title: say('unfinished.checked'),
      text: say('unfinished.checkedText'),
      link: { href: `${at.base}/thanks?session=${id}`, text: say('unfinished.again') },
    })
  }
  const isOver = status === 'cancelled' || status === 'expired'
  return messagePage(at, {
    title: say(isOver ? 'unfinished.over' : 'unfinished.open'),
    text: say(isOver ? 'unfinished.overText' : 'unfinished.openText'),
    link:
      isOver || url === null
        ? { href: `${at.base}/cart`, text: say('unfinished.cart') }
        : { href: url, text: say('unfinished.checkout') },
  })
}

export function continuePage(at: Surroundings, url: string): string {
  const { say } = at.speaker
  return messagePage(at, {
    title: say('continue.title'),
    text: say('continue.text'),
    link: { href: url, text: say('continue.link') },
  })
}

// The server has sanitised the HTML of the page, as it does for descriptions.
export function writtenPage(at: Surroundings, { slug, title, description, bodyHtml }: SitePage): string {
  return page(at, {
    title,
    description: description || beginningOf(wordsOf(bodyHtml)) || title,
    current: slug,
    found: { url: absolute(at, `${at.base}/${slug}`), image: null },
    body: html`<article class="written"><h1 dir="auto">${title}</h1><div class="rich" dir="auto">${new Html(bodyHtml)}</div></article>`,
  })
}

const beginningLengthMax = 160
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

function wordsOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '')
}

// Returns the beginning of the text, cut between words if possible.
function beginningOf(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= beginningLengthMax) return line
  return `${line.slice(0, beginningLengthMax).replace(/ [^ ]*$/, '')}…`
}

// Page of a shop that is not open, without search, cart and categories.
export function closedPage(at: Surroundings): string {
  const { say } = at.speaker
  const title = say('closed.title', { merchant: at.merchant.name })
  return documentOf(at, {
    title: at.merchant.name,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<main id="main"><section class="plain"><h1>${title}</h1><p class="lead">${say('closed.text')}</p></section>
</main>
${foot(at)}`,
  })
}

export interface Message {
  title: string
  text: string
  link: { href: string; text: string }
  // Products that may help instead.
  products?: { title: string; products: readonly ProductSummary[] }
}

export function messagePage(at: Surroundings, { title, text, link, products: shown }: Message): string {
  return page(at, {
    title,
    description: text,
    current: null,
    body: html`<section class="plain"><h1>${title}</h1><p class="lead">${text}</p>
<p><a class="button" href="${link.href}">${link.text}</a></p></section>
${
  shown !== undefined &&
  shown.products.length > 0 &&
  html`<section aria-labelledby="instead"><h2 id="instead" class="rule">${shown.title}</h2>${cards(at, shown.products)}</section>`
}`,
  })
}

interface Frame {
  // Null on the start page, whose title is the name of the shop.
  title: string | null
  description: string
  // Slug of the top category, 'all' or 'cart'.
  current: string | null
  // Metadata for search engines and messengers. Without it, search engines are asked not to list the page.
  found?: Found | null
  body: Html
}

interface Found extends Pick<Shared, 'image' | 'price'> {
  type?: Shared['type']
  // The canonical URL, whatever URL was requested.
  url: string
  data?: Html | false
}

// Number of categories that fit beside each other on a large screen. The others are behind "More".
const categoriesInSight = 7

export function page(at: Surroundings, { title, description, current, found = null, body }: Frame): string {
  const { base, merchant, menus, cartCount, speaker } = at
  const { say } = speaker
  // If the merchant made a menu, it replaces the categories.
  const categories = menus.head === null ? at.categories : []
  const tops = categories.filter(({ path }) => path.length === 1)
  const inSight = tops.length <= categoriesInSight + 1 ? tops : tops.slice(0, categoriesInSight)
  const others = tops.slice(inSight.length)
  const here = (name: string) => name === current && html` aria-current="true"`
  const link = ({ slug, name }: Category) =>
    html`<li><a href="${categoryHref(at, slug)}"${here(slug)} dir="auto">${name}</a></li>`
  const isFound = found !== null && at.bar === null
  return documentOf(at, {
    title: title === null ? merchant.name : say('page.titled', { title, merchant: merchant.name }),
    head: html`<meta name="description" content="${description}">
${isFound ? foundTags(at, title ?? merchant.name, description, found) : html`<meta name="robots" content="noindex">`}`,
    body: html`<a class="skip" href="#main">${say('page.skip')}</a>
${at.bar && html`<p class="bar"><span>${say(`bar.${at.bar.kind}`)}</span> <a href="${at.bar.href}" target="_top">${say('bar.dashboard')}</a></p>`}
<header class="top">
${nameOrLogo(at)}
<form class="search" role="search" method="get" action="${base}/search" data-suggest="${base}/search/suggest">
<label class="hidden" for="q">${say('search.label')}</label>
<input id="q" type="search" name="q" value="${at.q}" maxlength="200" placeholder="${say('search.short')}" autocomplete="off" enterkeyhint="search" required>
<button aria-label="${say('search.short')}">${searchMark()}</button>
</form>
<a class="to-cart" href="${base}/cart"${here('cart')} data-close="${say('cart.close')}">${cartMark()}<span>${say('cart.link')}</span>${
      cartCount > 0 &&
      html` <span class="count"><span aria-hidden="true">${cartCount}</span><span class="hidden">${say('cart.count', { count: cartCount })}</span></span>`
    }${at.isShared && html` <span class="count" data-cart-count="${at.speaker.forms('cart.count')}" hidden><span aria-hidden="true"></span><span class="hidden"></span></span>`}</a>
<nav class="rooms" aria-label="${say('nav.label')}"><ul>
${menus.head === null && html`<li><a href="${allHref(at)}"${here('all')}>${say('nav.all')}</a></li>${inSight.map(link)}`}${menuLinks(at, 'head', current)}
</ul>
${
  others.length > 0 &&
  html`<details class="other-rooms"><summary${others.some(({ slug }) => slug === current) && html` class="current"`}><span aria-hidden="true">${say('nav.more')}</span><span class="hidden">${say('nav.moreCategories')}</span></summary><ul>${others.map(link)}</ul></details>`
}</nav>
</header>
<main id="main">${body}
</main>
${foot(at)}`,
  })
}

function documentOf(at: Surroundings, { title, head, body }: { title: string; head: Html; body: Html }): string {
  const { base, speaker, styleHref, lookHref, scriptHref } = at
  const logo = at.picture(at.logo)
  // The home screens of all devices show these formats.
  const tile = logo !== null && /\.(?:png|jpe?g)$/.test(logo) ? logo : `${base}/icon.png`
  return html`<!doctype html>
<html lang="${speaker.locale}" dir="${speaker.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
${logo === null ? html`<link rel="icon" href="${base}/icon.svg" type="image/svg+xml">` : html`<link rel="icon" href="${smallest(logo)}">`}
<link rel="apple-touch-icon" href="${tile}">
<link rel="manifest" href="${base}/manifest.webmanifest">
<link rel="stylesheet" href="${styleHref}">${
    lookHref !== null &&
    html`
<link rel="stylesheet" href="${lookHref}">`
  }${
    scriptHref !== null &&
    html`
<script src="${scriptHref}" defer></script>`
  }
</head>
<body>
${body}
</body>
</html>
`.text
}

function foundTags(at: Surroundings, title: string, description: string, { data, ...found }: Found): Html {
  const shared = {
    type: 'website',
    siteName: at.merchant.name,
    locale: at.speaker.openGraphLocale,
    title,
    description,
    ...found,
  } as const
  const inLanguage = (language: string) => `${found.url}?lang=${language}`
  const url = at.lang === null ? found.url : inLanguage(at.lang)
  return html`<link rel="canonical" href="${url}">
${languages.map(
  (language) => html`<link rel="alternate" hreflang="${language}" href="${inLanguage(language)}">
`,
)}<link rel="alternate" hreflang="x-default" href="${found.url}">
${openGraph({ ...shared, url })}${data}`
}

// Structured data about the shop itself, for its home page.
export function shopData(at: Surroundings): Html {
  const { merchant, details, base } = at
  const { refunds } = details.links
  return jsonLd(
    sellerData({
      name: merchant.name,
      url: absolute(at, `${base}/`),
      logo: pictureAddress(at, at.logo),
      email: details.supportEmail,
      returnsUrl: refunds === undefined ? null : absolute(at, refunds),
      searchUrl: absolute(at, `${base}/search`),
      legal: details.legal,
      country: merchant.country,
    }),
  )
}

function trailData(at: Surroundings, trail: readonly Category[]): Html | false {
  if (trail.length === 0) return false
  const steps = trail.map(({ slug, name }) => ({ name, url: absolute(at, categoryHref(at, slug)) }))
  return jsonLd(breadcrumbData([{ name: at.merchant.name, url: absolute(at, `${at.base}/`) }, ...steps]))
}

function shared(at: Surroundings, { imageUrl, imageAlt }: Pick<ProductSummary, 'imageUrl' | 'imageAlt'>) {
  const url = pictureAddress(at, imageUrl)
  return url === null ? null : { url, alt: imageAlt ?? '' }
}

function pictureAddress(at: Surroundings, url: string | null): string | null {
  const src = at.picture(url)
  return src === null ? null : absolute(at, src)
}

export function absolute({ origin }: Surroundings, path: string): string {
  return new URL(path, origin).href
}

function nameOrLogo(at: Surroundings): Html {
  const src = at.picture(at.logo)
  const { name } = at.merchant
  return src === null
    ? html`<a class="name" href="${at.base}/" dir="auto">${name}</a>`
    : html`<a class="name" href="${at.base}/"><img class="logo" src="${src}" alt="${name}"></a>`
}

// Links of a menu: those that the merchant chose, or else the pages that name the menu.
function menuLinks(at: Surroundings, menu: 'head' | 'foot', current: string | null): Html[] {
  const { base, pages, menus } = at
  const own = menus[menu]
  if (own !== null)
    return own.flatMap((link) => {
      const to = destinationOf(at, link)
      if (to === null) return []
      const isHere = to.name !== null && to.name === current
      return html`<li><a href="${to.href}"${isHere && html` aria-current="true"`} dir="auto">${to.label}</a></li>`
    })
  return pages
    .filter((one) => one.menu === menu)
    .map(
      ({ slug, title }) =>
        html`<li><a href="${base}/${slug}"${slug === current && html` aria-current="true"`} dir="auto">${title}</a></li>`,
    )
}

function foot(at: Surroundings): Html {
  const {
    merchant,
    details: { links, supportEmail, contactHref, withdrawalUrl },
    isTest,
    speaker: { say },
  } = at
  const own = menuLinks(at, 'foot', null)
  const contact = contactHref ?? (supportEmail === null ? null : `mailto:${supportEmail}`)
  const note = taxNote(at)
  const pages = (['terms', 'privacy', 'refunds', 'imprint'] as const).flatMap((name) => {
    const href = links[name]
    return href === undefined || !/^(?:https?:|\/legal\/)/i.test(href) ? [] : [{ href, text: say(`legal.${name}`) }]
  })
  const all = [
    ...(withdrawalUrl === null ? [] : [{ href: withdrawalUrl, text: say('legal.withdrawal') }]),
    ...pages,
    ...(contact === null ? [] : [{ href: contact, text: say('legal.contact') }]),
  ]
  return html`<footer class="foot">
<p dir="auto">${merchant.name}</p>
${all.length + own.length > 0 && html`<nav aria-label="${say('legal.label')}"><ul>${own}${all.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul></nav>`}
<p>${note !== null && `${say('price.all', { note })} `}${isTest && `${say('page.test')} `}${say('page.runsOn')}</p>
</footer>`
}

function noticeWords({ speaker: { say, money }, merchant }: Surroundings, { name, number }: Notice): string {
  return say(`notice.${name}`, { count: number, amount: money(number, merchant.currency) })
}

function noticeBox(at: Surroundings): Html | null {
  const { notice } = at
  // Redirects lead to #said. The notice can take the focus, so it is read aloud and the keyboard continues here.
  return (
    notice &&
    html`<p id="said" class="notice ${isGoodNews(notice) ? 'good' : 'bad'}" role="status" tabindex="-1">${noticeWords(at, notice)}</p>`
  )
}

// Key that makes a form take effect once, however often its button is pressed.
function onceField(): Html {
  return html`<input type="hidden" name="once" value="${randomUUID()}">`
}

// The version of the cart that the shopper has seen. If it has changed since, the API refuses.
function versionField({ version }: Cart): Html {
  return html`<input type="hidden" name="version" value="${version}">`
}

interface PictureTraits {
  alt: string
  // Where the picture stands (default: half of the page).
  place?: PicturePlace
  width?: number | null
  height?: number | null
  // Whether the picture is visible immediately. Other pictures are loaded lazily.
  isFirst?: boolean
}

export function pictureOf(
  at: Surroundings,
  url: string | null,
  { alt, place = 'half', width, height, isFirst = false }: PictureTraits,
): Html {
  const src = at.picture(url)
  if (src === null) return html`<span class="no-picture">${placeholder()}</span>`
  const sources = sourcesOf(src, place)
  const facts = at.factsOf(src)
  const color = facts?.color ?? null
  const img = html`<img src="${src}"${sources?.webp} alt="${alt}" width="${width ?? facts?.width ?? 1200}" height="${height ?? facts?.height ?? 1200}"${color !== null && html` data-color="${color}"`}${!isFirst && html` loading="lazy"`} decoding="async">`
  return sources ? html`<picture><source type="image/avif"${sources.avif}>${img}</picture>` : img
}

// A wrapped parcel, shown for a product without a picture.
function placeholder(): Html {
  return html`<svg viewBox="0 0 96 96" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round"><path d="M48 20 74 33v30L48 76 22 63V33zM22 33l26 13 26-13M48 46v30M35 26.500l26 13v11"/></svg>`
}

function searchMark(): Html {
  return html`<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"><circle cx="11" cy="11" r="6.500"/><path d="m16 16 4.500 4.500"/></svg>`
}

function cartMark(): Html {
  return html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"><path d="M4.5 9h15l-1.4 9.4a2 2 0 0 1-2 1.6H7.9a2 2 0 0 1-2-1.6zM8.5 9l2.2-5M15.500 9l-2.200-5"/></svg>`
}

// URL of the list of all products.
function allHref({ base, hasHome }: Surroundings): string {
  return `${base}/${hasHome ? 'products' : ''}`
}
