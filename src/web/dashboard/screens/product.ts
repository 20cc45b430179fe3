// A product: texts, pictures, options and the grid of variants. After a refusal the typed values are shown again. If another person has
// saved the product meanwhile, both versions are shown, and the person chooses.

import { randomUUID } from 'node:crypto'
import type { AdminProduct } from '../../../contract/admin/catalog.ts'
import type { AdminMaker } from '../../../contract/admin/makers.ts'
import { skuCodeLengthMax, skusMax } from '../../../contract/entries.ts'
import { issueAt } from '../../../contract/issues.ts'
import { limits } from '../../../contract/limits.ts'
import { withdrawalExemptions } from '../../../contract/words.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html, trusted } from '../../../platform/html/html.ts'
import { escapedInSlices, htmlInSlices } from '../../../platform/html/slices.ts'
import { createSlicePauses } from '../../../platform/kit/breath.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { type Refusal, refuse } from '../../../platform/kit/refuse.ts'
import {
  type Brands,
  type CategoryNode,
  listShopBrands,
  listShopCategories,
  listShopMakers,
  smallImage,
} from '../catalog.ts'
import {
  type Field,
  field,
  issueText,
  keyField,
  type LinkedField,
  leaveWarning,
  type Problems,
  parseTypedAmount,
  problemNote,
  readKey,
} from '../form.ts'
import { button, linkButton, pasteNote, renderCard, renderNotice, statusPill } from '../parts.ts'
import {
  copyDraft,
  type DraftDifference,
  type DraftEntry,
  type DraftRow,
  draftToEntry,
  emptyDraft,
  hashDraftParts,
  hasTooManyRows,
  haveOptionsChanged,
  isUsed,
  listDraftDifferences,
  mergeDrafts,
  optionsMax,
  type ProductDraft,
  readProductDraft,
  toDraft,
  valuesText,
  variantsMax,
  warningsLengthMax,
  withOneDescription,
  withVariants,
} from '../product.ts'
import {
  catchRefusal,
  type DashboardWords,
  type PostedScreen,
  type Screen,
  type ScreenResult,
  type ScreenVisit,
} from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import { scopeAll, scopeOfValue, scopeUnchanged } from '../variantpictures.ts'
import type { TextKey } from '../words.ts'

const formBytesMax = 4_194_304
// Exceeds the length of the hashes of all variants.
const baseLengthMax = 400_000

export const newProductScreen: Screen = {
  path: 'products/new',
  name: 'dashboard new product',
  place: 'products',
  needs: 'createAdminProduct',
  formBytesMax,
  async get(visit) {
    const { query, words, shop } = visit
    const from = query.get('from')
    if (from === null) return sheetOf(visit, { draft: emptyDraft })
    const { data } = await visit.ask('getAdminProduct', { path: { productId: from } })
    return sheetOf(visit, { draft: copyDraft(toDraft(data, shop.currency), words.say('product.copySuffix')) })
  },
  post: (posted) => save(posted),
}

export const productScreen: Screen = {
  path: 'products/:productId',
  name: 'dashboard product',
  place: 'products',
  needs: 'getAdminProduct',
  formBytesMax,
  async get(visit) {
    const present = await presentOf(visit)
    return sheetOf(visit, { draft: toDraft(present, visit.shop.currency), present })
  },
  post: async (posted) => save(posted, await presentOf(posted)),
}

async function presentOf(visit: ScreenVisit): Promise<AdminProduct> {
  return (await visit.ask('getAdminProduct', { path: { productId: visit.path.productId ?? '' } })).data
}

async function save(posted: PostedScreen, present?: AdminProduct): Promise<ScreenResult> {
  const { form, words, shop } = posted
  if (hasTooManyRows(form))
    throw refuse('invalid_request', { issues: [issueAt('/skus', 'too_many_items', { max: skusMax })] })
  const { draft: typed, was } = readProductDraft(form)
  const theirs = present && toDraft(present, shop.currency)
  const version = Number(form.get('version'))
  const base = form.get('base') ?? ''
  const seen = { version, base: base.length <= baseLengthMax ? base : '' }
  const chosen = [...form].filter(([name]) => name.startsWith(choicePrefix))
  const taken = new Set(
    chosen.filter(([, value]) => value === 'theirs').map(([name]) => name.slice(choicePrefix.length)),
  )
  let draft = theirs && chosen.length > 0 ? mergeDrafts(typed, theirs, taken) : typed
  if (form.get('do') === 'publish') draft = { ...draft, status: 'published' }
  const again = (more: Partial<SheetParts>) => sheetOf(posted, { draft, present, seen, status: 400, ...more })

  const unread = unreadPrice(posted)
  if (unread) return again(unread)
  if (chosen.length === 0 && (form.get('do') === 'variants' || haveOptionsChanged(draft.options, was))) {
    const made = withVariants(draft, was)
    if (!made) {
      const text = words.say('product.tooMany', { count: variantsMax })
      return again({ problems: { summary: text, at: { '/options': text } }, was })
    }
    draft = made
    const note = words.say('product.variantsMade', { count: made.rows.length })
    return again({ draft, status: 200, note, shows: 'variants' })
  }
  if (!present && form.get('do') === 'preview') return previewNew(posted, draft, again)
  const read = draftToEntry(withOneDescription(draft, seen.base), present?.product, shop.currency)
  if ('problems' in read) {
    const at = Object.fromEntries(
      Object.entries(read.problems).map(([pointer, kind]) => [pointer, words.say(problemTexts[kind])]),
    )
    return again({ problems: { summary: words.say('form.problem'), at } })
  }
  const parts = { key: readKey(form) }
  if (present && form.get('do') === 'preview') return preview(posted, present, read, again)
  const outcome = await catchRefusal(
    present
      ? posted.change('replaceAdminProduct', {
          path: { productId: present.id },
          body: { expectedVersion: version, product: read.entry },
          ...parts,
        })
      : posted.change('createAdminProduct', { body: { product: read.entry }, ...parts }),
    ['category_not_found', 'maker_not_found'],
  )
  if (!('refusal' in outcome)) {
    const { answer, change } = outcome.reply
    const href = posted.to(`products/${answer.data.id}`)
    return present ? redirectWithToast(href, 'done.saved', { change }) : redirectWithToast(href, 'done.created')
  }
  const { refusal } = outcome
  if (refusal.code === 'version_conflict' && present && theirs)
    return conflictOf(posted, { draft, theirs, present, seen })
  return again({ problems: refusedAt(posted, refusal, read), status: refusal.code === 'invalid_request' ? 400 : 409 })
}

// Checks the price for all variants, which is not a part of the draft.
function unreadPrice({ form, words, shop }: PostedScreen): Pick<SheetParts, 'allPrice' | 'problems'> | undefined {
  const allPrice = (form.get('allPrice') ?? '').trim().slice(0, 20)
  if (allPrice === '' || parseTypedAmount(allPrice, shop.currency) !== undefined) return undefined
  return { allPrice, problems: { summary: words.say('form.problem'), at: { '/allPrice': words.say('form.notMoney') } } }
}

// Shows the product as it would be saved, with its formatted description sanitized.
async function preview(
  posted: PostedScreen,
  { id, version, product: { descriptionHtml } }: AdminProduct,
  read: DraftEntry,
  again: (more: Partial<SheetParts>) => Promise<ScreenResult>,
): Promise<ScreenResult> {
  const body = { expectedVersion: version, product: read.entry, dryRun: true }
  const outcome = await catchRefusal(
    posted.ask('replaceAdminProduct', { path: { productId: id }, body, key: newId('req') }),
    ['category_not_found', 'maker_not_found'],
  )
  if ('refusal' in outcome) return again({ problems: refusedAt(posted, outcome.refusal, read) })
  const members = outcome.reply.changes.flatMap((change) => change.members)
  const changed = members.find(({ member }) => member === 'descriptionHtml')
  return again({ status: 200, preview: String((changed ? changed.to : descriptionHtml) ?? ''), shows: 'preview' })
}

// A new product may still lack a price and a name, so only the description is checked.
async function previewNew(
  posted: PostedScreen,
  { descriptionHtml }: ProductDraft,
  again: (more: Partial<SheetParts>) => Promise<ScreenResult>,
): Promise<ScreenResult> {
  const code = `preview-${randomUUID()}`
  const standIn = { slug: code, name: code, published: false, skus: [{ code, price: 0 }] }
  const product = { ...standIn, ...(descriptionHtml !== '' && { descriptionHtml }) }
  const outcome = await catchRefusal(
    posted.ask('createAdminProduct', { body: { product, dryRun: true }, key: newId('req') }),
  )
  if ('refusal' in outcome)
    return again({ problems: refusedAt(posted, outcome.refusal, { entry: product, rowOf: [] }) })
  return again({ status: 200, preview: outcome.reply.data.product.descriptionHtml ?? '', shows: 'preview' })
}

const problemTexts = {
  notMoney: 'form.notMoney',
  notNumber: 'form.notNumber',
  notMeasure: 'product.notMeasure',
  needed: 'form.required',
} as const satisfies Readonly<Record<string, TextKey>>

// Assigns refusals and issues to their fields.
function refusedAt({ words, shop }: ScreenVisit, refusal: Refusal, { rowOf }: DraftEntry): Problems {
  const text = words.refusal(refusal)
  if (refusal.code === 'maker_not_found') return { summary: text, at: { '/maker': text } }
  if (refusal.code === 'product_exists') return { summary: text, at: { '/slug': text } }
  const at: Record<string, string> = {}
  for (const { path, ...rule } of refusal.details.issues ?? []) {
    const pointer = path
      .replace(/^\/product/, '')
      .replace(/^\/skus\/(\d+)/, (_, index: string) => `/skus/${rowOf[Number(index)] ?? index}`)
      .replace(/^\/(options|warnings|tags)\/.*/, '/$1')
      // These members have a single field for all variants.
      .replace(/^\/skus\/\d+\/(taxClass|maxPerOrder)$/, '/$1')
    const isMoney = /\/(?:price|compareAtPrice)$/.test(pointer)
    const kind = isMoney ? 'money' : pointer.endsWith('/url') ? 'url' : 'line'
    at[pointer] ??= issueText(words, rule, { kind, currency: shop.currency, isWord: pointer === '/taxClass' })
  }
  const isShown = (pointer: string) =>
    /^\/(?:name|brand|slug|summary|seoTitle|seoDescription|description|descriptionHtml|maker|warnings|guarantee|options|maxPerOrder|taxClass|tags$|images\/\d+\/alt$|skus\/)/.test(
      pointer,
    )
  const rest = Object.entries(at).flatMap(([pointer, message]) => (isShown(pointer) ? [] : [message]))
  return { summary: [text, ...rest].join(' '), at }
}

interface Seen {
  version: number
  base: string
}

interface SheetParts {
  draft: ProductDraft
  present?: AdminProduct | undefined
  // The version that this person opened (default: the stored product).
  seen?: Seen | undefined
  problems?: Problems | undefined
  status?: number | undefined
  note?: string | undefined
  // The typed price for all variants, if it is not a valid amount.
  allPrice?: string
  // The part to which the page scrolls after a button was pressed (default: the top).
  shows?: 'variants' | 'preview'
  // Sanitized HTML of the preview that was requested.
  preview?: string | undefined
  // The options from which the grid was built, if they differ from the draft's options.
  was?: ProductDraft['options'] | undefined
}

async function sheetOf(visit: ScreenVisit, parts: SheetParts): Promise<ScreenResult> {
  const { words, to, may } = visit
  const { draft, present, problems = { at: {} }, note } = parts
  // A form with thousands of variants is read in one slice and rendered in others.
  await createSlicePauses().take()
  const [categories, brands, makers] = await Promise.all([
    listShopCategories(visit),
    listShopBrands(visit),
    listShopMakers(visit),
  ])
  const longTexts: LongTexts = {
    description: await escapedInSlices(draft.description),
    descriptionHtml: await escapedInSlices(draft.descriptionHtml),
  }
  const mayChange = may('replaceAdminProduct') && present?.status !== 'archived'
  const seen = parts.seen ?? (present && { version: present.version, base: hashDraftParts(draft) })
  const form = html`${keyField()}${seen && hiddenFields({ version: seen.version, base: seen.base })}
${problemNote(problems, linkedFields(words, draft), words)}
${note !== undefined && html`<p class="notice" role="status">${note}</p>`}
<div class="columns">
  <div>
    ${textsCard(visit, { ...parts, problems }, { brands, longTexts })}
    ${picturesCard(visit, draft, { present, problems })}
    ${optionsCard(visit, draft, problems, parts.allPrice ?? '')}
    ${safetyCard(visit, draft, makers, problems)}
    ${foundCard(visit, draft, problems)}
  </div>
<div>
  ${stateCard(visit, draft, present)}
  ${categoriesCard(visit, draft, categories, problems)}
  ${sharedCard(visit, draft, problems)}</div></div>
${await variantsCard(visit, { ...parts, problems })}`
  return {
    title: present ? present.product.name : words.say('products.new'),
    status: parts.status ?? 200,
    back: { href: to('products'), label: words.say('products.title') },
    ...(present && { badge: statusPill(words, 'product', present.status), actions: await actionsOf(visit, present) }),
    body: mayChange
      ? html`<form
        class="form product"
        id="product-form"
        method="post"
        action="${to(present ? `products/${present.id}` : 'products/new')}"${leaveWarning(visit)}>
        ${form}
<div class="form-foot sticky">
  ${button({ label: words.say('action.save'), kind: 'first', shortcut: 'save' })}
  ${draft.status === 'hidden' && button({ label: words.say('product.saveAndPublish'), name: 'do', value: 'publish' })}
  <a class="button plain" href="${present ? to(`products/${present.id}`) : to('products')}">
    ${words.say(present ? 'product.discard' : 'action.cancel')}
  </a></div>
</form>
<template id="picture-row">
  ${pictureRow(
    visit,
    { url: '', alt: '', width: '', height: '', shows: scopeAll },
    { at: 'N', options: draft.options, problem: undefined },
  )}</template>`
      : html`<fieldset class="form product" disabled>${form}</fieldset>`,
  }
}

const fieldLabels: Readonly<Record<string, { key: TextKey; pointer?: string }>> = {
  name: { key: 'product.name' },
  brand: { key: 'product.brand' },
  summary: { key: 'product.summary' },
  seoTitle: { key: 'product.seoTitle' },
  seoDescription: { key: 'product.seoDescription' },
  description: { key: 'product.description' },
  descriptionHtml: { key: 'product.html' },
  options: { key: 'product.options' },
  maker: { key: 'product.maker' },
  warnings: { key: 'product.warnings' },
  guaranteeYears: { key: 'product.guarantee', pointer: '/guarantee/years' },
  guaranteeUrl: { key: 'product.guaranteeUrl', pointer: '/guarantee/url' },
  taxClass: { key: 'product.taxClass' },
  maxPerOrder: { key: 'product.maxPerOrder' },
  slug: { key: 'product.slug' },
  tags: { key: 'product.tags' },
  allPrice: { key: 'product.allPrice' },
}

const cellLabels: Readonly<Record<string, TextKey>> = {
  code: 'stock.code',
  price: 'stock.price',
  compareAtPrice: 'stock.compareAt',
  stock: 'stock.onHand',
  weightGrams: 'product.weight',
  measure: 'product.measure',
}

// The fields that problems link to, in the order of the page.
function linkedFields(words: DashboardWords, { rows, images }: ProductDraft): LinkedField[] {
  const named = Object.entries(fieldLabels).map(([name, { key, pointer }]) => ({
    name,
    label: words.say(key),
    ...(pointer !== undefined && { pointer }),
  }))
  const cells = rows.flatMap((row, at) =>
    Object.entries(cellLabels).map(([member, key]) => ({
      name: member,
      id: `sku-${at}-${member}`,
      pointer: `/skus/${at}/${member}`,
      label: `${rowLabel(row)} ${words.say(key)}`.trim(),
    })),
  )
  const alts = images.map((_, at) => ({
    name: `image.${at}.alt`,
    id: `image-${at}-alt`,
    pointer: `/images/${at}/alt`,
    label: `${words.say('product.alt')}, ${at + 1}`,
  }))
  return [...named, ...alts, ...cells]
}

function rowLabel({ values, code }: DraftRow): string {
  return values.filter(Boolean).join(' / ') || code
}

async function actionsOf(visit: ScreenVisit, { id, status, product: { slug } }: AdminProduct): Promise<Html> {
  const { words, to, may, shop } = visit
  const { url } = (await visit.ask('getAdminSite')).data
  const change = (what: string, label: string) =>
    html`<form method="post" action="${to('products/change')}">
      ${keyField()}
      ${hiddenFields({ product: id, back: to(`products/${id}`) })}
      ${button({ label, name: 'do', value: what })}
    </form>`
  const seen = url === null ? `/api/v1/catalog/merchants/${shop.slug}/products/${slug}` : `${url}/products/${slug}`
  return html`${
    status === 'published' &&
    linkButton({ label: words.say('product.seeInShop'), href: seen, icon: 'eye', isNewTab: true })
  }
${may('createAdminProduct') && linkButton({ label: words.say('product.copy'), href: to('products/new', { from: id }) })}
${
  may('updateAdminProducts') &&
  (status === 'archived'
    ? change('hidden', words.say('product.restore'))
    : change('archived', words.say('products.archive')))
}`
}

// Escaped in slices.
interface LongTexts {
  description: Html
  descriptionHtml: Html
}

function textsCard(
  { words }: ScreenVisit,
  { draft, problems, present, preview }: SheetParts,
  { brands: { names }, longTexts }: { brands: Brands; longTexts: LongTexts },
): Html {
  return renderCard({
    body: html`<div class="fields">
${field(
  words,
  {
    name: 'name',
    label: words.say('product.name'),
    kind: 'line',
    isRequired: true,
    isFirst: draft.name === '',
    lengthMax: 200,
  },
  draft.name,
  problems,
)}
${field(
  words,
  {
    name: 'brand',
    label: words.say('product.brand'),
    kind: 'line',
    lengthMax: limits.brandLengthMax,
    suggestions: names,
    help: words.say('product.brandHelp'),
  },
  draft.brand,
  problems,
)}
${field(
  words,
  {
    name: 'summary',
    label: words.say('product.summary'),
    kind: 'text',
    rows: 2,
    lengthMax: 500,
    help: words.say('product.summaryHelp'),
  },
  draft.summary,
  problems,
)}
${plainDescription(words, { draft, problems }, longTexts.description)}
</div>
${formattedText(words, { draft, problems, present, preview }, longTexts.descriptionHtml)}`,
  })
}

function plainDescription(words: DashboardWords, { draft, problems }: SheetParts, text: Html): Html {
  return field(
    words,
    {
      name: 'description',
      label: words.say('product.description'),
      kind: 'text',
      rows: 8,
      lengthMax: limits.descriptionLengthMax,
      help: words.say(draft.descriptionHtml === '' ? 'product.descriptionHelp' : 'product.descriptionBoth'),
    },
    text,
    problems,
  )
}

function formattedText(words: DashboardWords, { draft, problems, present, preview }: SheetParts, longText: Html): Html {
  return html`<details
    class="formatted"${
      (draft.descriptionHtml !== '' || preview !== undefined || problems?.at['/descriptionHtml'] !== undefined) &&
      html` open`
    }>
    <summary>${words.say('product.formatted')}</summary>
<div class="fields">
  ${field(
    words,
    {
      name: 'descriptionHtml',
      label: words.say('product.html'),
      kind: 'text',
      rows: 10,
      isRich: true,
      lengthMax: limits.descriptionHtmlLengthMax,
      help: words.say('product.htmlHelp'),
    },
    longText,
    problems,
  )}</div>
<p>${button({ label: words.say('product.preview'), name: 'do', value: 'preview', isUnchecked: !present })}</p>
  ${previewOf(words, draft, present, preview)}</details>`
}

// Renders sanitized HTML: a requested preview, or the stored description if the form has not changed it.
function previewOf(
  words: DashboardWords,
  { descriptionHtml }: ProductDraft,
  present: AdminProduct | undefined,
  asked: string | undefined,
): Html | false {
  const stored = present?.product.descriptionHtml ?? ''
  const safe = asked ?? (stored.trim() === descriptionHtml ? stored : '')
  if (safe === '') return false
  return html`<section
    class="preview"
    aria-label="${words.say('product.previewed')}"${asked !== undefined && html` tabindex="-1" autofocus`}>
    <div class="rich" dir="auto">${trusted(safe)}</div>
  </section>`
}

// Longer than any search result.
const foundTextMax = 400

// The product as a search result would show it. browser/shown.ts updates it while the person types.
function foundCard({ words, shop, server }: ScreenVisit, draft: ProductDraft, problems: Problems): Html {
  const shows = (fields: string, ...texts: readonly string[]) =>
    html`<span data-shows="${fields}">${(texts.find((text) => text !== '') ?? '').slice(0, foundTextMax)}</span>`
  const { name, summary, description, seoTitle, seoDescription } = draft
  const draw = (member: 'seoTitle' | 'seoDescription', more: Partial<Field>) =>
    field(
      words,
      {
        name: member,
        label: words.say(`product.${member}`),
        kind: 'line',
        help: words.say(`product.${member}Help`),
        ...more,
      },
      draft[member],
      problems,
    )
  return renderCard({
    title: words.say('product.found'),
    body: html`<figure class="found" aria-label="${words.say('product.foundPreview')}" dir="auto">
  <p class="found-address">${new URL(server.origin).host} › … › ${shows('slug', draft.slug)}</p>
  <p class="found-title">${shows('seoTitle name', seoTitle, name)} – ${shop.name}</p>
  <p class="found-text">${shows('seoDescription summary description', seoDescription, summary, description)}</p>
</figure>
<div class="fields">
  ${draw('seoTitle', { lengthMax: limits.seoTitleLengthMax })}
  ${draw('seoDescription', { kind: 'text', rows: 2, lengthMax: limits.seoDescriptionLengthMax })}
</div>`,
  })
}

function stateCard({ words }: ScreenVisit, draft: ProductDraft, present: AdminProduct | undefined): Html {
  const options = (['published', 'hidden'] as const).map((value) => ({
    value,
    label: words.say(`state.product.${value}`),
  }))
  return renderCard({
    title: words.say('product.state'),
    body: html`<div class="fields">${field(
      words,
      { name: 'status', label: words.say('products.status'), kind: 'choice', options, isRequired: true },
      draft.status,
    )}</div>
${
  present &&
  html`<p class="help after">${words.say('product.changedAt', { date: words.moment(present.updatedAt) })}</p>`
}`,
  })
}

function categoriesCard(
  { words }: ScreenVisit,
  draft: ProductDraft,
  categories: readonly CategoryNode[],
  problems: Problems,
): Html {
  return renderCard({
    title: words.say('categories.title'),
    body: html`${
      categories.length === 0
        ? html`<p class="soft">${words.say('categories.empty')}</p>`
        : html`<div class="checks" role="group" aria-label="${words.say('categories.title')}">
        ${categories.map(
          ({ category: { slug, name }, depth }) => html`<label class="check depth-${depth}">
            <input type="checkbox" name="category" value="${slug}"${draft.categories.includes(slug) && html` checked`}> <span
              dir="auto">
              ${name}
            </span>
          </label>`,
        )}
      </div>`
    }
<div class="fields after">
  ${field(
    words,
    {
      name: 'tags',
      label: words.say('product.tags'),
      kind: 'line',
      lengthMax: 3_200,
      help: words.say('product.tagsHelp'),
    },
    draft.tags,
    problems,
  )}</div>`,
  })
}

function sharedCard({ words }: ScreenVisit, draft: ProductDraft, problems: Problems): Html {
  const { shared } = draft
  const mixed = { value: '', label: words.say('product.mixed') }
  const yesNo = (value: string, yes: TextKey, no: TextKey) => [
    ...(value === '' ? [mixed] : []),
    { value: 'yes', label: words.say(yes) },
    { value: 'no', label: words.say(no) },
  ]
  return renderCard({
    title: words.say('product.selling'),
    body: html`<div class="fields">${shared.mixed.map((name) => hiddenFields({ mixed: name }))}
${field(
  words,
  {
    name: 'shipping',
    label: words.say('product.delivery'),
    kind: 'choice',
    isRequired: true,
    options: yesNo(shared.shipping, 'product.shipped', 'product.digital'),
  },
  shared.shipping,
)}
${field(
  words,
  {
    name: 'backorder',
    label: words.say('product.soldOut'),
    kind: 'choice',
    isRequired: true,
    options: [
      ...yesNo(shared.backorder, 'product.backorder', 'product.noBackorder'),
      { value: 'uncounted', label: words.say('product.uncounted') },
    ],
  },
  shared.backorder,
)}
${limitFields(words, draft, problems)}
${field(
  words,
  { name: 'slug', label: words.say('product.slug'), kind: 'line', lengthMax: 120, help: words.say('product.slugHelp') },
  draft.slug,
  problems,
)}
</div>`,
  })
}

function limitFields(words: DashboardWords, { shared }: ProductDraft, problems: Problems): Html {
  const mixedHelp = (name: 'taxClass' | 'maxPerOrder') =>
    shared.mixed.includes(name) && { help: words.say('product.mixed') }
  return html`${field(
    words,
    {
      name: 'taxClass',
      label: words.say('product.taxClass'),
      kind: 'line',
      lengthMax: 40,
      isHalf: true,
      ...mixedHelp('taxClass'),
    },
    shared.taxClass,
    problems,
  )}
${field(
  words,
  {
    name: 'maxPerOrder',
    label: words.say('product.maxPerOrder'),
    kind: 'line',
    lengthMax: 4,
    isHalf: true,
    ...mixedHelp('maxPerOrder'),
  },
  shared.maxPerOrder,
  problems,
)}`
}

function safetyCard(
  { words, to, may }: ScreenVisit,
  draft: ProductDraft,
  makers: readonly AdminMaker[],
  problems: Problems,
): Html {
  const known = makers.map(({ maker }) => ({ value: maker.slug, label: maker.name }))
  const options = [{ value: '', label: words.say('product.noMaker') }, ...known]
  return renderCard({
    title: words.say('product.safety'),
    aside:
      may('createAdminMaker') &&
      html`<a href="${to(makers.length === 0 ? 'makers/new' : 'makers')}">
        ${words.say(makers.length === 0 ? 'makers.new' : 'makers.title')}
      </a>`,
    body: html`<div class="fields">
${field(
  words,
  { name: 'maker', label: words.say('product.maker'), kind: 'choice', options, help: words.say('product.makerHelp') },
  draft.maker,
  problems,
)}
${field(
  words,
  {
    name: 'warnings',
    label: words.say('product.warnings'),
    kind: 'text',
    rows: 3,
    lengthMax: warningsLengthMax,
    help: words.say('product.warningsHelp'),
  },
  draft.warnings,
  problems,
)}
${rightsFields(words, draft, problems)}
</div>`,
  })
}

function rightsFields(words: DashboardWords, draft: ProductDraft, problems: Problems): Html {
  return html`${field(
    words,
    {
      name: 'exempt',
      label: words.say('product.exempt'),
      kind: 'choice',
      options: exemptOptions(words),
      isHalf: true,
      help: words.say('product.exemptHelp'),
    },
    draft.exempt,
    problems,
  )}
${field(
  words,
  {
    name: 'digital',
    label: words.say('product.digitalContent'),
    kind: 'choice',
    options: digitalOptions(words),
    isHalf: true,
    isRequired: true,
    help: words.say('product.digitalHelp'),
  },
  draft.digital,
  problems,
)}
${field(
  words,
  {
    name: 'guaranteeYears',
    pointer: '/guarantee/years',
    label: words.say('product.guarantee'),
    kind: 'line',
    lengthMax: 2,
    isHalf: true,
    help: words.say('product.guaranteeHelp'),
  },
  draft.guaranteeYears,
  problems,
)}
${field(
  words,
  {
    name: 'guaranteeUrl',
    pointer: '/guarantee/url',
    label: words.say('product.guaranteeUrl'),
    kind: 'url',
    lengthMax: 500,
    isHalf: true,
  },
  draft.guaranteeUrl,
  problems,
)}`
}

function exemptOptions(words: DashboardWords) {
  const reasons = withdrawalExemptions.map((value) => ({ value, label: words.say(`exempt.${value}`) }))
  return [{ value: '', label: words.say('product.notExempt') }, ...reasons]
}

function digitalOptions(words: DashboardWords) {
  return [
    { value: 'no', label: words.say('member.no') },
    { value: 'yes', label: words.say('member.yes') },
  ]
}

function picturesCard(
  visit: ScreenVisit,
  { images, options }: ProductDraft,
  { present, problems }: { present: AdminProduct | undefined; problems: Problems },
): Html {
  const { words, to, may } = visit
  const mayUpload = may('uploadAdminPicture') && present?.status !== 'archived'
  return renderCard({
    title: words.say('product.pictures'),
    aside: html`<span class="soft">${words.say('product.picturesHelp')}</span>`,
    body: html`<ul class="pictures" data-pictures="${to('pictures')}">
      ${images.map((image, at) =>
        pictureRow(visit, image, { at: String(at), options, problem: problems.at[`/images/${at}/alt`] }),
      )}
    </ul>
${
  mayUpload &&
  html`<label class="drop with-script" data-drop>
    <span>${words.say('product.drop')}</span>
    <input type="file" accept="image/*" multiple data-picture-input>
  </label>
<p
  class="help"
  role="status"
  data-picture-status
  data-busy="${words.say('product.uploading')}"
  data-failed="${words.say('product.uploadFailed')}"></p>
<p class="without-script">
  ${
    present
      ? html`<a href="${to(`products/${present.id}/picture`)}">${words.say('product.addPicture')}</a>`
      : html`<span class="help">${words.say('product.saveFirst')}</span>`
  }</p>`
}`,
  })
}

function pictureRow(
  { words }: ScreenVisit,
  image: ProductDraft['images'][number],
  { at, options, problem }: { at: string; options: ProductDraft['options']; problem: string | undefined },
): Html {
  const name = (part: string) => `image.${at}.${part}`
  const altId = `image-${at}-alt`
  const state = problem !== undefined && html` id="${altId}" aria-invalid="true" aria-describedby="${altId}-problem"`
  return html`<li data-picture draggable="true">
    <img
      src="${image.url === '' ? '/favicon.svg' : smallImage(image.url)}"
      alt=""
      width="96"
      height="96"
      loading="lazy"
      decoding="async">
${hiddenFields({ [name('url')]: image.url, [name('width')]: image.width, [name('height')]: image.height })}
<div class="picture-fields">
  <label>
    ${words.say('product.alt')}
    <input name="${name('alt')}" value="${image.alt}" maxlength="500" dir="auto" autocomplete="off"${state}>
  </label>
${problem !== undefined && html`<p class="wrong" id="${altId}-problem">${problem}</p>`}
${showsChoice(words, name('shows'), image.shows, options)}
<div class="picture-tools">
  <label class="without-script">
    ${words.say('categories.position')} <input
      name="${name('position')}"
      value="${at === 'N' ? '' : Number(at) + 1}"
      inputmode="numeric"
      maxlength="3"
      data-position>
  </label>
<button type="button" class="button plain with-script" data-move="-1">${words.say('product.earlier')}</button>
  <button type="button" class="button plain with-script" data-move="1">${words.say('product.later')}</button>
<label class="check"><input type="checkbox" name="${name('remove')}" value="yes"> ${words.say('product.remove')}</label>
  </div></div></li>`
}

// Chooses the variants that a picture shows, by a value of an option.
function showsChoice(
  words: DashboardWords,
  name: string,
  shows: string,
  options: ProductDraft['options'],
): Html | false {
  const used = options.map((option, slot) => ({ ...option, slot })).filter(isUsed)
  if (used.length === 0) return false
  const choice = (value: string, label: string) =>
    html`<option value="${value}"${value === shows && html` selected`}>${label}</option>`
  return html`<label>
    ${words.say('product.shows')}
    <select name="${name}">
      ${choice(scopeAll, words.say('product.showsAll'))}
      ${shows === scopeUnchanged && choice(scopeUnchanged, words.say('product.showsSome'))}
      ${used.map(
        ({ slot, name: option, values }) => html`<optgroup label="${option}">
          ${values.map((value) => choice(scopeOfValue(slot, value), value))}
        </optgroup>`,
      )}
    </select>
  </label>`
}

function optionsCard({ words }: ScreenVisit, { options }: ProductDraft, problems: Problems, allPrice: string): Html {
  const problem = problems.at['/options']
  const isWrong = problem !== undefined
  const priceProblem = problems.at['/allPrice']
  const used = options.filter(isUsed).length
  const slots = Array.from({ length: optionsMax }, (_, slot) => slot)
  return renderCard({
    title: words.say('product.options'),
    aside: html`<span class="soft">${words.say('product.optionsHelp')}</span>`,
    body: html`<div class="options">
      ${slots.map((slot) => {
        const { name = '', values = [] } = options[slot] ?? {}
        const number = slot + 1
        return html`<div class="option-row">
          <label>
            ${words.say('product.optionName', { number })}
            <input
              id="${slot === 0 ? 'field-options' : `option-${slot}-name`}"
              name="option.${slot}.name"
              value="${name}"
              maxlength="100"
              dir="auto"
              autocomplete="off"${isWrong && slot === 0 && html` aria-invalid="true" aria-describedby="field-options-problem"`}
              placeholder="${slot === 0 ? words.say('product.optionExample') : ' '}">
          </label>
<label>
  ${words.say('product.optionValues', { number })}
  <textarea
    name="option.${slot}.values"
    rows="${Math.min(
      6,
      Math.max(1, values.some((one) => one.includes(',')) ? values.length : Math.ceil(values.join(', ').length / 70)),
    )}"
    dir="auto"${slot === 0 && html` placeholder="${words.say('product.valuesExample')}"`}>${valuesText(values)}</textarea></label>
  </div>`
      })}
    </div>
${isWrong && html`<p class="wrong" id="field-options-problem">${problem}</p>`}
<div class="after make-variants">
  <label>
    ${words.say('product.allPrice')} <input
      id="field-allPrice"
      name="allPrice"
      inputmode="decimal"
      maxlength="14"
      dir="ltr"
      autocomplete="off"
      value="${allPrice}"
      aria-describedby="all-price-help${priceProblem !== undefined && ' field-allPrice-problem'}"${
        priceProblem !== undefined && html` aria-invalid="true"`
      }>
  </label>
${button({
  label: words.say(used > 0 ? 'product.updateVariants' : 'product.makeVariants'),
  name: 'do',
  value: 'variants',
})}</div>
  ${priceProblem !== undefined && html`<p class="wrong" id="field-allPrice-problem">${priceProblem}</p>`}
  <p class="help" id="all-price-help">${words.say('product.allPriceHelp')}</p>`,
  })
}

async function variantsCard(visit: ScreenVisit, parts: SheetParts & { problems: Problems }): Promise<Html> {
  const { words, to } = visit
  const { draft, present, was = draft.options, problems } = parts
  const { rows, options } = draft
  const used = options.filter(isUsed)
  const heads: readonly TextKey[] = [
    ...(['stock.code', 'stock.price', 'stock.compareAt', 'stock.onHand', 'product.weight', 'product.measure'] as const),
  ]
  const onHandOf = new Map(present?.skus.map(({ code, onHand }) => [code, onHand]))
  const wrongOf = problemsByRow(problems)
  const drawn = await htmlInSlices(rows, (row, at) =>
    variantRow(visit, {
      row,
      at,
      hasOptions: used.length > 0,
      onHand: onHandOf.get(row.code),
      problems,
      isFocused: parts.shows === 'variants' && at === 0,
      wrong: wrongOf.get(at) ?? [],
    }),
  )
  const marks = html`${was.map((option, slot) =>
    hiddenFields({ [`option.${slot}.was`]: valuesText(option.values), [`option.${slot}.wasName`]: option.name }),
  )}`
  return renderCard({
    title:
      used.length > 0 ? words.say('products.variants', { count: rows.length }) : words.say('product.priceAndStock'),
    isFlush: true,
    aside: present && html`<a href="${to('stock', { productId: present.id })}">${words.say('product.editStock')}</a>`,
    body: html`${marks}
    <div class="scroll">
      <table class="rows sheet-cells variants" data-sheet>
        <caption class="hidden">${words.say('product.priceAndStock')}</caption>
<thead>
  <tr>
    ${used.length > 0 && html`<th scope="col">${used.map(({ name }) => name).join(' / ')}</th>`}
    ${heads.map((key) => html`<th scope="col">${words.say(key)}</th>`)}
    ${used.length > 0 && html`<th scope="col">${words.say('product.sold')}</th>`}
  </tr></thead>
<tbody>${drawn}</tbody></table></div>
  ${pasteNote(words.say('table.leftOut', { count: '{count}' }))}
  <p class="card-note soft small">${words.say('product.measureHelp')}</p>
  ${claimNotes(visit, present)}`,
  })
}

// Lists the prior price that shoppers see for each stored compare-at price.
function claimNotes({ words, shop }: ScreenVisit, present: AdminProduct | undefined): Html | false {
  const claimed = present?.skus.filter((_, at) => present.product.skus[at]?.compareAtPrice != null) ?? []
  if (claimed.length === 0) return false
  const isVaried = (present?.skus.length ?? 0) > 1
  const lines = claimed.slice(0, claimsShownMax).map(({ code, priorPrice }) => {
    const text =
      priorPrice === null
        ? words.say('stock.claimHidden')
        : words.say('stock.claimShown', { price: words.money(priorPrice, shop.currency) })
    return html`<li>${isVaried && html`<code>${code}</code> `}${text}</li>`
  })
  return html`<ul class="claims soft small">${lines}</ul>`
}

const claimsShownMax = 10

interface RowParts {
  row: DraftRow
  at: number
  hasOptions: boolean
  onHand: number | undefined
  problems: Problems
  isFocused: boolean
  wrong: readonly string[]
}

function problemsByRow({ at }: Problems): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const [pointer, text] of Object.entries(at)) {
    const [, row] = /^\/skus\/(\d+)(?:\/|$)/.exec(pointer) ?? []
    if (row !== undefined) found.set(Number(row), [...(found.get(Number(row)) ?? []), text])
  }
  return found
}

function variantRow(
  { words }: ScreenVisit,
  { row, at, hasOptions, onHand, problems, isFocused, wrong }: RowParts,
): Html {
  const label = rowLabel(row)
  const noteId = `sku-${at}-problem`
  const cell = (
    name: string,
    value: string,
    key: TextKey,
    member: string,
    mode: 'text' | 'decimal' | 'numeric',
  ): Html => {
    const isWrong = problems.at[`/skus/${at}/${member}`] !== undefined
    return html`<td class="cell" data-head="${words.say(key)}">
      <input
        id="sku-${at}-${member}"
        name="sku.${at}.${name}"
        value="${value}"
        inputmode="${mode}"
        dir="ltr"
        autocomplete="off"
        maxlength="${mode === 'text' ? skuCodeLengthMax : 14}"
        aria-label="${words.say(key)}${label !== '' && `, ${label}`}"${
          isWrong && html` aria-invalid="true" aria-describedby="${noteId}"`
        }${isFocused && member === 'price' && html` autofocus`}>
    </td>`
  }
  const known = html`<td data-head="${words.say('stock.code')}"><code>${row.code}</code></td>`
  return html`<tr>
    ${
      hasOptions &&
      html`<th scope="row" class="main" dir="auto">
        ${label}
        ${wrong.length > 0 && html`<span class="wrong" id="${noteId}">${wrong.join(' ')}</span>`}
      </th>`
    }
${row.isKnown ? known : cell('code', row.code, 'stock.code', 'code', 'text')}
  ${cell('price', row.price, 'stock.price', 'price', 'decimal')}
  ${cell('compareAt', row.compareAt, 'stock.compareAt', 'compareAtPrice', 'decimal')}
${
  row.isKnown
    ? html`<td data-head="${words.say('stock.onHand')}">${words.number(onHand ?? 0)}</td>`
    : cell('stock', row.stock, 'stock.onHand', 'stock', 'numeric')
}
  ${cell('weight', row.weight, 'product.weight', 'weightGrams', 'numeric')}
  ${cell('measure', row.measure, 'product.measure', 'measure', 'text')}
${
  hasOptions
    ? html`<td data-head="${words.say('product.sold')}">
    <input
      type="checkbox"
      name="sku.${at}.sold"
      value="yes"
      aria-label="${words.say('product.sold')}, ${label}"${row.isSold && html` checked`}>
    ${rowMarks(row, at)}
  </td>`
    : html`<td class="mark">
    ${rowMarks(row, at)}
    ${hiddenFields({ [`sku.${at}.sold`]: 'yes' })}
    ${wrong.length > 0 && html`<span class="wrong" id="${noteId}">${wrong.join(' ')}</span>`}
  </td>`
}</tr>`
}

function rowMarks({ isKnown, code, values }: DraftRow, at: number): Html {
  return html`${isKnown && hiddenFields({ [`sku.${at}.known`]: 'yes', [`sku.${at}.code`]: code })}
  ${values.map((value, slot) => value !== '' && hiddenFields({ [`sku.${at}.value.${slot}`]: value }))}`
}

// An edit conflict: another person has saved the product meanwhile. Both versions are shown, and the person chooses one for each part.

const choicePrefix = 'choice.'
const notCarried = new Set(['key', 'version', 'base', 'do'])

interface Conflict {
  draft: ProductDraft
  theirs: ProductDraft
  present: AdminProduct
  seen: Seen
}

function conflictOf(posted: PostedScreen, { draft, theirs, present, seen }: Conflict): ScreenResult {
  const { words, to, form } = posted
  const differences = listDraftDifferences(draft, theirs, seen.base)
  const carried = [...form].filter(([name]) => !notCarried.has(name) && !name.startsWith(choicePrefix))
  return {
    title: words.say('conflict.title'),
    status: 409,
    back: { href: to(`products/${present.id}`), label: present.product.name },
    body: html`<form class="form" method="post" action="${to(`products/${present.id}`)}">
      ${keyField()}
      ${hiddenFields({ version: present.version, base: hashDraftParts(theirs) })}
      ${carried.map(([name, value]) => hiddenFields({ [name]: value }))}
      ${hiddenFields({ [`${choicePrefix}-`]: 'mine' })}
${renderNotice('bad', words.say('conflict.text', { date: words.moment(present.updatedAt) }), 'alert')}
${renderCard({
  isFlush: true,
  body: html`<div class="scroll">
    <table class="versions">
      <caption class="hidden">${words.say('conflict.title')}</caption>
      <thead>
        <tr>
          <th scope="col">${words.say('conflict.part')}</th>
          <th scope="col">${words.say('conflict.theirs')}</th>
          <th scope="col">${words.say('conflict.mine')}</th>
        </tr>
      </thead>
<tbody>${differences.map((one) => differenceRow(posted, shownDifference(posted, one, draft, theirs)))}</tbody></table>
  </div>
  ${differences.length === 0 && html`<p class="card-note">${words.say('conflict.none')}</p>`}`,
})}
<div class="form-foot sticky">
  ${button({ label: words.say('conflict.save'), kind: 'first', shortcut: 'save' })}
  <a class="button plain" href="${to(`products/${present.id}`)}">${words.say('conflict.discard')}</a></div>
</form>`,
  }
}

// Replaces words of the contract by words of the page.
function shownDifference(
  { words }: ScreenVisit,
  one: DraftDifference,
  mine: ProductDraft,
  theirs: ProductDraft,
): DraftDifference {
  if (one.member === 'status') {
    const text = (status: string) => words.sayKnown(`state.product.${status}`, status)
    return { ...one, mine: text(mine.status), theirs: text(theirs.status) }
  }
  return one.member === 'shared' ? { ...one, mine: sellingText(words, mine), theirs: sellingText(words, theirs) } : one
}

function sellingText(
  words: DashboardWords,
  { shared: { shipping, backorder, taxClass, maxPerOrder, mixed } }: ProductDraft,
): string {
  const yesNo = (value: string, yes: TextKey, no: TextKey) =>
    words.say(value === '' ? 'product.mixed' : value === 'yes' ? yes : no)
  const lineText = (name: 'taxClass' | 'maxPerOrder', value: string) =>
    value || (mixed.includes(name) ? words.say('product.mixed') : '–')
  return [
    `${words.say('product.delivery')}: ${yesNo(shipping, 'product.shipped', 'product.digital')}`,
    `${words.say('product.soldOut')}: ${yesNo(backorder, 'product.backorder', 'product.noBackorder')}`,
    `${words.say('product.taxClass')}: ${lineText('taxClass', taxClass)}`,
    `${words.say('product.maxPerOrder')}: ${lineText('maxPerOrder', maxPerOrder)}`,
  ].join('\n')
}

function differenceRow({ words }: ScreenVisit, { member, theirs, mine, preset }: DraftDifference): Html {
  const label = words.sayKnown(`conflict.${member}`, member.replace(/^sku:/, ''))
  const choice = (which: 'theirs' | 'mine', text: string) =>
    html`<td>
      <label class="version">
        <input
          type="radio"
          name="${choicePrefix}${member}"
          value="${which}"${preset === which && html` checked`}
          aria-label="${label}: ${words.say(`conflict.${which}`)}">
        <span class="version-text" dir="auto">${text || '–'}</span>
      </label>
    </td>`
  return html`<tr><th scope="row">${label}</th>${choice('theirs', theirs)}${choice('mine', mine)}</tr>`
}
