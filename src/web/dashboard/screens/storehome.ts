// The home page of the online store, which consists of sections: a list that is sorted with buttons, and a form for each section.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { limits } from '../../../contract/limits.ts'
import {
  columnBodyLengthMax,
  type SiteContent,
  type SiteSection,
  sectionBodyLengthMax,
  sectionColumnsMax,
  sectionProductsMax,
  sectionsMax,
} from '../../../contract/sitecontent.ts'
import { productSources, sectionKinds } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { listShopCategories } from '../catalog.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  field,
  keyField,
  type Problems,
  problemNote,
  problemsFromRefusal,
  readTypedValues,
} from '../form.ts'
import { button, linkButton, renderCard, renderNotice } from '../parts.ts'
import { type PostedScreen, redirectTo, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import {
  changeSiteDraft,
  currentSiteDraft,
  draftHead,
  draftPaths,
  draftPreview,
  pictureField,
  readSiteVersion,
  replaceSiteDraft,
  uploadFormPicture,
} from '../storedraft.ts'
import { linkFields, linkValues, loadLinkTargets, readLink } from '../storelinks.ts'
import { orderedRows, rowsAfterPress } from '../storerows.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import { typedTextToHtml } from '../typed.ts'

// The initial sections of a home page.
const firstSections: readonly SiteSection[] = [
  { kind: 'hero' },
  { kind: 'categories' },
  { kind: 'products', source: 'newest', limit: 8 },
]

export const storeHomeScreen: Screen = {
  path: 'store/home',
  name: 'dashboard store home',
  place: 'store',
  needs: 'getAdminSite',
  async get(visit) {
    const { data } = await visit.ask('getAdminSite')
    return homeSheet(visit, data)
  },
  async post(posted) {
    refuseUnlessAllowed(posted, 'replaceAdminSite')
    const { form, to } = posted
    const { data: site } = await posted.ask('getAdminSite')
    const content = currentSiteDraft(site)
    const pressed = form.get('do') ?? ''
    const save = (home: SiteContent['home']) => changeSiteDraft(posted, 'home', { ...content, home }, 'done.draftSaved')
    if (pressed === 'automatic') return save(null)
    if (pressed === 'start') return save([...firstSections])
    const home = content.home ?? []
    const kind = pressed === 'add' ? sectionKinds.find((one) => one === form.get('kind')) : undefined
    if (kind !== undefined) {
      const outcome = await replaceSiteDraft(posted, { ...content, home: [...home, { kind }] })
      if ('refusal' in outcome) return redirectWithRefusal(to(draftPaths.home), outcome.refusal)
      return redirectTo(to(`store/home/${home.length + 1}`))
    }
    const rows = rowsAfterPress(home, pressed)
    return rows ? save(rows) : redirectTo(to(draftPaths.home))
  },
}

function homeSheet(visit: ScreenVisit, site: AdminSite): ScreenSheet {
  const { words, may } = visit
  const { home } = currentSiteDraft(site)
  const body = may('replaceAdminSite') ? homeCard(visit, site, home) : renderNotice('info', words.say('draft.readOnly'))
  return {
    title: words.say('store.title'),
    body: html`${draftHead(visit, site, 'home')}<div class="columns preview-columns"><div>${body}</div>${draftPreview(visit, site)}</div>`,
  }
}

function homeCard(visit: ScreenVisit, { version }: AdminSite, home: SiteContent['home']): Html {
  const { words, to } = visit
  const action = to('store/home')
  const hidden = html`${keyField()}<input type="hidden" name="version" value="${version}">`
  if (home === null)
    return renderCard({
      title: words.say('section.home'),
      body: html`<p>${words.say('section.automatic')}</p>
      <form class="form-foot" method="post" action="${action}">
        ${hidden}
        ${button({ label: words.say('section.start'), kind: 'first', name: 'do', value: 'start' })}
      </form>`,
    })
  const rows = home.map((section, at) => ({
    name: section.title || words.say(`section.kind.${section.kind}`),
    note: section.title ? words.say(`section.kind.${section.kind}`) : '',
    editHref: to(`store/home/${at + 1}`),
  }))
  const kinds = sectionKinds.map((kind) => ({ value: kind, label: words.say(`section.kind.${kind}`) }))
  const add: Field = { name: 'kind', label: words.say('section.add'), kind: 'choice', options: kinds, isRequired: true }
  return renderCard({
    title: words.say('section.home'),
    body: html`${
      home.length === 0
        ? html`<p class="help">${words.say('section.none')}</p>`
        : orderedRows(visit, { action, version, rows })
    }
${
  home.length < sectionsMax &&
  html`<form class="form" method="post" action="${action}">
    ${hidden}
    <div class="fields">${field(words, add)}</div>
    <div class="form-foot">${button({ label: words.say('section.doAdd'), name: 'do', value: 'add' })}</div>
  </form>`
}
<form class="form-foot" method="post" action="${action}">
  ${hidden}
  ${button({ label: words.say('section.toAutomatic'), kind: 'plain', name: 'do', value: 'automatic' })}</form>`,
  })
}

export const storeSectionScreen: Screen = {
  path: 'store/home/:at',
  name: 'dashboard store section',
  place: 'store',
  needs: 'replaceAdminSite',
  formBytesMax: 131_072,
  filesBytesMax: limits.pictureBytesMax + 200_000,
  async get(visit) {
    const { site, section } = await sectionOf(visit)
    return sectionSheet(visit, site, section)
  },
  async post(posted) {
    const { words, to } = posted
    const { site, section, at, home } = await sectionOf(posted)
    const typed = typedSection(posted, section)
    const read = buildBody(words, await fieldsOf(posted, typed, at), posted.form)
    if ('problems' in read) return sectionSheet(posted, site, typed, read.problems)
    const uploaded = await uploadFormPicture(posted)
    if ('problems' in uploaded) return sectionSheet(posted, site, typed, uploaded.problems)
    const wanted = uploaded.url === undefined ? typed : { ...typed, image: uploaded.url }
    const outcome = await replaceSiteDraft(posted, { ...currentSiteDraft(site), home: home.with(at, wanted) })
    if (!('refusal' in outcome))
      return redirectWithToast(to(draftPaths.home), 'done.draftSaved', { change: outcome.reply.change })
    const problems = problemsFromRefusal(words, outcome.refusal, await fieldsOf(posted, wanted, at))
    const isStale = outcome.refusal.code === 'version_conflict'
    return { ...(await sectionSheet(posted, site, wanted, problems)), status: isStale ? 409 : 400 }
  },
}

async function sectionOf(visit: ScreenVisit) {
  const { data: site } = await visit.ask('getAdminSite')
  const home = currentSiteDraft(site).home ?? []
  const at = placeIn(visit)
  const section = home[at]
  if (!section) throw refuse('route_not_found')
  return { site, home, at, section }
}

function placeIn({ path }: ScreenVisit): number {
  return /^\d{1,2}$/.test(path.at ?? '') ? Number(path.at) - 1 : -1
}

function typedSection({ form }: PostedScreen, { kind, image = null }: SiteSection): SiteSection {
  const text = (name: string) => (form.get(name) ?? '').trim()
  const products = Array.from({ length: sectionProductsMax }, (_, at) => text(`product-${at}`)).filter(Boolean)
  const columns = Array.from({ length: sectionColumnsMax }, (_, at) => ({
    title: text(`title-${at}`),
    bodyHtml: typedTextToHtml(text(`body-${at}`)),
  }))
  const limit = Number(text('limit'))
  return {
    kind,
    title: text('title'),
    bodyHtml: typedTextToHtml(text('bodyHtml')),
    image: text('noPicture') === 'on' ? null : image,
    imageAlt: text('imageAlt'),
    imageSide: text('imageSide') === 'end' ? 'end' : 'start',
    link: readLink(form),
    source: productSources.find((one) => one === text('source')) ?? 'newest',
    ...(text('category') !== '' && { category: text('category') }),
    products,
    limit: Number.isSafeInteger(limit) && limit > 0 ? limit : 8,
    columns: columns.filter(({ title, bodyHtml }) => title !== '' || bodyHtml !== ''),
  }
}

async function sectionSheet(
  visit: ScreenVisit,
  site: AdminSite,
  section: SiteSection,
  problems?: Problems,
): Promise<ScreenSheet> {
  const { words, to, path } = visit
  const fields = await fieldsOf(visit, section, placeIn(visit))
  const values = 'form' in visit ? typedValues(fields, visit as PostedScreen) : valuesOfSection(section)
  const version = 'form' in visit ? readSiteVersion(visit as PostedScreen) : site.version
  const hasPicture = section.kind === 'hero' || section.kind === 'picture'
  const picture =
    hasPicture &&
    pictureField(visit, {
      label: words.say('section.image'),
      present: section.image ?? null,
      removes: words.say('section.noImage'),
    })
  const draw = (one: Field) => field(words, one, values[one.name], problems)
  const [plain, chosen] = [fields.filter((one) => !one.listId), fields.filter((one) => one.listId)]
  const choice =
    chosen.length > 0 &&
    html`<details class="formatted"${section.source === 'chosen' && html` open`}>
      <summary>${words.say('section.source.chosen')}</summary>
      <p class="help">${words.say('section.chosenHelp')}</p>
      <div class="fields">${chosen.map(draw)}</div>
    </details>
    ${await productList(visit)}`
  return {
    title: words.say(`section.kind.${section.kind}`),
    back: { href: to('store/home'), label: words.say('section.home') },
    width: 'narrow',
    status: problems ? 400 : 200,
    body: renderCard({
      body: html`<form class="form" method="post" action="${to(`store/home/${path.at}`)}" enctype="multipart/form-data">
        ${keyField()}
        <input type="hidden" name="version" value="${version}">
${problemNote(problems, fields, words)}
<div class="fields">${plain.map(draw)}${picture}</div>${choice}
<div class="form-foot">
  ${button({ label: words.say('draft.save'), kind: 'first', shortcut: 'save' })}
  ${linkButton({ label: words.say('action.cancel'), href: to('store/home'), kind: 'plain' })}</div></form>`,
    }),
  }
}

// Removes gaps between rows, because the saved section has none. Problems then appear in the right row.
function typedValues(fields: readonly Field[], { form }: PostedScreen): FieldValues {
  const values = readTypedValues(fields, form)
  const closed = (names: readonly string[], count: number) => {
    const rows = Array.from({ length: count }, (_, at) => names.map((name) => (form.get(`${name}-${at}`) ?? '').trim()))
    const filled = rows.filter((row) => row.some((text) => text !== ''))
    return rows.flatMap((_, at) => names.map((name, place) => [`${name}-${at}`, filled[at]?.[place] ?? '']))
  }
  const products = closed(['product'], sectionProductsMax)
  const columns = closed(['title', 'body'], sectionColumnsMax)
  const known = new Set(Object.keys(values))
  const rows = [...products, ...columns].filter(([name]) => known.has(name ?? ''))
  return { ...values, ...Object.fromEntries(rows) }
}

// Suggests products by name for the fields that name products.
async function productList(visit: ScreenVisit): Promise<Html> {
  const { data } = await visit.ask('listAdminProducts', { query: { limit: 200 } })
  return html`<datalist id="field-product-list">${data.map(({ slug, name }) => html`<option value="${slug}">${name}</option>`)}</datalist>`
}

function valuesOfSection(section: SiteSection): FieldValues {
  const { title = '', bodyHtml = '', imageAlt = '', imageSide = 'start', source = 'newest', category = '' } = section
  const { products = [], columns = [], limit = 8, link } = section
  return {
    ...{ title, bodyHtml, imageAlt, imageSide, source, category, limit: String(limit) },
    ...linkValues(link),
    ...Object.fromEntries(products.map((slug, at) => [`product-${at}`, slug])),
    ...Object.fromEntries(
      columns.flatMap((column, at) => [
        [`title-${at}`, column.title],
        [`body-${at}`, column.bodyHtml],
      ]),
    ),
  }
}

async function fieldsOf(visit: ScreenVisit, section: SiteSection, at: number): Promise<Field[]> {
  const { words } = visit
  const { kind } = section
  const below = `/home/${at}`
  const title: Field = {
    ...{ name: 'title', label: words.say('section.title'), kind: 'line', lengthMax: 200, pointer: `${below}/title` },
  }
  const body: Field = {
    ...{ name: 'bodyHtml', label: words.say('pages.body'), kind: 'text', rows: 6, pointer: `${below}/bodyHtml` },
    ...{ lengthMax: sectionBodyLengthMax, help: words.say('pages.bodyHelp'), isRich: true },
  }
  const alt: Field = {
    ...{ name: 'imageAlt', label: words.say('section.imageAlt'), kind: 'line', lengthMax: 300 },
    ...{ pointer: `${below}/imageAlt`, help: words.say('section.imageAltHelp') },
  }
  if (kind === 'categories') return [title]
  if (kind === 'text') return [title, body]
  if (kind === 'columns') return [title, ...columnFields(words, below, section.columns?.length ?? 0)]
  if (kind === 'products') return [title, ...(await productFields(visit, below, section.products?.length ?? 0))]
  const targets = await loadLinkTargets(visit)
  const link = linkFields(visit, { targets, pointer: `${below}/link`, isOptional: true, present: section.link })
  if (kind === 'notice') return [body, ...link]
  return [title, body, ...link, alt, ...(kind === 'picture' ? [sideField(words)] : [])]
}

function sideField(words: ScreenVisit['words']): Field {
  const options = (['start', 'end'] as const).map((value) => ({ value, label: words.say(`section.side.${value}`) }))
  return { name: 'imageSide', label: words.say('section.side'), kind: 'choice', options, isRequired: true }
}

// Returns fields for as many columns as exist, but at least three.
function columnFields(words: ScreenVisit['words'], below: string, count: number): Field[] {
  return Array.from({ length: Math.min(sectionColumnsMax, Math.max(3, count)) }, (_, at): Field[] => [
    {
      ...{ name: `title-${at}`, label: words.say('section.columnTitle', { number: at + 1 }), kind: 'line' },
      ...{ lengthMax: 200, pointer: `${below}/columns/${at}/title` },
    },
    {
      ...{ name: `body-${at}`, label: words.say('section.columnText', { number: at + 1 }), kind: 'text', rows: 3 },
      ...{ lengthMax: columnBodyLengthMax, pointer: `${below}/columns/${at}/bodyHtml` },
    },
  ]).flat()
}

async function productFields(visit: ScreenVisit, below: string, count: number): Promise<Field[]> {
  const { words } = visit
  const categories = await listShopCategories(visit)
  const none = { value: '', label: '–' }
  return [
    {
      ...{ name: 'source', label: words.say('section.source'), kind: 'choice', isRequired: true },
      options: productSources.map((value) => ({ value, label: words.say(`section.source.${value}`) })),
    },
    {
      ...{ name: 'category', label: words.say('section.category'), kind: 'choice', pointer: `${below}/category` },
      options: [
        none,
        ...categories.map(({ category: { slug, name }, depth }) => ({
          value: slug,
          label: `${'– '.repeat(depth)}${name}`,
        })),
      ],
    },
    {
      ...{ name: 'limit', label: words.say('section.limit'), kind: 'whole', min: 1, max: 24, isRequired: true },
      pointer: `${below}/limit`,
    },
    ...Array.from(
      { length: Math.min(sectionProductsMax, Math.max(8, count + 4)) },
      (_, at): Field => ({
        ...{ name: `product-${at}`, label: words.say('section.product', { number: at + 1 }), kind: 'line' },
        ...{ lengthMax: 120, pointer: `${below}/products/${at}`, listId: 'field-product-list', isHalf: true },
      }),
    ),
  ]
}
