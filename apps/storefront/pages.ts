// The pages, rendered on the server, without script; every change is a form that is posted and answered with a redirect. Everything
// from the catalog is escaped by the `html` tag.

import { randomUUID } from 'node:crypto'
import type {
  Cart,
  CartItem,
  Category,
  CheckoutSession,
  Order,
  Product,
  ProductSummary,
  Sku,
  Totals,
} from '../../packages/client/src/index.ts'
import { countWords, type FindingView, filters, isNothing, toolbar } from './finding.ts'
import { type Html, html } from './html.ts'
import { breadcrumbData, jsonLd, openGraph, productData, type Shared, trailTo } from './metadata.ts'
import { isAboutCode, isGoodNews, money, type Notice, noticeWords, stockWords } from './words.ts'

// What every page needs to know.
export interface Surroundings {
  // Where the shop is mounted: '' or '/shop'.
  base: string
  // Under which browsers reach the shop.
  origin: string
  styleHref: string
  merchant: { name: string; currency: string }
  isTest: boolean
  categories: readonly Category[]
  cartCount: number
  // What stands in the search field.
  q: string
  notice: Notice | null
  // The address of a picture, or null if a browser should not load it.
  picture: (url: string | null) => string | null
}

export interface ListView {
  products: readonly ProductSummary[]
  // The next page of the list.
  moreHref: string | null
  isStart: boolean
}

export function listPage(at: Surroundings, { products, moreHref, isStart }: ListView): string {
  const featured = isStart
    ? products.find(({ availability, imageUrl }) => imageUrl && availability !== 'out_of_stock')
    : undefined
  const rest = products.filter((product) => product !== featured)
  return page(at, {
    title: null,
    description: `${at.merchant.name}: everything in the shop.`,
    current: 'all',
    found: isStart ? { url: absolute(at, `${at.base}/`), image: featured ? shared(at, featured) : null } : null,
    body: html`
<h1 class="hidden">${at.merchant.name}</h1>
${featured && feature(at, featured)}
${isStart && categoryTiles(at)}
<section aria-labelledby="products">
<h2 id="products" class="rule">${isStart ? 'Everything in the shop' : 'More from the shop'}</h2>
${
  rest.length === 0
    ? html`<p class="lead">${moreHref ? 'Nothing on this part of the list.' : 'There is nothing here at the moment.'}</p>`
    : cards(at, rest)
}
${moreHref && html`<p class="more"><a class="button quiet" href="${moreHref}">Show more</a></p>`}
</section>`,
  })
}

export interface FoundView extends FindingView {
  // Of the page of a category.
  category: Category | null
  firstHref: string
  moreHref: string | null
  // Shown where nothing was found.
  newest: readonly ProductSummary[]
}

export function foundPage(at: Surroundings, view: FoundView): string {
  const { category, asked, found, firstHref, moreHref, isStart, newest } = view
  const { correctedTo } = found.meta
  const title = category?.name ?? (asked.q === '' ? 'Search' : `Search for ${asked.q}`)
  const isEmpty = found.data.length === 0
  return page(at, {
    title,
    description: category?.description || `${title} at ${at.merchant.name}: ${countWords(found)}.`,
    current: category?.path[0] ?? null,
    // The plain category stands for every filter and order of it. What comes after its first page has no lasting address.
    found:
      category && isStart
        ? {
            url: absolute(at, categoryHref(at, category.slug)),
            image: shared(at, { imageUrl: category.imageUrl, imageAlt: null }),
            data: trailData(at, trailTo(category, at.categories)),
          }
        : null,
    body: html`
${category ? categoryHead(at, category) : html`<header class="search-head"><h1>${asked.q === '' ? 'Search' : html`Results for “<bdi>${asked.q}</bdi>”`}</h1></header>`}
${correctedTo !== null && html`<p class="notice">Nothing has “<bdi>${asked.q}</bdi>”. These are the results for <strong><bdi>${correctedTo}</bdi></strong>.</p>`}
${
  isNothing(view)
    ? html`<p class="lead nothing" role="status">${asked.q === '' ? 'There is nothing here at the moment.' : 'There is nothing here that fits. Try fewer or other words.'}</p>`
    : html`<div class="finding">
${filters(view)}
<section aria-labelledby="products">
<h2 id="products" class="hidden">Products</h2>
${toolbar(view)}
${
  isEmpty
    ? html`<p class="lead">${isStart ? 'There is nothing here that fits. Try fewer filters.' : 'Nothing on this part of the list.'}</p>`
    : cards(at, found.data)
}
${
  (moreHref || !isStart) &&
  html`<nav class="more" aria-label="Pages">${!isStart && html`<a class="button quiet" href="${firstHref}">First page</a> `}${moreHref && html`<a class="button quiet" href="${moreHref}" rel="next">Next page</a>`}</nav>`
}
</section>
</div>`
}
${isEmpty && newest.length > 0 && html`<section aria-labelledby="newest"><h2 id="newest" class="rule">New in the shop</h2>${cards(at, newest)}</section>`}`,
  })
}

function feature(at: Surroundings, product: ProductSummary): Html {
  return html`<section class="feature" aria-labelledby="feature">
<div class="feature-text">
<p class="eyebrow">Just in</p>
<h2 id="feature">${product.name}</h2>
<p>${product.summary}</p>
<p><a class="button light" href="${productHref(at, product.slug)}">See it<span aria-hidden="true"> · ${priceWords(product)}</span></a></p>
</div>
${pictureOf(at, product.imageUrl, { alt: product.imageAlt ?? '', isFirst: true })}
</section>`
}

const tilesMax = 6

function categoryTiles(at: Surroundings): Html | false {
  const tops = at.categories.filter(({ path, imageUrl }) => path.length === 1 && imageUrl).slice(0, tilesMax)
  if (tops.length < 2) return false
  return html`<section aria-labelledby="rooms">
<h2 id="rooms" class="hidden">Categories</h2>
<ul class="tiles">${tops.map(
    ({ slug, name, imageUrl }) => html`
<li><a href="${categoryHref(at, slug)}">${pictureOf(at, imageUrl, { alt: '', isFirst: true })}<span>${name}</span></a></li>`,
  )}
</ul>
</section>`
}

function categoryHead(at: Surroundings, category: Category): Html {
  const top = at.categories.find(({ slug }) => slug === category.path[0]) ?? category
  const siblings = at.categories.filter(({ path }) => path.length === 2 && path[0] === top.slug)
  const chip = (slug: string, name: string) =>
    html`<li><a href="${categoryHref(at, slug)}"${slug === category.slug && html` aria-current="page"`}>${name}</a></li>`
  return html`<header class="category-head">
<div>
<h1>${category.name}</h1>
<p class="lead">${category.description}</p>
${
  siblings.length > 0 &&
  html`<nav aria-label="Within ${top.name}"><ul class="chips">${chip(top.slug, `All ${top.name.toLowerCase()}`)}${siblings.map(({ slug, name }) => chip(slug, name))}</ul></nav>`
}
</div>
${pictureOf(at, category.imageUrl ?? top.imageUrl, { alt: '', isFirst: true })}
</header>`
}

function cards(at: Surroundings, products: readonly ProductSummary[]): Html {
  return html`<ul class="cards">${products.map(
    (product, index) => html`
<li>
<a class="card" href="${productHref(at, product.slug)}">
<span class="card-picture">${pictureOf(at, product.imageUrl, { alt: '', isFirst: index < 4 })}${badge(product)}</span>
<span class="card-name">${product.name}</span>
<span class="card-price">${priceWords(product)}</span>
</a>
</li>`,
  )}
</ul>`
}

function badge({ availability }: ProductSummary): Html | false {
  if (availability === 'in_stock') return false
  return html`<span class="badge ${availability}">${availability === 'backorder' ? 'Made to order' : stockWords(availability, null)}</span>`
}

function priceWords({ priceRange: { min, max } }: ProductSummary): string {
  return `${min.amount === max.amount ? '' : 'from '}${money(min.amount, min.currency)}`
}

export interface ProductView {
  product: Product
  chosen: Sku
  // Its categories, from the widest to the narrowest.
  trail: readonly Category[]
  alike: readonly ProductSummary[]
  // By the id of the SKU.
  barcodes: ReadonlyMap<string, string>
}

export function productPage(at: Surroundings, { product, chosen, trail, alike, barcodes }: ProductView): string {
  const pictures = chosen.imageUrl
    ? [{ url: chosen.imageUrl, alt: product.name, width: null, height: null }]
    : product.media
  const narrowest = trail.at(-1)
  return page(at, {
    title: product.name,
    description: product.summary,
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
  html`<nav aria-label="Where you are"><ol class="trail">${trail.map(
    ({ slug, name }) => html`<li><a href="${categoryHref(at, slug)}">${name}</a></li>`,
  )}</ol></nav>`
}
<article class="product">
<div class="pictures">${pictures.map(({ url, alt, width, height }, index) => pictureOf(at, url, { alt, width, height, isFirst: index === 0 }))}</div>
<div class="product-text">
<h1>${product.name}</h1>
<p class="lead">${product.summary}</p>
<section id="buy" class="buy" aria-label="Buy">
${noticeBox(at)}
<p class="price">${
      chosen.compareAtPrice &&
      html`<span class="hidden">Formerly </span><s>${money(chosen.compareAtPrice.amount, chosen.compareAtPrice.currency)}</s><span class="hidden">, now </span> `
    }<strong>${money(chosen.price.amount, chosen.price.currency)}</strong></p>
${choices(at, product, chosen)}
<p class="stock ${chosen.availability}">${stockWords(chosen.availability, chosen.availableQuantity)}${
      chosen.availability !== 'out_of_stock' &&
      chosen.maxPerOrder <= 5 &&
      html` <small>At most ${chosen.maxPerOrder} in one order</small>`
    }</p>
${addForm(at, product, chosen)}
</section>
<div class="description">${product.description
      .split(/\n\s*\n/)
      .filter(Boolean)
      .map((paragraph) => html`<p>${paragraph}</p>`)}
<p class="code">${chosen.code}${chosen.weightGrams !== null && ` · ${weightWords(chosen.weightGrams)}`}</p>
</div>
</div>
</article>
${
  alike.length > 0 &&
  html`<section aria-labelledby="alike"><h2 id="alike" class="rule">Also in ${narrowest?.name ?? 'the shop'}</h2>${cards(at, alike)}</section>`
}`,
  })
}

// One row of links for each option. A link leads to the SKU that differs in this value only, or else to the first that
// has it, so a choice shows its own price and stock without script.
function choices(at: Surroundings, product: Product, chosen: Sku): Html | false {
  const { options, skus } = product
  if (skus.length < 2) return false
  if (options.length === 0) {
    return choiceRow(
      'Version',
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
<p class="choice-name">${name}</p>
<ul class="chips">${values.map(
      ({ text, sku, isChosen }) => html`
<li><a href="${productHref(at, product.slug, sku.code)}#buy"${isChosen && html` aria-current="true"`}${
        sku.availability === 'out_of_stock' && html` class="out"`
      }>${text}${sku.availability === 'out_of_stock' && html`<span class="hidden"> (sold out)</span>`}</a></li>`,
    )}
</ul>
</div>`
  }
}

function valueIn(sku: Sku, option: string): string | undefined {
  return sku.options.find(({ name }) => name === option)?.value
}

function addForm(at: Surroundings, { slug }: Product, { id, code, availability }: Sku): Html {
  if (availability === 'out_of_stock') return html`<p><button class="button" disabled>Sold out</button></p>`
  return html`<form class="add" method="post" action="${at.base}/cart/add">
${onceField()}
<input type="hidden" name="product" value="${slug}">
<input type="hidden" name="code" value="${code}">
<input type="hidden" name="sku" value="${id}">
<label class="quantity"><span>Quantity</span><input type="number" name="quantity" value="1" min="1" max="999" required inputmode="numeric"></label>
<button class="button">Add to cart</button>
</form>`
}

function weightWords(grams: number): string {
  return grams < 1000 ? `${grams} g` : `${(grams / 1000).toLocaleString('en', { maximumFractionDigits: 2 })} kg`
}

// `offered` is the promotion code of a link to the cart.
export function cartPage(
  at: Surroundings,
  cart: Cart | null,
  newest: readonly ProductSummary[],
  offered: string,
): string {
  const isEmpty = !cart || cart.items.length === 0
  return page(at, {
    title: 'Cart',
    description: 'What you have chosen.',
    current: 'cart',
    body: isEmpty
      ? html`<section class="plain"><h1>Your cart</h1>${noticeBox(at)}
<p class="lead">It is empty.</p>
<p><a class="button" href="${at.base}/">Look around</a></p></section>
${newest.length > 0 && html`<section aria-labelledby="newest"><h2 id="newest" class="rule">Perhaps one of these</h2>${cards(at, newest)}</section>`}`
      : html`<h1>Your cart</h1>
${at.notice && !isAboutCode(at.notice) && noticeBox(at)}
${cart.status === 'locked' && html`<p class="notice">A payment for this cart is under way. It can be changed again if the payment fails.</p>`}
<div class="cart">
<ul class="lines">${cart.items.map((item) => cartLine(at, cart, item))}</ul>
<aside class="summary" aria-label="Summary">
${codeForm(at, cart, offered.slice(0, 64))}
${totalsTable(cart.totals, cart.currency, cart.shipping.optionId === null ? 'At the checkout' : null)}
<form method="post" action="${at.base}/cart/checkout">${onceField()}${versionField(cart)}
<button class="button wide">Check out</button></form>
<p class="small">You give your address and pay on a secure page${at.isTest ? '. This is a test shop: no money moves and nothing is sent.' : '.'}</p>
</aside>
</div>`,
  })
}

function cartLine(at: Surroundings, cart: Cart, item: CartItem): Html {
  const { skuId, code, productSlug, name, options, quantity, unitPrice, subtotal, availability } = item
  const most = Math.min(item.maxQuantity, item.availableQuantity ?? item.maxQuantity)
  const label = [name, ...options.map(({ value }) => value)].join(', ')
  const messages = cart.messages.filter((message) => message.skuId === skuId)
  return html`
<li class="line">
<a class="line-picture" href="${productHref(at, productSlug, code)}" tabindex="-1" aria-hidden="true">${pictureOf(at, item.imageUrl, { alt: '' })}</a>
<div class="line-text">
<h2><a href="${productHref(at, productSlug, code)}">${name}</a></h2>
${options.length > 0 && html`<p>${options.map(({ value }) => value).join(' · ')}</p>`}
<p>${money(unitPrice, cart.currency)}${availability !== 'in_stock' && html` · <span class="stock ${availability}">${stockWords(availability, item.availableQuantity)}</span>`}</p>
${messages.map(({ code: about, message, previous }) => html`<p class="warning">${message}${about === 'price_changed' && previous !== null && ` It was ${money(previous, cart.currency)}.`}</p>`)}
</div>
<form class="stepper" method="post" action="${at.base}/cart/change" aria-label="Quantity of ${label}">
${onceField()}${versionField(cart)}<input type="hidden" name="sku" value="${skuId}">
<button class="update">Update<span class="hidden"> the quantity of ${label}</span></button>
<button name="step" value="-1" aria-label="One ${label} less">−</button>
<input type="number" name="quantity" value="${quantity}" min="0" max="999" required inputmode="numeric" aria-label="Quantity of ${label}">
<button name="step" value="1" aria-label="One ${label} more"${quantity >= most && html` disabled`}>+</button>
</form>
<form class="remove" method="post" action="${at.base}/cart/remove">
${onceField()}${versionField(cart)}<input type="hidden" name="sku" value="${skuId}">
<button class="link">Remove<span class="hidden"> ${label}</span></button>
</form>
<p class="line-total"><span class="hidden">Together </span>${money(subtotal, cart.currency)}</p>
</li>`
}

function codeForm(at: Surroundings, cart: Cart, offered: string): Html {
  const { state, code } = cart.promotion
  const said = at.notice && isAboutCode(at.notice) ? at.notice : null
  const isBad = said !== null && !isGoodNews(said)
  // Shown beside the code already.
  const isTold = said?.name === 'code_applied' && code !== null
  const lapsed = cart.messages.filter((message) => message.code === 'promotion_lapsed')
  const form = html`<form class="code-form" method="post" action="${at.base}/cart/code">${onceField()}
<label for="code">Promotion code</label>
<div><input id="code" name="code" value="${offered}" maxlength="64" autocomplete="off" autocapitalize="characters" spellcheck="false" required${
    isBad && html` aria-describedby="said" aria-invalid="true"`
  }><button class="button quiet">Apply</button></div>
</form>`
  return html`<div class="codes">
${
  code === null
    ? form
    : html`<form class="kept-code" method="post" action="${at.base}/cart/code/remove">${onceField()}
<p${isTold && html` id="said" class="good" tabindex="-1"`}><strong>${code}</strong> ${state === 'applied' ? 'is applied' : 'is waiting for its condition'}</p>
<button class="link">Take off<span class="hidden"> the code ${code}</span></button></form>
<details${isBad && html` open`}><summary>Use another code</summary>${form}</details>`
}
${said && !isTold && html`<p id="said" class="said ${isBad ? 'bad' : 'good'}" role="status" tabindex="-1">${noticeWords(said, at.merchant.currency)}</p>`}
${lapsed.map(({ message }) => html`<p class="said bad">${message}</p>`)}
</div>`
}

function totalsTable(totals: Totals, currency: string, shippingWords: string | null): Html {
  const { subtotal, discount, shipping, tax, taxIncluded, total } = totals
  const row = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<dl class="totals">
${row('Subtotal', money(subtotal, currency))}
${discount > 0 && row('Discount', `−${money(discount, currency)}`)}
${row('Shipping', shippingWords ?? (shipping === 0 ? 'Free' : money(shipping, currency)))}
${!taxIncluded && row('Tax', money(tax, currency))}
<div class="total"><dt>Total</dt><dd>${money(total, currency)}</dd></div>
${taxIncluded && tax > 0 && html`<div class="small"><dt>Tax included</dt><dd>${money(tax, currency)}</dd></div>`}
</dl>`
}

// Anyone with the address of this page can see it, so it shows only the city and no name.
export function thanksPage(at: Surroundings, session: CheckoutSession, order: Order | null): string {
  if (!order) return unfinishedPage(at, session)
  const { number, currency, items, totals, shippingAddress, shipping, paymentStatus } = order
  const picture = (skuId: string) => session.items.find((item) => item.skuId === skuId)?.imageUrl ?? null
  return page(at, {
    title: 'Thank you',
    description: 'Your order.',
    current: null,
    body: html`<article class="thanks">
<header>
<p class="eyebrow">Order ${number}</p>
<h1>Thank you!</h1>
<p class="lead">${
      paymentStatus === 'pending'
        ? 'Your order is placed. We begin as soon as your payment has arrived.'
        : 'Your order is placed and paid.'
    }</p>
${shippingAddress && html`<p>It travels to ${shippingAddress.summary}${shipping && ` (${shipping.label})`}.</p>`}
<p><a class="button" href="${at.base}/">Back to the shop</a></p>
</header>
<section class="summary" aria-labelledby="ordered">
<h2 id="ordered">What you ordered</h2>
<ul class="ordered">${items.map(
      ({ skuId, name, options, quantity, subtotal }) => html`
<li>${pictureOf(at, picture(skuId), { alt: '' })}<p>${name}<small>${[...options.map(({ value }) => value), `Quantity ${quantity}`].join(' · ')}</small></p><p>${money(subtotal, currency)}</p></li>`,
    )}
</ul>
${totalsTable(totals, currency, shipping ? null : 'None needed')}
</section>
</article>`,
  })
}

function unfinishedPage(at: Surroundings, { status, url, id }: CheckoutSession): string {
  const isOver = status === 'cancelled' || status === 'expired'
  const isBeingPaid = status === 'processing' || status === 'completed'
  return page(at, {
    title: isOver ? 'Not ordered' : 'Almost there',
    description: 'Your order.',
    current: null,
    body: html`<section class="plain">
<h1>${isOver ? 'Nothing was ordered' : isBeingPaid ? 'Your payment is being checked' : 'Not paid yet'}</h1>
<p class="lead">${
      isOver
        ? 'This checkout is over and nothing was charged. Your cart is still there.'
        : isBeingPaid
          ? 'This takes a moment. You need not pay again.'
          : 'The checkout is still open.'
    }</p>
<p>${
      isBeingPaid
        ? html`<a class="button" href="${at.base}/thanks?session=${id}">Look again</a>`
        : isOver || url === null
          ? html`<a class="button" href="${at.base}/cart">To the cart</a>`
          : html`<a class="button" href="${url}">Back to the checkout</a>`
    }</p>
</section>`,
  })
}

export function continuePage(at: Surroundings, url: string): string {
  return messagePage(at, {
    title: 'To the checkout',
    text: 'Everything is ready. You pay on a secure page of its own.',
    link: { href: url, text: 'Continue to the payment' },
  })
}

export interface Message {
  title: string
  text: string
  link: { href: string; text: string }
}

export function messagePage(at: Surroundings, { title, text, link }: Message): string {
  return page(at, {
    title,
    description: text,
    current: null,
    body: html`<section class="plain"><h1>${title}</h1><p class="lead">${text}</p>
<p><a class="button" href="${link.href}">${link.text}</a></p></section>`,
  })
}

interface Frame {
  // null: the start page, whose title is the name of the shop.
  title: string | null
  description: string
  // The slug of the top category, or 'all' or 'cart'.
  current: string | null
  // What is said of it elsewhere. Without it search engines leave the page out.
  found?: Found | null
  body: Html
}

interface Found extends Pick<Shared, 'image' | 'price'> {
  type?: Shared['type']
  // The one address that counts, whatever the page was asked by.
  url: string
  data?: Html | false
}

// As many as fit beside each other on a desk; the others are behind "More".
const categoriesInSight = 7

function page(at: Surroundings, { title, description, current, found = null, body }: Frame): string {
  const { base, merchant, categories, cartCount } = at
  const tops = categories.filter(({ path }) => path.length === 1)
  const inSight = tops.length <= categoriesInSight + 1 ? tops : tops.slice(0, categoriesInSight)
  const others = tops.slice(inSight.length)
  const here = (name: string) => name === current && html` aria-current="true"`
  const link = ({ slug, name }: Category) => html`<li><a href="${categoryHref(at, slug)}"${here(slug)}>${name}</a></li>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === null ? merchant.name : `${title} · ${merchant.name}`}</title>
<meta name="description" content="${description}">
${found === null ? html`<meta name="robots" content="noindex">` : foundTags(at, title ?? merchant.name, description, found)}
<link rel="icon" href="${base}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${at.styleHref}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="name" href="${base}/">${merchant.name}</a>
<form class="search" role="search" method="get" action="${base}/search">
<label class="hidden" for="q">Search the shop</label>
<input id="q" type="search" name="q" value="${at.q}" maxlength="200" placeholder="Search" autocomplete="off" enterkeyhint="search" required>
<button aria-label="Search">${searchMark()}</button>
</form>
<a class="to-cart" href="${base}/cart"${here('cart')}>${cartMark()}<span>Cart</span>${
    cartCount > 0 &&
    html` <span class="count">${cartCount}<span class="hidden"> ${cartCount === 1 ? 'thing' : 'things'}</span></span>`
  }</a>
<nav class="rooms" aria-label="Categories"><ul>
<li><a href="${base}/"${here('all')}>All</a></li>${inSight.map(link)}
</ul>
${
  others.length > 0 &&
  html`<details class="other-rooms"><summary${others.some(({ slug }) => slug === current) && html` class="current"`}>More<span class="hidden"> categories</span></summary><ul>${others.map(link)}</ul></details>`
}</nav>
</header>
<main id="main">${body}
</main>
<footer class="foot">
<p>${merchant.name}</p>
<p>${at.isTest && 'A test shop: no money moves and nothing is sent. '}Runs on Cartwright.</p>
</footer>
</body>
</html>
`.text
}

function foundTags(at: Surroundings, title: string, description: string, { data, ...found }: Found): Html {
  const shared = { type: 'website', siteName: at.merchant.name, locale: 'en', title, description, ...found } as const
  return html`<link rel="canonical" href="${found.url}">
${openGraph(shared)}${data}`
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

function absolute({ origin }: Surroundings, path: string): string {
  return new URL(path, origin).href
}

function noticeBox({ notice, merchant }: Surroundings): Html | null {
  // Redirects lead to #said. It can take the focus, so it is read aloud and the keyboard continues here.
  return (
    notice &&
    html`<p id="said" class="notice ${isGoodNews(notice) ? 'good' : 'bad'}" role="status" tabindex="-1">${noticeWords(notice, merchant.currency)}</p>`
  )
}

// One change per form, however often its button is pressed.
function onceField(): Html {
  return html`<input type="hidden" name="once" value="${randomUUID()}">`
}

// The version of the cart that the shopper has seen. If it has changed since, the API refuses.
function versionField({ version }: Cart): Html {
  return html`<input type="hidden" name="version" value="${version}">`
}

interface PictureTraits {
  alt: string
  width?: number | null
  height?: number | null
  // Visible at once; other pictures are loaded lazily.
  isFirst?: boolean
}

function pictureOf(at: Surroundings, url: string | null, { alt, width, height, isFirst = false }: PictureTraits): Html {
  const src = at.picture(url)
  if (src === null) return html`<span class="no-picture"></span>`
  return html`<img src="${src}" alt="${alt}" width="${width ?? 1200}" height="${height ?? 1200}"${!isFirst && html` loading="lazy"`} decoding="async">`
}

function searchMark(): Html {
  return html`<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"><circle cx="11" cy="11" r="6.500"/><path d="m16 16 4.500 4.500"/></svg>`
}

function cartMark(): Html {
  return html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"><path d="M4.5 9h15l-1.4 9.4a2 2 0 0 1-2 1.6H7.9a2 2 0 0 1-2-1.6zM8.5 9l2.2-5M15.500 9l-2.200-5"/></svg>`
}

function productHref({ base }: Surroundings, slug: string, skuCode?: string): string {
  return `${base}/products/${encodeURIComponent(slug)}${skuCode === undefined ? '' : `?sku=${encodeURIComponent(skuCode)}`}`
}

function categoryHref({ base }: Surroundings, slug: string): string {
  return `${base}/categories/${encodeURIComponent(slug)}`
}
