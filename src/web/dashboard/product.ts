// The product form: converts its texts, expands options to a grid of variants, and compares two edited versions. Pure.

import { createHash } from 'node:crypto'
import type { AdminProduct } from '../../contract/admin/catalog.ts'
import { type ProductEntry, type SkuEntry, skuCodeLengthMax, skusMax } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { withdrawalExemptions } from '../../contract/words.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { measureText, typedMeasure } from '../../platform/kit/measuretext.ts'
import { slugify } from '../../platform/kit/slug.ts'
import { completeMeasure, type SkuMeasure } from '../../platform/kit/unitprice.ts'
import { warningsIn, warningsText } from '../../platform/kit/warningtext.ts'
import { moneyText, parseTypedAmount } from './form.ts'
import {
  choosePictureOfVariant,
  pictureScopeOf,
  type ScopedPicture,
  scopeOfValue,
  scopeUnchanged,
  valueOfScope,
} from './variantpictures.ts'

export const optionsMax = 3
export const variantsMax = 250
const imagesMax = 50
export const warningsLengthMax = limits.warningsMax * (limits.warningLengthMax + 10)
const valueLengthMax = 300

export interface DraftRow {
  code: string
  // Whether the SKU exists, so its code, which identifies it, cannot be changed.
  isKnown: boolean
  // Values of the options, by slot.
  values: readonly string[]
  price: string
  compareAt: string
  // Opening stock of a new SKU.
  stock: string
  weight: string
  // The content with its unit, such as 250 g.
  measure: string
  isSold: boolean
}

export interface DraftImage extends ScopedPicture {
  alt: string
  width: string
  height: string
}

export interface DraftOption {
  name: string
  values: readonly string[]
}

// Values that the form sets for all variants.
export interface SharedVariantValues {
  // '' leaves each variant unchanged.
  backorder: '' | 'yes' | 'no' | 'uncounted'
  shipping: '' | 'yes' | 'no'
  // '' is the default. If variants had different values, '' leaves each variant unchanged.
  taxClass: string
  maxPerOrder: string
  // Members that differed between variants when the form was rendered.
  mixed: readonly MixableName[]
}

const mixableNames = ['taxClass', 'maxPerOrder'] as const
type MixableName = (typeof mixableNames)[number]

export interface ProductDraft {
  name: string
  brand: string
  slug: string
  summary: string
  seoTitle: string
  seoDescription: string
  description: string
  descriptionHtml: string
  // Slug of the maker.
  maker: string
  // One warning per paragraph.
  warnings: string
  // The reason why the right of withdrawal does not apply, or ''.
  exempt: string
  digital: 'yes' | 'no'
  guaranteeYears: string
  guaranteeUrl: string
  tags: string
  // Slugs of the categories.
  categories: readonly string[]
  images: readonly DraftImage[]
  // Always three slots; a slot without a name is unused.
  options: readonly DraftOption[]
  status: 'published' | 'hidden'
  rows: readonly DraftRow[]
  shared: SharedVariantValues
}

const noOption: DraftOption = { name: '', values: [] }
export const emptyRow: DraftRow = {
  code: '',
  isKnown: false,
  values: [],
  price: '',
  compareAt: '',
  stock: '',
  weight: '',
  measure: '',
  isSold: true,
}

export const emptyDraft: ProductDraft = {
  name: '',
  brand: '',
  slug: '',
  summary: '',
  seoTitle: '',
  seoDescription: '',
  description: '',
  descriptionHtml: '',
  maker: '',
  warnings: '',
  exempt: '',
  digital: 'no',
  guaranteeYears: '',
  guaranteeUrl: '',
  tags: '',
  categories: [],
  images: [],
  options: [noOption, noOption, noOption],
  status: 'hidden',
  rows: [emptyRow],
  shared: { backorder: 'no', shipping: 'yes', taxClass: 'standard', maxPerOrder: '', mixed: [] },
}

export function toDraft({ product, status }: Pick<AdminProduct, 'product' | 'status'>, currency: string): ProductDraft {
  const { options = [], skus, images = [], tags = [], categories = [] } = product
  const texts = {
    taxClass: skus.map(({ taxClass }) => taxClass ?? 'standard'),
    maxPerOrder: skus.map(({ maxPerOrder = limits.quantityMax }) =>
      maxPerOrder === limits.quantityMax ? '' : String(maxPerOrder),
    ),
  }
  const valuesOf = (sku: SkuEntry) => options.map(({ name }) => sku.options?.[name] ?? '')
  const variants = skus.map((sku) => ({ values: valuesOf(sku), image: sku.image ?? null }))
  return {
    name: product.name,
    brand: product.brand ?? '',
    slug: product.slug,
    summary: product.summary ?? '',
    seoTitle: product.seoTitle ?? '',
    seoDescription: product.seoDescription ?? '',
    description: typed(product.description ?? ''),
    descriptionHtml: typed(product.descriptionHtml ?? ''),
    maker: product.maker ?? '',
    warnings: warningsText(
      (product.warnings ?? []).map(({ language = null, text: warning }) => ({ language, text: warning })),
    ),
    exempt: product.withdrawalExempt ?? '',
    digital: product.digital ? 'yes' : 'no',
    guaranteeYears: String(product.guarantee?.years ?? ''),
    guaranteeUrl: product.guarantee?.url ?? '',
    tags: tags.join(', '),
    categories,
    images: images.map(({ url, alt = '', width, height }) => ({
      url,
      alt,
      width: String(width ?? ''),
      height: String(height ?? ''),
      shows: pictureScopeOf(url, variants),
    })),
    options: emptyDraft.options.map((none, slot) => options[slot] ?? none),
    status: status === 'published' ? 'published' : 'hidden',
    rows: skus.map((sku) => ({
      code: sku.code,
      isKnown: true,
      values: valuesOf(sku),
      price: moneyText(sku.price, currency),
      compareAt: sku.compareAtPrice == null ? '' : moneyText(sku.compareAtPrice, currency),
      stock: '',
      weight: String(sku.weightGrams ?? ''),
      measure: sku.measure ? measureText(completeMeasure(sku.measure)) : '',
      isSold: true,
    })),
    shared: {
      backorder: oneOf(
        skus.map(({ backorder, counted }) => (counted === false ? 'uncounted' : backorder ? 'yes' : 'no')),
      ),
      shipping: oneOf(skus.map(({ requiresShipping }) => (requiresShipping === false ? 'no' : 'yes'))),
      taxClass: oneOf(texts.taxClass),
      maxPerOrder: oneOf(texts.maxPerOrder),
      mixed: mixableNames.filter((name) => new Set(texts[name]).size > 1),
    },
  }
}

// Normalizes a text to what it is after a browser has posted it.
function typed(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function oneOf<Value extends string>(values: readonly Value[]): Value | '' {
  const [first = ''] = values
  return values.every((value) => value === first) ? first : ''
}

// Returns a hidden copy of the product, to be created as a new one.
export function copyDraft(draft: ProductDraft, suffix: string): ProductDraft {
  return {
    ...draft,
    name: `${draft.name} ${suffix}`.slice(0, 200),
    slug: '',
    status: 'hidden',
    rows: draft.rows.map((row) => ({ ...row, code: `${row.code}-2`.slice(0, 80), isKnown: false })),
  }
}

// Reads the posted form. `was`: the options from which the grid was built.
export function readProductDraft(form: FormFields): { draft: ProductDraft; was: readonly DraftOption[] } {
  const line = (name: string, lengthMax = 500) =>
    (form.get(name) ?? '')
      .slice(0, lengthMax)
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
  // Reads a little more than twice the maximum length, so the person can shorten a text that is too long. Of such a text, no character is
  // counted to see that it is.
  const text = (name: string, lengthMax: number) =>
    typed((form.get(name) ?? '').slice(0, 2 * lengthMax + 1).toWellFormed())
  const yesNo = (name: string) => {
    const value = form.get(name)
    return value === 'yes' || value === 'no' ? value : ''
  }
  const images = numbersOf(form, 'image')
    .slice(0, imagesMax)
    .filter((at) => form.get(`image.${at}.remove`) === null)
    .map((at, place) => ({ at, position: placeIn(form.get(`image.${at}.position`), place + 1) }))
    .sort((one, other) => one.position - other.position)
  // The price of every variant that has none of its own.
  const allPrice = line('allPrice', 20)
  const draft: ProductDraft = {
    name: line('name', 300),
    brand: line('brand', 300),
    slug: line('slug', 200),
    summary: line('summary', 1_000),
    seoTitle: line('seoTitle', 400),
    seoDescription: line('seoDescription', 1_000),
    description: text('description', limits.descriptionLengthMax),
    descriptionHtml: text('descriptionHtml', limits.descriptionHtmlLengthMax),
    maker: line('maker', 120),
    warnings: text('warnings', warningsLengthMax),
    exempt: line('exempt', 40),
    digital: form.get('digital') === 'yes' ? 'yes' : 'no',
    guaranteeYears: line('guaranteeYears', 6),
    guaranteeUrl: line('guaranteeUrl', 600),
    tags: line('tags', 4_000),
    categories: form.getAll('category').slice(0, 50),
    images: images.map(({ at }) => ({
      url: line(`image.${at}.url`, 2_000),
      alt: line(`image.${at}.alt`, 600),
      width: line(`image.${at}.width`),
      height: line(`image.${at}.height`),
      // This field is missing in the form of a product without options.
      shows: form.get(`image.${at}.shows`)?.slice(0, valueLengthMax + 2) ?? scopeUnchanged,
    })),
    options: emptyDraft.options.map((_, slot) => ({
      name: line(`option.${slot}.name`, 150),
      values: parseOptionValues(form.get(`option.${slot}.values`) ?? ''),
    })),
    status: form.get('status') === 'published' ? 'published' : 'hidden',
    rows: numbersOf(form, 'sku').map((at) => ({
      code: line(`sku.${at}.code`, 2 * skuCodeLengthMax),
      isKnown: form.get(`sku.${at}.known`) === 'yes',
      values: emptyDraft.options.map((__, slot) => line(`sku.${at}.value.${slot}`, valueLengthMax)),
      price: line(`sku.${at}.price`, 20) || allPrice,
      compareAt: line(`sku.${at}.compareAt`, 20),
      stock: line(`sku.${at}.stock`, 12),
      weight: line(`sku.${at}.weight`, 12),
      measure: line(`sku.${at}.measure`, 40),
      isSold: form.get(`sku.${at}.sold`) === 'yes',
    })),
    shared: {
      backorder: form.get('backorder') === 'uncounted' ? 'uncounted' : yesNo('backorder'),
      shipping: yesNo('shipping'),
      taxClass: line('taxClass', 60),
      maxPerOrder: line('maxPerOrder', 6),
      mixed: mixableNames.filter((name) => form.getAll('mixed').includes(name)),
    },
  }
  const was = emptyDraft.options.map((_, slot) => ({
    name: line(`option.${slot}.wasName`, 150),
    values: parseOptionValues(form.get(`option.${slot}.was`) ?? ''),
  }))
  return { draft, was }
}

function placeIn(typed: string | null, otherwise: number): number {
  return /^\s*\d{1,4}\s*$/.test(typed ?? '') ? Number(typed) : otherwise
}

// Whether the form has more variants than a product may have, which forms of this server cannot send.
export function hasTooManyRows(form: FormFields): boolean {
  return numbersOf(form, 'sku').length > skusMax
}

// Reads at most `skusMax` + 1 numbers, which is enough for `hasTooManyRows`.
function numbersOf(form: FormFields, group: string): number[] {
  const found = new Set<number>()
  const begin = `${group}.`
  for (const name of form.keys()) {
    if (!name.startsWith(begin)) continue
    const number = name.slice(begin.length, name.indexOf('.', begin.length))
    if (/^\d{1,4}$/.test(number)) found.add(Number(number))
    if (found.size > skusMax) break
  }
  return [...found]
}

// Splits at line breaks if the text has any, otherwise at commas.
export function parseOptionValues(text: string): string[] {
  const parts = text.split(text.includes('\n') ? '\n' : ',', skusMax)
  const values = parts.map((part) =>
    part
      .slice(0, valueLengthMax)
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
  )
  return [...new Set(values)].filter((value) => value !== '')
}

// Formats values for `parseOptionValues`. A single value that contains a comma ends with a line break, so it is not split.
export function valuesText(values: readonly string[]): string {
  return values.some((value) => value.includes(',')) ? `${values.join('\n')}\n` : values.join(', ')
}

export function isUsed({ name, values }: DraftOption): boolean {
  return name !== '' && values.length > 0
}

export function haveOptionsChanged(options: readonly DraftOption[], was: readonly DraftOption[]): boolean {
  const used = (all: readonly DraftOption[]) => JSON.stringify(all.map((one) => (isUsed(one) ? one.values : [])))
  return used(options) !== used(was)
}

// Returns the grid for the current options, or undefined if the grid would have too many variants. Rows keep their typed values: renaming
// a value keeps its variants, and a new option adds its first value to existing variants.
export function withVariants(draft: ProductDraft, was: readonly DraftOption[]): ProductDraft | undefined {
  const { options, rows } = draft
  const lists = options.map((option) => (isUsed(option) ? option.values : []))
  const count = lists.reduce((product, list) => product * Math.max(1, list.length), 1)
  if (count > variantsMax) return undefined
  const before = was.map((option) => (isUsed(option) ? option.values : []))
  const kept = new Map<string, DraftRow>()
  for (const row of rows) {
    const values = lists.map((list, slot) => movedValue(row.values[slot] ?? '', list, before[slot] ?? []))
    const isPlaced = values.every((value, slot) => (lists[slot]?.length ?? 0) === 0 || lists[slot]?.includes(value))
    const place = JSON.stringify(values)
    if (isPlaced && !kept.has(place)) kept.set(place, { ...row, values })
  }
  const [model = emptyRow] = rows
  const hadOptions = before.some((list) => list.length > 0)
  const isNewValue = (value: string, slot: number) => {
    const old = before[slot] ?? []
    return value !== '' && (old.length === 0 || !old.some((one) => movedValue(one, lists[slot] ?? [], old) === value))
  }
  const base = codeBase(draft)
  const made = combinations(lists).map((values): DraftRow => {
    const found = kept.get(JSON.stringify(values))
    if (found?.isKnown || (found && hadOptions)) return found
    const code = [base, ...values.filter(Boolean).map(codePart)].filter(Boolean).join('-').slice(0, 80)
    if (found) return { ...found, code: values.some(Boolean) ? code : found.code }
    const isSold = !hadOptions || values.some(isNewValue)
    const { price, compareAt, weight, measure } = model
    return { ...emptyRow, values, price, compareAt, weight, measure, code, isSold }
  })
  const images = draft.images.map((image) => {
    const shown = valueOfScope(image.shows)
    if (!shown) return image
    const value = movedValue(shown.value, lists[shown.slot] ?? [], before[shown.slot] ?? [])
    return { ...image, shows: scopeOfValue(shown.slot, value) }
  })
  return { ...draft, images, rows: withOwnCodes(made) }
}

function movedValue(value: string, list: readonly string[], before: readonly string[]): string {
  if (list.length === 0) return ''
  if (before.length === 0) return list[0] ?? ''
  if (list.includes(value) || list.length !== before.length) return value
  return list[before.indexOf(value)] ?? value
}

function combinations(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (all, list) => all.flatMap((one) => (list.length === 0 ? [[...one, '']] : list.map((value) => [...one, value]))),
    [[]],
  )
}

function codeBase({ slug, name, rows }: ProductDraft): string {
  const [first] = rows
  if (first?.isKnown) return first.code.slice(0, 30)
  return (first?.code || slugify(slug || name).toUpperCase()).slice(0, 30)
}

function codePart(value: string): string {
  return slugify(value).toUpperCase().replaceAll('-', '').slice(0, 12) || 'X'
}

function withOwnCodes(rows: readonly DraftRow[]): DraftRow[] {
  const taken = new Set(rows.filter(({ isKnown }) => isKnown).map(({ code }) => code))
  return rows.map((row) => {
    if (row.isKnown) return row
    let { code } = row
    for (let number = 2; code !== '' && taken.has(code); number++) code = `${row.code.slice(0, 76)}-${number}`
    taken.add(code)
    return { ...row, code }
  })
}

// Values that could not be parsed, by pointer into the product. Rows are counted as in the draft.
export type DraftProblems = Readonly<Record<string, 'notMoney' | 'notNumber' | 'notMeasure' | 'needed'>>

export interface DraftEntry {
  entry: ProductEntry
  // For each SKU, the row of the draft that it comes from.
  rowOf: readonly number[]
}

// `present`: the stored product, with members that the form does not show, such as metadata and names of SKUs.
export function draftToEntry(
  draft: ProductDraft,
  present: ProductEntry | undefined,
  currency: string,
): DraftEntry | { problems: DraftProblems } {
  const problems: Record<string, DraftProblems[string]> = {}
  const sold = draft.rows.map((row, at) => ({ row, at })).filter(({ row }) => row.isSold)
  if (draft.name === '') problems['/name'] = 'needed'
  if (draft.slug === '' && slugify(draft.name) === '') problems['/slug'] = 'needed'
  const options = draft.options.filter(isUsed).map(({ name, values }) => ({ name, values: [...values] }))
  const knownSkus = new Map(present?.skus.map((sku) => [sku.code, sku]))
  const skus = sold.map(({ row, at }) => skuOf(row, at))
  const maxPerOrder = whole(draft.shared.maxPerOrder, '/maxPerOrder')
  const years = whole(draft.guaranteeYears, '/guarantee/years')
  if (draft.guaranteeYears === '' && draft.guaranteeUrl !== '') problems['/guarantee/years'] = 'needed'
  if (Object.keys(problems).length > 0) return { problems }
  const keepsDate = draft.status === 'published' && present?.publishedAt !== undefined
  return {
    rowOf: sold.map(({ at }) => at),
    entry: {
      slug: draft.slug || slugify(draft.name),
      name: draft.name,
      brand: draft.brand || null,
      summary: draft.summary,
      seoTitle: draft.seoTitle || null,
      seoDescription: draft.seoDescription || null,
      description: draft.description,
      descriptionHtml: draft.descriptionHtml || null,
      maker: draft.maker || null,
      warnings: warningsIn(draft.warnings),
      withdrawalExempt: withdrawalExemptions.find((reason) => reason === draft.exempt) ?? null,
      digital: draft.digital === 'yes',
      guarantee: years === null ? null : { years, url: draft.guaranteeUrl || null },
      categories: [...draft.categories],
      tags: parseTags(draft.tags),
      images: draft.images.map(({ url, alt, width, height }) => ({
        url,
        alt,
        width: Number(width) || null,
        height: Number(height) || null,
      })),
      options,
      published: draft.status === 'published',
      ...(keepsDate && { publishedAt: present.publishedAt }),
      ...(present?.metadata && { metadata: present.metadata }),
      skus: skus.map((sku) => ({ ...sku, ...(maxPerOrder !== null && { maxPerOrder }) })),
    },
  }

  function skuOf(row: DraftRow, at: number): SkuEntry {
    const { backorder, shipping, taxClass, mixed } = draft.shared
    const known = row.isKnown ? knownSkus.get(row.code) : undefined
    const { name, taxClass: knownTaxClass, maxPerOrder: knownMax, ...rest }: Partial<SkuEntry> = known ?? {}
    const stock = row.isKnown ? null : whole(row.stock, `/skus/${at}/stock`)
    const image = choosePictureOfVariant(row.values, draft.images, {
      image: rest.image ?? null,
      pictures: (present?.images ?? []).map(({ url }) => url),
    })
    if (row.code === '') problems[`/skus/${at}/code`] = 'needed'
    return {
      ...rest,
      ...(image !== (rest.image ?? null) && { image }),
      code: row.code,
      // A name that only repeats the product and the options is omitted, so it follows their changes.
      ...(name !== undefined && known && present && name !== defaultName(present, known) && { name }),
      options: Object.fromEntries(
        draft.options.flatMap((option, slot) => (isUsed(option) ? [[option.name, row.values[slot] ?? '']] : [])),
      ),
      price: amount(row.price, `/skus/${at}/price`) ?? 0,
      compareAtPrice: row.compareAt === '' ? null : amount(row.compareAt, `/skus/${at}/compareAtPrice`),
      weightGrams: whole(row.weight, `/skus/${at}/weightGrams`),
      measure: content(row.measure, `/skus/${at}/measure`),
      ...(backorder !== '' && { backorder: backorder === 'yes', counted: backorder !== 'uncounted' }),
      ...(shipping !== '' && { requiresShipping: shipping === 'yes' }),
      ...(taxClass !== '' && { taxClass }),
      ...(taxClass === '' && mixed.includes('taxClass') && knownTaxClass !== undefined && { taxClass: knownTaxClass }),
      ...(mixed.includes('maxPerOrder') && knownMax !== undefined && { maxPerOrder: knownMax }),
      ...(stock !== null && { stock }),
    }
  }

  function amount(text: string, pointer: string): number | null {
    const value = parseTypedAmount(text, currency)
    if (value === undefined) problems[pointer] = text === '' ? 'needed' : 'notMoney'
    return value ?? null
  }

  function content(text: string, pointer: string): SkuMeasure | null {
    if (text === '') return null
    const measure = typedMeasure(text)
    if (!measure) problems[pointer] = 'notMeasure'
    return measure ?? null
  }

  function whole(text: string, pointer: string): number | null {
    if (text === '') return null
    if (/^\d{1,10}$/.test(text)) return Number(text)
    problems[pointer] = 'notNumber'
    return null
  }
}

function defaultName({ name, options = [] }: ProductEntry, sku: SkuEntry): string {
  const values = options.flatMap((option) => sku.options?.[option.name] ?? [])
  return values.length > 0 ? values.join(' / ') : name
}

export function parseTags(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}

export const variantsMember = 'variants'
const skuPrefix = 'sku:'

// Returns each part of a product as readable text. `withRows`: whether each variant is a part. If the options of two versions differ, all
// variants are one part.
export function readableParts(draft: ProductDraft, withRows: boolean): Map<string, string> {
  const parts = new Map<string, string>([
    ['name', draft.name],
    ['brand', draft.brand],
    ['slug', draft.slug],
    ['status', draft.status],
    ['summary', draft.summary],
    ['seoTitle', draft.seoTitle],
    ['seoDescription', draft.seoDescription],
    ['description', draft.description],
    ['descriptionHtml', draft.descriptionHtml],
    ['maker', draft.maker],
    ['warnings', draft.warnings],
    ['exempt', draft.exempt],
    ['digital', draft.digital],
    ['guaranteeYears', draft.guaranteeYears],
    ['guaranteeUrl', draft.guaranteeUrl],
    ['categories', [...draft.categories].sort().join(', ')],
    ['tags', parseTags(draft.tags).join(', ')],
    ['images', draft.images.map(imageText).join('\n')],
    ['shared', Object.values(draft.shared).join(', ')],
  ])
  const rows = draft.rows.filter(({ isSold }) => isSold)
  if (withRows) for (const row of rows) parts.set(skuPrefix + row.code, rowText(row))
  else parts.set(variantsMember, [optionsText(draft), ...rows.map((row) => `${row.code} ${rowText(row)}`)].join('\n'))
  return parts
}

function imageText({ url, alt, shows }: DraftImage): string {
  const value = valueOfScope(shows)?.value
  return `${alt || (url.split('/').at(-1) ?? '')}${value === undefined ? '' : ` (${value})`}`
}

function optionsText({ options }: ProductDraft): string {
  return options
    .filter(isUsed)
    .map(({ name, values }) => `${name}: ${values.join(', ')}`)
    .join('\n')
}

function rowText({ values, price, compareAt, weight, measure }: DraftRow): string {
  const label = values.filter(Boolean).join(' / ')
  return [label, price, compareAt !== '' && `(${compareAt})`, weight !== '' && `${weight} g`, measure]
    .filter(Boolean)
    .join(' · ')
}

// Returns a short hash of each part of the product as the form was opened. Later the hashes show which of two versions changed a part.
export function hashDraftParts(draft: ProductDraft): string {
  const all = [...readableParts(draft, true), ...readableParts(draft, false)]
  return JSON.stringify(Object.fromEntries(all.map(([member, text]) => [member, shortHash(text)])))
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 6)
}

export interface DraftDifference {
  member: string
  theirs: string
  mine: string
  // The preselected version: theirs if only the other person changed the part.
  preset: 'theirs' | 'mine'
}

// Lists the parts that another person changed after the form was opened and that differ from this person's parts, with both versions.
export function listDraftDifferences(mine: ProductDraft, theirs: ProductDraft, base: string): DraftDifference[] {
  const withRows = !haveOptionsChanged(mine.options, theirs.options)
  const [own, other] = [readableParts(mine, withRows), readableParts(theirs, withRows)]
  const began = hashesIn(base)
  return [...new Set([...other.keys(), ...own.keys()])].flatMap((member) => {
    const [there, here] = [other.get(member) ?? '', own.get(member) ?? '']
    const before = began.get(member) ?? shortHash('')
    if (there === here || shortHash(there) === before) return []
    return [{ member, theirs: there, mine: here, preset: shortHash(here) === before ? 'theirs' : 'mine' } as const]
  })
}

function hashesIn(base: string): Map<string, unknown> {
  try {
    const read: unknown = JSON.parse(base)
    return new Map(Object.entries(read ?? {}))
  } catch {
    return new Map()
  }
}

// If only one of the two descriptions was changed, the other is cleared: a new plain text has no formatting yet, and the plain text is
// derived from a new formatted description. If the formatted description was removed, the plain text stays.
export function withOneDescription(draft: ProductDraft, base: string): ProductDraft {
  const began = hashesIn(base)
  const isChanged = (member: 'description' | 'descriptionHtml') =>
    shortHash(draft[member]) !== (began.get(member) ?? shortHash(''))
  const [text, html] = [isChanged('description'), isChanged('descriptionHtml')]
  if (text && !html) return { ...draft, descriptionHtml: '' }
  return html && !text && draft.descriptionHtml !== '' ? { ...draft, description: '' } : draft
}

// Returns this person's version, with the parts in `takenMembers` from the other version.
export function mergeDrafts(mine: ProductDraft, theirs: ProductDraft, takenMembers: ReadonlySet<string>): ProductDraft {
  const simple = [
    ...([
      'name',
      'brand',
      'slug',
      'status',
      'summary',
      'seoTitle',
      'seoDescription',
      'description',
      'descriptionHtml',
    ] as const),
    ...(['maker', 'warnings', 'exempt', 'digital', 'guaranteeYears', 'guaranteeUrl'] as const),
    ...(['categories', 'tags', 'images', 'shared'] as const),
  ]
  const taken = Object.fromEntries(
    simple.filter((member) => takenMembers.has(member)).map((member) => [member, theirs[member]]),
  )
  if (takenMembers.has(variantsMember)) return { ...mine, ...taken, options: theirs.options, rows: theirs.rows }
  const isTaken = ({ code }: DraftRow) => takenMembers.has(skuPrefix + code)
  const inTheirs = new Map(theirs.rows.map((row) => [row.code, row]))
  const inMine = new Set(mine.rows.map(({ code }) => code))
  const rows = mine.rows.flatMap((row) => {
    const other = inTheirs.get(row.code)
    if (!isTaken(row)) return [{ ...row, isKnown: other !== undefined }]
    return other ? [other] : []
  })
  return { ...mine, ...taken, rows: [...rows, ...theirs.rows.filter((row) => isTaken(row) && !inMine.has(row.code))] }
}
